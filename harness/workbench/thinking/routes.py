"""The routes of the reasoning."""

from anyio import to_thread
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from harness.errors import InputError
from harness.reasoning.ladder import LADDER, slug
from harness.workbench.bodies import body_of
from harness.workbench.replies import reply
from harness.workbench.thinking.graph import BoardData, bilocation_links
from harness.workbench.thinking.traces import NewTrace, Traces


def routes(traces: Traces) -> list[Route]:
    """The routes of traces, of the ladder, and of the bilocation graph."""

    async def ladder(_: Request) -> Response:
        traces.prepare()  # the view that shows the rules is open
        return reply([{"name": rule.name, "slug": slug(rule)} for rule in LADDER])

    async def start(request: Request) -> Response:
        return reply(traces.start(await body_of(request, NewTrace)))

    async def state(request: Request) -> Response:
        text = request.query_params.get("first", "0")
        if not (text.isascii() and text.isdigit() and len(text) < 10):
            raise InputError(f"{text!r:.40} is no number of steps", where="first", expected="0")
        return reply(traces.state(request.path_params["name"], int(text)))

    async def cancel(request: Request) -> Response:
        traces.cancel(request.path_params["name"])
        return reply({})

    return [
        Route("/api/reasoning", start, methods=["POST"]),
        Route("/api/reasoning/ladder", ladder),
        Route("/api/reasoning/graph", _graph, methods=["POST"]),
        Route("/api/reasoning/{name}", state),
        Route("/api/reasoning/{name}", cancel, methods=["DELETE"]),
    ]


async def _graph(request: Request) -> Response:
    data = await body_of(request, BoardData)
    return reply({"links": await to_thread.run_sync(bilocation_links, data)})
