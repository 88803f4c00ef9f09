"""One client of ours: what it may ask when, what it is answered at once, and what it is told unasked.

Two eras of the protocol are spoken, and the client's first request decides: `initialize` begins a session of the versions
before 2026-07-28; a request that carries its version in `_meta` is of 2026-07-28, where every request does.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Coroutine, Iterator, Mapping
from typing import Any, Protocol, TypeVar

from memd import __version__
from memd.doors.mcp.answers import (
    ABOUT,
    INTERNAL_ERROR,
    INVALID_PARAMS,
    INVALID_REQUEST,
    METHOD_NOT_FOUND,
    NAME,
    TITLE,
    Answers,
    RefusedError,
    text_at,
)
from memd.doors.mcp.resources import LISTING, changed
from memd.doors.mcp.texts import INSTRUCTIONS

SHAKEN = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
MODERN = "2026-07-28"
META = "io.modelcontextprotocol"
VERSION_KEY, CAPABILITIES_KEY = f"{META}/protocolVersion", f"{META}/clientCapabilities"
UNSUPPORTED_VERSION = -32022
SERVER = {"name": NAME, "title": TITLE, "version": __version__, "description": ABOUT}
CAPABILITIES = {
    "tools": {"listChanged": False},
    "prompts": {"listChanged": False},
    "resources": {"subscribe": True, "listChanged": True},
    "completions": {},
}
CACHEABLE = ("server/discover", "tools/list", "prompts/list", "resources/list", "resources/templates/list", "resources/read")  # fmt: skip
AT_ONCE = ("tools/list", "prompts/list", "resources/templates/list")  # nobody is asked for these
MOST_LISTENS = 64

Frame = dict[str, Any]
T = TypeVar("T")


class Sender(Protocol):
    """What takes frames to the client."""

    def send(self, frame: Frame) -> None:
        """Send a frame."""
        ...

    def fault(self, known: str | int | None, number: int, why: str, data: Any = None) -> None:
        """Send an error."""
        ...


def done(coroutine: Coroutine[Any, Any, T]) -> T:
    """Return what a coroutine returns that waits for nothing but calls that block: no loop is needed to run it."""
    try:
        coroutine.send(None)
    except StopIteration as end:
        result: T = end.value
        return result
    coroutine.close()
    raise RuntimeError("a coroutine waited for a loop where there is none")


class Session:
    """What is known of a client. `spawn` carries out what asks the daemon, beside what comes next."""

    def __init__(self, answers: Answers, sender: Sender, spawn: Callable[[Callable[[], None]], None]) -> None:
        self.answers, self.sender, self._spawn = answers, sender, spawn
        self.era = ""
        self.joined = threading.Event()  # the client may be told what changes
        self._guard = threading.Lock()
        self._open: set[str | int] = set()  # requests that are not answered yet
        self._followed: set[str] = set()
        self._listens: dict[str | int, tuple[frozenset[str], bool]] = {}

    def take(self, frame: Frame) -> None:
        """Take a frame: answer it, or have it answered."""
        method, params = frame.get("method"), frame.get("params", {})
        if method is None:
            return
        if "id" not in frame:
            self._note(method, params)
            return
        known = frame["id"]
        with self._guard:
            is_taken = known in self._open
            self._open.add(known)
        if is_taken:
            why = "a request with this id is not answered yet, and this one was not carried out"
            self.sender.fault(known, INVALID_REQUEST, why, None)
            return
        try:
            self._check_era(method, params)
            result = self._at_once(known, method, params)
        except RefusedError as error:
            self._answer(known, error)
            return
        if result is not None:
            self._answer(known, self._dressed(method, result))
        elif method != "subscriptions/listen":
            self._spawn(lambda: self._answer(known, self._asked(method, params)))

    def tell(self, uri: str) -> None:
        """Tell the client what changed, where it asked for that; LISTING is which resources there are."""
        what = "list_changed" if uri == LISTING else "updated"
        about = {} if uri == LISTING else {"uri": uri}
        with self._guard:
            listens = list(self._listens.items())
            follows = self.era != MODERN and self.joined.is_set() and (uri == LISTING or uri in self._followed)
        frame = {"method": f"notifications/resources/{what}"}
        if follows:
            self.sender.send({**frame, "params": about} if about else frame)
        for known, (uris, listing) in listens:
            if uri in uris or (uri == LISTING and listing):
                self.sender.send({**frame, "params": {**about, "_meta": {f"{META}/subscriptionId": known}}})

    def follow(self, happenings: Callable[[], Iterator[dict[str, Any]]]) -> None:
        """Tell of what happens, for ever, from when the client may be told."""
        self.joined.wait()
        for happening in happenings():
            for uri in done(changed(self.answers.desk, happening)):
                self.tell(uri)

    def _note(self, method: str, params: Mapping[str, Any]) -> None:
        if method == "notifications/initialized" and self.era:
            self.joined.set()
        elif method == "notifications/cancelled":
            known = params.get("requestId")
            if isinstance(known, (str, int)):
                with self._guard:
                    self._open.discard(known)
                    self._listens.pop(known, None)

    def _check_era(self, method: str, params: Mapping[str, Any]) -> None:
        """Raise RefusedError where a request is not of the era that the first one began."""
        meta = params.get("_meta")
        version = meta.get(VERSION_KEY) if isinstance(meta, dict) else None
        if not self.era and version is not None and method != "initialize":
            self.era = MODERN
        if self.era == MODERN:
            if method == "initialize":
                asked = {"supported": [MODERN], "requested": params.get("protocolVersion", "")}
                raise RefusedError(UNSUPPORTED_VERSION, f"this connection speaks {MODERN} already", asked)
            if version is None or not isinstance(meta, dict) or not isinstance(meta.get(CAPABILITIES_KEY), dict):
                raise RefusedError(INVALID_PARAMS, f"_meta: it must have {VERSION_KEY} and {CAPABILITIES_KEY}")
            if version != MODERN:
                told = {"supported": [MODERN], "requested": version}
                raise RefusedError(UNSUPPORTED_VERSION, f"{version!r:.40} is not spoken here", told)
        elif version is not None and method != "initialize":
            raise RefusedError(INVALID_REQUEST, f"this connection began with initialize and speaks no {MODERN}")

    def _at_once(self, known: str | int, method: str, params: Mapping[str, Any]) -> dict[str, Any] | None:
        """Return the result of what needs no daemon; None for what was taken up otherwise, or is to be asked."""
        modern = self.era == MODERN
        if method == "initialize":
            return self._shake_hands(params)
        if method == "server/discover" and modern:
            return {"supportedVersions": [MODERN], "capabilities": CAPABILITIES, "instructions": INSTRUCTIONS}
        if method == "ping" and not modern:
            return {}
        if not (
            method in self.answers.methods
            or (method == "subscriptions/listen" and modern)
            or (method in ("resources/subscribe", "resources/unsubscribe") and not modern)
        ):
            raise RefusedError(METHOD_NOT_FOUND, f"there is no method {method!r:.80}", method)
        if not self.era:
            raise RefusedError(INVALID_PARAMS, "initialize comes first")
        if method == "subscriptions/listen":
            self._listen(known, params)
        elif method in ("resources/subscribe", "resources/unsubscribe"):
            uri = text_at(params, "uri")
            if not uri:
                raise RefusedError(INVALID_PARAMS, f"{method} needs the uri of a resource")
            with self._guard:
                (self._followed.add if method == "resources/subscribe" else self._followed.discard)(uri)
            return {}
        elif method in AT_ONCE:
            return done(self.answers.answer(method, params))
        return None

    def _shake_hands(self, params: Mapping[str, Any]) -> dict[str, Any]:
        version, client = text_at(params, "protocolVersion"), params.get("clientInfo")
        if not isinstance(client, dict) or not isinstance(params.get("capabilities"), dict):
            raise RefusedError(INVALID_PARAMS, "initialize needs protocolVersion, capabilities and clientInfo")
        text_at(client, "name"), text_at(client, "version")
        self.era = version if version in SHAKEN else SHAKEN[-1]
        return {
            "protocolVersion": self.era,
            "capabilities": CAPABILITIES,
            "serverInfo": SERVER,
            "instructions": INSTRUCTIONS,
        }

    def _listen(self, known: str | int, params: Mapping[str, Any]) -> None:
        asked = params.get("notifications")
        uris = asked.get("resourceSubscriptions") or [] if isinstance(asked, dict) else None
        if not isinstance(asked, dict) or not isinstance(uris, list) or not all(isinstance(one, str) for one in uris):
            raise RefusedError(INVALID_PARAMS, "notifications: it must be an object that says what to listen for")
        with self._guard:
            if len(self._listens) >= MOST_LISTENS:
                raise RefusedError(INTERNAL_ERROR, f"at most {MOST_LISTENS} subscriptions are kept at once")
            self._listens[known] = (frozenset(uris), asked.get("resourcesListChanged") is True)
        flags = ("toolsListChanged", "promptsListChanged", "resourcesListChanged")
        heard: dict[str, Any] = {name: True for name in flags if asked.get(name) is True}
        heard |= {"resourceSubscriptions": uris} if uris else {}
        told = {"_meta": {f"{META}/subscriptionId": known}, "notifications": heard}
        self.sender.send({"method": "notifications/subscriptions/acknowledged", "params": told})
        self.joined.set()

    def _asked(self, method: str, params: Mapping[str, Any]) -> dict[str, Any] | RefusedError:
        """Return what the daemon makes of a request; whatever fails, the client is answered."""
        try:
            return self._dressed(method, done(self.answers.answer(method, params)))
        except RefusedError as error:
            return error
        except Exception as error:
            return RefusedError(INTERNAL_ERROR, f"memd failed: {type(error).__name__}: {str(error)[:200]}")

    def _dressed(self, method: str, result: dict[str, Any]) -> dict[str, Any]:
        if self.era != MODERN:
            return result
        fresh = {"ttlMs": 0, "cacheScope": "private"} if method in CACHEABLE else {}
        return {**result, **fresh, "resultType": "complete", "_meta": {f"{META}/serverInfo": SERVER}}

    def _answer(self, known: str | int, result: dict[str, Any] | RefusedError) -> None:
        """Answer a request, unless the client has cancelled it."""
        with self._guard:
            wanted = known in self._open
            self._open.discard(known)
        if not wanted:
            return
        if isinstance(result, RefusedError):
            self.sender.fault(known, result.number, str(result), result.data)
        else:
            self.sender.send({"id": known, "result": result})
