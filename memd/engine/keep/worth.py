"""How important is a statement? What kinds of statement people keep, learned from labelled ones.

The model is linear over the statement's phrases, the signs of cues.py and its shape, so that every point has a name.

Source
    Weights: memd/lexicons/worth.txt, made by `python -m tools.training` from tools/training/sets/gate_*.jsonl.
    Figures: tests/conformance/test_gate.py.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from memd.engine.linear import Linear, as_features, shown
from memd.model.scores import Rating
from memd.text.phrases import phrases

if TYPE_CHECKING:
    from memd.engine.keep.cues import Cue
    from memd.model.memory import Source

FIGURE = re.compile(r"\d|[一二三四五六七八九十百千万两]{1,8}[年月日号点个次岁天周米公里元块分钟小时]")
NAME = re.compile(r"(?<![.!?]\s)(?<!^)\b[A-Z][a-zéèüöäñ]+|(?<![A-Z])[A-Z]{2,}\b|`[^`]+`|[\"“「《].{1,30}?[\"”」》]")
DATE = re.compile(
    r"\b(?:19|20)\d\d\b|\d{1,2}\s*月|\bjan|\bfeb|\bmar(?:ch)?\b|\bapr|\bjun|\bjul|\baug|\bsep|\boct|\bnov|\bdec"
)
OWN = re.compile(r"\b(?:i|i'm|my|me|we|our|us|user|user's)\b|我|咱|用户|本人")
SIGN, HALF = 1.5, 0.5
MIDDLE = 5.0  # importance of a statement of which the model knows nothing
TOLD = 3  # features that are named to a person


def worth_features(text: str, folded: str, source: Source | None, cues: list[Cue]) -> dict[str, float]:
    """Return what the model looks at: phrases as they are, signs and shape in brackets."""
    named: dict[str, float] = {cue.name: SIGN for cue in cues}
    if any(cue.importance > MIDDLE for cue in cues):
        named["a sign for it"] = 1.0
    if any(cue.importance < MIDDLE for cue in cues):
        named["a sign against it"] = 1.0
    named[f"source {source.value}" if source else "source unknown"] = 1.0
    named["figures"] = min(3, len(FIGURE.findall(text))) * HALF
    named["names"] = min(3, len(NAME.findall(text))) * HALF
    named[f"length {min(9, len(text.encode('utf-8', 'surrogatepass')).bit_length())}"] = 1.0
    shape = (
        ("dated", DATE.search(folded)),
        ("of the user", OWN.search(folded)),
        ("asks", re.search(r"[?？]", text)),
        ("ends asking", re.search(r"[?？][\"”’)）]?\s*$", text)),
        ("exclaims", re.search(r"[!！]", text)),
        ("lines", "\n" in text),
    )
    named.update((name, 1.0) for name, found in shape if found)
    return as_features(phrases(folded), named)


def importance(model: Linear, features: dict[str, float]) -> Rating:
    """Return the importance with the features that say most for it, or against it."""
    value = round(min(10.0, max(0.0, MIDDLE + model.value(features))), 1)
    against = value < MIDDLE
    said: dict[str, float] = {}
    for name, amount in model.telling(features, TOLD * 2, against=against):
        said[shown(name)] = said.get(shown(name), 0.0) + amount
    basis = ", ".join(f"{name} {amount:+.1f}" for name, amount in list(said.items())[:TOLD])
    word = "against it" if against else "for it"
    return Rating(value, False, f"{word}: {basis}" if basis else "nothing says that it matters")
