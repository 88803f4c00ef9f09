"""What each file of a workspace is for, told from its name alone; and what can be wrong with it: every code, how grave it is, what it means.

Grave: an `error` is not served, or not as it was meant; a `warning` serves and will surprise somebody; a `note` is told
to who asks and needs nothing done. docs/check.md is this table.

Source
    docs/workspace.md#1-files. Names are POSIX, relative to the workspace.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from enum import StrEnum
from typing import NamedTuple

SETTINGS = "memd.toml"
CURATED = ("MEMORY.md", "USER.md")
ROLES, SESSIONS, RUNS, TASKS, SKILLS, ARCHIVE = "roles", "sessions", "runs", "tasks", "skills", "archive"
LEARNING = "learning"
EMOTIONS, EXPECT = "emotions.toml", "expect"
PRIVATE = ".memory"
CONFLICT = ".conflict-"
TEMPORARY = ".memd-tmp"
NEVER_ENTERED = frozenset({"node_modules", "__pycache__"})
# Copies that a merge or a synchronizer put beside a file: a person decides about them, nobody serves them.
_COPY = re.compile(r"\.conflict-[0-9TZ]+-[0-9a-f]+\.|\.sync-conflict-|conflicted copy|\.orig$|\.rej$")


class Purpose(StrEnum):
    """What a file is for; those below BOOK are searchable under this word."""

    SETTINGS = "settings"
    PROFILE = "profile"
    ARCHIVE = "archive"
    EMOTIONS = "emotions"
    EXPECT = "expect"
    BOOK = "book"
    MEMORY = "memory"
    CURATED = "curated"
    PAGE = "page"
    SESSION = "session"
    RUN = "run"
    TASK = "task"
    SKILL = "skill"


LEAF = {"memory.json": Purpose.MEMORY, "role.toml": Purpose.PROFILE}


def purpose_of(name: str) -> Purpose | None:
    """Return what a file is for, or None where memd has no use for it."""
    parts = name.split("/")
    if not is_entered(parts[:-1]) or parts[-1].startswith(".") or is_copy(parts[-1]) or not is_utf8(name):
        return None
    if name == SETTINGS:
        return Purpose.SETTINGS
    if name == EMOTIONS:
        return Purpose.EMOTIONS
    if name in CURATED:
        return Purpose.CURATED
    if parts[0] == LEARNING:
        return None  # what is being learned is not known yet: it comes to nobody's mind and into nobody's search
    return _filed(parts) or (Purpose.PAGE if parts[-1].endswith(".md") else None)


def _filed(parts: list[str]) -> Purpose | None:
    top, leaf, deep = parts[0], parts[-1], len(parts)
    if top == ROLES and deep == 3:
        return LEAF.get(leaf)
    if top == ROLES and deep == 4 and parts[2] == "books" and leaf.endswith(".json"):
        return Purpose.BOOK
    if top == SESSIONS and leaf.endswith(".jsonl"):
        return Purpose.SESSION
    if top == RUNS and leaf.endswith(".md") and deep > 1:
        return Purpose.RUN
    if top == TASKS and leaf.endswith(".toml") and deep > 1:
        return Purpose.TASK
    if top == SKILLS and leaf == "SKILL.md" and deep > 1:
        return Purpose.SKILL
    if top == EXPECT and deep == 2 and leaf.endswith(".toml"):
        return Purpose.EXPECT
    return Purpose.ARCHIVE if top == ARCHIVE and (leaf.endswith(".jsonl") or leaf.startswith("declarative-")) else None


def role_of(name: str) -> str:
    """Return the role whose directory a file is in, or ""."""
    parts = name.split("/")
    return parts[1] if parts[0] == ROLES and len(parts) > 2 else ""


def has_sessions(names: Iterable[str]) -> bool:
    """Tell whether any of these files is below sessions/."""
    return any(name.startswith(f"{SESSIONS}/") for name in names)


def is_entered(folders: list[str]) -> bool:
    """Tell whether memd looks into a directory: hidden ones are the business of whoever hid them."""
    return all(one[:1] != "." and one not in NEVER_ENTERED for one in folders)


def is_utf8(name: str) -> bool:
    """Tell whether a name of the file system is UTF-8: other bytes stand in it as lone surrogates."""
    return name.isascii() or not any("\ud800" <= char <= "\udfff" for char in name)


def is_copy(leaf: str) -> bool:
    """Tell whether a file is a conflict copy or another leftover of a merge."""
    return _COPY.search(leaf) is not None


class Meaning(NamedTuple):
    """How grave a finding is, what it means, and whether `memd check --fix` can mend it."""

    severity: str
    meaning: str
    fixable: bool = False


FINDINGS: dict[str, Meaning] = {
    "book.entry": Meaning("error", "An entry of a lorebook that cannot be read; the others serve."),
    "book.odd": Meaning("warning", "Something of an entry was not taken as it is written."),
    "book.too_many": Meaning("warning", "More entries than memd serves of one book."),
    "book.unknown": Meaning("error", "A JSON file under books/ that is no lorebook of a form memd knows."),
    "expect.came": Meaning("error", "A message brings what expect/ says it must not."),
    "expect.failed": Meaning("error", "A case of expect/ cannot be asked."),
    "expect.missing": Meaning("error", "A message does not bring what expect/ says it must."),
    "file.broken": Meaning("error", "The file cannot be read as what it should be; its last good state serves."),
    "file.conflict_marker": Meaning("error", "git left a conflict in the file; nothing of it is taken in."),
    "file.conflict_copy": Meaning("warning", "A merge kept this copy beside a file; take from it what is yours, and delete it."),
    "file.empty": Meaning("error", "The file is empty where a JSON object belongs."),
    "file.leftover": Meaning("warning", "A temporary file of memd's that no process needs any more.", True),
    "file.link": Meaning("warning", "A symbolic link; memd never follows one."),
    "file.missing": Meaning("error", "A file that must be there is not."),
    "file.odd": Meaning("warning", "Something that is neither a file nor a directory memd can use."),
    "file.too_large": Meaning("error", "The file is larger than memd reads."),
    "file.unreadable": Meaning("error", "The system does not let memd read the file."),
    "index.differs": Meaning("error", "The full-text index has another state of a document than its file."),
    "index.extra": Meaning("error", "The full-text index has a document that no file has."),
    "index.missing": Meaning("error", "The full-text index does not have a document."),
    "index.unusable": Meaning("warning", "There is no full-text index that can be used; `memd rebuild` makes one."),
    "json.syntax": Meaning("error", "This is not strict JSON."),
    "limit.curated": Meaning("warning", "MEMORY.md or USER.md is longer than what tools may write."),
    "limit.memory_chars": Meaning("warning", "A memory is longer than the limit."),
    "limit.memory_dir_bytes": Meaning("error", "`.memory/` is at its limit; nothing more is stored."),
    "limit.near": Meaning("warning", "90 % of a limit are used."),
    "limit.role_bytes": Meaning("error", "A role's directory is at its limit; nothing more is stored."),
    "limit.role_memories": Meaning("error", "A role has all the memories it may have; nothing more is stored."),
    "limit.sessions_bytes": Meaning("error", "`sessions/` is at its limit; nothing more goes into any session."),
    "log.line": Meaning("error", "A damaged line in a log of memd's; it is skipped, the others stand."),
    "memory.bad": Meaning("error", "A record that cannot serve; the others do."),
    "memory.circle": Meaning("warning", "Memories that take each other's place in a circle; none of them does."),
    "memory.conflict": Meaning("warning", "Two memories took the place of the same one; both come to mind, the older with its date."),
    "memory.dead_key": Meaning("warning", "A key that no text can have: it is blank.", True),
    "memory.duplicate_id": Meaning("error", "Two records have the same id; only the first serves.", True),
    "memory.lost_cover": Meaning("warning", "A record covers statements that none it names has any more; what was edited holds again."),
    "memory.lost_link": Meaning("warning", "A record names another that is not there."),
    "memory.silent": Meaning("warning", "A memory that nothing can bring to mind: no key, no telling word, not constant."),
    "memory.unbacked": Meaning("warning", "A `supersededBy` that the other's `supersedes` does not back; the memory holds.", True),
    "memory.withheld": Meaning("warning", "A memory that may instruct its reader, hides characters or holds a secret; it stays out of prompts until you approve it."),
    "name.bad": Meaning("error", "A directory under roles/ whose name breaks the rule for names; it is not served."),
    "name.not_utf8": Meaning("error", "A file name that is not UTF-8; it is not served."),
    "name.taken": Meaning("error", "Two names that some file systems or some eyes would confuse; the second is not served."),
    "role.book": Meaning("warning", "A [[book]] that names no file of the role's books/."),
    "role.link": Meaning("warning", "A link to a role that is not there."),
    "role.not_a_directory": Meaning("error", "Something under roles/ that is no directory."),
    "role.taken": Meaning("warning", "Two roles share an alias, a display name, a uuid or a characterUuid; it means neither of them."),
    "run.edited": Meaning("note", "A receipt that a person edited; it counts as it stands."),
    "run.value": Meaning("error", "A word in a receipt's header that cannot be; another is taken for it."),
    "session.foreign": Meaning("note", "Lines of a session that somebody else than memd wrote or changed; they are read."),
    "session.leaks": Meaning("warning", "git would push sessions that hooks write, though sessions.version does not want it; the finding says where to."),
    "session.line": Meaning("error", "A line of a session that is not JSON; the others serve."),
    "session.pushed": Meaning("note", "git would push sessions; the finding says where to."),
    "session.torn": Meaning("warning", "The last line of a session is not finished; it may still be written."),
    "settings.unknown": Meaning("error", "A key that memd does not know; the last good settings stay in force."),
    "settings.value": Meaning("error", "A value that cannot be; the last good settings stay in force."),
    "skill.compatibility": Meaning("error", "A skill's `compatibility` of more than 500 characters."),
    "skill.description": Meaning("error", "A skill without a description, or with one of more than 1,024 characters."),
    "skill.empty": Meaning("error", "A skill that says nothing below its header."),
    "skill.header": Meaning("error", "A skill whose header other programs cannot read."),
    "skill.key": Meaning("error", "A key in a skill's header that the Agent Skills format does not know, or a value of another form."),
    "skill.name": Meaning("error", "A skill's name that breaks the rule, or is not its directory's."),
    "skill.size": Meaning("warning", "A skill of more than 500 lines or 100,000 characters."),
    "skill.unsafe": Meaning("error", "A draft that gives data away, hides characters or holds a secret; it cannot be published."),
    "task.value": Meaning("error", "A word in a task's file that cannot be; the task waits until it is corrected."),
    "learning.value": Meaning("error", "A word in a candidate's file that cannot be; it waits until it is corrected."),
    "text.bom": Meaning("note", "The file begins with a byte order mark; memd reads past it."),
    "text.crlf": Meaning("note", "Lines end with CR LF; memd keeps them."),
    "text.long_line": Meaning("warning", "A line of more than 100,000 characters."),
    "text.not_utf8": Meaning("error", "Bytes that are not UTF-8; nothing of the file is taken in."),
    "text.nul": Meaning("error", "A NUL character: the file is not a text."),
    "toml.syntax": Meaning("error", "This is not TOML."),
    "toml.too_deep": Meaning("error", "Keys with too many dots, or values nested too deep."),
    "toml.too_large": Meaning("error", "A TOML file of more than 64 KiB."),
    "trust.asked": Meaning("warning", "The workspace asks for something that weakens a protection, and this machine has not granted it; it is not in force."),
    "trust.state": Meaning("warning", "What this machine granted to the workspace cannot be believed; nothing of it is in force."),
    "yaml.alias": Meaning("error", "Anchors and aliases in a header; the header is left out and the text serves."),
    "yaml.key": Meaning("error", "A key of a header that is no word; the header is left out."),
    "yaml.not_a_mapping": Meaning("error", "A header that is not a list of `key: value`; it is left out."),
    "yaml.syntax": Meaning("error", "A header that is not YAML; it is left out and the text serves."),
    "yaml.tag": Meaning("error", "A tag in a header; the header is left out."),
    "yaml.too_deep": Meaning("error", "A header nested deeper than 16; it is left out."),
    "yaml.too_large": Meaning("error", "A header of more than 16 KiB; it is left out."),
    "yaml.too_many": Meaning("error", "A header of more than 1,000 values; it is left out."),
    "yaml.truth": Meaning("warning", "A key like `on` or `yes`: a text here, a truth value for other programs."),
    "yaml.twice": Meaning("warning", "A key stands twice in a header; the last one counts."),
    "yaml.unclosed": Meaning("note", "The file begins with `---` and no header ends; it is all text."),
}  # fmt: skip


def severity_of(code: str) -> str:
    """Return how grave a finding is."""
    return FINDINGS[code].severity


# How far long work is: so much done of so much, and what is being done. Whoever works tells it, whoever waits may look.

Told = Callable[[int, int, str], None]  # done, of all, the step in one or two words; the unit is the work's own


def untold(done: int, of: int, step: str) -> None:
    """Tell nobody."""
