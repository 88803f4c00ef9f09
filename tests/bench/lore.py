"""World Info at 1,000, 10,000 and 100,000 entries: getting ready, one scan, and a scan to the letter.

English and Chinese are made-up words, so that no entry calls another; in `words` keys and contents are ordinary words, which
many entries share and call each other by, once with recursion and once without (`flat`).

    python -m tests.bench.lore [entries ...]

Goal: SillyTavern's own table for 100, 5,000, 25,000 and 100,000 entries is 17.9, 85.7, 370.8 and 1,462.8 ms a scan
(docs/design/world-info.md#what-it-costs-and-how-it-is-used); a hundred times faster than that.
"""

from __future__ import annotations

import random
import statistics
import sys
import time
from collections.abc import Sequence

from memd.engine.recall.lore.entries import Lore
from memd.engine.recall.lore.evaluate import Scan, evaluate
from memd.model.lore import RULES, Entry, LoreSettings
from tests.bench.corpus import SYLLABLES, Ordinary

SIZES = (1000, 10_000, 100_000)
RUNS = 40
MESSAGES = 4
ORDINARY = ("words", "flat")
FACT_MS = {1000: 31.7, 10_000: 157.0, 100_000: 1462.8}  # between the figures that are known, along the line


def word(rolls: random.Random, language: str) -> str:
    """A made-up word: three or four syllables, or two to four Han characters."""
    if language == "en":
        return "".join(rolls.choices(SYLLABLES, k=rolls.randint(3, 4)))
    return "".join(chr(rolls.randint(0x4E00, 0x4E00 + 3000)) for _ in range(rolls.randint(2, 4)))


def book(size: int, language: str, rolls: random.Random) -> tuple[list[Entry], list[str]]:
    """Entries of two or three keys each, one in twenty with a secondary key, one in a thousand constant; and the keys."""
    entries: list[Entry] = []
    keys: list[str] = []
    corpus = Ordinary(size)
    for number in range(size):
        if language in ORDINARY:
            text = corpus.text()
            words = tuple(corpus.keys_of(text))
            keys += words[:1]
            entries.append(Entry(f"b:{number}", words, (), text, order=number % 200, digest=str(number)))
            continue
        own = tuple(word(rolls, language) for _ in range(rolls.randint(2, 3)))
        keys.append(own[0])
        second = (word(rolls, language),) if number % 20 == 0 else ()
        content = (" " if language == "en" else "").join(word(rolls, language) for _ in range(20))
        entries.append(
            Entry(
                f"b:{number}", own, second, content, constant=number % 1000 == 0, order=number % 200, digest=str(number)
            )
        )
    return entries, keys


def messages(keys: Sequence[str], language: str, rolls: random.Random) -> list[str]:
    """Four messages of forty words, three of them keys."""
    if language in ORDINARY:
        corpus = Ordinary(rolls.getrandbits(30))
        return [corpus.english(40) for _ in range(MESSAGES)]
    gap = " " if language == "en" else ""
    said = []
    for _ in range(MESSAGES):
        words = [word(rolls, language) for _ in range(37)] + rolls.choices(keys, k=3)
        rolls.shuffle(words)
        said.append(gap.join(words))
    return said


def measure(size: int, language: str, compat: str) -> tuple[float, float, float, float]:
    """Seconds to get ready; median and p99 of a scan in ms of CPU; entries that came, on average."""
    rolls = random.Random(f"{size}{language}")
    entries, keys = book(size, language, rolls)
    started = time.perf_counter()
    lore = Lore(RULES[compat])
    lore.load(entries)
    ready = time.perf_counter() - started
    took: list[float] = []
    came: list[int] = []
    settings = LoreSettings(whole_words=language != "zh", recursive=language != "flat")
    for turn in range(RUNS):
        scan = Scan(messages(keys, language, rolls), turn, rolls.random, 4000)
        started = time.process_time()
        found = evaluate(lore, scan, settings)
        took.append((time.process_time() - started) * 1000)
        came.append(len(found.activated))
    took.sort()
    return ready, statistics.median(took), took[len(took) * 99 // 100], statistics.fmean(came)


def main() -> None:
    """Print the table."""
    sizes = [int(one) for one in sys.argv[1:]] or list(SIZES)
    print(
        f"{'entries':>8} {'':6}{'rules':12}{'ready s':>9}{'scan p50 ms':>13}{'p99 ms':>9}{'came':>7}{'SillyTavern ms':>16}{'ratio':>8}"
    )
    for size in sizes:
        for language in ("en", "zh", *ORDINARY):
            for compat in RULES:
                ready, median, p99, came = measure(size, language, compat)
                fact = FACT_MS.get(size) if language not in ORDINARY else None
                ratio = f"{fact / median:7.0f}x" if fact else ""
                print(
                    f"{size:>8} {language:6}{compat:12}{ready:9.2f}{median:13.2f}{p99:9.2f}{came:7.1f}{fact or '':>16}{ratio:>8}"
                )


if __name__ == "__main__":
    main()
