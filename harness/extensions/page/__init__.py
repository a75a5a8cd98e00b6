"""Charts, trends, and pages of runs as self-contained HTML files.

>>> from harness.extensions.page import trend
>>> trend(["monday", "tuesday", "wednesday"]).trends  # doctest: +SKIP
"""

from harness.base.plugins import lazily

__getattr__, __dir__ = lazily(__name__, __file__)
