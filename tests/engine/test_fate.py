"""What becomes of a statement: a table of rules, each case one sentence."""

from __future__ import annotations

from typing import Any

import pytest

from memd.engine.keep.aging import lasting
from memd.engine.keep.fate import AUTO, INBOX, Fate, Weight, fate_of

WORTH = {"total": 8.0, "near": True, "keep": True}
EDGE = {"total": 6.0, "near": True, "keep": False}
NOTHING = {"total": 3.0, "near": False, "keep": False}


@pytest.mark.parametrize(
    ("known", "level", "fate"),
    [
        pytest.param(WORTH, AUTO, Fate.KEPT, id="what is clearly worth keeping is kept"),
        pytest.param(WORTH, INBOX, Fate.STAGED, id="at inbox all of it waits"),
        pytest.param(EDGE, AUTO, Fate.STAGED, id="what is near the edge waits"),
        pytest.param(NOTHING, AUTO, Fate.REFUSED, id="what is worth nothing is let go"),
        pytest.param(NOTHING, INBOX, Fate.REFUSED, id="at inbox, too"),
        pytest.param({**EDGE, "keep": True}, AUTO, Fate.KEPT, id="a sure change is kept below the edge"),
        pytest.param({**WORTH, "delicate": "health"}, AUTO, Fate.STAGED, id="what is delicate waits"),
        pytest.param({**WORTH, "delicate": "health", "asked": True}, AUTO, Fate.KEPT, id="unless it was asked for"),
        pytest.param({**WORTH, "delicate": "health", "asked": True}, INBOX, Fate.STAGED, id="at inbox even so"),
        pytest.param({**WORTH, "asserted": False}, AUTO, Fate.REFUSED, id="what is not asserted is let go"),
        pytest.param({**WORTH, "asserted": False, "asked": True}, AUTO, Fate.KEPT, id="unless it was asked for"),
        pytest.param({**WORTH, "doubt": True}, AUTO, Fate.KEPT, id="what may be a change is kept beside what it may change"),
        pytest.param({**EDGE, "doubt": True}, AUTO, Fate.STAGED, id="near the edge it waits"),
        pytest.param({**WORTH, "by_user": False}, AUTO, Fate.STAGED, id="an agent's word waits"),
        pytest.param({**EDGE, "by_user": False}, AUTO, Fate.REFUSED, id="and is let go near the edge"),
        pytest.param({**WORTH, "known": True}, AUTO, Fate.KNOWN, id="what is known is known"),
        pytest.param({**WORTH, "known": True}, INBOX, Fate.KNOWN, id="at inbox, too"),
        pytest.param({**WORTH, "later": True, "asked": True}, AUTO, Fate.REFUSED, id="what holds is not changed by older words"),
        pytest.param({**WORTH, "over": True}, AUTO, Fate.REFUSED, id="an errand that is over is let go"),
    ],
)  # fmt: skip
def test_rule(known: dict[str, Any], level: str, fate: Fate) -> None:
    assert fate_of(Weight(**known), level).fate is fate


@pytest.mark.parametrize(
    ("text", "group"),
    [
        ("I am allergic to peanuts.", "health"),
        ("我对花生过敏。", "health"),
        ("I live in Lisbon.", "home"),
        ("我住在杭州。", "home"),
        ("I work as a nurse in Lyon.", "work"),
        ("我在一家设计公司上班。", "work"),
        ("My name is Tom.", "identity"),
        ("我叫王芳。", "identity"),
        ("I prefer tea to coffee.", "preference"),
        ("我更喜欢喝茶。", "preference"),
        ("My sister Ana moved to Lisbon last week.", ""),
        ("我妹妹住在里斯本。", ""),
        ("My husband is allergic to cats.", ""),
        ("My wife is called Clara.", "identity"),
        ("Jonas my flatmate is allergic to nuts.", ""),
        ("Ruth told me she's got a mild walnut allergy.", ""),
        ("The build needs Node 20.", ""),
        ("Paris is lovely in spring.", ""),
        ("构建需要 Node 20。", ""),
    ],
)
def test_what_lasts_of_the_user_is_proposed_for_the_users_page(text: str, group: str) -> None:
    assert lasting(text) == group
