"""The page's server: the frame of the page, its screens, what buttons do, and what changes meanwhile.

How to add a screen `x` (it is listed in SCREENS, and in the navigation as soon as its module is there):

- screens/x.py with `SCREEN = Screen(parts, does)`. A part is `async def name(page: Page) -> str`: ask verbs by `page.ask(method, …)`, and
  return `page.render("x.html", …)`; `page.given["q"]`, `page.number("offset", 0)` are what the request brings. No logic: what a screen shows is what verbs answer. `parts[""]` is the whole screen; the others are
  pieces that are asked for alone. GET and POST /screen/x/PART answer with a part; `page.given` has the query, or the object that was posted.
- `does`: the methods that buttons of the screen may call. POST /do/x/METHOD calls it with the object that was posted, and answers
  with a note: the word `done.METHOD`, which may have places for the reply's keys, or the error with its hint.
- templates/x.html, pieces of it in templates/x/; `{% import "parts.html" as parts with context %}` has what screens have in common.
- words/x.json: {"key": {"en": "…", "zh": "…"}}, in templates `t("key")`; `word("kind", "trait")` for words of the protocol.
- A key that a reply may lack is read by `reply.get("key")`: what is not there is an error, so that a slip is found.
- static/x.css and static/x.js only where static/page.css and page.js do not serve; the frame takes them in where they are there.
- What only a script can draw: `<div data-draws="name" data-values="{{ values | tojson | forceescape }}">`, and in static/x.js
  `memd.draws.name = async (place, values) => { await memd.needs("uplot.min.js"); … }` (or cytoscape.min.js), called when it is put in.
- tests/browser/test_x.py: the screen's main task by mouse and by keyboard, in both languages (`Visitor` in tests/browser/conftest.py).

In templates: a link to a screen is a plain `<a href="/x?role=main">`; what is swapped has `hx-get="/screen/x/part" hx-target="#id"`;
with `hx-trigger="live-memory from:body delay:150ms" hx-swap="outerMorph"` it is asked for again when a memory changes (live-TOPIC for
every topic of `subscribe`; live-anew where something may have been missed). A form with `hx-post` is sent as JSON: `data-as` of a field
says as what: number, yes (true or false), list (a line each), given (left out where it is empty); else it is text.
"""

from __future__ import annotations

import asyncio
import importlib
import json
import secrets
from collections.abc import AsyncIterator, Callable
from functools import cache
from hashlib import sha256
from importlib.resources import files
from importlib.util import find_spec
from typing import TYPE_CHECKING

import uvicorn
from starlette.applications import Starlette
from starlette.responses import HTMLResponse, JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from memd.doors.listening import HOST, bind_port
from memd.doors.web.rendering import LANGUAGES, Page, Screen, environment, language_of
from memd.doors.web.trust import EXCHANGE, GIVEN, STATIC, Guarded, Session
from memd.errors import MemdError

if TYPE_CHECKING:
    from starlette.requests import Request

    from memd.doors.web.rendering import Asker

TOPICS = ("memory", "curated", "file", "role", "settings", "recalls", "verdicts")
SCREENS = ("now", "memories", "why", "inbox", "settings")
AT_ONCE = ("shell", "parts", SCREENS[0])  # the templates of what is seen first
LIVE = 16  # windows that may be told of changes at a time
REST_S = 15.0  # so long after the last change a line says that the server is still there
MOST_HEARD = 500  # changes that wait for a window to take them
KINDS = {".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}
STATUSES = {"internal": 500, "daemon": 503, "client": 503, "storage": 503}


@cache
def screens() -> dict[str, Screen]:
    """Return the screens there are, in the order of the navigation."""
    names = [f"memd.doors.web.screens.{name}" for name in SCREENS]
    return {name.rpartition(".")[2]: importlib.import_module(name).SCREEN for name in names if find_spec(name)}


async def serve(asker: Asker, port: int, ready: Callable[[str], None]) -> None:
    """Serve the page on a port of this machine, 0 for a free one; `ready` is told the address that opens it once."""
    session, listener = Session(), bind_port(port)
    for name in environment().list_templates(filter_func=lambda name: name.startswith(AT_ONCE)):
        environment().get_template(name)  # what is made of it now is not waited for by who opens the page
    own = listener.getsockname()[1]
    app = Guarded(Pages(asker, session).app, session, own, frames())
    config = uvicorn.Config(
        app, log_level="warning", access_log=False, lifespan="off", ws="none", http="h11", loop="asyncio", server_header=False,
        timeout_graceful_shutdown=1, limit_concurrency=128,
    )  # fmt: skip
    ready(f"http://{HOST}:{own}/#{session.token}")
    await uvicorn.Server(config).serve(sockets=[listener])


def frames() -> frozenset[str]:
    """Return the paths at which the frame of the page is, which says nothing of the memory."""
    return frozenset({"/", *(f"/{name}" for name in screens())})


class Pages:
    """Answers what a guarded browser asks. `live`: windows that are told of changes."""

    def __init__(self, asker: Asker, session: Session) -> None:
        self.asker, self.session, self.live = asker, session, 0
        routes = [Route(path, self.frame) for path in sorted(frames())]
        routes += [
            Route(EXCHANGE, self.exchange, methods=["POST"]),
            Route(f"{STATIC}{{name:path}}", static),
            Route("/screen/{screen}", self.part, methods=["GET", "POST"]),
            Route("/screen/{screen}/{part}", self.part, methods=["GET", "POST"]),
            Route("/do/{screen}/{method}", self.do, methods=["POST"]),
            Route("/live", self.changes),
        ]
        self.app = Starlette(routes=routes)

    async def frame(self, request: Request) -> Response:
        """Answer with the frame, in which a script puts the screen of the address."""
        page = self._page(request, "shell")
        own = [f"{name}{kind}" for name in screens() for kind in (".css", ".js") if f"{name}{kind}" in statics()]
        return HTMLResponse(
            page.render("shell.html", screens=list(screens()), tongue=LANGUAGES[page.language], own=own),
            headers={"vary": "accept-language"},
        )

    async def exchange(self, request: Request) -> Response:
        """Answer with the session's secret for the token of the address, once."""
        secret = self.session.exchanged(request.scope[GIVEN].get("token"))
        return JSONResponse({"secret": secret} if secret else {"why": "this address was used"}, 200 if secret else 401)

    async def part(self, request: Request) -> Response:
        """Answer with a screen, or a part of one."""
        screen = screens().get(request.path_params["screen"])
        part = screen and screen.parts.get(request.path_params.get("part", ""))
        if not part:
            return Response(status_code=404)
        page = self._page(request, request.path_params["screen"])
        try:
            return HTMLResponse(await part(page))
        except MemdError as error:
            return HTMLResponse(page.render("refused.html", error=error), _status(error))

    async def do(self, request: Request) -> Response:
        """Call what a button says, and answer with a note of what came of it."""
        name, method = request.path_params["screen"], request.path_params["method"]
        if name not in screens() or method not in screens()[name].does:
            return Response(status_code=404)
        page = self._page(request, name)
        try:
            reply = await page.asker.call(method, **page.given)
        except MemdError as error:
            return HTMLResponse(page.render("note.html", error=error, key=secrets.token_hex(4)), _status(error))
        said = page.t(f"done.{method}", **reply)
        return HTMLResponse(
            page.render("note.html", error=None, said=said, reply=reply, method=method, key=secrets.token_hex(4))
        )

    async def changes(self, _: Request) -> Response:
        """Answer with a line for each change, for as long as the window is there."""
        if self.live >= LIVE:
            return Response(status_code=429)
        return StreamingResponse(self._told(), media_type="application/x-ndjson")

    async def _told(self) -> AsyncIterator[bytes]:
        self.live += 1
        heard: asyncio.Queue[object] = asyncio.Queue(MOST_HEARD)
        task = asyncio.create_task(_hear(self.asker, heard))
        try:
            while True:
                try:
                    async with asyncio.timeout(REST_S):
                        yield json.dumps(await heard.get(), ensure_ascii=False).encode() + b"\n"
                except TimeoutError:
                    yield b"\n"
        finally:
            self.live -= 1
            task.cancel()

    def _page(self, request: Request, screen: str) -> Page:
        given = request.scope.get(GIVEN, dict(request.query_params))
        return Page(self.asker, screen, language_of(request.headers.get("accept-language", "")), given)


async def static(request: Request) -> Response:
    """Answer with one of the files that come with memd."""
    name = request.path_params["name"]
    if name not in statics():
        return Response(status_code=404)
    body, digest = statics()[name]
    tag = f'"{digest}"'
    headers = {"etag": tag, "cache-control": "no-cache"}
    if request.headers.get("if-none-match") == tag:
        return Response(status_code=304, headers=headers)
    return Response(body, media_type=KINDS[f".{name.rpartition('.')[2]}"], headers=headers)


@cache
def statics() -> dict[str, tuple[bytes, str]]:
    """Return every file that a browser may have, by its name below static/, with its digest."""
    root = files("memd.doors.web").joinpath("static")
    found = [(one.name, one) for one in root.iterdir()]
    found += [(f"vendor/{one.name}", one) for one in root.joinpath("vendor").iterdir()]
    read = {name: one.read_bytes() for name, one in found if name[name.rfind(".") :] in KINDS}
    return {name: (body, sha256(body).hexdigest()) for name, body in read.items()}


async def _hear(asker: Asker, heard: asyncio.Queue[object]) -> None:
    async for happening in asker.events(TOPICS):
        if heard.full():  # a window that is asleep: when it wakes it takes everything as changed
            while not heard.empty():
                heard.get_nowait()
            heard.put_nowait({"topic": "subscribed", "anew": True})
        heard.put_nowait(happening)


def _status(error: MemdError) -> int:
    return STATUSES.get(error.code.partition(".")[0], 422)
