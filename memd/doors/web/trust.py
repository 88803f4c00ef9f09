"""Who is answered: a browser of this machine, on this very page, with the secret of its session.

Other pages in the same browser, other users of the machine and names that lead here from elsewhere can all send requests to a port
of the loopback interface. So each request is looked at before anything is made of it (decision 0066):

- `Host` is this server's own address, which a name that was bent to 127.0.0.1 is not.
- `Origin` and `Sec-Fetch-Site`, where a browser sends them, say that this page asks; a write has an origin.
- All but the frame of the page, which says nothing of the memory, is for who has the secret. A one-use token in the fragment of the
  address, which no browser sends or tells others, is exchanged for it.
- What is written is JSON, which no form of another page can send, and at most BODY_BYTES of it.
"""

from __future__ import annotations

import asyncio
import hmac
import json
import secrets
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any, NamedTuple

from memd.formats.strict_json import StrictError, loads

HOST = "127.0.0.1"
NAMES = (HOST, "localhost")
SECRET = "x-memd-session"  # noqa: S105  the name of a header
EXCHANGE = "/session"
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

    def exchanged(self, token: object) -> str:
        """Return the secret for the token, "" for any other and for the second who has it."""
        if not (isinstance(token, str) and self.token and hmac.compare_digest(token.encode(), self.token.encode())):
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
        refused = self._refused(scope)
        if refused is None and scope["method"] == "POST":
            refused = await _read_body(scope, receive)
        if refused is not None:
            await _refuse(send, refused)
            return
        await self.app(scope, receive, _with_headers(send))

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
        open_to_all = path in self.frames or path == EXCHANGE or path.startswith(STATIC)
        if not open_to_all and not self.session.knows(headers.get(SECRET.encode(), b"")):
            return Refusal(401, "open the page with `memd ui`")
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


def _with_headers(send: Send) -> Send:
    async def sending(message: Scope) -> None:
        if message["type"] == "http.response.start":
            known = {name for name, _ in message["headers"]}
            more = [(name.encode(), value.encode()) for name, value in (*HEADERS, ("cache-control", "no-store"))]
            message["headers"] = [*message["headers"], *(one for one in more if one[0] not in known)]
        await send(message)

    return sending


async def _refuse(send: Send, refusal: Refusal) -> None:
    body = json.dumps({"why": refusal.why}).encode()
    headers = [(b"content-type", b"application/json"), (b"connection", b"close")]
    sending = _with_headers(send)
    await sending({"type": "http.response.start", "status": refusal.status, "headers": headers})
    await sending({"type": "http.response.body", "body": body})
