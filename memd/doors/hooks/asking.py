"""One question to a daemon over its socket, within deadlines; lighter than memd.client, which costs a hook its time."""

from __future__ import annotations

import json
import socket
import time
from typing import Any

from memd.whereabouts import is_ours, peer_uid

CONNECT_S = 0.15
READ_BYTES = 65_536
REPLY_BYTES = 4_000_000


class NoAnswerError(Exception):
    """The daemon refused, or did not answer in time; the text says which."""


class LateError(NoAnswerError):
    """The daemon did not answer in time."""


class LostError(NoAnswerError):
    """The daemon went away while it was asked: perhaps it heard, perhaps not."""


class StrangerError(NoAnswerError):
    """Somebody else listens at the socket, and was asked nothing."""


def ask(path: str, frame: bytes, deadline_s: float) -> dict[str, Any] | None:
    """Return the result of one request, None where no daemon listens. Only this user's daemon, or root's, is asked."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as talk:
        talk.settimeout(CONNECT_S)
        try:
            talk.connect(path)
        except OSError:
            return None
        if not is_ours(talk):
            raise StrangerError(f"who listens at {path} is user {peer_uid(talk)}, not you, and was asked nothing")
        try:
            reply = json.loads(_exchange(talk, frame, time.monotonic() + deadline_s))
        except TimeoutError:
            raise LateError(f"no answer within {deadline_s:g} s") from None
        except OSError as error:
            raise LostError(f"it went away: {error}") from None
        except ValueError as error:
            raise NoAnswerError(f"no answer that can be read: {error}") from None
    refused, result = reply.get("error"), reply.get("result")
    if isinstance(refused, dict):
        raise NoAnswerError(str(refused.get("message", "the daemon refused")))
    return result if isinstance(result, dict) else None


def _exchange(talk: socket.socket, frame: bytes, until: float) -> bytes:
    def left_s() -> float:
        left = until - time.monotonic()
        if left <= 0:
            raise TimeoutError
        return left

    talk.settimeout(left_s())
    talk.sendall(frame)
    pieces: list[bytes] = []
    count = 0
    while count <= REPLY_BYTES:
        talk.settimeout(left_s())
        piece = talk.recv(READ_BYTES)
        pieces.append(piece)
        count += len(piece)
        if not piece:
            raise ConnectionResetError("the answer has no end")
        if piece.endswith(b"\n"):
            break
    return b"".join(pieces)
