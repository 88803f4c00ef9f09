"""What a person told an agent before memd came is known after one command, read from the files that the agent's own program wrote.

The binaries are in MEMD_AGENTS, or in .agents (`make agents` puts them there). Where they are not, these tests skip.
"""

from __future__ import annotations

import json
import os
import time

import pytest

from tests.agents.test_setup_with_agents import Owner, owner  # noqa: F401  a fixture
from tests.cli.setup.conftest import home  # noqa: F401  a fixture
from tests.support import memd, until

pytestmark = pytest.mark.agents

TOLD = {
    "English": ("I am allergic to penicillin. What could I take for a cold?", "What am I allergic to?", "penicillin"),
    "Chinese": ("我对青霉素过敏。感冒了可以吃什么药？", "我对什么过敏？", "青霉素"),
}


@pytest.mark.parametrize("language", TOLD)
def test_what_was_told_before_memd_came_is_known_to_the_next_conversation(owner: Owner, language: str) -> None:  # noqa: F811  the fixture
    told, asked, known = TOLD[language]
    owner.says(told)
    kept = [one for one in owner.home.path.rglob("*.json*") if told.encode() in one.read_bytes()]
    assert kept, "the agent keeps what was said"
    for one in kept:
        os.utime(one, (time.time() - 7200,) * 2)
    owner.home.setup("--yes", "--past")
    until(lambda: known in memd("list", "main", "-w", str(owner.home.memory)).stdout, 60, "it is known")
    status = ("status", "--json", "-w", str(owner.home.memory))
    until(lambda: json.loads(memd(*status).stdout)["log"]["waiting"] == 0, 20, "all is in the files")
    said = "".join(one.read_text("utf-8") for one in (owner.home.memory / "sessions").rglob("*.jsonl"))
    assert said.count('"kind":"message"') == 2, "a prompt and its answer, and nothing that the agent put beside them"
    owner.says(asked)
    assert known in owner.model.seen()
    for one in owner.home.path.rglob("*.json*"):
        os.utime(one, (time.time() - 7200,) * 2)
    again = json.loads(memd("import", "--past", "--json", "-w", str(owner.home.memory)).stdout)
    assert (again["agents"], again["left"]) == ([], {"it is known already": 2}), (
        "hooks' sessions have the names of files"
    )
