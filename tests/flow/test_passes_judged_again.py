"""What a pass kept by words alone, as the model had no time, is judged again like what was remembered so."""

from __future__ import annotations

from typing import Any

from tests.contract.embedders import packaged
from tests.flow.test_consolidation import became, say
from tests.flow.test_embedder import embedder
from tests.flow.test_judged_again import BOTH, MOVED, SAME, Still, place_of_text, still

__all__ = ["still"]
pytestmark = packaged


def kept(still: Still, said: str) -> dict[str, Any]:
    say(still.daemon, "talk", [("user", said)])
    (one,) = [one for one in became(still.daemon.call("consolidate.run")) if one["fate"] == "kept"]
    return one


def test_a_change_that_a_pass_did_not_see_takes_the_place_when_the_model_answers(still: Still) -> None:
    known, said = MOVED["english"]
    one = kept(still, said)
    assert embedder(still.daemon)["provisional"] == 1
    still.go_on()
    assert still.get(place_of_text(still, known))["superseded_by"] == one["memory"]


@BOTH
def test_what_a_pass_kept_twice_for_want_of_a_model_joins_what_is_known(still: Still, language: str) -> None:
    known, said = SAME[language]
    older = place_of_text(still, known)
    one = kept(still, said)
    still.go_on()
    told = still.get(one["id"])
    assert (told["id"], told["judged"]["became"]) == (older, "duplicate")
    (undone,) = [pass_["id"] for pass_ in still.daemon.call("consolidate.list")["passes"]]
    assert still.daemon.call("consolidate.undo", id=undone)["left"] == {one["memory"]: "it is not there any more"}


def test_a_pass_that_is_undone_meanwhile_stays_undone(still: Still) -> None:
    one = kept(still, MOVED["english"][1])
    (report,) = [one["id"] for one in still.daemon.call("consolidate.list")["passes"]]
    still.daemon.call("consolidate.undo", id=report)
    still.go_on()
    assert "superseded_by" not in still.get(place_of_text(still, MOVED["english"][0]))
    assert one["memory"] not in [each["id"] for each in still.daemon.call("memory.list", role="main")["memories"]]
