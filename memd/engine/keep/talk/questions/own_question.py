"""What a person tells beside a question or a word of asking of their own.

麻烦你，我不吃葱 asks for nothing. 中午给他整点啥 现在不用打糊糊了 asks in its first piece alone. Of "What shall I bake for Fintan? He's allergic to walnuts." the second is told, of Fintan; what the question does not name for
certain is left out.

Source
    Own rules.
"""

from __future__ import annotations

from itertools import groupby

from memd.engine.keep.talk.persons import is_unnamed, named_for, persons_of, points_at_person
from memd.text import expressions as re
from memd.text.borders import asks, requests, tells
from memd.text.characters import is_cjk

_QUESTION_FIRST = re.compile(r"[^.!。！\n]{4,200}?[?？]+[\"”’」』)）]*\s*(?=\S)")
_QUESTION_LAST = re.compile(
    r"(?P<told>(?!(?:if|when|say|suppose|imagine|given)\b)[^?\n]{12,240}?)(?:[,;]|\s[–—-]+) (?:so|and so|but|now) (?:what|how|where|when|which|who|can|could|should|do|does|is|are|any)\b[^.!?\n]{3,120}\?+",
    re.IGNORECASE,
)
LEAST_TOLD = 4  # words before it
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
_PRONOUN = re.compile(r"\b(?:he|she|him|his|her|hers)\b|[他她佢]", re.IGNORECASE)
_CLAUSE_ENDS = re.compile(r"[,.;，。；]")  # what points behind the first may point at something in it
_POLITE_FIRST = re.compile(
    r"(?:麻烦(?:你|您)?了?|拜托(?:你|您|囉|了|啦)?|劳驾|唔该|请(?:留意|注意)|不好意思)[，,\s：:]*(?=我|咱|本人)|(?:(?:please|kindly) (?:be aware|note|understand|bear in mind|be mindful)(?: that)?|please excuse [^,.;]{2,30},)[\s,:]*(?=(?:i|i['’]m|i['’]ve|my|we|our)\b)",
    re.IGNORECASE,
)


# Somebody asks whether they told it, and tells it: not where they ask what it was, "did I tell you when it is?"
_WHETHER_TOLD = re.compile(
    r"\W*(?:(?:and|so|oh|ooh|btw|hey|also|wait|by the way)\W+)*(?:did|have) i (?:ever |already |even )?(?:tell|told|mention(?:ed)?|say|said)(?: to)?(?: you| u| ya)?(?: that)? "
    r"(?P<told>(?!you\b|u\b|about\b|what|when|where|who|how|why|which|whether\b|if\b|this\b|that\b|it\b|any)[^?\n]{6,200})\?+"
    r"|(?:对了|诶|欸|哎|那个|话说|[，,\s])*我(?:有没有|是不是|好像)?(?:跟|和|同|对)[你您](?:说|讲|提)(?:过|了)?(?:没有?)?[，,\s]*(?P<han>[^？?\n]{5,120}?)(?:了没有?|吗|没有?|吧|么)?[？?]+",
    re.IGNORECASE,
)
_NOTE = re.compile(
    r"\W*(?:(?:can|could|would|will) (?:you|u) )?(?:please |pls )?(?:note(?: down)?|jot(?: down)?|(?:write|put) down) (?P<thing>(?:the|my|our|his|her|their) [^,:?]{2,40}?)(?: (?:down|for me|somewhere))*[,:] (?P<told>[^?\n]{6,200}[^?\s])\W*",
    re.IGNORECASE,
)
_PIECE = re.compile(r"(?:(?![。！？!?\n]|\.\s|(?<=[\u4e00-\u9fff])[ \u3000]+(?=[\u4e00-\u9fff])).)+[.。！？!?\n]*")
LEAST_PIECES = 10  # of their characters together, a Han one counted twice


def told_beside_asking(text: str) -> str:
    """Return what a text tells beside what it asks, by itself: behind a question or a word of asking, or between questions; "" where nothing."""
    told = (
        _told_before(text)
        or _to_be_noted(text)
        or _behind_question(text)
        or _behind_politeness(text)
        or _before_question(text)
    )
    return told or (_between_questions(text) if asks(text) else "")


def _told_before(text: str) -> str:
    """Return what somebody tells in asking whether they told it: "did I tell you my sister is getting married?"; "" where they ask what it is."""
    found = _WHETHER_TOLD.match(text)
    if found is None:
        return ""
    told = f"{found['told'] or found['han']}{text[found.end() :]}".strip()
    return told if tells(told) and not (asks(told) or requests(told)) else ""


def _to_be_noted(text: str) -> str:
    """Return what somebody wants noted of a thing that they name first: "can you note the car for me, a red Fiat, reg AB12"; "" where nothing."""
    found = _NOTE.match(text)
    if found is None or asks(found["told"]) or requests(found["told"]):
        return ""
    return f"{found['thing']}: {found['told'].strip()}"


def _behind_politeness(text: str) -> str:
    """Return what a text tells of its speaker behind a word of asking: 麻烦你，我不吃葱, "please be aware that my mother is deaf"; "" where it asks."""
    found = _POLITE_FIRST.match(text)
    rest = text[found.end() :].strip() if found else ""
    return rest if tells(rest) and not (asks(rest) or requests(rest)) else ""


def _before_question(text: str) -> str:
    """Return what a text tells before the question that it ends with: "Mum has the back room since May, so what do I need for her?"; "" where nothing."""
    found = _QUESTION_LAST.fullmatch(text.strip())
    told = found["told"].strip() if found else ""
    return told if len(told.split()) >= LEAST_TOLD and tells(told) and not (asks(told) or requests(told)) else ""


def _behind_question(text: str) -> str:
    """Return what a text tells behind the question that it begins with, of whom or of what that names; "" where that is not proved."""
    found = _QUESTION_FIRST.match(text)
    rest = text[found.end() :].strip() if found else ""
    return _of_what_is_asked(found[0], rest) if found else ""


def _between_questions(text: str) -> str:
    """Return the longest row of pieces of a text that tell, where others of them ask: "" where none asks by itself, or none tells.

    Pieces are sentences, and what blanks part where nobody writes marks: 中午给他整点啥 现在不用打糊糊了 炖烂乎的.
    """
    pieces = [one for one in _PIECE.finditer(text) if one[0].strip()]
    rows = [(asking, list(row)) for asking, row in groupby(pieces, key=lambda one: _is_asking(one[0].strip()))]
    told = [text[row[0].start() : row[-1].end()].strip() for asking, row in rows if not asking]
    if not told or len(told) == len(rows):
        return ""
    rest = max(told, key=_length)
    asked = " ".join(one[0].strip() for asking, row in rows if asking for one in row)
    first = _PIECE.match(rest)
    less = rest[first.end() :].strip() if first else ""  # 那个药是饭前吃饭后吃啊 asks, and no mark says so
    found = (_of_what_is_asked(asked, one) for one in (rest, less) if _length(one) >= LEAST_PIECES)
    return next(filter(None, found), "")


def _is_asking(piece: str) -> bool:
    return asks(piece) or "?" in piece or "？" in piece or piece.endswith(("呢", "吗", "么", "嘛"))


def _length(text: str) -> int:
    return len(text) + sum(map(is_cjk, text))


def _of_what_is_asked(asked: str, rest: str) -> str:
    """Return what tells beside a question, of whom or of what that names; "" where that is not proved."""
    if not tells(rest) or asks(rest) or requests(rest) or rest.count("“") != rest.count("”"):
        return ""
    if points_at_person(rest) and not _SEVERAL.search(asked):
        persons = [one._replace(name=_OWNED.sub("", one.name), perhaps=False) for one in persons_of(asked, 0)]
        rest, _ = named_for(rest, persons)
    if points_at_person(rest) and {*_PRONOUN.findall(rest.lower())} <= {*_PRONOUN.findall(asked.lower())}:
        return rest  # whom both are about is for the conversation to tell
    pointing, things = _POINTING.search(_CLAUSE_ENDS.split(rest, maxsplit=1)[0]), _THING_ASKED.findall(asked)
    if pointing and pointing["it"] and len(things) == len(_THINGS_ASKED.findall(asked)) == 1:
        thing = things[0][:1].upper() + things[0][1:] if pointing.start() == 0 else things[0]
        owns = "'s" if pointing[0].lower() == "its" else ""
        rest = rest[: pointing.start()] + thing + owns + rest[pointing.end() :]
    pointing = _POINTING.search(_CLAUSE_ENDS.split(rest, maxsplit=1)[0])
    return "" if is_unnamed(rest) or pointing or points_at_person(rest) else rest
