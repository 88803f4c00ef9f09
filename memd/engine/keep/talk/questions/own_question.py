"""What a person tells right behind a question of their own, and that leans on it.

Of "What shall I bake for Fintan? He's allergic to walnuts." the second is told, of Fintan; what the question does not name for
certain is left out.

Source
    Own rules.
"""

from __future__ import annotations

from memd.engine.keep.talk.persons import is_unnamed, named_for, persons_of, points_at_person
from memd.text import expressions as re
from memd.text.borders import asks, requests, tells

_QUESTION_FIRST = re.compile(r"[^.!。！\n]{4,200}?[?？][\"”’」』)）]*\s*(?=\S)")
_THING_ASKED = re.compile(r"\b(?:the|my|our) [\w-]+(?: [\w-]+)?(?=\s*\?)", re.IGNORECASE)
_THINGS_ASKED = re.compile(r"\b(?:the|my|our|this|that|these|those) ", re.IGNORECASE)
_OWNED = re.compile(r"['’]s\Z")
_POINTING = re.compile(
    r"\b(?P<it>it|its|it['’]s)\b|\b(?:they|them|their|this|that|these|those|there)\b|[它这那]", re.IGNORECASE
)


def told_behind_question(text: str) -> str:
    """Return what a text tells behind the question that it begins with, of whom or of what that names; "" where that is not proved."""
    found = _QUESTION_FIRST.match(text)
    rest = text[found.end() :].strip() if found else ""
    if found is None or not tells(rest) or asks(rest) or requests(rest):
        return ""
    if points_at_person(rest):
        rest, _ = named_for(
            rest, [one._replace(name=_OWNED.sub("", one.name), perhaps=False) for one in persons_of(found[0], 0)]
        )
    pointing, things = _POINTING.search(rest), _THING_ASKED.findall(found[0])
    if pointing and pointing["it"] and len(things) == len(_THINGS_ASKED.findall(found[0])) == 1:
        owns = "'s" if pointing[0].lower() != "it" else ""
        thing = things[0][:1].upper() + things[0][1:] if pointing.start() == 0 else things[0]
        rest = rest[: pointing.start()] + thing + owns + rest[pointing.end() :]
    return "" if is_unnamed(rest) or _POINTING.search(rest) or points_at_person(rest) else rest
