"""Settings: one is found, changed and seen in memd.toml with its comments, by mouse and by keys; what is wrong is told beside it."""

from __future__ import annotations

import json
import re
from typing import Any

from memd.model.settings import declared, tables
from memd.model.trust import PROTECTIONS
from tests.browser.conftest import HOSTILE, KEYS, LANGUAGES, Visit, Visitor
from tests.support import ROOT, Daemon, until

SOUGHT = {"en": "whole block", "zh": "整个记忆块的字符数"}
SAVE = {"en": "Save", "zh": "保存"}


def toml(daemon: Daemon) -> str:
    return (daemon.folder.path / "memd.toml").read_text("utf-8")


def form(visitor: Visitor, key: str) -> Any:
    return visitor.page.locator(f"[id='set-{key.replace('.', '-')}']")


def at(visitor: Visitor, table: str, **more: str) -> Visitor:
    asked = "&".join(f"{name}={value}" for name, value in {"table": table, **more}.items())
    return visitor.to(f"/settings?{asked}")


def refused(visitor: Visitor) -> None:
    """The browser tells of the status of what was refused."""
    assert visitor.complaints
    visitor.complaints[:] = [one for one in visitor.complaints if "422" not in one]


def test_every_setting_has_its_words_in_chinese() -> None:
    told = json.loads((ROOT / "memd/doors/web/words/declared/zh.json").read_text("utf-8"))
    own = {name: {"", *(one.key for one in declared(table))} for name, table, _ in tables()}
    own["gives_up"] = {one.key for one in PROTECTIONS}
    assert {name: set(words) for name, words in told.items()} == own
    assert all(re.search("[\u4e00-\u9fff]", word) for words in told.values() for word in words.values())


@LANGUAGES
@KEYS
def test_a_setting_is_found_and_changed_and_comments_stay(
    visit: Visit, daemon: Daemon, language: str, keys: bool
) -> None:
    before = toml(daemon)
    visitor = visit(language).to("/settings")
    if keys:
        visitor.presses("/")
        visitor.page.keyboard.type(SOUGHT[language])
    else:
        visitor.page.locator("#find").fill(SOUGHT[language])
    visitor.page.locator("[id='set-trigger-keyword']").wait_for(state="detached")
    found = form(visitor, "injection.budget_chars")
    field = found.locator("[name=value]")
    if keys:
        for _ in range(30):
            if field.evaluate("field => field === document.activeElement"):
                break
            visitor.presses("Tab")
        visitor.presses("Control+a")
        visitor.page.keyboard.type("3100")
        visitor.presses("Enter")
    else:
        field.fill("3100")
        found.get_by_role("button", name=SAVE[language], exact=True).click()
    until(lambda: "budget_chars = 3100" in toml(daemon), 20, "it is in the file")
    assert [line for line in toml(daemon).split("\n") if not line.startswith("budget_chars = 3100")] == [
        line for line in before.split("\n") if not line.startswith("budget_chars = 2000")
    ]
    assert "characters of the whole block" in next(line for line in toml(daemon).split("\n") if "3100" in line)
    assert daemon.call("config.get", key="injection.budget_chars")["settings"] == {"injection": {"budget_chars": 3100}}
    visitor.page.locator("#notes .note.good").wait_for()
    visitor.page.locator(".file .line", has_text="budget_chars = 3100").wait_for()


def test_a_switch_and_a_choice_are_saved_and_set_to_the_default(visit: Visit, daemon: Daemon) -> None:
    visitor = at(visit(), "gate")
    form(visitor, "gate.relations").locator("[name=value]").click()
    until(lambda: "relations = false" in toml(daemon), 20, "it is off")
    form(visitor, "gate.secrets").locator("select").select_option("refuse")
    form(visitor, "gate.secrets").get_by_text("Save").click()
    until(lambda: 'secrets = "refuse"' in toml(daemon), 20, "it refuses")
    visitor.page.get_by_role("button", name="Set gate.relations to its default").click()
    until(lambda: "relations = true" in toml(daemon), 20, "it is on again")


def test_what_is_wrong_is_told_beside_the_field_which_keeps_it(visit: Visit, daemon: Daemon) -> None:
    visitor, before = at(visit(), "gate"), toml(daemon)
    found = form(visitor, "gate.keep_from")
    for wrong, why in (("11", "from 0 to 10"), ("much", "must be a number")):
        found.locator("[name=value]").fill(wrong)
        visitor.presses("Enter")
        told = found.locator(".beside .note.bad")
        told.get_by_text(why).wait_for()
        assert "settings" in told.locator("code").inner_text()
        assert found.locator("[name=value]").input_value() == wrong
        assert found.locator("[name=value]").get_attribute("aria-invalid") == "true"
    assert toml(daemon) == before
    refused(visitor)


def test_an_edit_in_an_editor_shows_without_reload_and_keeps_what_is_typed(visit: Visit, daemon: Daemon) -> None:
    visitor = at(visit(), "gate")
    typed = form(visitor, "gate.warn_from").locator("[name=value]")
    typed.fill("4.25")
    daemon.folder.settings(gate__keep_from=6.5)
    visitor.page.locator(".file .line", has_text="keep_from = 6.5").wait_for()
    shown = form(visitor, "gate.keep_from").locator("[name=value]")
    until(lambda: shown.input_value() == "6.5", 20, "the field is as the file has it")
    assert typed.input_value() == "4.25"
    broken = toml(daemon).replace("keep_from = 6.5", "keep_from = 99")
    (daemon.folder.path / "memd.toml").write_text(broken, "utf-8")
    visitor.page.locator("[role=alert]", has_text="from 0 to 10").wait_for()
    visitor.page.locator(".file .line", has_text="keep_from = 99").wait_for()


@LANGUAGES
def test_what_only_the_machine_allows_is_shown_with_its_command(visit: Visit, daemon: Daemon, language: str) -> None:
    visitor = at(visit(language), "capture")
    found = form(visitor, "capture.level")
    found.locator("select").select_option("auto")
    found.get_by_role("button", name=SAVE[language], exact=True).click()
    found.locator("code", has_text="memd capture auto").wait_for()
    assert daemon.call("capture.level")["level"] == "explicit"
    visitor.to("/settings?tab=agents").page.locator("code", has_text="capture.level = auto").wait_for()


def test_a_role_has_its_own(visit: Visit, daemon: Daemon) -> None:
    daemon.call("remember", role="main", content="The good tea is on the left.", explicit=True, source="user")
    visitor = at(visit(), "trigger", role="main")
    assert form(visitor, "daemon.recent").count() == 0
    found = form(visitor, "trigger.max_trait")
    found.locator("[name=value]").fill("7")
    visitor.presses("Enter")
    found.get_by_text("roles/main/role.toml:").wait_for()
    assert "max_trait = 5" in toml(daemon)
    assert daemon.call("config.get", role="main")["own"]["trigger"]["max_trait"] == 7
    visitor.to("/settings?tab=roles").page.locator("code", has_text="trigger.max_trait = 7").wait_for()
    own = daemon.folder.path / "roles/main/role.toml"
    own.write_text(own.read_text("utf-8").replace("max_trait = 7", "max_trait = 7 # few"), "utf-8")
    visitor = at(visitor, "trigger", role="main")
    visitor.page.get_by_role("button", name="Take trigger.max_trait out of this role's own file").click()
    until(lambda: daemon.call("config.get", role="main")["own"] == {"trigger": {}}, 20, "it is as for everyone")
    assert own.read_text("utf-8").endswith("# few\n")
    visitor.page.locator("#notes").get_by_role("button", name="Undo").last.click()
    until(lambda: daemon.call("config.get", role="main")["own"]["trigger"] == {"max_trait": 7}, 20, "it is back")


def test_hostile_values_are_text_and_a_field_without_measure_is_not_sent(visit: Visit, daemon: Daemon) -> None:
    daemon.folder.settings(hooks__role=HOSTILE)
    visitor = at(visit(), "hooks")
    field = form(visitor, "hooks.role").locator("[name=value]")
    assert field.input_value() == HOSTILE
    visitor.page.locator(".file .line", has_text="<img src=x").wait_for()
    assert visitor.page.locator("#screen img, #screen script").count() == 0
    assert visitor.page.title() == "Settings · memd"
    field.fill("x" * 1_000_000)
    visitor.presses("Enter")
    visitor.page.locator(".note.bad").get_by_text("too long", exact=False).wait_for()
    assert "x" * 100 not in toml(daemon)


def test_memories_go_out_as_a_file_and_come_in_by_a_plan(visit: Visit, daemon: Daemon, tmp_path: Any) -> None:
    daemon.call("remember", role="main", content="The good tea is on the left.", explicit=True, source="user")
    daemon.call("role.create", name="other")
    visitor = visit().to("/settings?tab=carry")
    with visitor.page.expect_download() as coming:
        visitor.page.get_by_role("button", name="Export", exact=True).click()
    file = tmp_path / coming.value.suggested_filename
    coming.value.save_as(file)
    assert "The good tea is on the left." in file.read_text("utf-8")
    visitor.page.locator("#import-role").select_option("other")
    visitor.page.locator("#import-file").set_input_files(str(file))
    visitor.page.locator("#import-role ~ *, [name=content]").first.wait_for(state="attached")
    until(lambda: visitor.page.locator("[name=content]").input_value(), 20, "the file is read")
    visitor.page.get_by_role("button", name="Show the plan").click()
    visitor.page.locator("#plan").get_by_text("1 memory").wait_for()
    assert daemon.call("memory.list", role="other")["memories"] == []
    visitor.page.get_by_role("button", name="Bring it in").click()
    until(lambda: len(daemon.call("memory.list", role="other")["memories"]) == 1, 20, "it came in")
    visitor.page.locator("#notes").get_by_role("button", name="Undo").click()
    until(lambda: daemon.call("memory.list", role="other")["memories"] == [], 20, "it is taken back")


@LANGUAGES
def test_everybody_can_read_it(visit: Visit, daemon: Daemon, language: str) -> None:
    daemon.call("config.set", key="capture.level", value="auto")
    visitor = visit(language)
    for path in ("?table=trigger", "?table=capture", "?tab=roles", "?tab=agents", "?tab=limits", "?tab=carry"):
        visitor.to(f"/settings{path}").page.locator("#settings .card").first.wait_for()
        assert visitor.faults_in_all() == [], path
        words = re.sub(r"\{\{.*?\}\}|\{\{#if name\}\}", "", visitor.page.locator("#screen").inner_text())
        assert not re.search(r"\b(?:None|undefined|NaN)\b", words), path
