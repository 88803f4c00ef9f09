"""A made-up role of any size: sentences of drawn words, four in five English, one in five Chinese, with keys and times.

`Corpus` has made-up words, of which the two rarest of a text are its keys; `Ordinary` has those that people write, by their
own frequency (Zipf's law), grammar included, and any two of a text that are no grammar are its keys: a few words are the
keys of many memories.
"""

from __future__ import annotations

import json
import random
import re
import uuid
from collections import Counter
from functools import cache
from typing import Any

from memd.text.analysis import CHINESE_CHARS, ENGLISH
from tests.support import ROOT

SYLLABLES = re.findall("..", "babebibobudadedidokakekikolalelilomamemimonaneninorarerirosasesitatetitovavezo")
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

    def keys_of(self, text: str) -> list[str]:
        """The two rarest words of a text, or three characters of a Chinese one."""
        words = text.strip(".。").split()
        return (
            sorted((word.lower() for word in words), key=self.rank.__getitem__)[-2:] if len(words) > 3 else [text[3:6]]
        )

    def role(self, size: int) -> dict[str, Any]:
        records: list[dict[str, Any]] = []
        for number in range(size):
            text = self.text()
            records.append(
                {
                    "id": str(uuid.UUID(int=self.chance.getrandbits(128), version=4)),
                    "timestamp": 1_760_000_000_000 + number * 60_000,
                    "content": text,
                    "keywords": self.keys_of(text),
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


class Ordinary(Corpus):
    """The same of the words of memd's own pages."""

    def __init__(self, seed: int = 1) -> None:
        self.chance = random.Random(seed)
        self.words, self.pairs = written()
        self.ranks, self.pair_ranks = ([1 / (at + 2.7) for at in range(len(one))] for one in (self.words, self.pairs))

    def chinese(self, count: int) -> str:
        return "".join(self.chance.choices(self.pairs, self.pair_ranks, k=count // 2)) + "。"

    def keys_of(self, text: str) -> list[str]:
        if text.isascii():
            words = {word for word in text.strip(".").lower().split() if word not in ENGLISH}
        else:
            words = {text[at : at + 2] for at in range(0, len(text) - 2, 2)}
        return self.chance.sample(sorted(words), min(2, len(words)))


@cache
def written() -> tuple[list[str], list[str]]:
    """The words of the pages in English, and pairs of Han of those in Chinese, the most frequent first."""
    pages = [*sorted((ROOT / "docs").rglob("*.md")), ROOT / "README.md", ROOT / "README.zh.md", ROOT / "CHANGELOG.md"]
    text = "\n".join(page.read_text("utf-8") for page in pages)
    english = Counter(word.lower() for word in re.findall(r"(?<![\w`#./_-])[A-Za-z][a-z]+(?![\w`./_-])", text))
    runs = re.findall("[\u4e00-\u9fff]{2,}", text)
    pairs = Counter(
        run[at : at + 2] for run in runs for at in range(0, len(run) - 1, 2) if run[at] not in CHINESE_CHARS
    )
    return [word for word, _ in english.most_common()], [pair for pair, _ in pairs.most_common()]
