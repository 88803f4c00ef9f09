"""What changes with a statement that is told: its words of change, and how likely it changes each of a person's memories.

A pair of texts alone does not tell that: "it's 6:20 now" changes one memory of all that somebody has, most likely the one that is
more like it than the others are, or that was just asked about. So each is looked at beside the others, by weights and by
small trees, of which each says half.

Source
    Own lists. Weights and trees: memd/lexicons/changes*.txt, made by `python -m tools.training judging` from
    tools/training/sets/{talks,changes,unscripted,pairs,states,parts,recall}_*.jsonl. Figures: tests/conformance/test_talks.py,
    test_sessions.py, test_relation_updates.py, test_one_role.py, test_lived_in.py.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from memd.engine.keep.relation.judge import compared, likeness_of
from memd.engine.keep.relation.units import likeness
from memd.engine.keep.talk.values import kinds_apart
from memd.model.change import Relation
from memd.text import expressions as re

if TYPE_CHECKING:
    from memd.engine.keep.relation.judge import Meant, Relations
    from memd.engine.keep.relation.units import Statement

    Vector = Sequence[float] | None

READ_CHARS = 400
SUBJECT_CHARS = 40  # in which somebody is named of whom a statement tells
LEAST_SHARE = 0.003  # a relation that is less likely counts as so likely
FEW = 3  # memories, beside which one is taken to stand that has nothing to do with what is told, with as much as such a one often has:
STRANGER = {"cosine": 0.3, "after": 0.3, "matter": 0.3}
BESIDE_FEW = (
    "contradicts",
    "apart",
    "cosine",
    "matter",
    "share",
)  # what says more where there is nothing to compare it with
SPREAD = 4.0  # log odds that count as one
BY_WORDS = 0.3  # how much words in common count beside one matter, where what a statement is about is looked for

_ENDS = re.compile(
    r"\b(?:no longer|not \w+(?: \w+){0,4} any ?more|instead(?! of (?:me|you))|moved|moving|switched|switching|changed|upgraded|downgraded|migrated|transferred|swapped|converted|renamed|relocated|gave up|given up|quit|stopped|dropped|retired|leaving|cancel\w*|postponed|brought forward|pushed (?:back|to)|rescheduled|extended|called off|replaced|sold|closed down|shut down|ended|took over|taken over|takes over|used to|over to|off the|went bust|back to|gets? archived|from now on|as of)\b|\bnot (?:the )?\w+(?: \w+)?(?: any ?more)?(?=[\s.!]*$)"
    r"|改(?:成|为|到|在|用|去|吃|喝|报|坐|叫|由|為|報)|换(?:成|到|了|为|人)|換(?:成|到|了|為|人)|不再|不(?:去|用|吃|喝|做|住|在|玩|养|考|学|骑|开|上|跑|抽|打|负责)[^，。]{0,8}了|没再|戒(?:了|掉)|停(?:掉|用|刊|产|產)|取消|推迟|提前|延(?:到|期|后)|搬(?:到|去|家|走|进|来|進|來)|离职|辞职|辞了|離職|辭職|跳槽|转(?:到|去|岗|行|学|正)|轉(?:到|去|職)|升(?:到|为|級)|降(?:到|为)|涨到|漲到|减(?:到|为)|減(?:到|為)|加到|增加到|卖(?:了|掉)|賣(?:了|掉)|退(?:租|休|掉|出)|分手|离婚|離婚|合并|合併|以后都|以後都|接手|接替|调(?:到|去|走)|調(?:到|去|走)|新来的|新來的|不是[^，。]{1,12}了",
    re.IGNORECASE,
)
_HOLDS = re.compile(
    r"\b(?:now|nowadays|these days|left|since (?:last|yesterday|monday|tuesday|wednesday|thursday|friday|saturday|sunday|january|february|march|april|may|june|july|august|september|october|november|december|this|half|the \d|\d)|(?:got|bought|have|has) (?:a|some|an) new|up to|down to|gone|closed|closing|new (?=\w+ is\b)|any ?more)\b"
    r"|改(?:完|了)|现在|如今|目前|現在|今年起|从[^，。]{1,10}(?:起|开始)|從[^，。]{1,10}(?:起|開始)|走了|迷上|比[^，。]{1,10}(?:还|更)|停(?:了)|升了|退了|转正|涨了",
    re.IGNORECASE,
)
_BESIDE = re.compile(r"\s*[（(](?:[^()（）]|[（(][^()（）]*[)）])*[)）]")
_QUESTION = re.compile(r"([^.!?。！？]*[?？])[^?？]{0,60}$")
_ASKS_STILL = re.compile(
    r"\b(?:still|any ?more|same|stays?|staying|keep(?:ing)?|as before)\b|还|仍|没变|照旧|依然", re.IGNORECASE
)
_DENIES = re.compile(
    r"\W*(?:(?:oh|well|um|haha|actually|sorry)\W+)*(?:no|nope|nah|not|don['’]t|doesn['’]t|isn['’]t|used to|neither)\b|\W*(?:不|没|早(?:就)?(?:不|没)|哪里|哪有)",
    re.IGNORECASE,
)
LEAST_ASKED = 0.15  # of a question or a memory that the other has, for it to be what is asked about
_SIGNS = {
    "ended": re.compile(
        r"\b(?:(?:is|are|was|were|it|that|all)(?: now| all)? (?:done|over|finished|gone|off|out|scrap|dead|closed|cancell?ed|shut|sold)|['’]s (?:done|over|finished|gone|off|scrap|dead|closed|cancell?ed|shut|sold)"
        r"|(?:packed|jacked|chucked) (?:(?:it|that|the \w+) )?in|binned|ditched|g[ai]ven? up|let (?:it|that|the \w+) (?:go|lapse)|(?:done|finished) with|no more|any ?more|no longer|signed (?:me )?off|left|quit|stopped|dropped|threw (?:out|away)|thrown (?:out|away)|throw away|retired|broke up|split up|died|passed (?:away|on)|expired|lapsed|moved out|went bust|wrecked|said goodbye|isn['’]t (?:coming|going)|last day)\b"
        r"|[不没冇唔][^，。\s]{0,6}了|作废|作廢|[弃棄]坑|退(?:役|租|了)|走[了咗]|停(?:了|掉)|[卖賣]了|出掉|戒了|辞|裸辞|拆了|搬(?:空|走)|不(?:报|考|搞)|打不了|散了|黄了|泡汤|去世|倒闭|毕业了",
        re.IGNORECASE,
    ),
    "so now": re.compile(
        r"\b(?:now|nowadays|these days|since|from (?:now|here on|january|february|march|april|may|june|july|august|september|october|november|december|monday|tuesday|wednesday|thursday|friday|saturday|sunday)|instead|switch(?:ed|ing)|swapped|mov(?:ed|ing)|chang(?:ed|es)|bec(?:ame|oming)|turned|made me|put me|got (?:made|moved|swapped|reshuffled|promoted)|takes? over|took over|replace[ds]|raised|lower(?:ed)?|went (?:up|down|to|over)|goes to|(?:up|down) to|cut (?:me )?to|bought|sold|hired|arrived|passed|upgraded|migrated|pushed|postponed|put (?:back|away|off)|brought forward|exten(?:ded|ding)|shift(?:ed|ing)|slip(?:s|ped)|rescheduled|decided|go(?:es|ing) with|chose|again|back (?:on|to|at)|transferr(?:ed|ing)|used to|when i was|at last|finally|official(?:ly)?|new)\b"
        r"|自[从打]|[以往]后|以後|如今|[现現]在|目前|改|[换換]|[顺順]延|延期|推[迟遲]|提前|挪|[调調]|升|降|[涨漲]|提了|收回|定稿|交[给給]|[归歸]我|[轮輪]到|接|只(?:能|抽)|剩|搬|[转轉]|早就|已[经經]|新|[终終]于|[变變]成|原[来來]|本[来來]|当时|之前",
        re.IGNORECASE,
    ),
    "still": re.compile(
        r"\b(?:still|as (?:always|ever|usual|before)|unchanged|same (?:as|\w+)|remain(?:s|ed)?|no change|nothing changed|(?:do|does|did|has|have)n['’]?t chang\w+|not chang\w+|stay(?:s|ing)?|not going anywhere|isn['’]t going anywhere|sticking with|keep(?:ing)? (?:the|my|it|with|to)|continues (?:the same|as))\b"
        r"|[还還]是|[还還]在|还得|仍|照[旧舊样樣常]|依[旧舊然]|没变|沒變|没改|不[变變挪换搬]|一[样樣]|老样子|没松口|唔搬",
        re.IGNORECASE,
    ),
    "once": re.compile(
        r"\b(?:(?:just |only )?(?:this|the) once|(?:only|just) (?:this|for|today|tomorrow|till?|until|while|because)|for (?:today|tomorrow|tonight|now|once|the (?:moment|week)|a (?:bit|while|week|day|few))|today|tonight|tomorrow|yesterday|last night|this (?:morning|evening|week|weekend|time|month|(?:mon|tues|wednes|thurs|fri|satur|sun)day)|temporar\w+|until|till?|on (?:holiday|leave|vacation|loan)|away|borrow\w*|lent|favou?r|exception|one-off|sold out|next (?:rehearsal|week|time)|(?:stand|fill)(?:ing|s) in|covering for|off (?:sick|with)|because of an?|meanwhile|meantime|in place of)\b|['’]til\b"
        r"|今[天日儿晚]|明天|昨[天晚]|前天|[这這][周週次回礼禮]|[这這]个?(?:礼拜|星期|月)|[这這][两兩几幾]天|这阵子|本周|临时|臨時|[暂暫]|借|破例|一[次回阵]|请假|先(?!生)|顶[一替]|代班|替|放假|下不为例",
        re.IGNORECASE,
    ),
    "as well": re.compile(
        r"\b(?:also|too|as well|another|(?<!the )second|both|besides|on top of)\b|也|又|另外|再|还有|多了",
        re.IGNORECASE,
    ),
    "if": re.compile(
        r"\b(?:if|might|maybe|may|perhaps|think(?:ing)? (?:of|about)|what if|imagine|would|could|should|want(?:s|ed)? (?:to|me|us)|fanc(?:y|ies)|wish|hop(?:e|ing)|not sure|nothing settled|talk(?:s|ing)? (?:of|about)|on about|asked if|tried|reckons)\b"
        r"|如果|要是|[万萬]一|可能|打算|也[许許]|想(?!吐)|嚷嚷|[说說]要|要拆|看悬|争取|希望|[喊叫劝]俺|或者|还没定|再看|商量|[听聽][说說]",
        re.IGNORECASE,
    ),
    "wants done": re.compile(
        r"^\W*(?:(?:and|so|ok|okay|right|now|then|also|btw|please|pls|kindly|can (?:u|you)|could you) )*(?:add|make|put|write|draft|remind|book|list|give|show|tell|check|set|send|knock up|translate|explain|find|compare|calculate|print|order|draw|plan|assist|change|move|fix|review|run|load|pin|keep|help)\b"
        r"|^(?:[帮幫你]|给[我他]|提醒|算|查|写|列|麻[烦煩]|把)|提醒我|[帮幫]我",
        re.IGNORECASE,
    ),
}
_PERSON = re.compile(
    r"\b(?:friend|mate|seatmate|classmate|colleague|co-?worker|cousin|neighbou?r|roommate|flatmate|brother|sister|husband|wife|mum|mom|mam|dad|boss|uncle|aunt(?:ie)?|nephew|niece|son|daughter|kid|landlord|teacher|girlfriend|boyfriend|in-law|missus|lad|lass|guy|lady|next door|over the road|client)\b"
    r"|同事|朋友|同学|同學|室友|邻居|隔壁|对[面门]|老[乡公婆板师師]|[表堂][哥姐弟妹]|媳妇|[哥姐弟妹]|儿子|女儿|闺女|丫头|婆婆|公公|[爸妈爹娘崽]|房东|男友|女友|师傅|丈母|[岳舅姨姑叔伯爷奶他她佢]",
    re.IGNORECASE,
)
_NAMED = re.compile(r"(?<![\w’'])[A-Z][a-z]\w+")
_NO_NAMES = frozenset(
    (
        "the",
        "and",
        "but",
        "our",
        "she",
        "they",
        "this",
        "that",
        "one",
        "yes",
        "not",
        "since",
        "from",
        "with",
        "after",
        "when",
        "for",
        "then",
        "now",
        "how",
        "what",
        "which",
        "monday",
        "tuesday",
        "wednesday",
        "thursday",
        "friday",
        "saturday",
        "sunday",
    )
)
_FIRST = re.compile(r"[^,;.!?，。；！？]*")
_RELATIONS = {
    "contradicts": Relation.CONTRADICTION,
    "apart": Relation.UNRELATED,
    "adds": Relation.REFINEMENT,
    "repeats": Relation.DUPLICATE,
}
_AMOUNTS = (
    "[another of its kind, value]", "[whose differ]", "[names differ]", "[figures differ]", "[old in new]", "[new in old]", "[subject kept]",
    "[words of change]", "[another topic]", "[names no topic]", "[topic of new known]", "[topic kept]",
)  # fmt: skip


def says_end(text: str) -> bool:
    """Tell whether a statement says that something ended or that something else took its place."""
    return _ENDS.search(text[:READ_CHARS]) is not None


def says_change(text: str) -> bool:
    """Tell whether a statement has words by which something is no longer as it was, or holds only since lately."""
    return says_end(text) or _HOLDS.search(text[:READ_CHARS]) is not None


def says_unchanged(text: str) -> bool:
    """Tell whether a statement says that something is still as it was, and nothing of a change."""
    return _SIGNS["still"].search(text[:READ_CHARS]) is not None and not says_change(text)


class Beside(NamedTuple):
    """A memory beside a statement. `amounts`: what both share and part in, by name; `relations`: how likely each is, of one.

    `share`: how much of either the other has in words, and `asked`: the question before the statement and the memory; `cosine` of
    both, `matter`: how far they are of one matter, and `after`: the cosine of the memory with the statement behind what was said
    before it, None without vectors; `kinds`: of the values in which they part, as days or figures; `said`: the memory.
    """

    amounts: Mapping[str, float]
    relations: Mapping[Relation, float]
    share: float
    asked: float
    cosine: float | None
    matter: float | None
    after: float | None
    kinds: frozenset[str] = frozenset()
    said: str = ""

    @property
    def alike(self) -> float:
        """How alike they are, in words and in matter."""
        return alike(self.share, self.matter)


def alike(share: float, matter: float | None) -> float:
    """Return how alike a memory and a statement are, of what either has of the other in words, and how far they are of one matter."""
    return share if matter is None else BY_WORDS * share + matter


def beside(
    relations: Relations,
    old: Statement,
    new: Statement,
    asked: Statement | None,
    vectors: Meant,
    behind: Vector = None,
) -> Beside:
    """Return a memory beside a statement; `vectors` of both, and `behind`: of the statement behind what was said before it."""
    amounts, likely = compared(relations, old, new, vectors)
    cosine, matter = amounts.get("[alike in meaning]"), amounts.get("[of one matter]")
    after = cosine if vectors.old is None or behind is None else likeness_of(vectors.old, behind)
    share, of_question = likeness(old, new), likeness(old, asked) if asked else 0.0
    kinds = frozenset(kinds_apart(old.folded, bare(new.folded)))
    return Beside(amounts, likely, share, of_question, cosine, matter, after, kinds, old.folded)


def bare(text: str) -> str:
    """Return a statement without what was put behind its words: dates, and the question of an answer."""
    return _BESIDE.sub("", text)


def question_before(after: str) -> str:
    """Return the question that stands right before a statement, "" where there is none."""
    found = _QUESTION.search(after)
    return found[1].strip() if found else ""


def change_features(text: str, memories: Sequence[Beside], after: str = "") -> list[dict[str, float]]:
    """Return what tells whether a statement changes each of a person's memories; `after`: what was said right before it."""
    said = bare(text)[:READ_CHARS]
    signs = {name: 1.0 for name, pattern in _SIGNS.items() if pattern.search(said)}
    if says_change(said):
        signs["changes"] = 1.0
    marked = says_change(said) or "ended" in signs or "so now" in signs
    if marked:
        signs |= {f"{name} × marked": 1.0 for name in ("still", "once", "if", "wants done") if name in signs}
    rows = [{**signs, **_of_one(one), **_of_subject(said, one.said)} for one in memories]
    _of_few(rows)
    for name in ("contradicts", "share", "cosine", "matter", "after", "asked"):
        for row, gap in zip(rows, _gaps([row.get(name, 0.0) for row in rows], STRANGER.get(name, 0.0)), strict=True):
            row[f"{name}, more than others"] = gap
    if marked:
        for row in rows:
            row["contradicts × marked"] = row["contradicts"]
            row["another topic × marked"] = row.get("[another topic]", 0.0)
            row["cosine, more than others × marked"] = row["cosine, more than others"]
            row["matter, more than others × marked"] = row["matter, more than others"]
    _of_most_alike(rows, memories, changes=signs.get("changes", 0.0))
    _of_question(rows, memories, question_before(after), said, after)
    _of_kinds(rows, memories)
    return rows


def _of_few(rows: list[dict[str, float]]) -> None:
    """Add what says more where there is nothing to compare it with."""
    for row in rows if len(rows) < FEW else ():
        row |= {"few": 1.0, **{f"{name} × few": row[name] for name in BESIDE_FEW if name in row}}


def _of_most_alike(rows: list[dict[str, float]], memories: Sequence[Beside], *, changes: float) -> None:
    """Mark the memory that is most like what is told."""
    for row, gap in zip(rows, _gaps([one.alike for one in memories]), strict=True):
        if gap >= 0:
            row["most alike"] = 1.0
            row["most alike × changes"] = changes


def _of_kinds(rows: list[dict[str, float]], memories: Sequence[Beside]) -> None:
    """Mark the memories that have another value of a kind, as a day or a figure, and the only one that has."""
    for kind in frozenset().union(*(one.kinds for one in memories)):
        having = [row for row, one in zip(rows, memories, strict=True) if kind in one.kinds]
        for row in having:
            row["another value of its kind"] = 1.0
            if len(having) == 1:
                row["the only other value of its kind"] = 1.0


def _of_question(
    rows: list[dict[str, float]], memories: Sequence[Beside], question: str, said: str, after: str
) -> None:
    """Add what the question before a statement tells of each memory: it asks about it, whether it is still so, and the answer is no."""
    if not question:
        return
    behind = after[after.rfind(question[-1]) + 1 :]
    signs = {
        "asked about": True,
        "asked whether still": _ASKS_STILL.search(question) is not None,
        "asked and denied": _DENIES.match(f"{behind} {said}".strip()) is not None,
        "asked and changes": says_change(said),
    }
    for row, gap in zip(rows, _gaps([one.asked for one in memories]), strict=True):
        if gap >= 0 and row["asked"] >= LEAST_ASKED:
            row |= {name: 1.0 for name, so in signs.items() if so}


def _of_one(one: Beside) -> dict[str, float]:
    row = {name: one.amounts[name] for name in _AMOUNTS if name in one.amounts}
    for name, relation in _RELATIONS.items():
        chance = min(1 - LEAST_SHARE, max(LEAST_SHARE, one.relations.get(relation, 0.0)))
        row[name] = math.log(chance / (1 - chance)) / SPREAD
    row |= {"share": one.share, "asked": one.asked}
    meant = {"cosine": one.cosine, "matter": one.matter, "after": one.after}
    return row | {name: value for name, value in meant.items() if value is not None}


def _of_subject(said: str, memory: str) -> dict[str, float]:
    """Return whether the first words of a statement name somebody, and whether the memory does."""
    first = _FIRST.match(said.lstrip())
    begin = first[0][:SUBJECT_CHARS] if first else ""
    folded, found = memory.casefold(), {}
    if people := [one[0].casefold() for one in _PERSON.finditer(begin)]:
        found["of a person"] = 1.0
        if not any(one in folded for one in people):
            found["of a person whom it has not"] = 1.0
    names = [one for one in (match[0].casefold() for match in _NAMED.finditer(begin)) if one not in _NO_NAMES]
    if names:
        has = any(one in folded for one in names)
        found["a name that it has" if has else "a name that it has not"] = 1.0
    return found


def _gaps(values: Sequence[float], stranger: float = 0.0) -> list[float]:
    """Return by how much each is more than the greatest of the others; of few, than a `stranger` would have."""
    few = len(values) < FEW
    first, second = sorted((stranger, stranger, *values) if few else values)[-1:-3:-1]
    return [value - (second if value == first else first) for value in values]
