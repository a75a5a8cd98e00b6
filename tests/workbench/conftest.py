"""A workbench for the tests of a module."""

from collections.abc import Iterator

import pytest

from tests.workbench.server import Workbench


@pytest.fixture(scope="module")
def workbench(
    tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest
) -> Iterator[Workbench]:
    """A running workbench; a module names further options in `OPTIONS`."""
    pytest.importorskip("uvicorn", reason="the extra [workbench] is not installed")
    folder = tmp_path_factory.mktemp("workbench")
    found = Workbench(folder, *getattr(request.module, "OPTIONS", ()))
    yield found
    found.stop()
    log = found.log.read_text()
    assert "Traceback" not in log, log
