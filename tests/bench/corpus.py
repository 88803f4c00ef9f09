"""A made-up role of any size: sentences of drawn words, four in five English, one in five Chinese, with keys and times."""

from __future__ import annotations

import json
import random
import uuid
from typing import Any

SYLLABLES = [
    "ba",
    "be",
    "bi",
    "bo",
    "bu",
    "da",
    "de",
    "di",
    "do",
    "ka",
    "ke",
    "ki",
    "ko",
    "la",
    "le",
    "li",
    "lo",
    "ma",
    "me",
    "mi",
    "mo",
    "na",
    "ne",
    "ni",
    "no",
    "ra",
    "re",
    "ri",
    "ro",
    "sa",
    "se",
    "si",
    "ta",
    "te",
    "ti",
    "to",
    "va",
    "ve",
    "zo",
]
HAN = [chr(0x4E00 + 37 * n % 6000) for n in range(900)]


class Corpus:
    """Everything follows from the seed."""

    def __init__(self, seed: int = 1, words: int = 6000) -> None:
        self.chance = random.Random(seed)
        made: dict[str, None] = {}
        while len(made) < words:
            made["".join(self.chance.choice(SYLLABLES) for _ in range(self.chance.randint(2, 4)))] = None
        self.words = list(made)
        self.rank = {word: rank for rank, word in enumerate(self.words)}
        self.ranks = [1 / (rank + 3) for rank in range(words)]

    def english(self, count: int) -> str:
        return " ".join(self.chance.choices(self.words, self.ranks, k=count)).capitalize() + "."

    def chinese(self, count: int) -> str:
        return "".join(self.chance.choice(HAN) for _ in range(count)) + "。"

    def text(self) -> str:
        if self.chance.random() < 0.2:
            return self.chinese(self.chance.randint(15, 40))
        return self.english(self.chance.randint(8, 30))

    def message(self, text: str) -> str:
        """A message that shares some words with a text, as a person would."""
        words = text.strip(".。").split()
        if len(words) > 3:
            return "What about " + " ".join(self.chance.sample(words, 3)).lower() + " " + self.english(4)
        start = self.chance.randint(0, max(0, len(text) - 6))
        return "还记得" + text[start : start + 5] + "吗？"

    def role(self, size: int) -> dict[str, Any]:
        records: list[dict[str, Any]] = []
        for number in range(size):
            text = self.text()
            words = text.strip(".。").split()
            rare = sorted((word.lower() for word in words), key=self.rank.__getitem__) if len(words) > 3 else []
            keys = rare[-2:] if rare else [text[3:6]]
            records.append(
                {
                    "id": str(uuid.UUID(int=self.chance.getrandbits(128), version=4)),
                    "timestamp": 1_760_000_000_000 + number * 60_000,
                    "content": text,
                    "keywords": keys,
                    "priority": 50,
                    "relevanceWeight": 0.8,
                }
            )
        cut = size // 2
        return {
            "characterUuid": "bench",
            "episodic": records[:cut],
            "semantic": records[cut:-10],
            "traits": [{"name": f"trait {n}", "value": one["content"], **one} for n, one in enumerate(records[-10:-5])],
            "goals": [{"value": one["content"], **one} for one in records[-5:]],
        }

    def dump_role(self, size: int) -> str:
        return json.dumps(self.role(size), ensure_ascii=False, indent=2) + "\n"
