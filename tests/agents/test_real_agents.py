"""Real agents with memd's hooks, from end to end: what the model is shown, what is kept, what is refused."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from memd.storage.itself import own_line
from tests.agents.real import MODELS, Real, at_work
from tests.agents.standins import Call
from tests.support import Folder, memd, until

pytestmark = pytest.mark.agents

SHELL = {"claude": ("Bash", "command"), "codex": ("exec_command", "cmd"), "gemini": ("run_shell_command", "command")}
KEY = "The deploy key of the shop lives in the blue safe."
PEANUT = "用户对花生过敏，聚餐要避开花生。"
NODE = "The build needs Node 22."
BRIEF = "用户喜欢简洁的回答。"


@pytest.fixture(params=MODELS)
def real(request: pytest.FixtureRequest, workspace: Folder, tmp_path: Path) -> Iterator[Real]:
    workspace.write("main", KEY, PEANUT)
    (workspace.path / "MEMORY.md").write_text(f"# Memory\n\n- {NODE}\n", "utf-8")
    (workspace.path / "USER.md").write_text(f"- {BRIEF}\n", "utf-8")
    with at_work(request.param, workspace, tmp_path) as one:
        one.daemon.start()
        yield one


def test_the_model_is_shown_the_memory_and_may_not_write_it_by_hand(real: Real) -> None:
    tool, argument = SHELL[real.name]
    command = f"echo '- no meat' >> {real.workspace}/MEMORY.md"
    real.model.script.extend([Call(tool, {argument: command}), "In the blue safe."])
    assert "In the blue safe." in real.run("Where is the deploy key of the shop?")
    first, second = real.model.seen(0), real.model.seen(1)
    for told in (NODE, BRIEF, KEY):
        assert told in first
    assert PEANUT not in first
    assert "which is memory. Memory is written through memd." in second
    assert f"{own_line()} remember main 'no meat' --source agent" in second
    assert (real.workspace / "MEMORY.md").read_text() == f"# Memory\n\n- {NODE}\n"
    both = [("user", "Where is the deploy key of the shop?"), ("assistant", "In the blue safe.")]
    until(lambda: real.spoken() == both, 5, "both sides are in the session")


def test_hooks_in_both_scopes_inject_once_and_keep_it_once(real: Real, tmp_path: Path) -> None:
    trace = tmp_path / "trace"
    real.install_by_hand_too(trace)
    real.model.script.append("不能点，您对花生过敏。")
    assert "您对花生过敏" in real.run("今晚聚餐，花生能点吗？")
    assert trace.read_text().count("ran") >= 3  # a start, a prompt and a stop, in the project's scope as well
    shown = real.model.seen(0)
    assert [shown.count(told) for told in (NODE, BRIEF, PEANUT)] == [1, 1, 1]
    assert KEY not in shown
    both = [("user", "今晚聚餐，花生能点吗？"), ("assistant", "不能点，您对花生过敏。")]
    until(lambda: real.spoken() == both, 5, "both sides are in the session")


def test_a_conversation_that_goes_on_is_one_session_and_keeps_its_memory(real: Real) -> None:
    said: list[tuple[str, str]] = []
    for number, prompt in enumerate(("Where is the deploy key of the shop?", "The deploy key of the shop, once more?")):
        real.model.script.append("Safe.")
        real.run(prompt, more=bool(number))
        shown = real.model.seen()
        assert NODE in shown
        assert shown.count(KEY) == 1  # told anew only where the agent does not show it again by itself
        said += [("user", prompt), ("assistant", "Safe.")]
        until(lambda: real.spoken() == said, 5, "both sides are in the session")  # noqa: B023  looked at here and now


def test_after_a_compaction_the_window_has_its_memory_again(real: Real) -> None:
    if real.name != "claude":
        pytest.skip("only Claude Code compacts without a terminal")
    real.run("Where is the deploy key of the shop?")
    real.run("/compact", more=True)
    real.run("Where is that deploy key of the shop?", more=True)
    shown = real.model.seen()
    assert [shown.count(told) for told in (NODE, BRIEF, KEY)] == [1, 1, 1]
    kinds = real.daemon.call("session.get", session=real.daemon.call("session.search")["sessions"][0]["session"])[
        "kinds"
    ]
    assert kinds["note"] == 1


def test_where_no_daemon_runs_the_agent_answers_all_the_same(real: Real) -> None:
    real.daemon.stop()
    memd("trust", "--revoke", "hooks.start", "-w", str(real.workspace))
    real.model.script.append("I do not know.")
    assert "I do not know." in real.run("Where is the deploy key of the shop?")
    assert KEY not in real.model.seen(0)
    assert NODE not in real.model.seen(0)


def test_where_no_daemon_runs_a_session_starts_one(real: Real) -> None:
    real.daemon.stop()
    real.model.script.append("In the blue safe.")
    try:
        assert "In the blue safe." in real.run("Where is the deploy key of the shop?")
        assert NODE in real.model.seen(0)
        assert KEY in real.model.seen(0)
    finally:
        memd("down", "-w", str(real.workspace), check=False)


def test_a_plain_call_of_memds_own_passes_under_default_permissions_and_another_does_not(real: Real) -> None:
    if real.name != "claude":
        pytest.skip("without a terminal only Claude Code refuses what nobody may approve")
    tool, key = SHELL[real.name]
    real.env["MEMD_WORKSPACE"] = str(real.workspace.resolve())
    plain = f"{own_line()} search 'blue safe'"
    for line, passes in ((plain, True), (f"{plain} && echo done", False)):
        at = len(real.model.asked)
        real.model.script += [Call(tool, {key: line}), "Done."]
        real.run("Look it up.")
        result = real.model.seen(at + 1).rpartition('"tool_result"')[2]
        assert ("lives in the" in result) == passes, result[:500]
