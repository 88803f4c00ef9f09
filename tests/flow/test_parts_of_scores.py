"""Every score is told with its parts as numbers, so that a page can draw them: they come to the score, and say what stopped it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from memd.errors import MemdError
from tests.support import Daemon, Folder, until

ASKED = {
    "english": "Where does the kiln glaze stand, and which kiln is hot?",
    "chinese": "窑里的釉料放在哪里，哪个窑是热的？",
}
RULES = {"below threshold", "budget", "limit of its kind", "recently injected"}


def kilns(folder: Folder) -> None:
    """A role with memories of many weights, ages and priorities, constants, what is over, and what is said twice."""
    records: list[dict[str, Any]] = [
        {
            "id": f"kiln-{n}",
            "content": f"The glaze for kiln number {n} stands on shelf {n * 7}; {n} 号窑的釉料放在第 {n * 7} 个架子上。",
            "keywords": ["kiln", "窑"],
            "priority": n * 10,
            "relevanceWeight": 1.0 - n / 10,
            "updatedAt": f"202{n % 6}-03-0{1 + n % 7}T09:00:00Z",
        }
        for n in range(9)
    ]
    records.append(
        {"id": "always", "content": "The kilns belong to Ana.", "isConstant": True, "keywords": ["kiln", "窑"]}
    )
    records.append(
        {"id": "over", "content": "The kiln is cold; 窑是冷的。", "keywords": ["kiln", "窑"], "expiresAt": "2020-01-01"}
    )
    document = {"characterUuid": "main", "episodic": [], "semantic": records, "traits": [], "goals": []}
    folder.file("main").write_text(json.dumps(document, ensure_ascii=False, indent=2), "utf-8")


@pytest.fixture
def kiln(workspace: Folder, daemon: Daemon) -> Daemon:
    workspace.write("main", "The kiln.")
    kilns(workspace)
    workspace.settings(trigger__max_semantic=1)
    until(lambda: daemon.call("memory.list", role="main")["total"] == 11, 20, "the file is read")
    return daemon


def near(value: float, other: float) -> bool:
    return abs(value - other) < 0.001


@pytest.mark.parametrize("language", ASKED)
def test_the_parts_of_a_score_come_to_it(kiln: Daemon, language: str) -> None:
    reply = kiln.call("trigger", role="main", message=ASKED[language], explain=True)
    candidates = [*reply["activated"], *reply["refused"]]
    assert len(candidates) == reply["counts"]["candidates"] == 11
    threshold = kiln.call("config.get")["settings"]["trigger"]["relevance_threshold"]
    ranked = 0
    for one in candidates:
        parts = one["parts"]
        doubt = 1.0
        for said in one["strategies"].values():
            doubt *= 1 - min(said, 0.99)
        assert near(parts["said"], 1 - doubt), one
        if one["id"] == "always":
            assert (parts["relevance"], parts["score"], "threshold" in parts) == (1.0, 1.0, False)
            continue
        assert near(parts["relevance"], parts["said"] * parts["weight"] * parts["link"]), one
        if one.get("why") == "expired":
            assert parts["score"] == 0
            continue
        ranked += 1
        assert near(parts["score"], parts["relevance"] * parts["priority"] * parts["age"]), one
        assert 0.6 <= parts["age"] <= 1
        assert 0.6 <= parts["priority"] <= 1
        assert parts["threshold"] == threshold
        assert (parts["relevance"] < threshold) == (one.get("why") == "below threshold"), one
    assert ranked == 9
    assert len({one["parts"]["weight"] for one in candidates}) > 5
    assert [one["score"] for one in reply["activated"]] == [one["parts"]["score"] for one in reply["activated"]]
    plain = kiln.call("trigger", role="main", message=ASKED[language])
    assert all("parts" not in one for one in plain["activated"])


def test_what_stopped_a_candidate_is_told_in_figures(kiln: Daemon) -> None:
    message, found = ASKED["english"], dict[str, list[dict[str, Any]]]()
    kiln.call("trigger", role="main", message=message, session="s", turn=1)
    scenes: list[dict[str, Any]] = [{"session": "s", "turn": 3}, {"budget": 200}, {"budget_tokens": 60}]
    for scene in scenes:
        for one in kiln.call("trigger", role="main", message=message, explain=True, **scene)["refused"]:
            found.setdefault(one["why"], []).append(one)
    assert found.keys() >= RULES
    for why, some in found.items():
        assert all(("measured" in one) == (why in RULES) for one in some), why
    low = found["below threshold"][0]
    assert low["measured"] == {
        "what": "relevance",
        "value": low["parts"]["relevance"],
        "bound": low["parts"]["threshold"],
    }
    assert {one["measured"]["what"] for one in found["budget"]} == {"characters", "tokens"}
    for one in found["budget"]:
        told = one["measured"]
        assert told["value"] > told["bound"] >= 0
        assert told["of"] == {"characters": 200, "tokens": 60}[told["what"]]
        assert one["detail"] == f"{told['value']:g} {told['what']}, {told['bound']:g} left of {told['of']:g}"
    assert found["limit of its kind"][0]["measured"] == {"what": "memories", "value": 2, "bound": 1}
    assert found["recently injected"][0]["measured"] == {"what": "turns", "value": 2, "bound": 10}


def test_the_refused_are_bounded_the_nearest_first_and_counted(kiln: Daemon) -> None:
    whole = kiln.call("trigger", role="main", message=ASKED["english"], explain=True)
    few = kiln.call("trigger", role="main", message=ASKED["english"], explain=True, explain_limit=3)
    assert few["counts"] == whole["counts"]
    assert len(few["refused"]) == 3 < len(whole["refused"]) == whole["counts"]["refused"]
    nearest = sorted((one["parts"]["relevance"] for one in whole["refused"] if one["parts"]["score"]), reverse=True)
    assert [one["parts"]["relevance"] for one in few["refused"]] == nearest[:3]


def test_the_weights_of_the_dimensions_make_the_total(daemon: Daemon) -> None:
    for content in ("I live in Graz and work as a nurse.", "我住在格拉茨，是一名护士。"):
        judged = daemon.call("score", role="main", content=content)
        proposed = daemon.call("propose", role="main", messages=[{"content": content}])["proposals"][0]
        for one, total in ((judged, judged["computed_total"]), (proposed, proposed["total"])):
            dimensions = one["dimensions"].values()
            assert near(sum(part["weight"] for part in dimensions), 1)
            assert abs(sum(part["weight"] * part["value"] for part in dimensions) - total) <= 0.051


def test_other_settings_are_tried_and_stay_as_they_are(kiln: Daemon) -> None:
    def came(**trying: Any) -> set[str]:
        reply = kiln.call("trigger", role="main", message=ASKED["english"], explain=True, trying=trying)
        bounds = {one["parts"].get("threshold") for one in (*reply["activated"], *reply["refused"])}
        assert bounds == {None, trying.get("relevance_threshold", 0.3)}
        return {one["id"] for one in reply["activated"]}

    before = came()
    assert len(before) == 2
    assert came(max_semantic=0) == {"always"} < before
    assert came(relevance_threshold=1.0) == {"always"}
    assert came() == before
    with pytest.raises(MemdError, match="explain"):
        kiln.call("trigger", role="main", message=ASKED["english"], trying={"max_semantic": 4})
    for wrong in ({"max_semantic": 1001}, {"relevance_threshold": 1.1}, {"budget": 5}):
        with pytest.raises(MemdError):
            kiln.call("trigger", role="main", message=ASKED["english"], explain=True, trying=wrong)
