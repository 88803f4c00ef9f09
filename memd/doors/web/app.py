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
- static/x.css and static/x.js only where static/page.css and page.js do not serve; they go out in one piece with those (JOINED).
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
import contextlib
import hmac
import importlib
import json
import secrets
import socket
from collections.abc import Awaitable, Callable, MutableMapping
from functools import cache
from hashlib import sha256
from importlib.resources import files
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, NamedTuple

import uvicorn
from starlette.applications import Starlette
from starlette.responses import HTMLResponse, Response, StreamingResponse
from starlette.routing import Route

from memd.doors.listening import HOST, bind_port
from memd.doors.web.live import Live
from memd.doors.web.rendering import LANGUAGES, Page, Screen, environment, language_of
from memd.errors import MemdError
from memd.formats.strict_json import StrictError, loads

if TYPE_CHECKING:
    from starlette.requests import Request

    from memd.doors.web.rendering import Asker

SCREENS = ("now", "memories", "why", "inbox", "settings")
AT_ONCE = ("parts", SCREENS[0])  # the templates of what is seen first
AHEAD_S = 2.0  # what is made ahead is what is there, for so long
KINDS = {".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}
JOINED = {
    ".css": ("vendor/uplot.min.css", "page.css"),
    ".js": ("vendor/htmx.min.js", "page.js"),
}  # before those of the screens
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
    pages = Pages(asker)
    app = Guarded(pages.app, session, own, frames())
    config = uvicorn.Config(
        app, log_level="warning", access_log=False, lifespan="off", ws="none", http="h11", loop="asyncio", server_header=False,
        timeout_graceful_shutdown=1, limit_concurrency=128,
    )  # fmt: skip
    config.load()
    ready(f"http://{HOST}:{own}/#{session.token}")
    await Server(config, pages.live.let_go).serve(sockets=[listener])


class Server(uvicorn.Server):
    """A server that lets its windows go before it ends: else each is cut off a second later, with a traceback."""

    def __init__(self, config: uvicorn.Config, let_go: Callable[[], None]) -> None:
        super().__init__(config)
        self._let_go = let_go

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End."""
        self._let_go()
        await super().shutdown(sockets)


def frames() -> frozenset[str]:
    """Return the paths at which the frame of the page is, which says nothing of the memory."""
    return frozenset({"/", *(f"/{name}" for name in screens())})


class Ahead(NamedTuple):
    """The first screen, as it is made before it is asked for: in which language, and since when, by the loop's clock."""

    language: str
    begun_s: float
    made: asyncio.Future[str]


class Pages:
    """Answers what a guarded browser asks."""

    def __init__(self, asker: Asker) -> None:
        self.asker, self.live = asker, Live(asker)
        self._ahead: Ahead | None = None
        self.frames = {language: self._framed(language) for language in LANGUAGES}
        routes = [Route(path, self.frame) for path in sorted(frames())]
        routes += [
            Route(f"{STATIC}{{name:path}}", static),
            Route("/screen/{screen}", self.part, methods=["GET", "POST"]),
            Route("/screen/{screen}/{part}", self.part, methods=["GET", "POST"]),
            Route("/do/{screen}/{method}", self.do, methods=["POST"]),
            Route("/live", self.changes),
        ]
        self.app = Starlette(routes=routes)

    async def frame(self, request: Request) -> Response:
        """Answer with the frame, in which a script puts the screen of the address."""
        language = language_of(request.headers.get("accept-language", ""))
        if request.url.path in ("/", f"/{SCREENS[0]}") and not request.url.query:
            self._make_ahead(language)
        return HTMLResponse(self.frames[language], headers={"vary": "accept-language"})

    def _make_ahead(self, language: str) -> None:
        """Begin to make the first screen, which a browser asks for as soon as it has read the frame."""
        if self._ahead is None or self._ahead.made.done():
            made = asyncio.ensure_future(screens()[SCREENS[0]].parts[""](Page(self.asker, SCREENS[0], language, {})))
            made.add_done_callback(lambda one: one.cancelled() or one.exception())  # told to who asks, if anybody does
            self._ahead = Ahead(language, asyncio.get_running_loop().time(), made)

    async def _made_ahead(self, page: Page) -> str:
        """Return the screen that was begun a moment ago for such a page, once; "" where none was."""
        ahead, self._ahead = self._ahead, None
        if ahead is None or page.given or (page.screen, page.language) != (SCREENS[0], ahead.language):
            return ""
        with contextlib.suppress(MemdError):  # it is made again, and told then
            if asyncio.get_running_loop().time() - ahead.begun_s < AHEAD_S:
                return await ahead.made
        return ""

    def _framed(self, language: str) -> str:
        digests = {name: digest for name, (_, digest) in statics().items()}
        page = Page(self.asker, "shell", language, {})
        return page.render("shell.html", screens=list(screens()), tongue=LANGUAGES[language], digests=digests)

    async def part(self, request: Request) -> Response:
        """Answer with a screen, or a part of one."""
        screen = screens().get(request.path_params["screen"])
        part = screen and screen.parts.get(request.path_params.get("part", ""))
        if not part:
            return Response(status_code=404)
        page = self._page(request, request.path_params["screen"])
        try:
            whole = "part" not in request.path_params
            return HTMLResponse((whole and await self._made_ahead(page)) or await part(page))
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
        if self.live.is_full:
            return Response(status_code=429)
        return StreamingResponse(self.live.lines(), media_type="application/x-ndjson")

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
    kept = "max-age=31536000, immutable" if request.url.query == digest else "no-cache"
    headers = {"etag": tag, "cache-control": kept}
    if request.headers.get("if-none-match") == tag:
        return Response(status_code=304, headers=headers)
    return Response(body, media_type=KINDS[f".{name.rpartition('.')[2]}"], headers=headers)


@cache
def statics() -> dict[str, tuple[bytes, str]]:
    """Return what a browser may have, by its name below static/, with its digest: files, and in one piece those that every screen needs."""
    root = files("memd.doors.web").joinpath("static")
    found = [(one.name, one) for one in root.iterdir()]
    found += [(f"vendor/{one.name}", one) for one in root.joinpath("vendor").iterdir()]
    read = {name: one.read_bytes() for name, one in found if name[name.rfind(".") :] in KINDS}
    for kind, first in JOINED.items():
        own = [f"{name}{kind}" for name in screens() if f"{name}{kind}" in read]
        read[f"all{kind}"] = b"\n".join(read.pop(name) for name in (*first, *own))
    return {name: (body, sha256(body).hexdigest()) for name, body in read.items()}


def _status(error: MemdError) -> int:
    return STATUSES.get(error.code.partition(".")[0], 422)


# Who is answered: a browser of this machine, on this very page, with the secret of its session.
#
# Other pages in the same browser, other users of the machine and names that lead here from elsewhere can all send requests to a port
# of the loopback interface. So each request is looked at before anything is made of it (decision 0066):
#
# - `Host` is this server's own address, which a name that was bent to 127.0.0.1 is not.
# - `Origin` and `Sec-Fetch-Site`, where a browser sends them, say that this page asks; a write has an origin.
# - All but the frame of the page, which says nothing of the memory, is for who has the secret. A one-use token in the fragment of the
#   address, which no browser sends or tells others, stands for it once; that answer brings the secret as a header.
# - What is written is JSON, which no form of another page can send, and at most BODY_BYTES of it.

NAMES = (HOST, "localhost")
SECRET = "x-memd-session"  # noqa: S105  the name of a header
STATIC = "/static/"
BODY_BYTES = 262_144
BODY_S = 10.0
TARGET_BYTES = 8_192
GIVEN = "memd.given"  # in a request's scope: the object that its body is
ONCE = (b"host", b"origin", b"content-type", b"content-length", b"sec-fetch-site", SECRET.encode())
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'"
)
HEADERS = (
    ("content-security-policy", POLICY),
    ("x-content-type-options", "nosniff"),
    ("x-frame-options", "DENY"),
    ("referrer-policy", "no-referrer"),
    ("cross-origin-opener-policy", "same-origin"),
    ("cross-origin-resource-policy", "same-origin"),
    ("permissions-policy", "camera=(), geolocation=(), microphone=()"),
)

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Scope]]
Send = Callable[[Scope], Awaitable[None]]


class Refusal(NamedTuple):
    """Why a request is not answered."""

    status: int
    why: str


class Session:
    """The token that opens the page once, and the secret that it is exchanged for."""

    def __init__(self) -> None:
        self.token = secrets.token_urlsafe(32)
        self._secret = secrets.token_urlsafe(32)

    def exchanged(self, given: bytes) -> str:
        """Return the secret for the token, "" for any other and for the second who has it."""
        if not (self.token and hmac.compare_digest(given, self.token.encode())):
            return ""
        self.token = ""
        return self._secret

    def knows(self, given: bytes) -> bool:
        """Tell whether this is the secret."""
        return hmac.compare_digest(given, self._secret.encode())


class Guarded:
    """An application that answers only whom it may. `frames`: the paths of the frame of the page, for whoever opens them."""

    def __init__(self, app: Any, session: Session, port: int, frames: frozenset[str]) -> None:
        self.app, self.session, self.frames = app, session, frames
        self.hosts = frozenset(f"{name}:{port}".encode() for name in NAMES)
        self.origins = frozenset(b"http://" + host for host in self.hosts)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or say why not."""
        if scope["type"] != "http":
            return
        refused, secret = self._refused(scope), ""
        if refused is None and not (scope["path"] in self.frames or scope["path"].startswith(STATIC)):
            given = dict(scope["headers"]).get(SECRET.encode(), b"")
            secret = self.session.exchanged(given) if scope["method"] == "GET" else ""
            refused = None if secret or self.session.knows(given) else Refusal(401, "open the page with `memd ui`")
        if refused is None and scope["method"] == "POST":
            refused = await _read_body(scope, receive)
        if refused is not None:
            await _refuse(send, refused)
            return
        await self.app(scope, receive, _with_headers(send, *([(SECRET, secret)] if secret else ())))

    def _refused(self, scope: Scope) -> Refusal | None:
        names = [name for name, _ in scope["headers"]]
        if any(names.count(name) > 1 for name in ONCE):
            return Refusal(400, "a header that may come once came twice")
        headers, path = dict(scope["headers"]), scope["path"]
        if headers.get(b"host", b"").lower() not in self.hosts:
            return Refusal(403, "this server answers by its own address only")
        if len(scope["raw_path"]) + len(scope["query_string"]) > TARGET_BYTES:
            return Refusal(414, "the address is too long")
        if scope["method"] not in ("GET", "POST"):
            return Refusal(405, "only GET and POST")
        if not self._is_from_here(scope["method"], path, headers):
            return Refusal(403, "another page asked")
        return None

    def _is_from_here(self, method: str, path: str, headers: dict[bytes, bytes]) -> bool:
        """Tell whether this page asks, or somebody opens its frame in a window of its own."""
        origin, site = headers.get(b"origin"), headers.get(b"sec-fetch-site", b"same-origin")
        if origin not in (self.origins if method == "POST" else {None, *self.origins}):
            return False
        opened = headers.get(b"sec-fetch-mode") == b"navigate" and headers.get(b"sec-fetch-dest") == b"document"
        return site == b"same-origin" or (method == "GET" and path in self.frames and opened)


async def _read_body(scope: Scope, receive: Receive) -> Refusal | None:
    """Read the object that a request brings into its scope."""
    headers = dict(scope["headers"])
    if headers.get(b"content-type", b"").partition(b";")[0].strip().lower() != b"application/json":
        return Refusal(415, "what is sent here is JSON")
    length = headers.get(b"content-length", b"0")
    body = bytearray()
    try:
        if not length.isdigit() or int(length) > BODY_BYTES:
            return Refusal(413, f"more than {BODY_BYTES} bytes")
        async with asyncio.timeout(BODY_S):
            while True:
                message = await receive()
                body += message.get("body", b"")
                if len(body) > BODY_BYTES:
                    return Refusal(413, f"more than {BODY_BYTES} bytes")
                if message["type"] != "http.request" or not message.get("more_body"):
                    break
        given = loads(bytes(body))
    except TimeoutError:
        return Refusal(408, "it was not sent in time")
    except (StrictError, ValueError) as error:
        return Refusal(400, f"this cannot be read: {error}")
    if not isinstance(given, dict):
        return Refusal(400, "what is sent here is an object")
    scope[GIVEN] = given
    return None


def _with_headers(send: Send, *others: tuple[str, str]) -> Send:
    async def sending(message: Scope) -> None:
        if message["type"] == "http.response.start":
            known = {name for name, _ in message["headers"]}
            more = [
                (name.encode(), value.encode()) for name, value in (*HEADERS, ("cache-control", "no-store"), *others)
            ]
            message["headers"] = [*message["headers"], *(one for one in more if one[0] not in known)]
        await send(message)

    return sending


async def _refuse(send: Send, refusal: Refusal) -> None:
    body = json.dumps({"why": refusal.why}).encode()
    headers = [(b"content-type", b"application/json"), (b"connection", b"close")]
    sending = _with_headers(send)
    await sending({"type": "http.response.start", "status": refusal.status, "headers": headers})
    await sending({"type": "http.response.body", "body": body})
