"""What a person tells right behind a question or a word of asking of their own.

麻烦你，我不吃葱 asks for nothing. Of "What shall I bake for Fintan? He's allergic to walnuts." the second is told, of Fintan; what the question does not name for
certain is left out.

Source
    Own rules.
"""

from __future__ import annotations

from memd.engine.keep.talk.persons import is_unnamed, named_for, persons_of, points_at_person
from memd.text import expressions as re
from memd.text.borders import asks, requests, tells

_QUESTION_FIRST = re.compile(r"[^.!。！\n]{4,200}?[?？][\"”’」』)）]*\s*(?=\S)")
_THING_ASKED = re.compile(
    r"\b(?:tidy|check|read|fix|review|look at|open|close|update|book|order|use|run|clean|change|see|find|like|know|recommend|translate|sort|print|call) (?P<thing>(?:the|my|our) [\w-]+)(?=\s*\?)",
    re.IGNORECASE,
)
_THINGS_ASKED = re.compile(r"\b(?:the|my|our|this|that|these|those) ", re.IGNORECASE)
_SEVERAL = re.compile(r"[和跟与同、]|\b(?:and|or|from|with)\b", re.IGNORECASE)
_OWNED = re.compile(r"['’]s\Z")
_POINTING = re.compile(
    r"\b(?P<it>it(?!['’])|its)\b|\b(?:they|them|their|this|that|these|those|there)\b|[它这那]", re.IGNORECASE
)
_POLITE_FIRST = re.compile(
    r"(?:麻烦(?:你|您)?了?|拜托(?:你|您|囉|了|啦)?|劳驾|唔该|请(?:留意|注意)|不好意思)[，,\s：:]*(?=我|咱|本人)|(?:(?:please|kindly) (?:be aware|note|understand|bear in mind|be mindful)(?: that)?|please excuse [^,.;]{2,30},)[\s,:]*(?=(?:i|i['’]m|i['’]ve|my|we|our)\b)",
    re.IGNORECASE,
)


def told_behind_politeness(text: str) -> str:
    """Return what a text tells of its speaker behind a word of asking: 麻烦你，我不吃葱, "please be aware that my mother is deaf"; "" where it asks."""
    found = _POLITE_FIRST.match(text)
    rest = text[found.end() :].strip() if found else ""
    return rest if tells(rest) and not (asks(rest) or requests(rest)) else ""


def told_behind_question(text: str) -> str:
    """Return what a text tells behind the question that it begins with, of whom or of what that names; "" where that is not proved."""
    found = _QUESTION_FIRST.match(text)
    rest = text[found.end() :].strip() if found else ""
    if found is None or not tells(rest) or asks(rest) or requests(rest):
        return ""
    if points_at_person(rest) and not _SEVERAL.search(found[0]):
        persons = [one._replace(name=_OWNED.sub("", one.name), perhaps=False) for one in persons_of(found[0], 0)]
        rest, _ = named_for(rest, persons)
    pointing, things = _POINTING.search(rest), _THING_ASKED.findall(found[0])
    if pointing and pointing["it"] and len(things) == len(_THINGS_ASKED.findall(found[0])) == 1:
        thing = things[0][:1].upper() + things[0][1:] if pointing.start() == 0 else things[0]
        owns = "'s" if pointing[0].lower() == "its" else ""
        rest = rest[: pointing.start()] + thing + owns + rest[pointing.end() :]
    return "" if is_unnamed(rest) or _POINTING.search(rest) or points_at_person(rest) else rest
