"""A tool call, read: which memory files would it write, or which other memory would it feed?"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from memd.engine.keep.guard.asking import asked_to_remember
from memd.engine.keep.guard.files import (
    LONGEST,
    added_by_blocks,
    fact_of_line,
    facts_of,
    gained,
    is_memory_file,
    is_patch,
    writes_of,
    writes_of_patch,
)
from memd.engine.keep.guard.shell import writes_of_script, writes_of_words
from memd.model.scan import Action, Meant, Ruling, Write
from memd.text import expressions as re
from memd.text.expressions import is_in

# Names of parameters as vendors spell them, lower case and without their underscores.
_PATHS_WORDS = """
filepath path filename file targetfile notebookpath uri relativepath absolutepath destination dest newpath
"""
_PATHS = _PATHS_WORDS.split()
_WHOLE = ["content", "contents", "filetext", "text", "data", "codeedit", "codecontent", "code", "newsource", "body"]
_NEW = ["newstring", "newstr", "newtext", "new", "replacement", "inserttext", "repl", "newcontent"]
_OLD = ["oldstring", "oldstr", "oldtext", "old", "oldcontent", "needle", "search"]
_COMMANDS = ["command", "cmd", "script", "commands", "commandline", "args", "code", "input"]
_CODE = ("code", "input", "script")
_EDITS = ["edits", "edit", "replacements", "changes", "operations"]

_POWERSHELL = re.compile(r"power_?shell|pwsh", re.IGNORECASE)
_POWERSHELL_VERBS = re.compile(r"\b(?:add|set)-content\b|\bout-file\b|\[(?:system\.)?io\.file\]::", re.IGNORECASE)
_WORDS = re.compile(r"[A-Z]?[a-z0-9]+|[A-Z]+(?![a-z])|[\u4e00-\u9fff]+")
_MEMORIES_WORDS = """
memory memories memorize memorise remember mem0 mem supermemory openmemory graphiti zep letta memgpt cognee
hindsight memos memobase memento mnemonic recall knowledge bio 记忆 记住
"""
_MEMORIES = frozenset(_MEMORIES_WORDS.split())
_STORES_WORDS = """
add adds save store write create update append insert replace put set record remember memorize memorise upsert
note commit retain ingest edit observe log persist push capture rethink 添加 保存 写入 记住 新增 更新 存
"""
_STORES = frozenset(_STORES_WORDS.split())
_LOOKS_WORDS = """
search read list get view recall open find query show fetch delete remove forget clear stats status export
info profile profiler trace usage count browse retrieve describe history summarize prune index sync
"""
_LOOKS = frozenset(_LOOKS_WORDS.split())
_OURS = frozenset(("memd", "promptx"))
_CONTENT_WORDS = """
fact content contents text memory memories observations observation data value note body episodebody
knowledgetostore knowledge thingtoremember information filetext newstr inserttext newcontent messages
statement facttext memorytext summary message entry replacement details description control
"""
_CONTENT = _CONTENT_WORDS.split()
_BESIDE = frozenset(("description", "details", "summary", "message"))
_TAGS = ("tags", "labels", "categories")
DEEPEST = 6


def writes_of_call(tool: str, given: Mapping[str, Any] | str) -> list[Write]:
    """Return the writes to memory files in a tool call."""
    if isinstance(given, str):
        return _of_command(given, tool)
    named = _plain(given)
    found: list[Write] = []
    command, args = named.get("command"), named.get("args")
    if isinstance(command, str) and isinstance(args, list):
        found += _of_command([command, *args], tool)
    for key in _COMMANDS:
        found += _of_command(named.get(key), tool)
        value = named.get(key)
        if not found and key in _CODE and isinstance(value, str):
            found += writes_of(value[:LONGEST], {})
    several = named.get("files")
    for one in several if isinstance(several, list) else ():
        found += writes_of_call(tool, one) if isinstance(one, Mapping) else []
    patch = named.get("patch") or named.get("diff")
    if isinstance(patch, str) and is_patch(patch):
        found += writes_of_patch(patch[:LONGEST])
    path = next((value for key in _PATHS if isinstance(value := named.get(key), str) and is_memory_file(value)), "")
    if path and not found:
        found += _of_file(path, named)
    return found


def _plain(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return parameters by their names in lower case, without underscores."""
    return {str(key).replace("_", "").replace("-", "").lower(): value for key, value in given.items()}


def _of_command(value: object, tool: str) -> list[Write]:
    if isinstance(value, list):
        words = _within([word for word in value if isinstance(word, str)])
        found = writes_of_words(words) if words else []
        if not found and words and any(" " in word for word in words) and not words[0].isalpha():
            found = [write for word in words for write in writes_of_script(word)]
        return found
    if not isinstance(value, str):
        return []
    if is_patch(value) and not re.match(r"\s*(?:apply_patch|git|patch|cat)\b", value):
        return list(writes_of_patch(value[:LONGEST]))
    if _POWERSHELL.search(tool) or (is_in(_POWERSHELL_VERBS, value) and not _POWERSHELL.match(value.strip())):
        return list(writes_of(value[:LONGEST].replace("\\", "/"), {}))
    return writes_of_script(value)


def _within(words: list[str]) -> list[str]:
    """Return the first words of a command, as many as are read."""
    room = LONGEST
    for at, word in enumerate(words):
        room -= len(word) + 1
        if room < 0:
            return words[:at]
    return words


def _of_file(path: str, named: Mapping[str, Any]) -> Iterator[Write]:
    edits: Any = next((value for key in _EDITS if (value := named.get(key))), [])
    parts = [_plain(one) for one in (edits if isinstance(edits, list) else [edits]) if isinstance(one, Mapping)]
    texts = [gained(_first(one, _OLD), _first(one, _NEW) or _first(one, _WHOLE)) for one in parts]
    diff = named.get("diff")
    if isinstance(diff, str):
        diff = diff[:LONGEST]
        texts.append(added_by_blocks(diff) or "\n".join(line[1:] for line in diff.split("\n") if line.startswith("+")))
    new = _first(named, _NEW)
    if new:
        texts.append(gained(_first(named, _OLD), new))
    whole = _first(named, _WHOLE)
    if texts:
        yield Write(path, "\n".join(filter(None, texts)))
    elif whole or any(key in named for key in _WHOLE):
        yield Write(path, whole, whole=True)


def _first(named: Mapping[str, Any], keys: Sequence[str]) -> str:
    return next((value[:LONGEST] for key in keys if isinstance(value := named.get(key), str)), "")


def feeds_other_memory(tool: str, given: Mapping[str, Any] | str) -> bool:
    """Tell whether a call stores something in a memory that is not memd's."""
    words = [word.lower() for word in _WORDS.findall(tool)]
    if not _MEMORIES & set(words) or _OURS & set(words):
        return False
    verb = given.get("command") or given.get("action") or given.get("operation") if isinstance(given, Mapping) else ""
    if isinstance(verb, str) and verb:
        said = [word.lower() for word in _WORDS.findall(verb)]
        return bool(_STORES & set(said) or "str" in said) and not _LOOKS & set(said)
    last = [word.lower() for word in _WORDS.findall(tool.rpartition("__")[2] or tool)]
    stores = _STORES & set(last)
    if last == ["bio"]:  # ChatGPT's
        return True
    return bool(stores) and not (_LOOKS & set(last) and not stores - {"note", "log", "set", "edit", "index"})


def meant_by(given: Mapping[str, Any] | str) -> Iterator[Meant]:
    """Yield what a call to another memory tool would store."""
    if isinstance(given, str):
        fact = fact_of_line(given[:LONGEST])
        yield from (fact,) if fact else ()
        return
    tags = next((value for key, value in given.items() if str(key).lower() in _TAGS and isinstance(value, list)), [])
    told = tuple(tag for tag in tags if isinstance(tag, str))
    for text in _leaves(given, 0):
        for line in text[:LONGEST].split("\n"):
            if one := fact_of_line(line):
                yield Meant(one.content, tags=one.tags or told, validity=one.validity, score=one.score)


def _leaves(value: object, depth: int, *, telling: bool = False) -> Iterator[str]:
    """Yield the strings under members that are named for content."""
    if depth > DEEPEST:
        return
    if isinstance(value, str):
        if telling:
            yield value
    elif isinstance(value, Mapping):
        value = _plain(value)
        named = {key for key in value if key in _CONTENT}
        if {"content", "text"} & named:
            named -= _BESIDE
        for key in value:
            if key in named or isinstance(value[key], (dict, list)):
                yield from _leaves(value[key], depth + 1, telling=key in named)
    elif isinstance(value, list):
        for one in value:
            if not isinstance(one, str) or telling:
                yield from _leaves(one, depth + 1, telling=telling)


# The guard's rule book: what may pass, what should be a remember, and what asks for one.
#
# Source
#     docs/remember.md#the-guard. The violations of a session are the service's to count.

MOST_FACTS = 50  # of one call


def rule_on_call(tool: str, given: Mapping[str, Any] | str, standing: Callable[[str], str]) -> Ruling:
    """Rule on a tool call. `standing` returns what a file of that path holds now, "" where it is not known."""
    if feeds_other_memory(tool, given):
        return Ruling(Action.REDIRECT, f"{tool} stores in another memory", tool, _few(meant_by(given)))
    writes = writes_of_call(tool, given)
    if not writes:
        return Ruling(Action.ALLOW, "it writes no memory file")
    facts = (fact for one in writes for fact in facts_of(one, standing(one.path) if one.whole else ""))
    target = writes[0].path
    return Ruling(Action.REDIRECT, f"{tool} writes {target}, which is memory", target, _few(facts))


def rule_on_message(message: str) -> Ruling:
    """Rule on what a user said: does it ask that something be remembered?"""
    content = asked_to_remember(message)
    if not content:
        return Ruling(Action.ALLOW, "it asks for nothing to be remembered")
    return Ruling(Action.ASK_REMEMBER, "the user asks that this be remembered", "", (Meant(content),))


def _few(facts: Iterable[Meant]) -> tuple[Meant, ...]:
    """Return the first of the facts, each once; the others are not even read."""
    return tuple(islice(_once(facts), MOST_FACTS))


def _once(facts: Iterable[Meant]) -> Iterator[Meant]:
    seen: set[Meant] = set()
    for fact in facts:
        if fact not in seen:
            seen.add(fact)
            yield fact
