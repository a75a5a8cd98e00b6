"""The runs as a part of the application."""

from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

from starlette.routing import Route

from harness.workbench.commands import Commands
from harness.workbench.hub import Hub
from harness.workbench.runs.cores import Cores
from harness.workbench.runs.listing import RunListing
from harness.workbench.runs.pages import Pages
from harness.workbench.runs.routes import RunRoutes
from harness.workbench.runs.sweeps import Sweeps
from harness.workbench.runs.watch import Watch


class Runs:
    """Everything about runs.

    Args:
        hub: gets what changes.
        results: the folder of runs.
        scratch: the folder for temporary files.
        allows_files: whether a backend may be a file.
    """

    def __init__(self, hub: Hub, results: Path, scratch: Path, *, allows_files: bool) -> None:
        self._clear: Callable[[Sequence[int]], Awaitable[None]] | None = None
        cores, listing = Cores(), RunListing(results)
        self._sweeps = Sweeps(
            *(hub, results, cores), before=self._clear_cores, changed=self._changed
        )
        self.watch = Watch(hub, listing, self._sweeps, cores)
        self._commands = Commands()
        self._pages = Pages(self._commands, scratch)
        self._routes = RunRoutes(
            *(hub, listing, self._sweeps, self.watch, self._pages, self._commands, scratch),
            allows_files=allows_files,
        )

    def measured(self) -> list[int]:
        """The cores on which sweeps measure now."""
        return self.watch.measured()

    def clears_cores_by(self, clear: Callable[[Sequence[int]], Awaitable[None]]) -> None:
        """Call `clear` with the cores of a sweep before it begins."""
        self._clear = clear

    def routes(self) -> list[Route]:
        """The routes of runs."""
        return self._routes.routes()

    async def close(self) -> None:
        """Stop the running sweep in order, and end all other processes."""
        await self._sweeps.close()
        await self._commands.close()

    async def _clear_cores(self, cores: Sequence[int]) -> None:
        if self._clear is not None:
            await self._clear(cores)

    def _changed(self) -> None:
        self.watch.change()
