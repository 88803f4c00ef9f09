"""From an empty home to a fact that the next conversation has: one command, no question, with the agents' own binaries; and back.

The binaries are in MEMD_AGENTS, or in .agents (`make agents` puts them there). Where they are not, these tests skip.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, field

import pytest

from tests.agents.real import BINARIES, IN_NODE, MODELS
from tests.agents.standins import Standin
from tests.cli.setup.conftest import home  # noqa: F401  a fixture
from tests.cli.setup.homes import Home
from tests.pages import commands_of
from tests.support import ROOT

pytestmark = pytest.mark.agents

TOLD = {
    "English": ("Remember that I am allergic to penicillin.", "What am I allergic to?", "penicillin"),
    "Chinese": ("记住我对青霉素过敏。", "我对什么过敏？", "青霉素"),
}


@dataclass
class Owner:
    """Somebody with one agent, and a stand-in for its model."""

    agent: str
    home: Home
    model: Standin
    env: dict[str, str] = field(default_factory=dict)

    def settle(self) -> None:
        """What the agent needs to talk to the stand-in, and to no one else: there before memd is."""
        place = self.home.path / "work"
        place.mkdir()
        self.home.programs.joinpath(self.agent).symlink_to(BINARIES[self.agent])
        if self.agent == "claude":
            self.env |= {
                "ANTHROPIC_BASE_URL": self.model.url, "ANTHROPIC_API_KEY": "none", "DISABLE_TELEMETRY": "1",
                "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            }  # fmt: skip
        elif self.agent == "codex":
            self.home.put(
                ".codex/config.toml",
                'model = "gpt-5"\nmodel_provider = "standin"\n[model_providers.standin]\nname = "standin"\n'
                f'base_url = "{self.model.url}/v1"\nwire_api = "responses"\n',
            )
        else:
            self.env |= IN_NODE | {"GOOGLE_GEMINI_BASE_URL": self.model.url, "GEMINI_API_KEY": "none"}
            more = {
                "security": {"auth": {"selectedType": "gemini-api-key"}},
                "privacy": {"usageStatisticsEnabled": False},
            }
            self.home.put(".gemini/settings.json", json.dumps(more))
            self.home.put(".gemini/trustedFolders.json", json.dumps({str(place): "TRUST_FOLDER"}))

    def says(self, prompt: str, *more: str) -> None:
        """Give the agent a prompt, in a conversation of its own; `more`: words of its command line."""
        words = {
            "claude": ["-p", prompt],
            "codex": ["exec", "--dangerously-bypass-hook-trust", "--skip-git-repo-check", prompt],
            "gemini": ["--model", "gemini-2.5-flash", "-p", prompt],
        }  # fmt: skip
        env = {"HOME": str(self.home.path), "PATH": f"{self.home.programs}:/usr/bin:/bin", **self.env}
        ended = subprocess.run(
            [self.agent, *more, *words[self.agent]], cwd=self.home.path / "work", env=_with_runtime(env),
            executable=self.home.programs / self.agent, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=100, check=False,
        )  # fmt: skip
        assert ended.returncode == 0, ended.stderr[-2000:]


def _with_runtime(env: dict[str, str]) -> dict[str, str]:
    return env | {name: os.environ[name] for name in ("XDG_RUNTIME_DIR", "MEMD_EMBEDDINGS") if name in os.environ}


@pytest.fixture(params=MODELS)
def owner(request: pytest.FixtureRequest, home: Home) -> Iterator[Owner]:  # noqa: F811  the fixture
    if not BINARIES[request.param].exists():
        pytest.skip(f"no {request.param} here: `make agents`")
    made = Owner(request.param, home, MODELS[request.param]())
    made.settle()
    yield made
    made.model.close()


@pytest.mark.parametrize("language", TOLD)
def test_a_fact_told_in_one_conversation_is_there_in_the_next_and_undo_leaves_nothing(
    owner: Owner, language: str
) -> None:
    told, asked, known = TOLD[language]
    owner.home.setup("--yes")
    owner.says(told)
    owner.says(asked)
    assert known in owner.model.seen()
    assert known not in asked
    owner.home.setup("--undo", check=False)
    theirs = {name: one[1] for name, one in owner.home.all().items() if name.partition("/")[0] != "memory"}
    settings = {
        name: one
        for name, one in theirs.items()
        if name.endswith(("settings.json", ".claude.json", "hooks.json", "config.toml"))
    }
    assert [name for name, one in settings.items() if isinstance(one, bytes) and b"memd" in one] == []
    assert not [name for name in theirs if name.startswith((".local/state/memd", ".cache/memd"))]


@pytest.mark.parametrize("language", ["", "zh/"])
def test_what_an_agents_page_says_to_it_is_told_to_its_model_as_the_page_shows(owner: Owner, language: str) -> None:
    page = f"docs/start/{language}{owner.agent}.md"
    owner.home.setup("--yes")
    said = [one for one in commands_of(page, (ROOT / page).read_text("utf-8")) if one.conversation]
    assert len(said) == 2
    for one in said:
        owner.says(one.text)
        shown = [words.strip() for words in re.split("[…\n]", one.shown or "") if words.strip()]
        assert shown
        assert [words for words in shown if words not in owner.model.seen()] == [], one.place
