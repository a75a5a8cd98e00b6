"""What counts as a lack of memory, and what does not."""

from collections.abc import Callable

from harness.records.question import Verdict
from harness.records.trial import Ending
from tests.engine.asking import bad_trial, bad_trials, misbehaving

OWN_CLASS = """
    class MemoryError(Exception): pass
    raise MemoryError("of the backend")
"""
SUBCLASS = """
    class ArrayMemoryError(MemoryError): pass
    raise ArrayMemoryError
"""
REFUSED_MAP = "import mmap; mmap.mmap(-1, 1 << 46)"
REFUSED_OPEN = "open('/nowhere/at/all')"
REFUSED_IN_STATISTICS = """
    class Stats(dict):
        def items(self): raise MemoryError
    return Answer.unknown(stats=Stats(nodes=1))
"""
GROWS_IN_STATISTICS = """
    class Stats(dict):
        def items(self):
            hoard = []
            while True:
                hoard.append(b"x" * 2**24)
                time.sleep(0.01)
    return Answer.unknown(stats=Stats(nodes=1))
"""
HAS_A_CHILD = """
    import subprocess
    own = b"x" * 2**27
    child = "x = [b'x' * 2**24 for _ in range(9)]; import time; time.sleep(0.5)"
    subprocess.run([sys.executable, "-c", child])
"""
"""Neither the worker nor its child is over the limit; both together are."""
MEMFD = """
    memory = os.memfd_create("large")
    for _ in range({mib}): os.write(memory, b"x" * 2**20)
    time.sleep(0.3)
    os.close(memory)
"""


def test_a_lack_of_memory_is_distinguished_from_a_crash(a_backend: Callable[..., str]) -> None:
    expected = {
        OWN_CLASS: Verdict.CRASHED,
        SUBCLASS: Verdict.OUT_OF_MEMORY,
        REFUSED_MAP: Verdict.OUT_OF_MEMORY,
        REFUSED_IN_STATISTICS: Verdict.OUT_OF_MEMORY,
        GROWS_IN_STATISTICS: Verdict.OUT_OF_MEMORY,
        HAS_A_CHILD: Verdict.OUT_OF_MEMORY,
        REFUSED_OPEN: Verdict.CRASHED,
        MEMFD.format(mib=400): Verdict.OUT_OF_MEMORY,
        MEMFD.format(mib=50): Verdict.UNSATISFIABLE,
    }
    trials = bad_trials(a_backend, [*expected], timeout=20, memory=200)
    assert {action: bad.verdict for action, bad in zip(expected, trials, strict=True)} == expected


def test_memory_in_files_is_measured(a_backend: Callable[..., str]) -> None:
    outcome = bad_trial(a_backend(misbehaving(MEMFD.format(mib=300))), timeout=20).outcome
    assert outcome.ending is Ending.ANSWERED
    assert outcome.memory_source == "sampled"
    assert (outcome.memory_bytes or 0) > 300 * 2**20
