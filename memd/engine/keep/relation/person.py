"""A statement as the one it is about would say it: in the first person, contractions spelled out, in the common
words of Chinese, in simplified characters.

"User's dog is ill", "I'm ill" and "im ill" are how an assistant, a person and a person in a hurry write the same; what is
judged of one of them should hold for all.
"""

from __future__ import annotations

from functools import lru_cache

from memd.text import expressions as re
from memd.text.simplified import common_words, simplified

READ_CHARS = 2000

_OWNER = re.compile(r"\b(?:the )?user(?:'s|’s)(?=\s)", re.IGNORECASE)
_USER = re.compile(r"\b(?:the )?user\b(?: (?P<verb>\w+(?:['’]t)?))?", re.IGNORECASE)
_HAN_USER = re.compile(r"该?用户|本人|笔者")
_VERBS = {
    "is": "am", "was": "was", "has": "have", "does": "do", "goes": "go", "doesn't": "do not", "doesnt": "do not",
    "doesn’t": "do not", "isn't": "am not", "isnt": "am not", "isn’t": "am not", "hasn't": "have not", "hasn’t": "have not",
}  # fmt: skip
_NO_VERB = re.compile(
    r"(?:always|previously|ss|us)$", re.IGNORECASE
)  # ends like a verb of the third person, and is none
_SPELLED = {
    "i'm": "I am", "im": "I am", "i've": "I have", "ive": "I have", "i'll": "I will", "you're": "you are", "we're": "we are",
    "we've": "we have", "we'll": "we will", "they're": "they are", "it's": "it is", "that's": "that is", "he's": "he is",
    "she's": "she is", "there's": "there is", "what's": "what is", "who's": "who is", "don't": "do not", "dont": "do not",
    "doesn't": "does not", "doesnt": "does not", "didn't": "did not", "didnt": "did not", "isn't": "is not", "aren't": "are not",
    "wasn't": "was not", "weren't": "were not", "can't": "cannot", "cant": "cannot", "won't": "will not", "wouldn't": "would not",
    "shouldn't": "should not", "couldn't": "could not", "haven't": "have not", "hasn't": "has not", "hadn't": "had not",
    "let's": "let us", "y'all": "you all",
}  # fmt: skip
_CONTRACTED = re.compile(r"\b(?:" + "|".join(sorted(_SPELLED, key=len, reverse=True)) + r")\b", re.IGNORECASE)


@lru_cache(maxsize=256)
def first_person(text: str) -> str:
    """Return the beginning of a text, READ_CHARS at most, in the first person, without contractions, in simplified characters."""
    text = common_words(simplified(text[:READ_CHARS].replace("’", "'")))
    text = _OWNER.sub(lambda found: _begun(found, "my"), text)
    text = _USER.sub(_own, text)
    text = _HAN_USER.sub("我", text)
    return _CONTRACTED.sub(lambda found: _begun(found, _SPELLED[found[0].casefold()]), text)


def _own(found: re.Match[str]) -> str:
    verb = found["verb"]
    if verb is None:
        return "I"
    return f"I {_VERBS.get(verb.casefold()) or _bare(verb)}"


def _bare(verb: str) -> str:
    """Return a verb without the ending of the third person."""
    if not verb.endswith("s") or len(verb) < 4 or _NO_VERB.search(verb):
        return verb
    if verb.endswith("ies"):
        return f"{verb[:-3]}y"
    return verb[:-2] if verb.endswith(("ches", "shes", "sses", "xes", "zes", "oes")) else verb[:-1]


def _begun(found: re.Match[str], words: str) -> str:
    return words[0].upper() + words[1:] if found[0][0].isupper() else words
