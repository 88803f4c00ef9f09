"""Of whom a profile is: the user, the role itself, or somebody or something by a name; and which memories bear on them.

A name is looked for as it is written, whole: Latin letters not inside a longer word, a Chinese name anywhere. Besides it
count the names that are proved to be the same: "my sister Ana" makes "my sister" and "Ana" one, as long as no memory
speaks of another sister; "Ana" is "Ana Souza" where no other Ana has a family name. Nothing is guessed from pronouns.

Errors
    ValueError: a subject that can be none, with the reason.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from memd.engine.recall.profile.inquiry import ME
from memd.engine.recall.profile.kin import NO_NAMES, OF_NAME, introductions, relation_meant, relations_in, several_in
from memd.model.memory import Memory
from memd.text import expressions as re
from memd.text.characters import CJK, fold, is_cjk, one_width
from memd.text.simplified import simplified

SUBJECT_CHARS = 200
READ_CHARS = 4000  # of a memory
_LETTER = f"[^\\W_{CJK}]"
_USER = frozenset(("", ME, "me", "myself", "i", "us", "user", "the user", "我", "我自己", "用户", "本人", "咱", "咱们"))
_ROLE = frozenset(("you", "yourself", "yourselves", "the role", "role", "the assistant", "your self", "你", "你自己", "您", "助手", "角色"))  # fmt: skip
_ARTICLE = re.compile(r"\A(?:the|our|my|a|an|this|that) (?=\S)", re.IGNORECASE)
_SORT = re.compile(r"(?<=\S) (?:project|repo|repository|team|app|service)\Z|(?<=..)项目\Z", re.IGNORECASE)
_OF_ME_ZH = re.compile(r"\A(?:我们?的?|咱们?的?|用户的?|这个|那个)(?=.)")
_MY_NAME = (
    re.compile(r"(?i:\b(?:my|(?:the )?user's) (?:(?:full|first|real|given) )?name is )(?P<name>[A-Z][\w'-]+(?: [A-Z][\w'-]+){0,2})"),
    re.compile(r"(?i:\b(?:call (?:me|her|him|them|the user)|the user is (?:called|named)) )(?P<name>[A-Z][\w'-]+)(?=\s*(?:[.,;!]|$))"),
    re.compile(r"(?:^|[，,。；;\s])(?:我叫|我的名字(?:是|叫)|用户(?:名?叫|的名字是)|(?:请?叫|称呼)[我他她](?:为)?)(?P<name>[\u4e00-\u9fff]{2,4}|[A-Z][a-z]+)(?=[，,。；;！!\s]|$)"),
)  # fmt: skip
_NO_OWN = frozenset(("dr", "mr", "mrs", "ms", "back", "later", "first"))
_VERBS = re.compile(r"[会做在有是吃去想要说看叫爱住到过吗呢什么哪得把被给让了着昨今明没不]|喜欢|上次|最近")
_FULL_NAME = r"(?<![\w'-]){} (?P<family>[A-Z][a-z][\w'-]*)"


class Of(StrEnum):
    """Of whom a profile is."""

    USER = "user"
    ROLE = "role"
    NAMED = "named"


@dataclass(frozen=True, slots=True)
class Subject:
    """Of whom. `names`: by which memories name them, folded; `relations`: by which word of the user's people, where that is proved.

    `several`: whom the words may mean where they mean more than one; `firm`: the memories say that it is a name.
    """

    of: Of
    words: str
    names: tuple[str, ...] = ()
    relations: frozenset[str] = frozenset()
    several: tuple[str, ...] = ()
    firm: bool = False

    def bears_on(self) -> Callable[[Memory], bool]:
        """Return what tells whether a memory names them: by a name in its text, keys, topics or tags, or by the relation."""
        form = form_of(self.names)

        def bears(memory: Memory) -> bool:
            text = memory.text[:READ_CHARS]
            if form is not None and (form.search(fold(text)) or any(_is_one(form, one) for one in _labels(memory))):
                return True
            return bool(self.relations) and bool(self.relations & relations_in(text))

        return bears


def checked(words: str) -> str:
    """Return a subject's words in one width and on one line. ValueError where they can name nobody."""
    if len(words) > SUBJECT_CHARS:
        raise ValueError(f"{len(words):,} characters are too many for a subject; at most {SUBJECT_CHARS}")
    if bad := next((char for char in words if unicodedata.category(char) in ("Cc", "Cf", "Cs", "Co", "Cn")), ""):
        raise ValueError(f"U+{ord(bad):04X} is no character of a name")
    plain = one_width(words)
    if plain and not any(char.isalnum() for char in plain):
        raise ValueError("no letter and no digit is in it")
    return plain


def subject_of(words: str, memories: Mapping[str, Memory], role_names: Iterable[str] = ()) -> Subject:
    """Return of whom words are, by what the memories prove. `words` as `checked` returns them."""
    plain = words.strip(" .?!。？！")
    small = simplified(plain.casefold())
    live = [one.text[:READ_CHARS] for one in memories.values() if not (one.disabled or one.superseded_by)]
    own = _own_names(live)
    if small in _USER or fold(plain) in own:
        return Subject(Of.USER, plain, own)
    if small in _ROLE or small in {one.casefold() for one in role_names if one}:
        return Subject(Of.ROLE, plain, tuple(dict.fromkeys(fold(one) for one in role_names if one)))
    if relations := relation_meant(plain):
        return _relation(plain, relations, live)
    return _name(plain, live, memories)


def _relation(words: str, relations: frozenset[str], live: list[str]) -> Subject:
    """Return somebody who is named by what they are to the user, with the name that is theirs alone."""
    known = [one for text in live for one in introductions(text) if one.relation in relations]
    names = tuple(dict.fromkeys(fold(one.name) for one in known))
    shown = tuple(dict.fromkeys(one.name for one in known))
    return Subject(Of.NAMED, words, names, relations, shown if len(names) > 1 else (), firm=True)


def _name(words: str, live: list[str], memories: Mapping[str, Memory]) -> Subject:
    """Return somebody or something by a name, with what else is proved to mean them."""
    told = [words, _ARTICLE.sub("", words), _OF_ME_ZH.sub("", words)]
    told.append(_SORT.sub("", told[1] if told[1] != words else told[2]))
    names = list(dict.fromkeys(fold(one) for one in told if one))
    form = form_of(names)
    naming = [text for text in live if form is not None and form.search(fold(text))]
    families = _families(words, live)
    if " " in words and not _ARTICLE.match(words):
        first, family, *_ = words.split(" ")
        if _families(first, live) == {family}:
            names.append(fold(first))
            form = form_of(names)
    introduced = [one for text in live for one in introductions(text)]
    mine = {one.relation for one in introduced if _is_one(form, one.name)}
    relations = {one for one in mine if _is_alone(one, names, introduced, live)}
    relations |= {OF_NAME[one].within for one in relations if OF_NAME[one].within and _is_only_kind(one, live)}
    firm = bool(mine) or _is_label(form, memories) or any(_is_written_as_name(one, naming) for one in told)
    several = tuple(sorted(f"{words} {one}" for one in families)) if len(families) > 1 else ()
    return Subject(Of.NAMED, words, tuple(names), frozenset(relations), several, firm)


def _is_alone(relation: str, names: list[str], introduced: Iterable[tuple[str, str]], live: list[str]) -> bool:
    """Tell whether a relation can mean no one else: one has only one, and no memory names or counts another."""
    known = OF_NAME[relation]
    if known.many:
        return False
    near = {relation, known.within, *(one for one, other in OF_NAME.items() if other.within == relation)}
    if any(other in near and not _is_one(form_of(names), name) for other, name in introduced):
        return False
    return not any(relation in several_in(text) for text in live)


def _is_only_kind(relation: str, live: list[str]) -> bool:
    """Tell whether the wider word can mean only this relation: no memory speaks of another within it."""
    wider = OF_NAME[relation].within
    others = {one for one, other in OF_NAME.items() if other.within == wider and one != relation}
    return not any(others & relations_in(text) for text in live)


@lru_cache(maxsize=32_768)
def own_names_in(text: str) -> tuple[str, ...]:
    """Return the names that a text tells as the user's own."""
    return tuple(found["name"] for form in _MY_NAME for found in form.finditer(text))


def _own_names(live: list[str]) -> tuple[str, ...]:
    """Return the names of the user, folded, as memories tell them."""
    names = [name for text in live for name in own_names_in(text)]
    told = dict.fromkeys(fold(one) for name in names for one in (name, name.split(" ", maxsplit=1)[0]))
    return tuple(one for one in told if one not in _NO_OWN)


def _families(first: str, live: list[str]) -> set[str]:
    """Return the family names that stand behind a first name."""
    if not first[:1].isupper() or " " in first:
        return set()
    form = re.compile(_FULL_NAME.format(re.escape(first)))
    return {found["family"] for text in live if first in text for found in form.finditer(text)} - NO_NAMES


def _is_label(form: re.Pattern[str] | None, memories: Mapping[str, Memory]) -> bool:
    return any(_is_one(form, label) for one in memories.values() for label in _labels(one))


def _labels(memory: Memory) -> Iterable[str]:
    return (*memory.keys, *memory.topics, *memory.tags, *((memory.name,) if memory.name else ()))


def _is_one(form: re.Pattern[str] | None, name: str) -> bool:
    return form is not None and form.fullmatch(fold(name)) is not None


def _is_written_as_name(words: str, naming: list[str]) -> bool:
    """Tell whether texts write words as a name: with a capital away from a sentence's beginning, or in Han and without a verb."""
    if not words:
        return False
    if is_cjk(words[0]):
        return len(words) > 1 and bool(naming) and _VERBS.search(words) is None
    form = re.compile(rf"(?<![\w'-]){re.escape(words)}(?!{_LETTER})", re.IGNORECASE)
    found = [one for text in naming for one in form.finditer(text)]
    return any(one[0][:1].isupper() and (one.start() > 0 or words[:1].isupper()) for one in found)


@lru_cache(maxsize=64)
def _form(names: tuple[str, ...]) -> re.Pattern[str] | None:
    parts = []
    for name in names:
        before = "" if is_cjk(name[0]) else f"(?<!{_LETTER})"
        after = "" if is_cjk(name[-1]) else f"(?!{_LETTER})"
        parts.append(f"{before}{re.escape(name)}{after}")
    return re.compile("|".join(parts)) if parts else None


def form_of(names: Iterable[str]) -> re.Pattern[str] | None:
    """Return what finds names in a folded text, whole; None where there is none."""
    return _form(tuple(one for one in names if one))
