"""Whether a statement agrees with what was said: names, figures and what they stand beside, what is denied, doubted or over, who did it to whom.

Each check is given the statement and the evidence, as texts in the first person and as units, and says what does not agree, "" where all does.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from memd.engine.keep.relation.figures import plain_figures
from memd.engine.keep.relation.units import Statement, denies, row
from memd.text import expressions as re
from memd.text.analysis import CHINESE_CHARS, ENGLISH, stem
from memd.text.characters import fold, is_cjk

_GLUE = "a an the any some user person name call currently now state say mention tell report note also and is be their his her they he she it"
GLUE = frozenset(_GLUE.split())  # may stand in a statement though nobody said it: whose it is, or that it holds
CAPITAL = re.compile(r"(?<![\w'’-])[A-Z][\w’'-]*")
_HAVE_BEEN = {
    "is": "is",
    "am": "is",
    "are": "is",
    "was": "was",
    "were": "was",
    "has": "has",
    "have": "has",
    "had": "had",
}
CALENDAR = frozenset("年月日号点时分")
_TIMES = re.compile(r"[年月日周星期天点早晚午晨号今明昨初底末]")
_CUT = re.compile(r"[,;，；、。!！?？\n]|\.\s|\b(?:but|and)\b|而是|但")
_BINDS = "than from to before after because since until 比 从 到 给 对 把 被 向 跟"
_ORDERED = frozenset(stem(one) for one in _BINDS.split())
STOPS = ENGLISH | {stem(one) for one in ENGLISH}  # a row of words has stems


def _names(said: str, _: str, __: Statement, other: Statement) -> str:
    words = set(other.words)
    for name in (one for one in CAPITAL.findall(said) if one not in ("I", "My", "We", "Our", "The")):
        parts = [stem(part) for part in re.findall(r"[^\W_]+", fold(name.removesuffix("'s").removesuffix("’s")))]
        if any(part not in words and part not in ENGLISH and not _begins(said, name) for part in parts):
            return f"no turn names {name!r}"
    return ""


def _begins(said: str, word: str) -> bool:
    """Tell whether a word is written large as it begins a sentence: as a unit it was looked for already."""
    return re.search(rf"(?:\A|[.!?]\s+)\W*{re.escape(word)}\b", said) is not None


def _figures(_: str, __: str, stated: Statement, other: Statement) -> str:
    if alien := stated.figures_beyond(other):
        return f"no turn has the figure {alien[0].said!r}"
    beside = _beside(other)
    for figure, sides in _beside(stated).items():
        known = beside.get(figure, [])
        if known and not any(mine in known or _shares_a_side(mine, known) for mine in sides):
            return f"the figure {figure!r} is of something else there"
    return ""


def _shares_a_side(mine: tuple[str, str], known: list[tuple[str, str]]) -> bool:
    return any((mine[0] and mine[0] == one[0]) or (mine[1] and mine[1] == one[1]) for one in known)


def _beside(one: Statement) -> dict[str, list[tuple[str, str]]]:
    """Return the telling words before and behind each figure, "" where there is none."""
    found: dict[str, list[tuple[str, str]]] = {}
    row_of = [word for word in one.words if word[0].isdigit() or not (word in ENGLISH or word in CALENDAR)]
    telling = ["", *row_of, ""]
    for at, word in enumerate(telling):
        if word and word[0].isdigit():
            found.setdefault(word, []).append((telling[at - 1], telling[at + 1]))
    return found


def _denied(said: str, text: str, stated: Statement, other: Statement) -> str:
    if stated.denials == other.denials:
        if not stated.denials:
            return ""
        return "" if _denies_same(said, text) else "it denies something else"
    # "dislikes" and "does not like" are one thing: what denies must be a phrase that the other has in a word.
    excess = abs(stated.denials - other.denials)
    ours, theirs = (stated, other) if stated.denials > other.denials else (other, stated)
    phrases = [unit for unit in ours.units if _is_denying(unit.form) and not unit.sense.same.isdisjoint(theirs.marks)]
    is_said = not ours.lone_denials and not theirs.lone_denials and len(phrases) == excess
    return "" if is_said else "the turn denies it, or it denies what the turn says"


def _is_denying(form: str) -> bool:
    stems = form.split()
    return any(denies(stems, at) for at in range(len(stems)))


def _denies_same(said: str, text: str) -> bool:
    """Tell whether what stands behind the first denial of a statement stands behind one in a clause of the text."""
    ours = _behind_denial(row(plain_figures(said)))
    pieces = (row(piece) for piece in _CUT.split(plain_figures(text)))
    return any(_in_order(ours, theirs, whole=True) for theirs in map(_behind_denial, pieces) if theirs)


def _behind_denial(words: Sequence[str]) -> list[str]:
    at = next((at for at in range(len(words)) if denies(words, at)), len(words))
    return [word for word in words[at:] if tells(word)]


def _marked(said: str, text: str, _: Statement, __: Statement) -> str:
    if lost := marks_in(text) - marks_in(said):
        return f"the turn says it under {min(lost)}"
    if gained := (marks_in(said) - marks_in(text)) & {"a time that is over", "an exception", "a condition"}:
        return f"the turn does not say it under {min(gained)}"
    return ""


def _tense(said: str, text: str, _: Statement, __: Statement) -> str:
    ours, theirs = _forms(said), _forms(text)
    for root, forms in ours.items():
        known = theirs.get(root)
        if known and forms.isdisjoint(known):
            return "it is of another time than the turn"
    return ""


def _forms(text: str) -> dict[str, set[str]]:
    """Return of each verb's root whether it stands in the past or not."""
    found: dict[str, set[str]] = {}
    for word in re.findall(r"[^\W\d_]+", fold(text)):
        if word in _HAVE_BEEN:
            found.setdefault(_HAVE_BEEN[word][:1] if word[0] == "h" else "be", set()).add(_HAVE_BEEN[word])
        elif not is_cjk(word[0]) and word not in ENGLISH:
            found.setdefault(stem(word), set()).add("past" if word.endswith("ed") else "now")
    return found


def _order(said: str, _: str, stated: Statement, other: Statement) -> str:
    """Who does what to whom: names, words of Han that no phrase has, and what stands around a `than`, keep their order."""
    names = {stem(fold(one)) for one in CAPITAL.findall(said)}
    strict = any(word in _ORDERED for word in stated.words)
    han = {
        word
        for unit in stated.units
        for word in unit.form.split()
        if is_cjk(unit.form[0]) and not _TIMES.search(unit.form)
    }
    wanted = [
        one for one in stated.words if one in names or one in han or (strict and tells(one) and not one[0].isdigit())
    ]
    present = set(other.words)
    return (
        ""
        if _in_order([one for one in wanted if one in present], other.words)
        else "the turn says it the other way round"
    )


def _in_order(wanted: Iterable[str], words: Sequence[str], *, whole: bool = False) -> bool:
    """Tell whether words follow one another in a row of words; `whole`: those that it lacks count as well."""
    rest = iter(words)
    known = set(words)
    return all(one in rest for one in wanted if whole or one in known)


def tells(word: str) -> bool:
    """Tell whether a word says something by itself, or denies."""
    return not (word in STOPS or word in CHINESE_CHARS or word in GLUE) or word in (
        "not",
        "no",
        "never",
        "不",
        "没",
        "别",
    )


AGREEMENTS = (_names, _figures, _denied, _marked, _tense, _order)


# Words that change what a statement comes to: a doubt, a plan, a condition, a time that is over, an exception, a wish.
#
# What a turn says under one of these, a statement that is taken from it must say under it too.
#
# Source
#     Own lists.

_MARKS: dict[str, re.Pattern[str]] = {
    "a doubt": re.compile(
        r"\b(?:maybe|perhaps|probably|possibly|might|may(?= (?:be|have|not|need|go|do|get|take|move|change|\w+ (?:to|in|on|at))\b)|could be|not sure|unsure|i (?:think|guess|suppose|suspect|believe|assume|doubt)|apparently|supposedly|seems?|seemed|likely|rumou?r|allegedly)\b"
        r"|可能|也许|大概|或许|说不定|好像|似乎|估计|应该是|不确定|不一定|据说|听说|我猜|我想是|八成|没准",
        re.IGNORECASE,
    ),
    "a plan": re.compile(
        r"\b(?:going to|gonna|plan(?:s|ning|ned)? (?:to|on)|hop(?:e|es|ing) to|want(?:s|ed)? to|wanna|thinking (?:of|about)|consider(?:s|ing)?|intend(?:s|ing)? to|about to|tr(?:y|ies|ying) to|would like to|'?d like to|dream(?:s|ing)? of|will|['’]ll|shall|meant to|used to plan)\b"
        r"|打算|计划|准备|考虑|想要?(?=去|买|学|搬|换|做|当|辞|试|养|开|找|住|养)|希望|将要?|会(?=去|搬|换|来|在|把)|快要|正想|要(?=去|搬|换|辞|结婚|出差)",
        re.IGNORECASE,
    ),
    "a condition": re.compile(
        r"\b(?:if|unless|whether|in case|provided|assuming|suppose|otherwise|as long as|would(?! like)|could(?! be))\b|如果|要是|假如|假设|倘若|除非|万一|只要|的话|是否|否则",
        re.IGNORECASE,
    ),
    "a time that is over": re.compile(
        r"\b(?:used to|formerly|previously|former|once (?:was|had|lived|worked)|no longer|not any ?more|any ?more|back (?:then|when)|in the past|as a (?:kid|child|student)|ex-\w+|until (?:last|recently|yesterday)|stopped|quit|gave up)\b"
        r"|以前|曾经?|过去|原来|之前|从前|当年|小时候|不再|前(?:任|夫|妻|男友|女友)|戒了|[\u4e00-\u9fff]过(?![敏年程来去分期节度于渡桥])",
        re.IGNORECASE,
    ),
    "an exception": re.compile(
        r"\b(?:except|apart from|other than|only|just (?:one|once|on|for)|hardly|barely|almost|nearly|instead of|rather than|at (?:most|least)|less than|more than|unless)\b|除了|只(?!要|是|有?好)|仅|几乎|差点|而不是|至少|至多|不到|超过|将近",
        re.IGNORECASE,
    ),
    "a wish": re.compile(
        r"\b(?:i wish|wish(?:es)?|if only|should have|ought to|supposed to|pretend\w*|dreamt|dreamed|as if|joking|kidding)\b|要是.{0,12}就好|真希望|巴不得|恨不得|本来(?:应该|想)|假装|梦见|开玩笑",
        re.IGNORECASE,
    ),
}  # fmt: skip


def marks_in(text: str) -> set[str]:
    """Return the names of what stands in a text."""
    return {name for name, words in _MARKS.items() if words.search(text)}


def doubts_in(text: str) -> set[str]:
    """Return the names of what puts a whole statement in doubt, its clauses with it."""
    return marks_in(text) & {"a doubt", "a condition", "a wish"}
