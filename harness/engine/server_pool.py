"""The servers of all configurations of a run."""

import selectors
from collections.abc import Callable, Sequence
from time import monotonic
from typing import Final

from harness.contract.spec import BackendSpec
from harness.engine.processes import ServerHandle, WorkerHandle
from harness.engine.termination import describe_exit
from harness.engine.wire.channel import ChannelBroken, ChannelClosed
from harness.engine.wire.messages import Preparing, Ready, Refusal, Refused
from harness.errors import OptionError
from harness.records.configuration import Configuration, WorkerEvent
from harness.text import last_line

START_UP_LIMIT_S: Final = 120.0
"""Seconds that a worker may take to import its backend, or spend outside a trial. The slowest
import known takes a few seconds, compiling for the first time up to a minute; two minutes
allow for a machine under load."""

SERVER_ENDED: Final = "its server ended"


def programs(names: Sequence[str]) -> str:
    """``2 processes running (cbc, sleep)``."""
    number = f"{len(names)} process{'' if len(names) == 1 else 'es'}"
    return f"{number} running ({', '.join(sorted(set(names))[:_MOST_NAMES])})"


_MOST_NAMES: Final = 5
"""Names of programs in an event: enough to find the cause, few enough for a line."""


class ServerPool:
    """One server for each configuration; closing it ends all of them.

    Args:
        specs: the configurations, with locators as `registry.resolve` returns them.
        notice: called with a line before a backend prepares for seconds.
        report: called with each event.
        hash_seed: the seed of the hashes of texts in all workers.
    """

    def __init__(
        self,
        specs: Sequence[BackendSpec],
        notice: Callable[[str], None],
        report: Callable[[WorkerEvent], None],
        hash_seed: int = 0,
    ) -> None:
        self._hash_seed = hash_seed
        self._specs = {spec.label: spec for spec in specs}
        self._notice = notice
        self._report = report
        self._servers: dict[str, ServerHandle] = {}

    def load(self, *, refusals: bool = False) -> list[Configuration]:
        """Start all servers side by side and wait until each has loaded its backend.

        Args:
            refusals: whether options that a backend does not accept make it unavailable.

        Raises:
            InputError: a backend does not exist or does not accept its options.
        """
        with selectors.DefaultSelector() as selector:
            for label, spec in self._specs.items():
                self._servers[label] = server = ServerHandle(spec, self._hash_seed)
                selector.register(server.connection, selectors.EVENT_READ, label)
            loaded: dict[str, Configuration] = {}
            while len(loaded) < len(self._specs):
                readable = {key.data for key, _ in selector.select(timeout=1.0)}
                for label in [label for label in self._specs if label not in loaded]:
                    server = self._servers[label]
                    try:
                        configuration = self._poll(server, is_readable=label in readable)
                    except OptionError as error:
                        if not refusals:
                            raise
                        configuration = Configuration(server.spec, None, {}, str(error))
                    if configuration:
                        selector.unregister(server.connection)
                        loaded[label] = configuration
                        if configuration.unavailable:
                            self._servers.pop(label).end()
        return [loaded[label] for label in self._specs]

    def fork(self, label: str, core: int | None, memory_limit_mib: int) -> WorkerHandle:
        """Fork a worker; a server that was killed is replaced first."""
        started_at = monotonic()
        try:
            worker = self._servers[label].fork(core, memory_limit_mib)
        except ChannelClosed:
            self.replace(label, SERVER_ENDED)
            worker = self._servers[label].fork(core, memory_limit_mib)
        self._report(WorkerEvent(label, "forked", "", monotonic() - started_at))
        return worker

    def server(self, label: str) -> ServerHandle:
        """The server of a configuration."""
        return self._servers[label]

    def replace(self, label: str, why: str) -> None:
        """End a server with all its workers, and start another one."""
        self._report(WorkerEvent(label, "replaced", f"{why}; another one took over", None))
        self._servers[label].end()
        self._servers[label] = ServerHandle(self._specs[label], self._hash_seed)

    def close(self) -> None:
        """End all servers with all their workers."""
        for server in self._servers.values():
            server.request_end()
        while self._servers:
            self._servers.popitem()[1].end()

    def _poll(self, server: ServerHandle, *, is_readable: bool) -> Configuration | None:
        """The configuration if the server has loaded or failed, None if it is still loading."""
        try:
            for message in server.connection.receive() if is_readable else ():
                if not isinstance(message, Preparing):
                    return self._loaded(server.spec, message)
                self._notice(message.what)
        except ChannelClosed:
            code = server.process.wait()
            last = last_line(server.process.output)
            reason = f"its process {describe_exit(code)}{f': {last}' if last else ''}"
        except ChannelBroken as error:
            reason = f"it wrote to the server's connection: {error}"
        else:
            if monotonic() - server.process.started_at <= START_UP_LIMIT_S:
                return None
            reason = f"not loaded after {START_UP_LIMIT_S:.0f} s"
        self._report(WorkerEvent(server.spec.label, "died", reason, None))
        return Configuration(server.spec, None, {}, unavailable=reason)

    def _loaded(self, spec: BackendSpec, message: Ready | Refused) -> Configuration:
        if isinstance(message, Ready):
            self._report(WorkerEvent(spec.label, "imported", "", message.seconds))
            if left := self._servers[spec.label].process.end_leftovers(below=True):
                what = f"its import left {programs(left)}; ended"
                self._report(WorkerEvent(spec.label, "left running", what, None))
            return Configuration(spec, message.description, message.options)
        if message.kind is not Refusal.UNAVAILABLE:
            raise message.error()
        return Configuration(spec, message.description, {}, message.reason, message.remedy)
