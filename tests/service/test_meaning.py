"""What the store's model tells of a role, with a real process: found, kept, changed, forgotten, and words alone when it fails."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from operator import mul
from pathlib import Path

import pytest

from memd.config import EmbeddingPlace, Place
from memd.daemon import meaning_of
from memd.storage.embedding.process import Child
from memd.storage.embedding.wire import CALIBRATING, LATE, Begin
from memd.store.recall.meaning import BEST, IDLE_S, SESSION_S, Meaning, Question
from tests.contract.embedders import answering, packaged
from tests.support import PATIENCE_S

TEXTS = {"boiler": "heating boiler", "cat": "the cat sleeps", "kiln": "窑炉 很 热", "shelf": "an oak shelf"}


@pytest.fixture
def address() -> Iterator[str]:
    with answering() as found:
        yield found


@asynccontextmanager
async def meaning(address: str, cache: Path, hang_s: float = 30.0) -> AsyncIterator[Meaning]:
    """With an endpoint, or with the packaged model where there is no address."""
    begin = Begin("endpoint", address, cache=str(cache)) if address else Begin("packaged", cache=str(cache))
    found = Meaning(Child(begin, hang_s=hang_s))
    try:
        yield found
    finally:
        await found.close()


async def asked(found: Meaning, text: str) -> Question:
    """Ask until the model is there and calibrated."""
    async with asyncio.timeout(PATIENCE_S):
        while (question := await found.question(text)) is None:
            await asyncio.sleep(0.02)
    return question


async def embedded(found: Meaning, condition: Callable[[], bool] | None = None) -> None:
    async with asyncio.timeout(PATIENCE_S):
        await found.figures()  # what is lacking was told before
        while found.behind or not (condition is None or condition()):
            await asyncio.sleep(0.01)


async def near(found: Meaning, text: str, texts: dict[str, str]) -> dict[str, float]:
    """How near texts are, once all have vectors."""
    question = await asked(found, text)
    await found.near("main", texts, question)
    await embedded(found)
    return {one: round(at.cosine, 3) for one, at in (await found.near("main", texts, question)).items()}


def test_texts_are_found_by_meaning_once_they_are_embedded(address: str, tmp_path: Path) -> None:
    async def run() -> None:
        async with meaning(address, tmp_path / "cache") as found:
            got = await near(found, "heating", TEXTS)
            assert got.keys() == TEXTS.keys()
            assert max(got, key=lambda one: got[one]) == "boiler"
            assert found.trouble == ""
            figures = await found.figures()
            assert (figures["state"], figures["behind"], figures["vectors"]) == ("ready", 0, 4)

    asyncio.run(run())


def test_a_text_that_stands_out_does_so_by_deviations_in_a_role_of_one(address: str, tmp_path: Path) -> None:
    async def run() -> None:
        async with meaning(address, tmp_path / "cache") as found:
            question = await asked(found, "heating")
            one = {"boiler": "heating boiler", "shelf": "an oak shelf"}
            await found.near("main", one, question)
            await embedded(found)
            got = await found.near("main", one, question)
            assert got["boiler"].asked_z > 10
            assert got["boiler"].text_z > 10
            assert got["shelf"].asked_z < 1
            assert all(at.same_language for at in got.values())

    asyncio.run(run())


def test_what_changes_is_told_and_what_is_gone_is_not_found(address: str, tmp_path: Path) -> None:
    async def run() -> None:
        async with meaning(address, tmp_path / "cache") as found:
            await near(found, "heating", TEXTS)
            changed = {**TEXTS, "shelf": "a heating shelf", "new": "garden"}
            del changed["boiler"]
            got = await near(found, "heating", changed)
            assert got.keys() == {"cat", "kiln", "shelf", "new"}
            assert max(got, key=lambda one: got[one]) == "shelf"
            assert (await found.figures())["vectors"] == 4, "what no role has any more has no vector"

    asyncio.run(run())


def test_a_mark_that_stays_spares_the_looking(address: str, tmp_path: Path) -> None:
    class Texts(dict[str, str]):
        looks = 0

        def items(self):  # type: ignore[no-untyped-def]
            self.looks += 1
            return super().items()

    async def run() -> None:
        async with meaning(address, tmp_path / "cache") as found:
            question, texts = await asked(found, "heating"), Texts(TEXTS)
            for mark, looks in ((1, 1), (1, 1), (2, 2), (None, 3), (None, 4)):
                await found.near("main", texts, question, mark=mark)
                assert texts.looks == looks

    asyncio.run(run())


def test_vectors_are_kept_for_the_next_start_and_cost_nothing_then(address: str, tmp_path: Path) -> None:
    async def run() -> None:
        async with meaning(address, tmp_path / "cache") as found:
            before = await near(found, "heating", TEXTS)
        async with meaning(address, tmp_path / "cache") as found:
            question = await asked(found, "heating")
            await found.near("main", TEXTS, question)
            got = await found.near("main", TEXTS, question)
            assert {one: round(at.cosine, 3) for one, at in got.items()} == before
            assert found.behind == 0

    asyncio.run(run())
    assert {path.name for path in (tmp_path / "cache").iterdir()} == {"vectors.bin", "background.bin"}


def test_the_best_and_those_wanted_come_of_many(address: str, tmp_path: Path) -> None:
    async def run() -> None:
        async with meaning(address, tmp_path / "cache") as found:
            texts = {f"id-{n}": "heating " * n + "cat " * (BEST + 50 - n) for n in range(BEST + 50)}
            question = await asked(found, "heating")
            await found.near("main", texts, question)
            await embedded(found)
            alone = await found.near("main", texts, question)
            worst = [one for one in texts if one not in alone][:3]
            got = await found.near("main", texts, question, [*worst, "unknown"])
            assert len(alone) == BEST
            assert got.keys() == alone.keys() | set(worst)
            assert max(got[one].cosine for one in worst) <= min(at.cosine for at in alone.values())

    asyncio.run(run())


def test_odd_texts_do_no_harm(address: str, tmp_path: Path) -> None:
    async def run() -> None:
        async with meaning(address, tmp_path / "cache") as found:
            odd = {"\ud800": "a \ud800 heating", "nul": "heating\0cat", "empty": "", "long": "heating " * 9000}
            got = await near(found, "heating \ud83d\0?", odd)
            assert got.keys() == odd.keys()
            assert await found.question(" \n") is None
            assert await found.question("\ud800") is None
            assert await found.statements(["", " \n"], ["\0"]) == ({}, {})
            assert await found.statements([]) == ({}, {})

    asyncio.run(run())


@packaged
def test_statements_are_compared_with_statements(tmp_path: Path) -> None:
    async def run() -> None:
        async with meaning("", tmp_path / "cache") as found:
            await asked(found, "who?")
            texts = ["My sister is called Nora.", "Nora is my sister.", "Invoices are due in May.", "诺拉是我姐姐。"]
            async with asyncio.timeout(PATIENCE_S):
                while len(got := (await found.statements(texts[:1], texts)).vectors) < len(texts):
                    await asyncio.sleep(0.05)
            said, same, other, chinese = (got[one] for one in texts)
            assert sum(map(mul, said, said)) == pytest.approx(1.0, abs=0.01)
            assert sum(map(mul, said, same)) > 0.6 > 0.3 > sum(map(mul, said, other))
            assert sum(map(mul, said, chinese)) > 0.4, "in the other language as well"
            known = await found.statements([], texts[:1], spend_ms=0)
            assert known == ({texts[0]: said}, {}), "what is known costs no time"

    asyncio.run(run())


@packaged
@pytest.mark.parametrize(
    ("told", "of_it", "else_"),
    [
        ("I bought a Tesla.", "I drive a Golf.", "I bought a house."),
        ("现在改骑车上班了。", "我每天坐地铁去公司。", "周末喜欢去公园骑车。"),
    ],
)
def test_what_is_told_is_nearer_to_what_it_changes_than_to_what_shares_its_words(
    tmp_path: Path, told: str, of_it: str, else_: str
) -> None:
    async def run() -> None:
        async with meaning("", tmp_path / "cache") as found:
            await asked(found, "who?")
            async with asyncio.timeout(PATIENCE_S):
                while len((got := await found.statements([told], [of_it, else_])).vectors) < 3:
                    await asyncio.sleep(0.05)
            assert got.turned.keys() == {told}
            turned, plain = (
                [sum(map(mul, vector, got.vectors[one])) for one in (of_it, else_)]
                for vector in (got.turned[told], got.vectors[told])
            )
            assert turned[0] > turned[1]
            assert plain[0] < plain[1], "which the model itself does not see"

    asyncio.run(run())


@packaged
def test_the_packaged_model_is_calibrated_as_it_comes(tmp_path: Path) -> None:
    async def run() -> None:
        async with meaning("", tmp_path / "cache") as found:
            found.begin()
            question = await asked(found, "who services the heating?")
            assert -0.2 < question.levels.english.mean < 0.3, "measured from the middle"
            assert 0.004 < question.levels.english.deviation < 0.2
            assert not (tmp_path / "cache" / "background.bin").exists(), "what is shipped is of its weights and texts"

    asyncio.run(run())


def test_words_alone_serve_when_it_dies_and_it_is_asked_again(address: str, tmp_path: Path) -> None:
    async def run() -> None:
        async with meaning(address, tmp_path / "cache") as found:
            before = await near(found, "heating", TEXTS)
            assert found.child is not None
            assert found.child.pid is not None
            state = found.state
            os.kill(found.child.pid, signal.SIGKILL)
            async with asyncio.timeout(PATIENCE_S):
                while found.child.state != "failed":
                    await asyncio.sleep(0.01)
            assert found.state != state
            assert await found.question("another question") is None
            assert "SIGKILL" in found.trouble
            assert await found.near("main", TEXTS, await found.question("heating")) == {}
            figures = await found.figures()
            assert (figures["state"], "SIGKILL" in figures["why"]) == ("failed", True)
            found.child.lives.again_s = 0.0  # as if the pause were over
            await asked(found, "a question that is not known")
            assert await near(found, "heating", TEXTS) == before
            assert (await found.figures())["restarts"] == 1

    asyncio.run(run())


def test_a_failing_endpoint_is_left_alone_and_told(tmp_path: Path) -> None:
    async def run() -> None:
        async with meaning("http://127.0.0.1:9/v1", tmp_path / "cache") as found:
            async with asyncio.timeout(PATIENCE_S):
                while found.trouble in ("", CALIBRATING, LATE, "the model is being loaded"):
                    assert await found.question("heating") is None
                    await asyncio.sleep(0.02)
            assert "refused" in found.trouble

    asyncio.run(run())


def test_it_goes_when_it_is_idle_and_stays_while_a_session_is_open(address: str, tmp_path: Path) -> None:
    async def run() -> None:
        async with meaning(address, tmp_path / "cache") as found:
            await asked(found, "heating")
            used_s = found._used_s
            await found.figures()
            assert found._used_s == used_s, "to look at it is not to use it"
            for later_s, in_use, rests in [
                (IDLE_S - 1, False, False),
                (IDLE_S + 1, False, True),
                (IDLE_S + 1, True, False),
                (SESSION_S + 1, True, True),
            ]:
                assert found.rest(in_use=in_use, now_s=used_s + later_s) is rests
            await found.close()
            assert not found.rest(in_use=False, now_s=used_s + SESSION_S)
            assert await asked(found, "a question that is not known") is not None

    asyncio.run(run())


@pytest.mark.parametrize(
    ("where", "daemon", "kind", "off"),
    [
        pytest.param("none", True, None, "MEMD_EMBEDDINGS is none", id="switched off"),
        pytest.param("", False, None, "no daemon runs", id="a command does not load the packaged one"),
        pytest.param("", True, "packaged", "", id="a daemon does", marks=packaged),
        pytest.param("http://127.0.0.1:9", False, "endpoint", "", id="an address is an endpoint"),
        pytest.param("models/m", True, "onnx", "", id="all else is a directory"),
    ],
)
def test_the_environment_says_where_it_comes_from(where: str, daemon: bool, kind: str | None, off: str) -> None:
    found = meaning_of(Place("/w", "/s", "/c", EmbeddingPlace(where, "m", "d")), daemon=daemon)
    assert (found.child.begin.kind if found.child else None) == kind
    assert kind or found.off == off
    if found.child and kind == "onnx":
        assert os.path.isabs(found.child.begin.where)
