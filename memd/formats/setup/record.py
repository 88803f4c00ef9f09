"""What `memd setup` did, as bytes: enough to take all of it back, every file to the byte.

A file is noted before it is written, with what it will be: a kill in between leaves a note of something that is as it was.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
from dataclasses import dataclass, field
from typing import Any

from memd.formats.strict_json import StrictError, loads

FORM = 1


@dataclass(frozen=True, slots=True)
class Kept:
    """A file of somebody's, and the digest of what setup left; "" where somebody wrote it between two runs.

    `there`: it was there before. `before` are its bytes then, where taking memd's parts out again would not give them back; else None.
    `scope` is "" or the project's directory; `agent` is "" for memd.toml.
    """

    path: str
    scope: str
    agent: str
    there: bool
    before: bytes | None
    after: str


@dataclass(slots=True)
class Record:
    """What was done for one workspace, and what was so before.

    `made` has the digest of each file of a workspace that setup made; `folders` were not there; `missing` are names of what was not
    there and memd itself makes: nonce, trust, memory, cache. `level` and `starts` are what this machine granted before.
    """

    workspace: str
    made: dict[str, str] = field(default_factory=dict)
    files: list[Kept] = field(default_factory=list)
    folders: list[str] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    git: bool = False
    units: bool = False
    served: bool = False
    starts: bool = False
    level: str = ""


def digest_of(data: bytes) -> str:
    """Return the digest by which a file is known."""
    return hashlib.sha256(data).hexdigest()


def dump_setup(record: Record) -> bytes:
    """Return the bytes of a record."""
    value: dict[str, Any] = {"form": FORM, **{name: getattr(record, name) for name in Record.__slots__}}
    value["files"] = [
        {name: getattr(one, name) for name in Kept.__slots__}
        | {"before": None if one.before is None else base64.b64encode(one.before).decode()}
        for one in record.files
    ]
    return json.dumps(value, indent=1, ensure_ascii=True).encode() + b"\n"


def load_setup(data: bytes) -> Record:
    """Return the record, or raise ValueError with what is wrong with it."""
    try:
        value = loads(data)
    except StrictError as error:
        raise ValueError(f"it cannot be read: {error.why}") from None
    if not isinstance(value, dict) or value.pop("form", None) != FORM:
        raise ValueError("it is of a form that this memd does not know")
    try:
        files = [Kept(**{**one, "before": _decoded(one["before"])}) for one in value.pop("files")]
        record = Record(files=files, **value)
        texts = [record.workspace, record.level, *record.folders, *record.missing, *record.made, *record.made.values()]
        texts += [text for one in files for text in (one.path, one.scope, one.agent, one.after)]
        if not all(isinstance(one, str) for one in texts):
            raise TypeError
        return record
    except (TypeError, KeyError, AttributeError, binascii.Error):
        raise ValueError("it is damaged") from None


def _decoded(text: str | None) -> bytes | None:
    return None if text is None else base64.b64decode(text, validate=True)
