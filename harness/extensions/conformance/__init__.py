"""The contract as a test suite for any backend.

    from harness.extensions.conformance import examine
    assert not examine(MyBackend)

The suite has parts: questions with known answers, and checks of the other clauses of
the contract. Each part lists the breaches that it finds.
"""

from harness.base.plugins import lazily

__getattr__, __dir__ = lazily(__name__, __file__)
