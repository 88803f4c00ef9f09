"""An agent's English question as a statement of the user: confirmed, denied, or with the answer at its place.

Only what the forms of grammar prove is turned about: "When is the release?" with "december 3rd" is "The release is on
December 3rd"; where subject and verb cannot be told apart, question and answer stay beside each other, "Which one I am
on: pro". Subject and verb are found by pronouns, by where a question ends, and by words that begin no noun.

Source
    Own lists.
"""

from __future__ import annotations

from memd.engine.keep.talk.questions.question import Asked, Kind
from memd.text import expressions as re

_LEAD = re.compile(
    r"(?:\W|\b(?:and|so|ok(?:ay)?|got it|great|thanks|thank you|sure|also|just to (?:check|confirm|be (?:sure|clear))|quick (?:question|one|check)|out of curiosity"
    r"|by the way|btw|one (?:more )?(?:thing|question)|remind me|may i ask|if i may ask|wait|hmm+|oh|nice|lovely|well|right|then|but|cool|perfect|good|noted|sorry"
    r"|(?:can|could|would) you (?:please )?(?:tell me|remind me|say)|(?:do you (?:know|remember)|tell me)(?= (?:when|what|where|who|which|how))|let me (?:check|confirm))\b(?!['’]))*",
    re.IGNORECASE,
)
# What asks for leave, offers, or asks about the answer itself: an answer to it tells nothing.
_OFFERS = re.compile(
    r"\b(?:shall|should|may|can|could|must) (?:i|we)\b|^do you (?:want|need|mind)\b(?! to (?:move|become|learn|have children)\b)|\bwould you (?:like|prefer|mind|rather)\b|\bwant me\b|\bneed me\b"
    r"|\b(?:can|could|would|will) you (?:please )?(?:share|paste|send|show|run|try|check|confirm|give|provide|open|post|upload|describe|clarify|elaborate)\b"
    r"|\b(?:anything|something|what) else\b|\bready\b|\bmake sense\b|\b(?:does|did|is|are|was|were) (?:that|this|it) (?:help|work|ok|okay|right|better|clear|what|good|fine|enough|useful)\b|\bsound good\b"
    r"|\b(?:how|what) can i\b|\b(?:let me|i['’]ll|i['’]d|i can|i could|i will|happy to)\b|\bhow are you\b|\bhow['’]?s it\b|\bhow (?:about|come)\b|\bwhat about\b|\bhave you (?:tried|checked|considered|looked)\b"
    r"|\b(?:could|might want|maybe|perhaps|let['’]?s|suggest|propose|recommend|would it|alternatively|consider|what if|option)\b|\b(?:which|what) (?:would|do) you (?:like|want|prefer) me\b|\bwhy\b|\bif (?:so|not)\b",
    re.IGNORECASE,
)
_SELF = re.compile(r"\b(?:i|me|my|mine|we|us|our|ours)\b(?!\w)", re.IGNORECASE)
_TAG = re.compile(
    r"[\s,–—-]+(?:right|correct|is that (?:right|correct|so)|yes|yeah|no|or not|am i right|isn['’]t (?:it|that|he|she)|aren['’]t (?:you|they)|don['’]t you|wasn['’]t it|doesn['’]t (?:it|he|she)|didn['’]t you)\s*$",
    re.IGNORECASE,
)
_AGAIN = re.compile(r"(?: again| exactly| then| though| please| by the way| btw)+$", re.IGNORECASE)
_WHAT_IS_IT = re.compile(
    r"what (?:happened|was it|is it)|what['’]?s (?:wrong|the matter|it)|how (?:so|come)|which (?:one|ones)|with whom|who with|for how long|until when|since when|what for",
    re.IGNORECASE,
)
_TOPIC = re.compile(r"(?:what about |how about )?((?:the|your) [a-z][\w’'-]*(?: [a-z][\w’'-]*)?)", re.IGNORECASE)
_ALSO = re.compile(
    r",? and (?:since |until |from |for |with |in |at )?(?:what|when|where|who|how|which|why)\b", re.IGNORECASE
)
WHO_WORDS = 5  # of an answer that is one name
_AUX = r"(?:is|are|was|were|am|do|does|did|has|have|had|will|would|can|could|should|might|'s|’s|'re|’re|'ll|’ll)"
_WH = re.compile(
    r"(?P<wh>(?:at |on |in |by |from |since |until |for )?(?:what (?:time|day|date|month|year|week)|which (?:day|date|week|month|year|weekday)|when|how soon)\b)"
    r"|(?P<who>who(?:m|se)?\b)|(?P<where>where\b)|(?P<how>how (?:many|much) (?:[a-z]+ )?(?=do|does|did|is|are|have|has)|how (?:often|old|long|far|big|tall)\b|how\b)"
    r"|(?P<which>(?:which|what) (?:kind of |type of |sort of )?(?!is\b|are\b|was\b|do\b|does\b|did\b|will\b|has\b|have\b)[a-z][\w’'-]*(?: [a-z][\w’'-]*)??(?=\s+(?:is|are|was|were|do|does|did|has|have|will|would|can)\b))"
    r"|(?P<what>what|which)\b",
    re.IGNORECASE,
)
_INVERTED = re.compile(rf"\s*(?P<aux>{_AUX})(?:n['’]t)?\s+(?P<rest>\S.*)$", re.IGNORECASE | re.DOTALL)
_YES_NO = re.compile(
    r"(?P<aux>is|are|was|were|do|does|did|has|have|had|will|would|can)(?P<no>n['’]t)?\s+(?P<rest>\S.*)$",
    re.IGNORECASE | re.DOTALL,
)
_TELLS = re.compile(
    rf"(?:[\w’'-]+ ){{0,6}}?(?:[\w’'-]+['’](?:s|re|ve|ll)|{_AUX}|[a-z]+s|[a-z]+ed|you [a-z]+)\b", re.IGNORECASE
)
_PRONOUN = re.compile(r"(?:you|he|she|it|they|this|that|there|these|those)\b", re.IGNORECASE)
_BASE = (
    r"live|work|use|have|need|want|like|eat|drink|play|speak|start|begin|end|open|close|run|leave|arrive|go|come|take|know|own|drive|study|teach|move"
    r"|meet|fly|land|return|get|make|prefer|love|hate|plan|expire|happen|finish|cost|pay|belong|sleep|stay|mean|call|keep|sing|train|travel|commute|smoke"
    r"|deploy|ship|release|build|see|retire|sit|stand|weigh|turn|read|write|cook|grow|launch|renew|switch|change|host|support|handle|cover|attend|visit|sell|buy"
    r"|still|usually|always|also|both|even"
)
_VERB_AT = re.compile(rf"\b(?:{_BASE})\b", re.IGNORECASE)
_PREDICATE_AT = re.compile(
    r"(?<!\bthe )(?<!\bmy )(?<!\byour )(?<!\ba )(?<!\bour )(?<!\bthis )(?<!\bnext )\b(?:(?!(?:meeting|wedding|building|training|evening|morning|king|ring|thing|spring|hearing|opening|viewing|briefing|sling|ceiling|sibling)\b)[a-z]{2,}ing"
    r"|(?!(?:need|bed|shed|feed|seed|hundred|weed|breed|speed)\b)[a-z]{3,}ed|sent|made|given|written|taken|called|due|able|open|closed|done|over"
    r")\b",
    re.IGNORECASE,
)
_GOES_ON = re.compile(
    r"(?<!\bthe )(?<!\bmy )(?<!\byour )(?<!\ba )(?<!\bour )\b(?:still|also|already|now|not|in|at|on|for|from|with|to|about|a|an|the|my|your|allergic|due|able|vegetarian|vegan|married|single|available|free|off|kept|held|paid|sold|born)\b",
    re.IGNORECASE,
)
_PAST = {
    "go": "went", "have": "had", "get": "got", "come": "came", "take": "took", "make": "made", "leave": "left", "meet": "met", "buy": "bought", "sell": "sold",
    "see": "saw", "begin": "began", "fly": "flew", "eat": "ate", "drink": "drank", "run": "ran", "keep": "kept", "pay": "paid", "build": "built", "write": "wrote",
    "read": "read", "speak": "spoke", "teach": "taught", "know": "knew", "drive": "drove", "sleep": "slept", "sit": "sat", "grow": "grew", "stand": "stood", "mean": "meant", "cost": "cost",
}  # fmt: skip
_REGULAR_WORDS = (
    "live work use need want like play start end open close arrive own study move land return prefer love hate plan expire happen finish call stay train travel"
    " switch change deploy release launch renew retire visit attend host"
)
_REGULAR = frozenset(_REGULAR_WORDS.split())
_PREPOSITION = re.compile(
    r"(?:on|in|at|by|from|since|until|till|every|each|before|after|around|about|next|last|this|tomorrow|today|tonight|yesterday|now|soon|weekly|daily|monthly|between|the (?:day|week|month)|a |an |two|three|over|near|during|any)\b",
    re.IGNORECASE,
)
_GOVERNED = re.compile(r" (to|for|on|in|at|with|from|by|of|about|until|since) \{\}$", re.IGNORECASE)
_MONTHS = "jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sep(?:t(?:ember)?)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?"
_DAYS = "(?:mon|tues|wednes|thurs|fri|satur|sun)day|mon|tues?|wed|thurs?|fri|sat|sun"
_ON = re.compile(
    rf"(?:the )?\d{{1,2}}(?:st|nd|rd|th)\b|(?:{_DAYS})s?\b|(?:{_MONTHS})\.? (?:the )?\d{{1,2}}(?:st|nd|rd|th)?\b|\d{{1,2}} (?:{_MONTHS})\b|(?:19|20)\d\d-\d\d-\d\d",
    re.IGNORECASE,
)
_IN = re.compile(
    rf"(?:early |mid[- ]?|late )?(?:{_MONTHS}|spring|summer|autumn|fall|winter|(?:19|20)\d\d)\b", re.IGNORECASE
)
_AT = re.compile(r"(?:\d{1,2}(?:[:.]\d\d)?\s*(?:am|pm|o['’]clock)?|half|quarter|noon|midnight|midday)\b", re.IGNORECASE)
_SMALL = re.compile(
    rf"\b(?:{_MONTHS.replace('mar(?:ch)?', 'march').replace('may|', '')}|(?:mon|tues|wednes|thurs|fri|satur|sun)day)\b"
)
_THERE = re.compile(
    r"(?:here|there|home|upstairs|downstairs|online|remote(?:ly)?|abroad|nowhere|everywhere|with|to|under|behind|next|inside|outside|above|below|all)\b",
    re.IGNORECASE,
)


def read_english(sentence: str) -> Asked | None:
    """Return an agent's question, in the words of the user; None where it offers, asks leave, or speaks of itself."""
    lead = _LEAD.match(sentence)
    said = _AGAIN.sub("", sentence[lead.end() if lead else 0 :].strip().rstrip("?.! "))
    if _WHAT_IS_IT.fullmatch(said):
        return Asked(Kind.WHAT, "", bare=True)
    if topic := _TOPIC.fullmatch(said):
        return Asked(Kind.WHAT, f"{_begun(as_user(topic[1]))}: {{}}", subject=as_user(topic[1]))
    if not said or _OFFERS.search(said) or _SELF.search(said):
        return None
    also = _ALSO.search(said)
    said = said[: also.start()] if also and _WH.match(said) else said
    tag = _TAG.search(said)
    if tag:
        return Asked(Kind.TOLD, _begun(as_user(said[: tag.start()])), subject=_first_noun(said[: tag.start()]))
    if found := _WH.match(said):
        return _wh(said, found)
    if found := _YES_NO.match(said):
        parted = _parted(found["aux"], found["rest"])
        if parted is None:
            return Asked(Kind.YES_NO, "", beside=as_user(found["rest"]))
        subject, rest = parted
        aux = found["aux"].lower()
        return Asked(
            Kind.YES_NO,
            _voiced(subject, aux, rest, denied=False),
            denied=_voiced(subject, aux, rest, denied=True),
            subject=as_user(subject),
        )
    if not _TELLS.match(said):
        return None  # an order, or a piece: move it to Friday?
    return Asked(Kind.TOLD, _begun(as_user(said)), subject=_first_noun(said))


def _wh(said: str, found: re.Match[str]) -> Asked | None:
    kind = {"wh": Kind.WHEN, "who": Kind.WHO, "where": Kind.WHERE}.get(found.lastgroup or "", Kind.WHAT)
    head, behind = found[0].strip(), said[found.end() :]
    if not behind.strip():
        return Asked(kind, "", bare=True)
    inverted = _INVERTED.match(behind)
    parted = _parted(inverted["aux"], inverted["rest"], asks=True) if inverted else None
    if inverted is None or (kind is Kind.WHO and not _is_of_object(inverted["rest"])):
        return _of_subject(kind, head, behind)
    aux = {"'s": "is", "’s": "is", "'re": "are", "’re": "are", "'ll": "will", "’ll": "will"}.get(
        inverted["aux"].lower(), inverted["aux"].lower()
    )
    if parted is None:
        return Asked(kind, "", beside=as_user(f"{inverted['rest']}"))
    subject, rest = parted
    pattern = _voiced(subject, aux, rest, denied=False)
    voice = as_user(subject)
    embedded = f"{head} {_lowered(pattern)}"
    if found.lastgroup == "which":
        noun = re.sub(r"^(?:which|what) ", "", head, flags=re.IGNORECASE)
        if aux in ("do", "does", "have") and rest and not re.search(r"\b(?:to|for|on|in|at|with|from)$", rest):
            return Asked(kind, f"The {noun} {_lowered(pattern)} is {{}}", subject=voice)
        return Asked(kind, f"{embedded}: {{}}", subject=voice)
    if found.lastgroup == "how":
        counted = re.match(r"how (?:many|much)\s*(.*)", head, re.IGNORECASE)
        if counted and aux in ("do", "have", "does", "has"):
            return Asked(kind, f"{pattern} {{}} {counted[1]}".strip(), subject=voice)
        return Asked(kind, f"{embedded}: {{}}", subject=voice)
    if found.lastgroup == "what" and re.search(r"\b(?:name|do|doing)$", rest) and rest.split()[-1] in ("do", "doing"):
        return Asked(kind, f"{embedded}: {{}}", subject=voice)
    if (
        found.lastgroup == "what"
        and rest
        and " " in rest
        and not re.search(r"\b(?:to|for|on|in|at|with|from|about|of)$", rest)
    ):
        return Asked(kind, f"{embedded}: {{}}", subject=voice)
    return Asked(kind, f"{pattern} {{}}", subject=voice)


def _of_subject(kind: Kind, head: str, behind: str) -> Asked | None:
    """Return a question whose word of asking is its subject, or which stands in the order of telling."""
    rest = as_user(re.sub(r"^['’]s\b", " is", behind)).strip()
    if not rest:
        return None
    if re.match(rf"(?:{_AUX}|{_BASE}|[a-z]+s|[a-z]+ed)\b", rest) and kind in (Kind.WHO, Kind.WHEN, Kind.WHAT):
        if head.casefold() in ("who", "what") or kind is Kind.WHEN:
            return Asked(kind, f"{{}} {rest}")
        return Asked(kind, f"{head} {rest}: {{}}")
    if _PRONOUN.match(behind.strip()) or re.match(r"(?:the|your|her|his|their)\b", behind.strip(), re.IGNORECASE):
        return Asked(kind, f"{rest} {{}}", subject=_first_noun(rest))
    return Asked(kind, f"{head} {rest}: {{}}")


def _is_of_object(rest: str) -> bool:
    return _PRONOUN.match(rest) is not None


def _parted(aux: str, rest: str, *, asks: bool = False) -> tuple[str, str] | None:
    """Return subject and the rest of what stands behind an auxiliary; None where no form proves their border."""
    rest = rest.strip()
    pronoun = _PRONOUN.match(rest)
    if pronoun:
        return pronoun[0], rest[pronoun.end() :].strip()
    helps = aux.lower() in ("do", "does", "did", "will", "would", "can", "could", "should", "might")
    first = len(rest.split(" ", 1)[0])
    at = (_VERB_AT if helps else _PREDICATE_AT).search(rest, first)
    if not helps and not asks:
        other = _GOES_ON.search(rest, first)
        at = min((one for one in (at, other) if one), key=lambda one: one.start(), default=None)
    if at:
        subject = rest[: at.start()].strip()
        return (subject, rest[at.start() :].strip()) if subject else None
    return (rest, "") if asks and not helps else None


def _voiced(subject: str, aux: str, rest: str, *, denied: bool) -> str:
    """Return subject, verb and rest in the order of telling, in the user's voice."""
    if aux in ("do", "does", "did"):
        said = f"{subject} {aux} not {rest}" if denied else f"{subject} {_inflected(aux, rest)}"
    else:
        said = f"{subject} {aux}{' not' if denied else ''} {rest}"
    said = re.sub(r"\b(not) ((?:already|still|also) )", r"\1 ", said)
    return _begun(as_user(" ".join(said.split())))


def _inflected(aux: str, rest: str) -> str:
    verb, _, behind = rest.partition(" ")
    adverb = ""
    while verb.lower() in ("still", "usually", "always", "also", "both", "even") and behind:
        adverb += f"{verb} "
        verb, _, behind = behind.partition(" ")
    behind = f" {behind}" if behind else ""
    if aux == "does":
        bare = verb.lower()
        ending = "es" if bare.endswith(("s", "sh", "ch", "x", "z", "o")) else "s"
        verb = (
            "has"
            if bare == "have"
            else f"{verb[:-1]}ies"
            if bare.endswith("y") and bare[-2:-1] not in "aeou"
            else f"{verb}{ending}"
        )
    elif aux == "did":
        bare = verb.lower()
        regular = (
            f"{bare[:-1]}ied"
            if bare.endswith("y") and bare[-2:-1] not in "aeou"
            else f"{bare}{'d' if bare.endswith('e') else 'ed'}"
        )
        verb = _PAST.get(bare) or ((regular.replace("planed", "planned")) if bare in _REGULAR else f"did {verb}")
    return f"{adverb}{verb}{behind}"


def answered_english(asked: Asked, answer: str) -> str:
    """Return an English question with its answer as one statement."""
    answer = _SMALL.sub(lambda found: found[0][0].upper() + found[0][1:], answer.strip().rstrip(".!"))
    if not asked.form:
        return f"{_begun(asked.beside)}: {answer}" if asked.beside else ""
    if asked.form.startswith("{} ") and asked.kind is Kind.WHO and ("," in answer or len(answer.split()) > WHO_WORDS):
        return _begun(asked.form.replace("{}", "who", 1) + f": {answer}")
    if asked.form.startswith("{}"):
        return _begun(asked.form.replace("{}", answer, 1))
    governed = _GOVERNED.search(asked.form)
    if governed:
        answer = re.sub(rf"^{governed[1]} ", "", answer, flags=re.IGNORECASE)
    elif ": {}" not in asked.form:
        answer = _placed(asked, answer)
    return _begun(asked.form.replace("{}", answer, 1))


def _placed(asked: Asked, answer: str) -> str:
    if asked.kind is Kind.WHEN:
        return _timed(answer)
    if asked.kind is Kind.WHERE and not _PREPOSITION.match(answer):
        return answer if _THERE.match(answer) else f"in {answer}"
    return answer


def _timed(answer: str) -> str:
    """Return a time with its preposition."""
    if _PREPOSITION.match(answer):
        return answer
    for preposition, form in (("on", _ON), ("in", _IN), ("at", _AT)):
        if form.match(answer):
            return f"{preposition} {answer}"
    return answer


_YOU = (
    (re.compile(r"\byou['’]re\b", re.IGNORECASE), "I'm"),
    (re.compile(r"\byou['’](ve|ll|d)\b", re.IGNORECASE), r"I'\1"),
    (re.compile(r"\byou are\b", re.IGNORECASE), "I am"),
    (re.compile(r"\byou were\b", re.IGNORECASE), "I was"),
    (re.compile(r"\byourself\b", re.IGNORECASE), "myself"),
    (re.compile(r"\byours\b", re.IGNORECASE), "mine"),
    (re.compile(r"\byour\b", re.IGNORECASE), "my"),
    (
        re.compile(
            r"\b(for|to|with|at|from|of|about|by|told|gave|give|call|help|see|meet|suits?|than) you\b", re.IGNORECASE
        ),
        r"\1 me",
    ),
    (re.compile(r"(?<=\w )you(?=\s*$|\s*[,.;!?])", re.IGNORECASE), "me"),
    (re.compile(r"\byou\b", re.IGNORECASE), "I"),
)


def as_user(said: str) -> str:
    """Return what an agent says to the user, as the user would say it of themselves."""
    whole = _BARE_YOU.fullmatch(said.strip())
    if whole:
        return "I"
    for pattern, words in _YOU:
        said = pattern.sub(words, said)
    return said


_BARE_YOU = re.compile("you", re.IGNORECASE)
_NOUN = re.compile(
    r"\s*((?:the|my|your|our|his|her|their) (?:[\w’'-]+ ){0,3}?[\w’'-]+)(?=\s+(?:is|are|was|were|has|have|will|starts?|ends?|goes|works?|lives?)\b|$)",
    re.IGNORECASE,
)


def _first_noun(said: str) -> str:
    found = _NOUN.match(said)
    return as_user(found[1]) if found else ""


def _lowered(said: str) -> str:
    return (
        said
        if re.match(r"I\b|[A-Z]\w*[A-Z]|[A-Z][a-z]+ (?!is|are|was|does)", said)
        and not said.startswith(("The ", "My ", "Your "))
        else said[:1].lower() + said[1:]
    )


def _begun(said: str) -> str:
    return said[:1].upper() + said[1:]
