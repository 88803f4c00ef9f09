"""What was learned as the bytes that memd/formats/lexicons.py and memd/storage/embedding/background.py read."""

from __future__ import annotations

import hashlib
import sys
from array import array
from collections.abc import Mapping
from typing import TYPE_CHECKING

from memd.formats.lexicons import BIAS, MAGIC, Node, Planes, Trees
from memd.storage.embedding.background import MATTER_MAGIC, SHAPE_MAGIC
from memd.storage.embedding.table import packed

if TYPE_CHECKING:
    from memd.storage.embedding.model import Floats


def dump_weights(bias: float, weights: Mapping[str, float], title: str) -> bytes:
    """Return the text of weights, sorted by name, at two decimals; those below LEAST are left out."""
    rows = sorted((name, value) for name, value in weights.items() if abs(value) >= 0.005)
    lines = [f"# {title}", f"{bias:.3f}\t{BIAS}", *(f"{value:.2f}\t{name}" for name, value in rows)]
    return ("\n".join(lines) + "\n").encode()


def dump_trees(bias: float, trees: Trees, title: str) -> bytes:
    """Return the text of trees."""
    rows = [" ".join(map(_written, tree)) for tree in trees]
    return "\n".join([f"# {title}", f"{bias:.4f}", *rows, ""]).encode()


def _written(node: Node) -> str:
    if not node.feature:
        return f"{node.value:.4f}"
    return f"{node.feature.replace(' ', '_')}>{node.value:.5g}@{node.above}"


def dump_planes(planes: Planes) -> bytes:
    """Return rows as a file."""
    length = len(next(iter(planes.rows.values()), ()))
    head = "\n".join([f"{planes.key} {length}", *planes.rows])
    numbers = array("f")
    for row in planes.rows.values():
        numbers.extend(row)
    if sys.byteorder == "big":
        numbers.byteswap()
    body = MAGIC + head.encode() + b"\n\n" + numbers.tobytes()
    return body + hashlib.sha256(body).digest()


def dump_thesaurus(phrases: Mapping[str, str], title: str) -> bytes:
    """Return the text of a thesaurus, sorted by phrase."""
    return "\n".join(
        [f"# {title}", *(f"{phrase}\t{groups}" for phrase, groups in sorted(phrases.items())), ""]
    ).encode()


def dump_turn(turn: Floats, key: str) -> bytes:
    """Return the turn of what is told as a file; `key` of the model that it is for."""
    numbers, scales = packed(turn)
    body: bytes = (
        b"%s%s %d\n" % (MATTER_MAGIC, key.encode(), len(turn)) + scales.astype("<f4").tobytes() + numbers.tobytes()
    )
    return body + hashlib.sha256(body).digest()


def dump_shape(middle: Floats, turn: Floats, key: str) -> bytes:
    """Return a shape as a file; `key` of the model that it is for."""
    numbers, scales = packed(turn)
    head = b"%s%s %d\n" % (SHAPE_MAGIC, key.encode(), len(middle))
    body: bytes = head + middle.astype("<f4").tobytes() + scales.astype("<f4").tobytes() + numbers.tobytes()
    return body + hashlib.sha256(body).digest()
