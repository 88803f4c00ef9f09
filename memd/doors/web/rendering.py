"""What a screen is made with: templates that escape all that is put into them, and words in the language of the browser.

words/declared/errors.json has, by the code of each error, what it is and what to do in the other language than theirs;
words/declared/reasons.json each sentence in which memd tells why something came or did not, what it quotes as {names}, and the
same in that language. words/<name>.json has every word of a screen in all LANGUAGES, words/shell.json those of all screens. A
word may have places, as {n}; where it depends on how many n are, it is a list of the one for 1 and the one for others.
"""

from __future__ import annotations

import functools
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.resources import files
from typing import Any, NamedTuple, Protocol

from jinja2 import Environment, PackageLoader, StrictUndefined

from memd.formats.strict_json import loads
from memd.storage.itself import placed, with_path

LANGUAGES = {"en": "en", "zh": "zh-Hans"}  # and how a page says it is in one
SHELL = "shell"
ERRORS_ARE_IN = "en"
_HOLE = re.compile(r"\\{(\w+)\\}")  # a name in braces, of an escaped text
_FIGURES = frozenset({"total", "bound", "computed", "value"})  # of such names, those that stand for figures
_RANGE = re.compile(r"\s*([A-Za-z*-]+)\s*(?:;\s*q=([0-9.]{1,5}))?\s*$")

Words = Mapping[str, Mapping[str, str | list[str]]]


class Asker(Protocol):
    """Whoever answers the methods of docs/protocol.md, and tells what happens."""

    async def call(self, method: str, **params: Any) -> dict[str, Any]:
        """Return the result of one call, or raise a MemdError."""
        ...

    def events(self, topics: Sequence[str] = ()) -> AsyncIterator[dict[str, Any]]:
        """Yield what happens, of these topics; `subscribed` with `anew` where something may have been missed before it."""
        ...


class Rendered(str):
    """What a template came to: in another it stands as it is, since what it was made with was escaped there."""

    __slots__ = ()

    def __html__(self) -> str:
        """Return itself, as templates ask whether a text is markup."""
        return self


@dataclass(frozen=True, slots=True)
class Page:
    """One request to a screen: what it gave, and what an answer is made with."""

    asker: Asker
    screen: str
    language: str
    given: Mapping[str, Any]

    async def ask(self, method: str, **params: Any) -> dict[str, Any]:
        """Return the reply of a method; what is None or empty is not sent."""
        return await self.asker.call(method, **{key: value for key, value in params.items() if value not in (None, "")})

    def number(self, name: str, otherwise: int) -> int:
        """Return a whole number that the request gave, or another where it gave none."""
        given = str(self.given.get(name, ""))
        return int(given) if given.isascii() and given.isdigit() and len(given) < 16 else otherwise

    def render(self, template: str, **values: Any) -> str:
        """Return a template with these values; `t` and `word` in it are those of this screen and language."""
        found = environment().get_template(template)
        return Rendered(
            found.render(
                t=self.t,
                word=self.word,
                of_error=self.of_error,
                of_reason=self.of_reason,
                runs=self.runs,
                language=self.language,
                given=self.given,
                screen=self.screen,
                **values,
            )
        )

    def t(self, key: str, /, **values: Any) -> str:
        """Return a word of this screen, or of all screens; KeyError where there is none."""
        return _put(self._found(key)[self.language], values)

    def word(self, family: str, key: str) -> str:
        """Return the word for one of the protocol's, such as a kind or a reason; itself where there is none."""
        try:
            return self.t(f"{family}.{key}")
        except KeyError:
            return key.replace("_", " ")

    def of_error(self, code: str) -> Sequence[str]:
        """Return what an error is and what to do about it, by its code, in the page's language; nothing in that of the errors themselves."""
        told: Mapping[str, Any] = words_of("declared/errors")
        found: Sequence[str] = () if self.language == ERRORS_ARE_IN else told.get(code, ())
        return found

    def runs(self, said: str) -> str:
        """Return what memd says to run so that it runs in any terminal: this program by its path, on this workspace."""
        workspace = str(getattr(self.asker, "workspace", ""))
        return placed(said, workspace) if workspace else with_path(said)

    def of_reason(self, said: str) -> str:
        """Return why something came or did not, in the page's language; as memd said it where that is unknown."""
        if self.language == ERRORS_ARE_IN:
            return said
        told = [self._of_reason(one) for one in said.split("; ")]
        return "；".join(map(str, told)) if None not in told else self._of_reason(said) or said

    def _of_reason(self, said: str) -> str | None:
        for form, template in reasons():
            if found := form.fullmatch(said):
                values = found.groupdict()
                if "emotion" in values:
                    values["emotion"] = self.word("emotion", values["emotion"])
                if "basis" in values:
                    values["basis"] = self._of_reason(values["basis"]) or values["basis"]
                return template.format_map(values)
        return None

    def _found(self, key: str) -> Mapping[str, str | list[str]]:
        own = words_of(self.screen)
        return own[key] if key in own else words_of(SHELL)[key]


class Screen(NamedTuple):
    """A screen: its parts by name, "" the whole, and the methods that its buttons may call."""

    parts: Mapping[str, Callable[[Page], Awaitable[str]]]
    does: frozenset[str] = frozenset()


def language_of(accepted: str) -> str:
    """Return which of LANGUAGES a browser would rather have, by its Accept-Language."""
    wanted: list[tuple[float, int, str]] = []
    for place, one in enumerate(accepted[:500].split(",")):
        if found := _RANGE.match(one):
            quality = float(found[2]) if found[2] and found[2].count(".") < 2 and found[2] != "." else 1.0
            wanted.append((-quality, place, found[1].partition("-")[0].lower()))
    return next((name for quality, _, name in sorted(wanted) if name in LANGUAGES and quality), next(iter(LANGUAGES)))


@functools.cache
def words_of(name: str) -> Words:
    """Return the words of a screen, none where it has no file of its own."""
    path = files("memd.doors.web").joinpath(f"words/{name}.json")
    found: Words = loads(path.read_bytes()) if path.is_file() else {}
    return found


@functools.cache
def reasons() -> list[tuple[re.Pattern[str], str]]:
    """Return the sentences in which memd tells why, as patterns of what they quote, each with its form in the other language."""
    told: Any = words_of("declared/reasons")
    return [(re.compile(_HOLE.sub(_found, re.escape(said)), re.DOTALL), other) for said, other in told]


def _found(hole: re.Match[str]) -> str:
    return f"(?P<{hole[1]}>{'[0-9.]+' if hole[1] in _FIGURES else '.+'})"


@functools.cache
def environment() -> Environment:
    """Return what renders all templates."""
    made = Environment(
        loader=PackageLoader("memd.doors.web"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters.update(FILTERS)
    return made


def day(told: str) -> str:
    """Return the day of a time of the protocol, here."""
    return _here(told, "%Y-%m-%d")


def lately(told: str) -> str:
    """Return the time of day of a time of the protocol, here, with the day before it where that is not today."""
    today = _here(told, "%Y-%m-%d") == datetime.now().astimezone().strftime("%Y-%m-%d")
    return _here(told, "%H:%M" if today else "%Y-%m-%d %H:%M")


def moment(told: str) -> str:
    """Return day and time of a time of the protocol, here."""
    return _here(told, "%Y-%m-%d %H:%M")


def size(count: float) -> str:
    """Return a number of bytes for a person."""
    for unit in ("B", "kB", "MB"):
        if count < 1000:
            return f"{count:.0f} {unit}" if unit == "B" else f"{count:.1f} {unit}"
        count /= 1000
    return f"{count:.1f} GB"


FILTERS: dict[str, Callable[..., Any]] = {"day": day, "lately": lately, "moment": moment, "size": size}


def _here(told: str, form: str) -> str:
    try:
        at = datetime.fromisoformat(told)
    except ValueError:
        return told
    return (at if at.tzinfo else at.replace(tzinfo=UTC)).astimezone().strftime(form)


def _put(said: str | list[str], values: Mapping[str, Any]) -> str:
    text = said if isinstance(said, str) else said[values.get("n") != 1]
    return text.format_map(values) if values else text
