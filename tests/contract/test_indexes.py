"""What every full-text index promises: what was put is found by each of its fields, what was dropped is not, after any merge."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memd.engine.recall.matching import fits, wanted_of
from memd.formats.query import parse
from memd.model.search import Document
from memd.service.memory.from_index import Scope, from_index
from memd.storage import index_schema
from memd.storage.index import Reader
from memd.store.following.building import fields_of
from tests.contract.indexes import ListedIndex
from tests.support import examples

DAY_S = 86_400.0
TEXTS = (
    "The kiln is fired on Mondays.", "A heron stands in the canal.", "窑炉每周一点火。", "苍鹭站在运河里,不动。", "firing, fired, fires",
    "kiln kiln kiln", "", "naïve café — Ünïcode 😀", "周一 Monday kiln 窑", "The heron and the kiln, the canal and the 苍鹭.",
)  # fmt: skip


@dataclass
class OnDisk:
    """The real one, in a directory: each batch is a commit, and reading begins anew after it."""

    path: Path
    batches: int = 0
    _reader: Reader | None = None

    def change(self, puts: Iterable[dict[str, Any]], drops: Iterable[str]) -> None:
        self.path.mkdir(exist_ok=True)
        index = index_schema.open_index(str(self.path)) if self.batches else index_schema.make_index(str(self.path))
        writer = index.writer(limitmb=16)
        for one in puts:
            writer.add_document(**one)
        index_schema.drop(writer, list(drops))
        writer.commit(mergetype=index_schema.merge_policy)
        self.batches += 1
        self.close()
        names = [one for one in os.listdir(self.path) if not one.endswith("WRITELOCK")]
        self._reader = Reader({one: (self.path / one).read_bytes() for one in names})

    @property
    def reader(self) -> Reader:
        assert self._reader is not None
        return self._reader

    def close(self) -> None:
        if self._reader is not None:
            self._reader.close()


@dataclass
class InMemory:
    """The twin."""

    reader: ListedIndex = field(default_factory=ListedIndex)

    def change(self, puts: Iterable[dict[str, Any]], drops: Iterable[str]) -> None:
        self.reader.drop(drops)
        for one in puts:
            self.reader.put(one)

    def close(self) -> None:
        self.reader.close()


def document(number: int, text: str) -> Document:
    kinds = ("semantic", "episodic", "page")
    return Document(
        f"k{number}", kinds[number % 3], f"notes/{number % 4}.md", ("main", "阿远", "")[number % 3], f"id{number}",
        title=text[:12], text=text, tags=("Kiln", "茶")[: number % 3], when_s=None if number % 5 == 0 else number * DAY_S,
    )  # fmt: skip


def put(number: int, text: str) -> dict[str, Any]:
    return fields_of(document(number, text), bytes([number % 256]) * 16)


@pytest.fixture(params=["on disk", "in memory"])
def index(request: pytest.FixtureRequest, tmp_path: Path) -> Iterable[OnDisk | InMemory]:
    made = OnDisk(tmp_path / "index") if request.param == "on disk" else InMemory()
    yield made
    made.close()


def keys(reader: Reader | ListedIndex, numbers: Iterable[int]) -> list[str]:
    return sorted(one.document.key for one in reader.read(sorted(numbers)))


def test_what_is_put_is_found_by_every_field_and_comes_back_whole(index: OnDisk | InMemory) -> None:
    index.change([put(n, text) for n, text in enumerate(TEXTS)], [])
    reader = index.reader
    assert reader.documents == len(TEXTS)
    for number, text in enumerate(TEXTS):
        (found,) = reader.read(reader.number_at([f"k{number}"]))
        assert (found.document, found.digest) == (document(number, text), bytes([number]) * 16)
    assert keys(reader, reader.having("role", ["阿远"])) == ["k1", "k4", "k7"]
    assert keys(reader, reader.having("kind", ["page", "episodic"])) == ["k1", "k2", "k4", "k5", "k7", "k8"]
    assert keys(reader, reader.having("tag", ["茶"])) == ["k2", "k5", "k8"]
    assert keys(reader, reader.having("name", ["notes/3.md"])) == ["k3", "k7"]
    assert keys(reader, reader.having("terms", ["苍鹭"])) == ["k3", "k9"]
    assert keys(reader, reader.having_all(["kiln", "heron"])) == ["k1", "k9"]
    assert keys(reader, reader.having_all([])) == sorted(f"k{n}" for n in range(len(TEXTS)))
    assert reader.holders(["kiln", "nothing"]) == {"kiln": 8, "nothing": 0}
    assert reader.days("1970-01-03", "1970-01-05") == ["1970-01-03", "1970-01-04", "1970-01-05"]
    assert reader.values("name", "notes/", lambda one: one != "notes/1.md") == [
        "notes/0.md",
        "notes/2.md",
        "notes/3.md",
    ]


def test_what_is_dropped_or_put_anew_is_found_as_it_is_now(index: OnDisk | InMemory) -> None:
    index.change([put(0, "The kiln is hot."), put(1, "A heron.")], [])
    index.change([put(0, "The kiln is cold.")], ["k0"])
    reader = index.reader
    assert keys(reader, reader.having("terms", ["hot"])) == []
    assert keys(reader, reader.having("terms", ["cold"])) == ["k0"]
    index.change([], ["k1", "k9"])
    assert keys(index.reader, index.reader.everything) == ["k0"]


def test_more_of_a_word_and_less_of_others_weighs_more(index: OnDisk | InMemory) -> None:
    index.change([put(0, "kiln kiln kiln"), put(1, "kiln"), put(2, "kiln " + "heron canal " * 40), put(3, "canal")], [])
    reader = index.reader
    scores = reader.scores({"kiln": 1.5})
    assert sorted(scores, key=lambda one: -scores[one]) == [min(reader.number_at([key])) for key in ("k0", "k1", "k2")]
    only = reader.number_at(["k1"])
    assert reader.scores({"kiln": 1.5}, only) == {n: pytest.approx(scores[n]) for n in only}
    assert reader.scores({}) == {}


BATCHES = st.lists(
    st.tuples(
        st.dictionaries(st.integers(0, 11), st.sampled_from(TEXTS), max_size=5), st.sets(st.integers(0, 11), max_size=3)
    ),
    min_size=1,
    max_size=9,
)


@settings(max_examples=examples(25), suppress_health_check=list(HealthCheck))
@given(BATCHES)
def test_both_say_the_same_after_any_changes(batches: list[tuple[dict[int, str], set[int]]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        real, twin = OnDisk(Path(folder)), InMemory()
        dropped = False
        for puts, drops in batches:
            dropped = dropped or bool(
                {*puts, *drops} & {int(found["key"][0][1:]) for found in twin.reader.held.values()}
            )
            given_puts = [put(n, text) for n, text in puts.items()]
            gone = [f"k{n}" for n in {*puts, *drops}]
            real.change(given_puts, gone)
            twin.change(given_puts, gone)
        one, other = real.reader, twin.reader
        assert one.documents == other.documents
        assert keys(one, one.everything) == keys(other, other.everything)
        terms = sorted({term for fields in other.held.values() for term in fields["terms"]})
        for name, values in (
            ("terms", terms),
            ("role", ["main", "阿远"]),
            ("tag", ["茶", "kiln"]),
            ("words", ["fired"]),
        ):
            for value in values:
                assert keys(one, one.having(name, [value])) == keys(other, other.having(name, [value])), (name, value)
        assert keys(one, one.having_all(terms[:2])) == keys(other, other.having_all(terms[:2]))
        orders = [[found.document.key for found in reader.read(reader.newest())] for reader in (one, other)]
        assert orders[0] == orders[1]
        if not dropped:  # what was dropped counts in lengths until it is merged away
            gains = dict.fromkeys(terms, 1.0)
            assert _by_key(one, one.scores(gains)) == pytest.approx(_by_key(other, other.scores(gains)))
        real.close()


def _by_key(reader: Reader | ListedIndex, scores: dict[int, float]) -> dict[str, float]:
    return {one.document.key: scores[one.number] for one in reader.read(sorted(scores))}


@pytest.mark.parametrize("query", ["the", "and the", "+the +and", "在", "the -heron", "of"])
def test_of_words_that_nearly_everything_has_the_newest_are_read_alone(index: OnDisk | InMemory, query: str) -> None:
    documents = [document(number, TEXTS[number % len(TEXTS)]) for number in range(1500)]
    index.change([put(number, TEXTS[number % len(TEXTS)]) for number in range(1500)], [])
    wanted = wanted_of(parse(query))
    fitting = [one for one in documents if fits(one, wanted)]
    fitting.sort(key=lambda one: (-(one.when_s or 0.0), one.key))
    answer = from_index(index.reader, wanted, {}, Scope((), (), (), 1500, 10))  # type: ignore[arg-type]
    assert [one for _, one in answer.hits] == fitting[:10]
    assert answer.about == (query == "在")
    assert answer.total == pytest.approx(len(fitting), rel=0.3 if answer.about else 0)
