"""A text that tells a time, over a real socket with a clock of ours: what is stored, shown and asked for by its time later."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from memd.client import Client
from memd.config import place_of
from memd.daemon import service_of
from memd.doors.socket import Server
from memd.errors import RemoteError
from memd.store.opening import open_workspace
from memd.store.ports import Ports
from tests.support import Folder, memd

ZONE = "Europe/Berlin"
TOLD = datetime.fromisoformat("2026-11-25T10:30:00+01:00")  # a Wednesday


@dataclass
class Told:
    """A service with a time of ours behind a real socket."""

    folder: Folder
    socket: str
    now: datetime = TOLD
    said: list[dict[str, Any]] = field(default_factory=list)

    def seconds(self) -> float:
        return self.now.timestamp()

    async def call(self, method: str, **params: Any) -> dict[str, Any]:
        def ask() -> dict[str, Any]:
            with Client(self.socket) as client:
                return client.call(method, **params)

        return await asyncio.to_thread(ask)

    async def remember(self, text: str, **params: Any) -> dict[str, Any]:
        reply = await self.call("remember", role="main", content=text, explicit=True, source="user", **params)
        assert reply["stored"], reply
        return reply

    async def record(self, memory_id: str) -> dict[str, Any]:
        record: dict[str, Any] = (await self.call("memory.get", role="main", id=memory_id))["record"]
        return record

    async def ask(self, message: str, **params: Any) -> dict[str, Any]:
        return await self.call("trigger", role="main", message=message, **params)

    async def texts(self, message: str, **params: Any) -> set[str]:
        return {one["text"] for one in (await self.ask(message, **params))["activated"]}

    def at(self, moment: str) -> None:
        self.now = datetime.fromisoformat(moment)


@asynccontextmanager
async def running(folder: Folder, socket: Path) -> AsyncIterator[Told]:
    folder.settings(trigger__zone=ZONE)
    place = place_of(str(folder.path), socket=str(socket))
    told = Told(folder, place.socket)
    ports = Ports(now=told.seconds)
    store = await open_workspace(
        place.workspace, holder={"pid": 1, "what": "test"}, ports=ports, cache_dir=place.cache, state_dir=place.state
    )
    service = service_of(store, place)
    server = Server(service, place.socket)
    await server.start(None)
    try:
        yield told
    finally:
        await server.stop(1.0)
        service.indexing.close()
        await store.close()


@pytest.fixture
def play(workspace: Folder, short_dir: Path) -> Callable[[Callable[[Told], Awaitable[None]]], None]:
    def play(story: Callable[[Told], Awaitable[None]]) -> None:
        async def go() -> None:
            async with running(workspace, short_dir / "s") as told:
                await story(told)

        asyncio.run(go())

    return play


Play = Callable[[Callable[[Told], Awaitable[None]]], None]


def test_what_was_told_as_yesterday_is_known_by_its_date_two_weeks_later(play: Play) -> None:
    async def story(told: Told) -> None:
        await told.remember("I keep the spare bicycle in the shed.")
        reply = await told.remember("Yesterday I signed the lease for the studio on Elm Street.")
        assert reply["event"] == "2026-11-24"
        record = await told.record(reply["id"])
        assert record["eventStart"] == "2026-11-24T00:00:00+01:00"
        assert record["eventEnd"] == "2026-11-25T00:00:00+01:00"

        told.at("2026-12-09T09:00:00+01:00")
        asked = await told.ask("When did I sign the lease?")
        assert "Yesterday I signed the lease for the studio on Elm Street. (on 2026-11-24)" in asked["content"]
        for question in ("What happened on 24 November?", "What happened on 2026-11-24?", "11月24日发生了什么？"):
            assert await told.texts(question) == {record["content"]}, question
            (hit,) = (await told.call("search", query=question, role="main"))["hits"][:1]
            assert (hit["id"], hit["event"]) == (reply["id"], "2026-11-24")
        assert await told.texts("What happened on 26 November?") == set()
        assert await told.texts("What happened yesterday?") == set()

    play(story)


def test_plans_are_found_by_their_day_and_told_as_past_when_it_is_over(play: Play) -> None:
    async def story(told: Told) -> None:
        await told.remember("下周三我去协和医院体检。")
        await told.remember("In July we travel to the Faroe Islands.")
        await told.remember("I was at the sea in July with Mara.")
        assert await told.texts("下周有什么安排？") == {"下周三我去协和医院体检。"}
        assert await told.texts("What's on next week?") == {"下周三我去协和医院体检。"}
        assert await told.texts("七月有什么安排？") == {"In July we travel to the Faroe Islands."}
        done = (await told.ask("What did I do in July?"))["activated"]
        assert [one["text"] for one in done if "temporal" in one["strategies"]] == [
            "I was at the sea in July with Mara."
        ]
        assert "下周三我去协和医院体检。 (planned for 2026-12-02)" in (await told.ask("下周有什么安排？"))["content"]
        told.at("2026-12-03T09:00:00+01:00")
        assert (
            "下周三我去协和医院体检。 (was planned for 2026-12-02)" in (await told.ask("昨天发生了什么？"))["content"]
        )
        assert await told.texts("下周有什么安排？") == set()
        before = await told.ask("我什么时候体检？", as_of="2026-11-30")
        assert "(planned for 2026-12-02)" in before["content"]

    play(story)


def test_a_bare_errand_goes_to_the_archive_long_after_its_day_and_a_trip_stays(play: Play) -> None:
    async def story(told: Told) -> None:
        errand = await told.remember("Call with the tax office on Friday at 3 pm.")
        trip = await told.remember("On Friday we fly to Madeira for our honeymoon.")
        assert (await told.record(errand["id"]))["expiresAt"] == "2027-02-25T15:00:00Z"
        assert "expiresAt" not in await told.record(trip["id"])
        told.at("2027-02-25T12:00:00+01:00")
        assert len((await told.call("memory.list", role="main", kind=None))["memories"]) >= 2
        told.at("2027-02-26T12:00:00+01:00")
        (kept,) = (await told.call("upkeep.run", role="main"))["roles"]
        assert [one["id"] for one in kept["archive"]] == [errand["id"]]
        forgotten = await told.call("memory.list", role="main", forgotten=True)
        assert [one["id"] for one in forgotten["memories"]] == [errand["id"]]
        assert await told.texts("When did we fly to Madeira?") == {trip["content"]}

    play(story)


def test_what_is_given_wins_and_what_is_no_time_is_refused(play: Play) -> None:
    async def story(told: Told) -> None:
        text = "The choir's spring concert in the old brewery was sold out."
        reply = await told.remember(text, event_start="2026-04", event_end="2026-05-03")
        record = await told.record(reply["id"])
        assert (record["eventStart"], record["eventEnd"]) == ("2026-04-01T00:00:00+02:00", "2026-05-04T00:00:00+02:00")
        given = await told.remember("We met the notary on Monday.", event_start="2026-10-05T14:00")
        record = await told.record(given["id"])
        assert record["eventStart"] == "2026-10-05T14:00:00+02:00"
        assert "eventEnd" not in record
        for bad in (
            {"event_start": "soon"},
            {"event_end": "2026-05-03"},
            {"event_start": "2026-05", "event_end": "2026-04"},
        ):
            with pytest.raises(RemoteError, match="event"):
                await told.call("remember", role="main", content="The boiler was serviced.", explicit=True, **bad)

    play(story)


def test_an_update_tells_a_new_time_only_where_its_phrases_are_others(play: Play) -> None:
    async def story(told: Told) -> None:
        reply = await told.remember("Yesterday the cat had her operation.")
        asked = {"role": "main", "id": reply["id"]}
        told.at("2026-12-09T09:00:00+01:00")
        changed = await told.call("memory.update", **asked, content="Yesterday our cat Lotte had her operation.")
        assert changed["event"] == "2026-11-24"
        changed = await told.call("memory.update", **asked, content="Last Tuesday our cat Lotte had her operation.")
        assert changed["event"] == "2026-12-08"
        changed = await told.call("memory.update", **asked, event_start="2026-11-23")
        assert changed["event"] == "2026-11-23"
        changed = await told.call("memory.update", **asked, event_start=None, event_end=None)
        assert "event" not in changed

    play(story)


def test_what_happened_again_is_remembered_again(play: Play) -> None:
    async def story(told: Told) -> None:
        first = await told.remember("Yesterday I ran the river loop in 52 minutes.")
        told.at("2026-12-09T09:00:00+01:00")
        again = await told.remember("Yesterday I ran the river loop in 52 minutes.")
        assert (again["verdict"], again["event"]) == ("stored", "2026-12-08")
        assert again["id"] != first["id"]

    play(story)


def test_since_and_until_bound_what_holds(play: Play) -> None:
    async def story(told: Told) -> None:
        since = await told.remember("I have lived in Ghent since 2014.")
        until = await told.remember("The studio is sublet to Marek until March.")
        lives, sublet = await told.record(since["id"]), await told.record(until["id"])
        assert (lives["validFrom"], sublet["validUntil"]) == ("2014-01-01T00:00:00+01:00", "2027-03-01T00:00:00+01:00")
        assert "eventStart" not in {*lives, *sublet}
        assert "sublet to Marek until March. (until 2027-02-28)" in (await told.ask("Who rents the studio?"))["content"]
        told.at("2027-03-02T12:00:00+01:00")
        assert "(held until 2027-02-28)" in (await told.ask("Who rents the studio?"))["content"]

    play(story)


def test_a_story_is_told_oldest_first_with_its_dates(play: Play) -> None:
    async def story(told: Told) -> None:
        first = await told.remember("I moved to Bonn last month.")
        told.at("2027-03-01T12:00:00+01:00")
        second = await told.remember("I moved to Graz yesterday.")
        await told.call("memory.link", role="main", id=second["id"], to=first["id"], relation="supersedes")
        for one in (first, second):
            past = (await told.call("memory.get", role="main", id=one["id"], history=True))["history"]
            assert [(step["id"], step["at"][:10], step["event"]) for step in past] == [
                (first["id"], "2026-11-25", "2026-10"),
                (second["id"], "2027-03-01", "2027-02-28"),
            ]

    play(story)


def test_what_a_person_sees_has_the_time_of_the_event(workspace: Folder) -> None:
    asked = ("-w", str(workspace.path))
    memd("remember", "main", "We adopted Miso in May 2024.", "--explicit", "--event-start", "2024-05-17", *asked)
    listed = memd("list", "main", *asked).stdout
    assert "2024-05-17" in listed
    (record,) = (one for one in workspace.records("main") if "Miso" in (one.get("content") or ""))
    assert "2024-05-17" in memd("show", "main", record["id"], *asked).stdout
    assert "(2024-05-17)" in memd("search", "what happened on 17 May 2024", *asked).stdout


def test_an_import_is_dated_by_its_records_own_times_in_the_zone_of_the_scene(play: Play) -> None:
    """Late in the evening of Greenwich it is the next day in Berlin; a time without an offset is one of Berlin."""
    records: list[dict[str, Any]] = [
        {"id": "a", "content": "昨天把阁楼的窗户修好了。", "timestamp": "2026-03-10T23:30:00Z"},
        {"id": "b", "content": "Yesterday I planted the pear tree.", "createdAt": "2026-03-10T23:30:00"},
        {"id": "c", "content": "The neighbour's dog died last week.", "createdAt": 1773185400000, "score": 8},
        {"id": "d", "content": "Yesterday the fence was painted.", "keywords": ["fence"]},
        {"id": "e", "content": "We opened the bakery on 3 May 2019.", "eventStart": "2019-05-02T00:00:00+02:00"},
        {"id": "f", "content": "I am in Graz until Friday.", "timestamp": "2026-03-10T12:00:00Z"},
        {
            "id": "g", "content": "Tomorrow we go to the zoo.", "timestamp": "2026-03-10T12:00:00Z", "speaker": "Ann",
            "session": "s", "turn": 3,
        },
    ]  # fmt: skip

    async def story(told: Told) -> None:
        memories = [{"kind": "episodic", "record": one} for one in records]
        await told.call("import", role="main", import_id="i1", memories=memories)
        came = {one["id"]: await told.record(one["id"]) for one in records}
        days = {key: one.get("eventStart", "")[:10] for key, one in came.items()}
        assert days == {"a": "2026-03-10", "b": "2026-03-09", "c": "2026-03-02", "d": "", "e": "2019-05-02", "f": "", "g": "2026-03-11"}  # fmt: skip
        assert came["a"]["eventEnd"] == "2026-03-11T00:00:00+01:00"
        assert came["f"]["validUntil"] == "2026-03-14T00:00:00+01:00"
        assert "昨天把阁楼的窗户修好了。" in await told.texts("What happened on 10 March?")
        assert "昨天把阁楼的窗户修好了。 (on 2026-03-10)" in (await told.ask("阁楼的窗户什么时候修好的？"))["content"]

    play(story)


def test_what_a_person_writes_into_the_file_is_found_and_told_by_its_time_and_stays_as_written(play: Play) -> None:
    async def story(told: Told) -> None:
        path = told.folder.path / "roles/main/memory.json"
        records = [
            {"id": "a", "content": "昨天把阁楼的窗户修好了。", "timestamp": "2026-03-10T23:30:00Z"},
            {"id": "b", "content": "Yesterday the fence was painted."},
            {"id": "c", "content": "Tomorrow we drive to Graz.", "timestamp": "2026-11-24T09:00:00Z"},
        ]
        path.write_text(
            json.dumps(
                {"characterUuid": "u", "episodic": records, "semantic": [], "traits": [], "goals": []},
                ensure_ascii=False,
            ),
            "utf-8",
        )
        written = path.read_bytes()
        assert await told.texts("What happened on 10 March?") == {"昨天把阁楼的窗户修好了。"}
        assert "昨天把阁楼的窗户修好了。 (on 2026-03-10)" in (await told.ask("阁楼的窗户什么时候修好的？"))["content"]
        assert "Graz. (planned for 2026-11-25)" in (await told.ask("When do we drive to Graz?"))["content"]
        (hit,) = (await told.call("search", query="what happened on 2026-03-10", role="main"))["hits"][:1]
        assert (hit["id"], hit["event"]) == ("a", "2026-03-10")
        listed = (await told.call("memory.list", role="main"))["memories"]
        assert {one["id"]: one.get("event", "") for one in listed} == {"a": "2026-03-10", "b": "", "c": "2026-11-25"}
        then = (await told.ask("阁楼的窗户什么时候修好的？", as_of="2026-05-01"))["content"]
        assert "(on 2026-03-10)" in then
        assert path.read_bytes() == written
        assert "eventStart" not in await told.record("a")

        told.folder.settings(trigger__zone="America/New_York")
        listed = (await told.call("memory.list", role="main"))["memories"]
        assert {one["id"]: one.get("event", "") for one in listed}["a"] == "2026-03-09"

    play(story)


def test_a_plan_of_several_days_ends_with_its_last(play: Play) -> None:
    async def story(told: Told) -> None:
        trip = await told.remember("From Friday to Sunday I'm at the choir retreat in Lindau.")
        errand = await told.remember("10号到12号开会。")
        record = await told.record(trip["id"])
        assert (record["eventStart"], record["eventEnd"]) == ("2026-11-27T00:00:00+01:00", "2026-11-30T00:00:00+01:00")
        assert (await told.record(errand["id"]))["expiresAt"] == "2027-03-12T23:00:00Z"  # 90 days after the 12th
        for moment, note in (
            ("2026-11-26T12:00:00+01:00", "(planned for 2026-11-27 to 2026-11-29)"),
            ("2026-11-29T23:00:00+01:00", "(planned for 2026-11-27 to 2026-11-29)"),
            ("2026-11-30T01:00:00+01:00", "(was planned for 2026-11-27 to 2026-11-29)"),
        ):
            told.at(moment)
            assert note in (await told.ask("When is the choir retreat in Lindau?"))["content"], moment
        assert await told.texts("What happened on 28 November?") == {trip["content"]}
        told.at("2027-03-12T12:00:00+01:00")
        assert (await told.call("upkeep.run", role="main"))["roles"][0].get("archive", []) == []
        told.at("2027-03-13T12:00:00+01:00")
        (kept,) = (await told.call("upkeep.run", role="main"))["roles"]
        assert [one["id"] for one in kept["archive"]] == [errand["id"]]

    play(story)


def test_a_day_that_both_say_by_its_word_is_not_the_same_day(play: Play) -> None:
    async def story(told: Told) -> None:
        await told.remember("I met the new landlord today, he is called Brandt.")
        await told.remember("昨天把自行车卖给了阿远。")
        told.at("2026-12-09T09:00:00+01:00")
        for question in ("What did I do today?", "What happened yesterday?", "昨天发生了什么？", "我今天做了什么？"):
            assert await told.texts(question) == set(), question
        assert len(await told.texts("Who is the new landlord?")) == 1
        assert len(await told.texts("自行车卖给谁了？")) == 1

    play(story)
