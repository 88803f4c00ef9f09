"""What was learned over the vectors of one model: rows of weights by name, each as long as a vector.

memd planes 1
KEY LENGTH                      of the model that the weights are for, and how many numbers a row has
NAME                            of each row, a line; then a blank line
rows of little-endian 32-bit floats, one after the other; then the sha256 of all before it
"""

from __future__ import annotations

import hashlib
import sys
from array import array
from collections.abc import Mapping
from dataclasses import dataclass, field

from memd.errors import StorageError

MAGIC = b"memd planes 1\n"
CHECK_BYTES = 32


@dataclass(frozen=True, slots=True)
class Planes:
    """Rows of weights by name, for vectors of the model that `key` stands for."""

    key: str = ""
    rows: Mapping[str, array[float]] = field(default_factory=dict)


def load_planes(data: bytes, name: str) -> Planes:
    """Return the rows of a file; StorageError where it is damaged."""
    body, check = data[:-CHECK_BYTES], data[-CHECK_BYTES:]
    if not body.startswith(MAGIC) or hashlib.sha256(body).digest() != check:
        raise StorageError(name, "it is damaged")
    head, _, numbers = body[len(MAGIC) :].partition(b"\n\n")
    first, *names = head.decode("utf-8").split("\n")
    key, _, length = first.partition(" ")
    found = array("f")
    found.frombytes(numbers)
    if sys.byteorder == "big":
        found.byteswap()
    size = int(length)
    return Planes(key, {row: found[at * size : (at + 1) * size] for at, row in enumerate(names)})


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
