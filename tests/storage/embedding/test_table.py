"""The file of vectors: what was put comes back, and what is damaged is left out, never wrong."""

from __future__ import annotations

import hashlib
import random

import numpy
import pytest

from memd.storage.embedding.table import FORGOTTEN_DAYS, LEVELS, Rows, Table, load_table, packed, unpacked

LENGTH, DAY = 24, 20_000
KEY, BACKGROUND = "k" * 64, "b" * 64


def digest(n: int) -> bytes:
    return hashlib.blake2b(b"%d" % n, digest_size=16).digest()


def rows(n: int, count: int = 1) -> Rows:
    chance = numpy.random.default_rng(n)
    vectors = chance.normal(size=(count, LENGTH)).astype(numpy.float32)
    vectors /= numpy.linalg.norm(vectors, axis=1, keepdims=True)
    numbers, scales = packed(vectors)
    return Rows(n % 3 == 0, numbers, scales, numpy.full((count, LEVELS), n, dtype=numpy.float32))


def filled(count: int) -> Table:
    table = Table(LENGTH)
    for n in range(count):
        table.put(digest(n), rows(n, 1 + n % 4), DAY)
    return table


def same(one: Rows, other: Rows) -> bool:
    return one.chinese == other.chinese and all((a == b).all() for a, b in zip(one[1:], other[1:], strict=True))


def loaded(data: bytes, key: str = KEY, day: int = DAY) -> Table:
    found = load_table(data, key, day)
    assert found is not None
    assert found[1] == BACKGROUND
    return found[0]


def test_what_was_put_comes_back_after_a_start() -> None:
    before = filled(100)
    after = loaded(before.dump(KEY, BACKGROUND))
    assert len(after) == 100
    assert after.rows == before.rows == 250
    assert all(same(after.get(digest(n)), rows(n, 1 + n % 4)) for n in range(100))
    assert not after.changed
    assert load_table(before.dump(KEY, BACKGROUND), "another", DAY) is None


def test_a_vector_loses_almost_nothing() -> None:
    chance = numpy.random.default_rng(1)
    vectors = chance.normal(size=(50, 384)).astype(numpy.float32)
    vectors /= numpy.linalg.norm(vectors, axis=1, keepdims=True)
    again = unpacked(*packed(vectors))
    assert numpy.abs(again @ vectors.T - vectors @ vectors.T).max() < 0.004


def test_cosines_are_of_the_rows_asked_for() -> None:
    table = filled(3000)
    chance = random.Random(1)
    places = [table.place(digest(n)) for n in chance.sample(range(3000), 2500)]
    at = numpy.array([place[0] for place in places if place])
    vector = unpacked(*rows(7)[1:3])[0]
    found = table.cosines(at, vector)
    for where, cosine in list(zip(at, found, strict=True))[::100]:
        one = next(n for n in range(3000) if table.place(digest(n))[0] == where)  # type: ignore[index]
        whole = rows(one, 1 + one % 4)
        assert cosine == pytest.approx(unpacked(whole.numbers, whole.scales)[0] @ vector, abs=1e-5)


def test_what_is_dropped_is_neither_in_memory_nor_in_the_file() -> None:
    table = filled(40)
    table.drop(digest(n) for n in range(0, 40, 2))
    data = table.dump(KEY, BACKGROUND)
    for n in range(40):
        assert (digest(n) in table) is (n % 2 == 1)
        assert (digest(n) in data) is (n % 2 == 1)
        if n % 2:
            assert same(table.get(digest(n)), rows(n, 1 + n % 4))
    table.put(digest(0), rows(0), DAY)
    assert same(table.get(digest(0)), rows(0))


def test_a_file_cut_anywhere_serves_what_is_whole() -> None:
    data = filled(10_000).dump(KEY, BACKGROUND)
    chance = random.Random(2)
    for end in [*(chance.randrange(len(data)) for _ in range(4)), 0, 20, 200, len(data) - 1]:
        found = load_table(data[:end], KEY, DAY)
        if found is None:
            assert end < 300
            continue
        table = found[0]
        assert len(table) in range((end - 300) // 300, 10_000)
        some = [n for n in range(0, 10_000, 97) if digest(n) in table]
        assert all(same(table.get(digest(n)), rows(n, 1 + n % 4)) for n in some)


def test_a_damaged_row_costs_its_own_text_and_no_other() -> None:
    whole = filled(10_000).dump(KEY, BACKGROUND)
    head = whole.index(b"\n", 16) + 1 + 8
    size = (len(whole) - head) // 25_000
    chance = random.Random(3)
    data, hit = bytearray(whole), set()
    for _ in range(200):
        at = chance.randrange(head, len(data))
        data[at] ^= 1 << chance.randrange(8)
        hit.add((at - head) // size)
    table = loaded(bytes(data))
    assert 10_000 - len(hit) <= len(table) < 10_000
    assert table.changed, "the file is written anew"
    assert all(same(table.get(digest(n)), rows(n, 1 + n % 4)) for n in range(0, 10_000, 7) if digest(n) in table), (
        "nothing that is served is damaged"
    )


@pytest.mark.parametrize("data", [b"", b"memd vectors 1\n", b"\0" * 1000, b"memd vectors 1\nk b 24\n" + b"\0" * 400])
def test_what_is_no_file_of_vectors_is_none(data: bytes) -> None:
    assert load_table(data, "k", DAY) is None


def test_what_no_role_had_for_long_is_forgotten() -> None:
    table = filled(10)
    table.see([digest(3), digest(99)], DAY + FORGOTTEN_DAYS)
    after = loaded(table.dump(KEY, BACKGROUND), day=DAY + FORGOTTEN_DAYS + 1)
    assert [n for n in range(10) if digest(n) in after] == [3]
    assert after.changed
