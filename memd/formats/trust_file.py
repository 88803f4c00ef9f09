"""What this machine grants to a workspace, as bytes: path and nonce must be the workspace's own, or nothing is granted."""

from __future__ import annotations

import json
import re
from typing import Any

from memd.formats.strict_json import StrictError, loads
from memd.model.trust import ModelAt, Trusted

FORM = 1
NONCE = re.compile(r"[0-9a-f]{32}")
DIGEST = re.compile(r"[0-9a-f]{64}")


def load_trust(data: bytes, workspace: str, nonce: str) -> Trusted:
    """Return what is granted to the workspace at a path with a nonce; ValueError says why nothing is."""
    try:
        value = loads(data)
    except StrictError as error:
        raise ValueError(f"it cannot be read: {error.why}") from None
    if not isinstance(value, dict) or value.get("form") != FORM:
        raise ValueError("it is of a form that this memd does not know")
    if value.get("workspace") != _plain(workspace):
        raise ValueError("it is of a workspace at another path")
    if not nonce or value.get("id") != nonce:
        raise ValueError("the workspace is another than the one it was granted to: .memory/state/id differs")
    granted, approved = value.get("granted"), value.get("approved")
    if not (isinstance(granted, dict) and isinstance(approved, list)):
        raise ValueError("it is damaged")  # noqa: TRY004  a fault of the file's
    digests = (one for one in approved if isinstance(one, str) and DIGEST.fullmatch(one))
    paused = value.get("paused_until", 0.0)
    until_s = float(paused) if isinstance(paused, (int, float)) and not isinstance(paused, bool) else 0.0
    return Trusted(
        {key: one for key, one in granted.items() if _is_value(one)},
        frozenset(digests),
        until_s,
        _model(value.get("model")),
    )


def dump_trust(workspace: str, nonce: str, trusted: Trusted) -> bytes:
    """Return the bytes of what is granted."""
    value: dict[str, Any] = {"form": FORM, "workspace": _plain(workspace), "id": nonce}
    value |= {"granted": dict(sorted(trusted.granted.items())), "approved": sorted(trusted.approved)}
    if trusted.paused_until_s:
        value["paused_until"] = trusted.paused_until_s
    if trusted.model:
        value["model"] = trusted.model._asdict()
    return json.dumps(value, indent=1).encode() + b"\n"


def _plain(path: str) -> str:
    return path.encode("utf-8", "backslashreplace").decode()  # a path may have bytes that are no text


def _model(value: Any) -> ModelAt | None:
    if not isinstance(value, dict) or not all(isinstance(value.get(key, ""), str) for key in ModelAt._fields):
        return None
    found = ModelAt(*(value.get(key, "") for key in ModelAt._fields))
    return found if found.url else None


def _is_value(value: Any) -> bool:
    return isinstance(value, (bool, int, float, str))
