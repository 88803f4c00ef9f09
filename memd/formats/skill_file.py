"""SKILL.md, the file of a skill in the open Agent Skills format: a text to SkillText and back, and its rules.

Values are texts as written; the line ends before and behind the body are no part of it.

Source
    agentskills.io, specification, and its reference validator. That one ends a header at the first `---`, wherever it
    stands, and reads no `{…}` and `[…]`: what is written here has neither, and a file that has is told of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import yaml

from memd.errors import BadSettingsError, Fault, RejectedFileError
from memd.formats.front_matter import Page, split
from memd.formats.settings import line_of, load_table
from memd.formats.strict_json import dumps, is_texts, line_and_column
from memd.formats.task_file import spaced
from memd.formats.toml_writer import dump_table
from memd.model import tasks as rules
from memd.model.tasks import CandidateState, Draft, LearningCandidate, Version

_SIMPLE = re.compile(r"(?i)(?!(?:yes|no|on|off|y|n|true|false|null)\Z)[a-z][a-z0-9]*(?:[-_./][a-z0-9]+)*", re.ASCII)
# What JSON leaves as it is and YAML has no place for or takes for a line's end; and a third hyphen in a row.
_ESCAPED = re.compile(r"[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]|(?<=--)-")
# Where programs disagree: what is a blank, a line's end, nothing at all, or another mapping to be merged in.
_ODD = re.compile(r"(?m)[\t\x85\u2028\u2029\ufeff]|^[ ]*<<[ ]*:")
_TYPES = {"metadata": "a list of `key: value`, all of them texts", "allowed-tools": "a text or a list of texts"}


class _Opened(NamedTuple):
    """A file, its header with where that begins (0: none that can be read), and its nodes, by key and as one."""

    name: str
    text: str
    page: Page
    begin: int
    source: str
    nodes: dict[str, tuple[Any, Any]]
    root: Any

    def fault(self, code: str, why: str, at: str | int = 0) -> Fault:
        if isinstance(at, str):
            at = self.begin + self.nodes[at][0].start_mark.index if at in self.nodes else 0
        return Fault(self.name, *line_and_column(self.text, at), why, code)


def dump_skill(skill: rules.SkillText) -> str:
    """Return the text of a SKILL.md, its keys in the order of KEYS; what is empty is left out."""
    lines = ["---", f"name: {_word(skill.name)}", f"description: {_word(skill.description)}"]
    lines += [f"{key}: {_word(value)}" for key in ("license", "compatibility") if (value := getattr(skill, key))]
    lines += ["metadata:", *_pairs(dict(skill.metadata), 2)] if skill.metadata else []
    lines += [f"allowed-tools: {_word(skill.allowed_tools)}"] if skill.allowed_tools else []
    return "\n".join([*lines, "---", *(["", body] if (body := skill.body.strip("\r\n")) else []), ""])


def load_skill(text: str, name: str) -> tuple[rules.SkillText, tuple[Fault, ...]]:
    """Return what could be read of a SKILL.md, and why the rest could not; whether it keeps the rules is not asked."""
    opened = _open(text, name)
    header, body = opened.page.header, opened.page.body.strip("\r\n")
    texts = dict.fromkeys(rules.KEYS, "") | {key: value for key, value in header.items() if isinstance(value, str)}
    told, tools = header.get("metadata"), header.get("allowed-tools", "")
    metadata = tuple(pair for pair in (told.items() if isinstance(told, dict) else ()) if isinstance(pair[1], str))
    rest = (texts["license"], texts["compatibility"], " ".join(tools) if is_texts(tools) else texts["allowed-tools"])
    return rules.SkillText(texts["name"], texts["description"], body, metadata, *rest), tuple(_reading_faults(opened))


def skill_faults(text: str, folder: str, name: str) -> list[Fault]:
    """Return every breach of the specification and of memd's rules, in the order of the file."""
    opened = _open(text, name)
    keyed = _key_faults(opened, folder) if opened.begin else ()
    found = [*_reading_faults(opened), *keyed, *_body_faults(opened)]
    return sorted(found, key=lambda fault: (fault.line, fault.column))


def with_metadata(text: str, **values: str) -> str:
    """Return a SKILL.md with keys of `metadata` set, `_` written as `-`; all other lines keep their bytes.

    RejectedFileError where that cannot be had: no header, one that cannot be read, metadata that is no mapping.
    """
    opened, wanted = _open(text, "SKILL.md"), {key.replace("_", "-"): values[key] for key in values}
    header, source = opened.page.header, opened.source
    if not opened.begin:
        raise RejectedFileError(next(_reading_faults(opened)))
    if not _has_right_type("metadata", header.get("metadata", "")):
        raise RejectedFileError(opened.fault("skill.key", f"`metadata` is not {_TYPES['metadata']}", "metadata"))
    for begin, end, new in sorted(_edits(opened, wanted), reverse=True):
        source = source[:begin] + new + source[end:]
    changed = text[: opened.begin] + source + text[opened.begin + len(opened.source) :]
    # YAML has more ways to write a mapping than are known here: what came out is read before anyone relies on it.
    page = split(changed, opened.name)
    expected = {**header, "metadata": {**(header.get("metadata") or {}), **wanted}}
    if (page.header, page.body) != (expected, opened.page.body):
        why = "; ".join(["`metadata` cannot be set here and all else be kept", *(fault.why for fault in page.faults)])
        raise RejectedFileError(opened.fault("skill.header", why, "metadata"))
    return changed


def _open(text: str, name: str) -> _Opened:
    page, lines = split(text, name), text.split("\n")
    begin = len(lines[0]) + 1 if page.line > 1 and (page.header or not page.faults) else 0
    source = "\n".join([*lines[1 : page.line - 2], ""]) if begin else ""
    root: Any = yaml.compose(source, Loader=getattr(yaml, "CBaseLoader", yaml.BaseLoader)) if page.header else None
    nodes = {key.value: (key, value) for key, value in root.value} if root else {}
    return _Opened(name, text, page, begin, source, nodes, root)


def _reading_faults(opened: _Opened) -> Iterator[Fault]:
    yield from opened.page.faults
    if not opened.begin:
        if not opened.page.faults:
            yield opened.fault("skill.header", "no front matter: a skill begins with `---`, its keys, and `---`")
        return
    first, closed = opened.text.find("---", opened.begin), opened.begin + len(opened.source)
    if first != closed:
        why = "the front matter does not end at its first `---`, where other programs end it"
        yield opened.fault("skill.header", why, first if 0 <= first < closed else closed)
    if (odd := _ODD.search(opened.text, 0, closed)) or (opened.root and opened.root.flow_style):
        why = "a tab, an invisible sign, `<<` or `{` that other programs read otherwise, or refuse"
        yield opened.fault("skill.header", why, odd.start() if odd else 0)
    for key, value in opened.page.header.items():
        if key not in rules.KEYS:
            yield opened.fault("skill.key", f"{key[:60]!r} is none of the keys {', '.join(rules.KEYS)}", key)
        elif not _has_right_type(key, value):
            yield opened.fault("skill.key", f"`{key}` is not {_TYPES.get(key, 'a text')}", key)
        elif not isinstance(value, str) and opened.nodes[key][1].flow_style:
            why = f"`{key}` is in `{{…}}` or `[…]`, which other programs do not read: write one value a line"
            yield opened.fault("skill.key", why, key)


def _has_right_type(key: str, value: Any) -> bool:
    if key == "metadata":
        return value == "" or (isinstance(value, dict) and is_texts(list(value.values())))
    return isinstance(value, str) or (key == "allowed-tools" and is_texts(value))


def _key_faults(opened: _Opened, folder: str) -> Iterator[Fault]:
    # Of a value of the wrong type was told already.
    texts = {key: value if isinstance(value, str) else None for key, value in opened.page.header.items()}
    for key, most in (("description", rules.DESCRIPTION_CHARS), ("compatibility", rules.COMPATIBILITY_CHARS)):
        if (chars := len(texts.get(key) or "")) > most:
            yield opened.fault(f"skill.{key}", f"`{key}` has {chars} characters, at most {most}", key)
    for key in ("name", "description"):
        if (text := texts.get(key, "")) is not None and not text.strip():
            yield opened.fault(f"skill.{key}", f"`{key}` is missing", key)
    if (name := texts.get("name")) and name.strip():
        if not rules.is_skill_name(name):
            why = f"{name[:80]!r} is not 1 to 64 lower case letters a-z and digits, with single hyphens between"
            yield opened.fault("skill.name", why, "name")
        if name != folder:
            yield opened.fault("skill.name", f"the name is {name[:80]!r}, and its folder {folder[:80]!r}", "name")


def _body_faults(opened: _Opened) -> Iterator[Fault]:
    body, size = opened.page.body, len(opened.text)
    begin, lines = size - len(body), body.strip("\r\n").count("\n") + 1
    if not body.strip():
        yield opened.fault("skill.empty", "nothing stands below the front matter", begin)
    for got, what, most in ((lines, "lines in its body", rules.SKILL_LINES), (size, "characters", rules.SKILL_CHARS)):
        if got > most:
            yield opened.fault("skill.size", f"the file has {got} {what}, at most {most}", begin)


def _edits(opened: _Opened, wanted: dict[str, str]) -> Iterator[tuple[int, int, str]]:
    """Yield what to write where in the header's text (begin, end, text), so that metadata says what is wanted."""
    source, (key, told) = opened.source, opened.nodes.get("metadata", (None, None))
    if told is None:
        at, indent = len(source), opened.root.start_mark.column if opened.root else 0
        lines = [" " * indent + "metadata:", *_pairs(wanted, indent + 2)]
    elif isinstance(told, yaml.ScalarNode) or told.flow_style:
        at = told.end_mark.index
        # What stands between the colon and the value, and behind the value, may be a comment: it stays.
        yield len(source[: told.start_mark.index].rstrip()), at, ""
        lines = _pairs({**(opened.page.header["metadata"] or {}), **wanted}, key.start_mark.column + 2)
    else:
        at, there = told.value[-1][1].end_mark.index, {key.value: value for key, value in told.value}
        lines = _pairs({key: wanted[key] for key in wanted if key not in there}, told.start_mark.column)
        for key in wanted.keys() & there.keys():
            begin = there[key].start_mark.index
            end = begin + len(source[begin : there[key].end_mark.index].rstrip())
            yield begin, end, " " * (source[begin - 1] == ":") + _quoted(wanted[key])
    below = source.find("\n", max(at - 1, 0)) + 1
    eol = "\r\n" if opened.text[: opened.begin].endswith("\r\n") else "\n"
    yield below, below, "".join(line + eol for line in lines)


def _pairs(values: dict[str, str], indent: int) -> list[str]:
    return [f"{' ' * indent}{_word(key)}: {_quoted(value)}" for key, value in values.items()]


def _word(text: str) -> str:
    return text if _SIMPLE.fullmatch(text) else _quoted(text)


def _quoted(text: str) -> str:
    return _ESCAPED.sub(lambda found: f"\\u{ord(found.group()):04x}", dumps(text))


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
