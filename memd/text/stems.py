"""Bring English words to their stem, so that 'meetings' finds 'met'."""

from __future__ import annotations

from functools import lru_cache

import Stemmer

# Forms whose stem no suffix rule reaches.
IRREGULAR = {
    "ate": "eat", "eaten": "eat", "began": "begin", "begun": "begin", "bought": "buy", "brought": "bring",
    "broke": "break", "broken": "break", "built": "build", "caught": "catch", "children": "child", "chose": "choose",
    "chosen": "choose", "drank": "drink", "drunk": "drink", "drove": "drive", "driven": "drive", "drew": "draw",
    "drawn": "draw", "fed": "feed", "feet": "foot", "fell": "fall", "fallen": "fall", "felt": "feel",
    "flew": "fly", "flown": "fly", "forgot": "forget", "forgotten": "forget", "fought": "fight", "found": "find",
    "froze": "freeze", "frozen": "freeze", "grew": "grow", "grown": "grow", "heard": "hear", "held": "hold",
    "hid": "hide", "hidden": "hide", "kept": "keep", "knives": "knife", "laid": "lay", "led": "lead",
    "left": "leave", "lent": "lend", "lives": "live", "lost": "lose", "meant": "mean", "men": "man", "met": "meet",
    "mice": "mouse", "paid": "pay", "people": "person", "ran": "run", "rode": "ride", "ridden": "ride",
    "sang": "sing", "sung": "sing", "sat": "sit", "saw": "see", "seen": "see", "sent": "send", "shook": "shake",
    "shot": "shoot", "slept": "sleep", "sold": "sell", "spent": "spend", "spoke": "speak", "spoken": "speak",
    "stole": "steal", "stolen": "steal", "stood": "stand", "swam": "swim", "swum": "swim", "taken": "take",
    "taught": "teach", "teeth": "tooth", "threw": "throw", "thrown": "throw", "took": "take", "thought": "think",
    "understood": "understand", "wives": "wife", "woke": "wake", "woken": "wake", "women": "woman", "won": "win",
    "wore": "wear", "worn": "wear", "wrote": "write", "written": "write", "photo": "picture", "photos": "picture",
    "photograph": "picture", "pic": "picture", "pics": "picture", "mum": "mother", "mom": "mother", "mommy": "mother",
    "dad": "father", "bike": "bicycle", "tv": "television", "fridge": "refrigerator",
}  # fmt: skip

_stemmer = Stemmer.Stemmer("english", 0)


@lru_cache(maxsize=16_384)
def stem(word: str) -> str:
    """Return the stem of one folded word; words that are not plain ASCII letters are their own stem."""
    if not word.isascii() or not word.isalpha() or len(word) < 3:
        return word
    return str(_stemmer.stemWord(IRREGULAR.get(word, word)))
