"""The TOML files of learning: candidates, drafts, and the record of what was published. A person may edit each."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from memd.errors import BadSettingsError, Fault, RejectedFileError
from memd.formats.settings import line_of, load_table
from memd.formats.task_file import spaced
from memd.formats.toml_writer import dump_table
from memd.model.work.skill import CandidateState, Draft, LearningCandidate, Version

ABOUT_CANDIDATE = "A skill that may be learned from an accepted task. See docs/learning.md."
ABOUT_DRAFT = "Where the draft beside this file comes from. See docs/learning.md."
ABOUT_RECORD = "What was published under this name, and by whose word. See docs/learning.md."


def dump_candidate(one: LearningCandidate) -> str:
    """Return the text of a new candidate."""
    values = {
        "task": one.name, "title": one.title, "state": one.state.value, "role": one.role, "asked": one.asked,
        "runs": list(one.runs), "final_accepted_run_id": one.final_run, "created_at": one.created_at,
        "skill": one.skill, "used": list(one.used),
    }  # fmt: skip
    return dump_table(ABOUT_CANDIDATE, _told(values))


def load_candidate(text: str, name: str) -> LearningCandidate:
    """Return what a candidate's file says, or raise RejectedFileError."""
    table = _load(text, name)
    try:
        state = CandidateState(table.get("state", CandidateState.OPEN.value))
    except ValueError:
        why = f"{table.get('state')!r:.60} is no state of a candidate: {', '.join(CandidateState)}"
        raise RejectedFileError(Fault(name, line_of(text, "", "state"), 1, why, "learning.value")) from None
    stem = name.rpartition("/")[2].removesuffix(".toml")
    return LearningCandidate(
        stem, _text(table, "title") or stem, state, _text(table, "role"), _text(table, "asked"),
        _texts(table, "runs"), _text(table, "final_accepted_run_id"), _text(table, "created_at"),
        _text(table, "skill"), _texts(table, "used"),
    )  # fmt: skip


def dump_draft(one: Draft) -> str:
    """Return the text beside a draft."""
    values = {
        "skill": one.skill, "candidate": one.candidate, "made_by": one.made_by, "made_at": one.made_at,
        "based_on": one.based_on, "declined": one.declined, "digest": one.digest,
    }  # fmt: skip
    return dump_table(ABOUT_DRAFT, _told(values))


def load_draft(text: str, name: str) -> Draft:
    """Return what stands beside a draft."""
    table = _load(text, name)
    skill = name.split("/")[-2]
    return Draft(
        skill, _text(table, "candidate"), _text(table, "made_by"), _text(table, "made_at"),
        _number(table, "based_on"), _text(table, "declined"), _text(table, "digest"),
    )  # fmt: skip


def load_record(text: str, name: str) -> tuple[Version, ...]:
    """Return the published versions, in the order of their numbers."""
    table = _load(text, name)
    found = table.get("version", [])
    versions = [
        Version(
            _number(one, "n"), _text(one, "digest"), _text(one, "published_at"), _text(one, "by"), _text(one, "words"),
            _text(one, "candidate"), _texts(one, "runs"), _text(one, "final_accepted_run_id"), _number(one, "based_on"),
        )
        for one in (found if isinstance(found, list) else [])
        if isinstance(one, dict)
    ]  # fmt: skip
    return tuple(sorted(versions, key=lambda one: one.n))


def with_version(text: str | None, one: Version, table: str = "version") -> str:
    """Return a record with one more version, or another table of that form; all else keeps its bytes."""
    import tomlkit  # noqa: PLC0415  it takes longer to import than all of this room

    document = tomlkit.parse(text) if text else tomlkit.document()
    if not text:
        document.add(tomlkit.comment(ABOUT_RECORD))
    if table not in document:
        document[table] = tomlkit.aot()
    values = {
        "n": one.n, "digest": one.digest, "published_at": one.published_at, "by": one.by, "words": one.words,
        "candidate": one.candidate, "runs": list(one.runs), "final_accepted_run_id": one.final_run,
        "based_on": one.based_on,
    }  # fmt: skip
    added = tomlkit.table()
    added.update(_told(values))
    versions: Any = document[table]
    versions.append(added)
    return spaced(tomlkit.dumps(document))


def with_values(text: str, values: Mapping[str, Any]) -> str:
    """Return a TOML text with values of its top set; all else keeps its bytes."""
    import tomlkit  # noqa: PLC0415  as above

    document = tomlkit.parse(text)
    for key, value in values.items():
        document[key] = value
    return tomlkit.dumps(document)


def _told(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return values without those that say nothing."""
    return {key: value for key, value in values.items() if value not in ("", [], None, 0)}


def _load(text: str, name: str) -> dict[str, Any]:
    try:
        return load_table(text.encode("utf-8", "surrogatepass"), name)[1]
    except BadSettingsError as error:
        raise RejectedFileError(error.faults[0]) from None


def _text(table: Mapping[str, Any], key: str) -> str:
    value = table.get(key, "")
    return value if isinstance(value, str) else value.isoformat() if hasattr(value, "isoformat") else ""


def _texts(table: Mapping[str, Any], key: str) -> tuple[str, ...]:
    value = table.get(key, [])
    return tuple(one for one in value if isinstance(one, str)) if isinstance(value, list) else ()


def _number(table: Mapping[str, Any], key: str) -> int:
    value = table.get(key, 0)
    return value if isinstance(value, int) and not isinstance(value, bool) else 0
