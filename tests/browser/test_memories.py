"""Memories: found, read, corrected and followed by mouse and by keys; many of them, hostile ones, and edits from outside."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from tests.browser.conftest import KEYS, LANGUAGES, Visit, Visitor, press
from tests.flow.repositories import Repository
from tests.support import Daemon, until

TEA = {"en": "The good tea is in the left cupboard.", "zh": "好茶叶放在左边的柜子里。"}
ASKED = {"en": "tea", "zh": "茶叶"}
BETTER = {"en": "The good tea is in the right drawer.", "zh": "好茶叶放在右边的抽屉里。"}
SEARCH, EDIT, SAVE, FORGET, BACK, HISTORY, ARCHIVED = (
    {"en": "Search", "zh": "搜索"}, {"en": "Edit", "zh": "编辑"}, {"en": "Save", "zh": "保存"}, {"en": "Forget", "zh": "忘记"}, {"en": "Undo", "zh": "撤销"},
    {"en": "History", "zh": "历史"}, {"en": "in the archive", "zh": "已归档"},
)  # fmt: skip
HOSTILE = "<img src=x onerror=document.title=1><script>document.title=2</script>{{ 7*7 }}</textarea>\"'><b>tea</b>"
DAY_MS = 86_400_000
LONG_MS = 50  # what keeps a window from answering is felt from here on
TRIES = 3  # a browser does other work too, once


@pytest.fixture
def tea(daemon: Daemon) -> Daemon:
    for text in (*TEA.values(), "The ladder is behind the door.", "梯子在门后面。"):
        daemon.call("remember", role="main", content=text, explicit=True, source="user")
    return daemon


def contents(daemon: Daemon) -> list[str]:
    return [one["content"] for one in daemon.call("memory.list", role="main")["memories"]]


def find(visitor: Visitor, words: str, language: str, *, keys: bool) -> Any:
    """Look for words and open the first memory that is found."""
    visitor.to("/memories")
    if keys:
        visitor.presses("/")
        visitor.page.keyboard.type(words)
        visitor.presses("Enter")
    else:
        visitor.page.locator("[type=search]").fill(words)
        visitor.page.get_by_role("button", name=SEARCH[language], exact=True).click()
    found = visitor.page.locator("#found [data-item]")
    visitor.page.wait_for_url("**query=**")
    until(lambda: found.count() == 1, 20, "one is found")
    button = found.locator("button")
    if keys:
        visitor.presses("j")
    press(visitor, button, keys=keys)
    opened = visitor.page.locator("#one")
    opened.wait_for()
    return opened


@LANGUAGES
@KEYS
def test_one_is_found_corrected_forgotten_and_brought_back(
    visit: Visit, tea: Daemon, language: str, keys: bool
) -> None:
    visitor = visit(language)
    opened = find(visitor, ASKED[language], language, keys=keys)
    press(visitor, opened.get_by_text(EDIT[language], exact=True), keys=keys)
    text = visitor.page.locator("#edit-content")
    text.wait_for()
    text.focus()
    visitor.presses("Control+a")
    visitor.page.keyboard.type(BETTER[language])
    press(visitor, visitor.page.locator("#edit").get_by_text(SAVE[language], exact=True), keys=keys)
    opened.get_by_text(BETTER[language]).wait_for()
    visitor.page.locator("#found").get_by_text(BETTER[language]).wait_for()
    assert BETTER[language] in contents(tea)
    assert TEA[language] not in contents(tea)
    press(visitor, opened.get_by_text(FORGET[language], exact=True), keys=keys)
    until(lambda: BETTER[language] not in contents(tea), 20, "it is gone")
    press(visitor, visitor.page.locator("#notes").get_by_text(BACK[language], exact=True), keys=keys, first="n")
    until(lambda: BETTER[language] in contents(tea), 20, "it is back")


def test_only_what_was_changed_is_written(visit: Visit, tea: Daemon) -> None:
    visitor = visit()
    opened = find(visitor, "ladder", "en", keys=False)
    before = tea.call("memory.get", role="main", id=visitor.page.url.rpartition("id=")[2])["record"]
    opened.get_by_text("Edit", exact=True).click()
    visitor.page.locator("#edit-tags").fill("house\nhallway")
    visitor.page.get_by_label("It always comes to mind").check()
    visitor.page.get_by_text("Save", exact=True).click()
    opened.get_by_text("house, hallway").wait_for()
    after = tea.call("memory.get", role="main", id=before["id"])["record"]
    changed = {key for key in {*before, *after} if before.get(key) != after.get(key)}
    assert changed <= {"tags", "isConstant", "source", "updatedAt", "timestamp"}, changed
    assert after["tags"] == ["house", "hallway"]


def test_what_changed_meanwhile_is_not_overwritten(visit: Visit, tea: Daemon) -> None:
    visitor = visit()
    opened = find(visitor, "ladder", "en", keys=False)
    opened.get_by_text("Edit", exact=True).click()
    visitor.page.locator("#edit-content").fill("The ladder is gone.")
    path = tea.folder.file("main")
    path.write_text(
        path.read_text("utf-8").replace("The ladder is behind the door.", "The ladder is in the shed."), "utf-8"
    )
    until(lambda: "The ladder is in the shed." in contents(tea), 20, "the edit is heard")
    visitor.page.get_by_text("Save", exact=True).click()
    visitor.page.locator(".note.bad").wait_for()
    assert visitor.page.locator("#edit-content").input_value() == "The ladder is gone."
    assert "The ladder is in the shed." in contents(tea)
    visitor.complaints[:] = [one for one in visitor.complaints if "status of 4" not in one]


def test_an_edit_of_the_file_shows_without_reload(visit: Visit, tea: Daemon) -> None:
    visitor = visit()
    opened = find(visitor, "ladder", "en", keys=False)
    visitor.page.evaluate("window.same = true")
    path = tea.folder.file("main")
    path.write_text(path.read_text("utf-8").replace("ladder is behind the door", "ladder is in the shed"), "utf-8")
    opened.get_by_text("The ladder is in the shed.").wait_for()
    visitor.page.locator("#found").get_by_text("The ladder is in the shed.").wait_for()
    assert visitor.page.evaluate("window.same")


def test_filters_choose_and_lead_on(visit: Visit, daemon: Daemon) -> None:
    visitor = visit().to("/memories?role=nora")
    visitor.page.get_by_text("Filters", exact=True).click()
    visitor.page.get_by_label("Kind").select_option("goal")
    visitor.page.get_by_label("Order").select_option("worth")
    visitor.page.get_by_role("button", name="Search", exact=True).click()
    visitor.page.wait_for_url("**kind=goal**")
    asked = daemon.call("memory.list", role="nora", kind="goal", order="worth")
    shown = visitor.page.locator("#found [data-id]")
    until(lambda: shown.count() == asked["total"], 20, "only goals")
    assert [one.get_attribute("data-id") for one in shown.all()] == [one["id"] for one in asked["memories"]]
    visitor.page.locator("#kind").select_option("")
    visitor.page.get_by_label("Person or thing").fill("Rui")
    visitor.page.get_by_role("button", name="Search", exact=True).click()
    visitor.page.wait_for_url("**about=Rui**")
    named = daemon.call("memory.list", role="nora", about="Rui", order="worth")
    assert 0 < named["total"] < 25
    until(lambda: shown.count() == named["total"], 20, "only what is of him")
    assert [one.get_attribute("data-id") for one in shown.all()] == [one["id"] for one in named["memories"]]


def test_what_was_forgotten_is_listed_apart_and_brought_back(visit: Visit, tea: Daemon) -> None:
    (lost,) = [one for one in tea.call("memory.list", role="main")["memories"] if "ladder" in one["content"]]
    tea.call("memory.forget", role="main", id=lost["id"], reason="sold")
    visitor = visit().to("/memories?role=main&state=archived").sees("sold")
    visitor.page.get_by_text("Restore", exact=True).click()
    visitor.sees("It is back.")
    assert lost["content"] in contents(tea)


def test_a_hostile_text_in_every_field_is_text(visit: Visit, daemon: Daemon) -> None:
    fields = ["keywords", "tags", "relatedTopics", "triggerEmotions", "related", "supersedes"]
    record: dict[str, Any] = {name: [HOSTILE] for name in fields}
    record |= {"id": "evil", "content": HOSTILE, "source": HOSTILE, "sessionId": HOSTILE, "validity": HOSTILE}
    record["history"] = [{"content": HOSTILE, "until": HOSTILE}]
    trait = {"id": HOSTILE, "name": HOSTILE, "value": HOSTILE, "keywords": [HOSTILE]}
    document = {"characterUuid": "main", "episodic": [], "semantic": [record], "traits": [trait], "goals": []}
    daemon.folder.file("main").write_text(json.dumps(document), "utf-8")
    until(lambda: HOSTILE in contents(daemon), 20, "it is heard")
    visitor = visit()
    for path in ("/memories", "/memories?view=timeline", "/memories?view=graph", "/memories?id=evil&query=tea"):
        visitor.to(path).page.wait_for_timeout(300)
        assert visitor.page.locator("#screen img, #screen script, #screen b:not(:has-text('<img'))").count() == 0, path
        assert visitor.page.title() == "Memories · memd"
    visitor.page.get_by_text("History", exact=True).click()
    visitor.page.locator(".past li").first.wait_for()
    visitor.page.locator("#one").get_by_text("Edit", exact=True).click()
    visitor.page.locator("#edit-content").wait_for()
    assert visitor.page.locator("#edit-content").input_value() == HOSTILE
    assert visitor.page.locator("#edit-keys").input_value() == HOSTILE
    assert visitor.page.locator("#screen img, #screen script").count() == 0
    assert visitor.page.title() == "Memories · memd"


def test_a_field_of_a_megabyte_is_refused_with_a_note(visit: Visit, tea: Daemon) -> None:
    visitor = visit()
    find(visitor, "ladder", "en", keys=False).get_by_text("Edit", exact=True).click()
    text = visitor.page.locator("#edit-content")
    text.evaluate("field => { field.value = 'x'.repeat(1000000); }")
    visitor.page.get_by_text("Save", exact=True).click()
    visitor.page.locator(".note.bad").get_by_text("too long", exact=False).wait_for()
    assert "The ladder is behind the door." in contents(tea)
    assert len(text.input_value()) == 1_000_000
    visitor.page.locator("[type=search]").evaluate(
        "field => { field.value = 'x'.repeat(1000000); field.form.requestSubmit(); }"
    )
    until(lambda: visitor.page.locator(".note.bad").count() == 2, 20, "that is refused too")
    visitor.complaints[:] = [one for one in visitor.complaints if "status of 4" not in one]


def test_history_tells_what_took_whose_place(visit: Visit, daemon: Daemon) -> None:
    for text in ("Our staging database listens on port 5433.", "Our staging database moved to port 6001."):
        daemon.call("remember", role="main", content=text, explicit=True, source="user")
    visitor = visit()
    (new,) = [one for one in daemon.call("memory.list", role="main")["memories"] if "6001" in one["content"]]
    visitor.to(f"/memories?id={new['id']}")
    visitor.page.get_by_text("History", exact=True).click()
    past = visitor.page.locator(".past")
    past.get_by_text("5433", exact=False).wait_for()
    visitor.sees("took another's place")
    past.get_by_role("button").click()
    opened = visitor.page.locator("#one")
    opened.get_by_text("port 5433", exact=False).wait_for()
    visitor.page.go_back()
    opened.get_by_text("port 6001", exact=False).first.wait_for()


@LANGUAGES
def test_history_shows_the_commits_that_changed_a_memory(visit: Visit, daemon: Daemon, language: str) -> None:
    repository = Repository(daemon.folder.path)
    repository.git("init", "-q")
    repository.put("main", {"id": "tea1", "content": TEA[language]})
    repository.commit("it came")
    repository.put("main", {"id": "tea1", "content": BETTER[language] + HOSTILE})
    repository.commit(HOSTILE)
    until(lambda: BETTER[language] + HOSTILE in contents(daemon), 20, "it is heard")
    visitor = visit(language).to("/memories?id=tea1")
    visitor.page.get_by_text(HISTORY[language], exact=True).click()
    commits = visitor.page.locator(".commits > li")
    commits.first.wait_for()
    assert commits.count() == 2
    assert commits.first.locator("del").inner_text() == TEA[language]
    assert commits.first.locator("ins").inner_text() == BETTER[language] + HOSTILE
    assert "it came" in commits.last.inner_text()
    assert visitor.page.locator("#screen img, #screen script").count() == 0
    assert visitor.faults() == []


def test_worth_is_drawn_over_time(visit: Visit, tea: Daemon) -> None:
    visitor = visit().to("/memories?role=nora&view=timeline")
    drawn = visitor.page.locator("#found .chart")
    drawn.locator("canvas").wait_for()
    visitor.sees("What is to come").sees("In 90 days")
    assert drawn.locator(".legend").inner_text().split() == ["episode", "goal", "fact", "trait"]
    drawn.focus()
    visitor.presses("ArrowRight", "ArrowRight")
    assert re.search(r" · Worth \d\.\d · never came to mind$", drawn.locator(".said").inner_text())
    visitor.presses("Enter")
    visitor.page.locator("#one canvas").wait_for()
    visitor.to("/memories?role=nora")
    visitor.page.locator("#found button.opens").first.click()
    visitor.page.locator("#one canvas").wait_for()
    assert "falls below" in visitor.page.locator("#one").inner_text()


def test_what_joins_memories_is_drawn_and_listed(visit: Visit, tea: Daemon) -> None:
    first, second = (one["id"] for one in tea.call("memory.list", role="main", limit=2)["memories"])
    tea.call("memory.link", role="main", id=first, to=second)
    tea.call("memory.update", role="main", id=first, tags=["kitchen"])
    tea.call("memory.update", role="main", id=second, tags=["Kitchen"])
    visitor = visit().to("/memories?view=graph")
    visitor.page.locator("#found canvas").first.wait_for()
    assert visitor.page.locator("#found .legend").inner_text().split() == ["fact"]
    links = visitor.page.locator("#links")
    links.get_by_text("is related to").wait_for()
    links.get_by_text("subject: ", exact=False).first.wait_for()
    links.get_by_role("button").first.click()
    visitor.page.locator("#one").wait_for()


def knows(daemon: Daemon, role: str, count: int) -> bool:
    names = [one["name"] for one in daemon.call("role.list")["roles"]]
    return role in names and bool(daemon.call("memory.list", role=role, limit=1)["total"] == count)


@pytest.fixture
def many(daemon: Daemon) -> Daemon:
    """Ten thousand memories of one role, and five hundred of another."""
    words = ["kiln", "glaze", "shelf", "delivery", "invoice", "garden", "window", "ladder", "train", "lesson"]
    records = [
        {
            "id": f"m{n:05}", "content": f"Note {n}: the {words[n % 10]} of {words[n // 10 % 10]} and {words[n // 100 % 10]} number {n}.",
            "timestamp": 1_760_000_000_000 + n % 400 * DAY_MS // 4, "keywords": [words[n % 10]], "importanceScore": 5 + n % 5,
        }
        for n in range(10_000)
    ]  # fmt: skip
    daemon.folder.settings(limits__role_memories=20_000)
    for role, count in (("main", 10_000), ("few", 500)):
        document = {"characterUuid": role, "episodic": [], "semantic": records[:count], "traits": [], "goals": []}
        daemon.folder.file(role).parent.mkdir(parents=True, exist_ok=True)
        daemon.folder.file(role).write_text(json.dumps(document), "utf-8")
        until(lambda: knows(daemon, role, count), 60, "all are known")  # noqa: B023  it is asked at once
    return daemon


def test_ten_thousand_are_looked_through_without_a_long_task(visit: Visit, many: Daemon) -> None:
    visitor = visit()
    told = [visitor.busiest_ms(lambda: look_through(visitor))]
    while min(told) > LONG_MS and len(told) < TRIES:
        told.append(visitor.busiest_ms(lambda: look_through(visitor)))
    assert min(told) < LONG_MS, told
    drawn = [visitor.busiest_ms(lambda: draw(visitor))]
    while min(drawn) > LONG_MS and len(drawn) < TRIES:
        drawn.append(visitor.busiest_ms(lambda: draw(visitor)))
    assert min(drawn) < LONG_MS, drawn


def draw(visitor: Visitor) -> None:
    """A graph of five hundred, until it stands still."""
    visitor.to("/memories?view=graph&role=few").sees("Links")
    visitor.page.locator("#found canvas").first.wait_for()
    visitor.page.wait_for_timeout(1500)


def look_through(visitor: Visitor) -> None:
    visitor.to("/memories").sees("10000 memories")
    visitor.page.get_by_text("Next", exact=True).click()
    visitor.sees("26–50 of 10000")
    visitor.page.locator("#found button.opens").first.click()
    visitor.page.locator("#one canvas").wait_for()
    visitor.page.locator("[type=search]").fill("kiln delivery")
    visitor.presses("Enter")
    visitor.page.wait_for_url("**query=kiln**")
    visitor.page.get_by_text("Timeline", exact=True).click()
    visitor.page.locator("#found canvas").wait_for()
    visitor.page.get_by_text("Graph", exact=True).click()
    visitor.sees("too many for a picture")
    visitor.page.wait_for_timeout(300)


@LANGUAGES
def test_everybody_can_read_it(visit: Visit, tea: Daemon, language: str) -> None:
    visitor = visit(language).to("/memories?role=nora")
    assert visitor.faults_in_all() == []
    visitor.page.locator("#found button.opens").first.click()
    visitor.page.locator("#one canvas").wait_for()
    visitor.page.get_by_text(HISTORY[language], exact=True).click()
    visitor.page.locator(".past li").first.wait_for()
    assert visitor.faults_in_all() == []
    visitor.page.locator("#one").get_by_text(EDIT[language], exact=True).click()
    visitor.page.locator("#edit-content").wait_for()
    assert visitor.faults_in_all() == []
    for path in (
        "/memories?role=nora&view=timeline",
        "/memories?role=nora&view=graph",
        "/memories?kind=goal&query=zzz",
        "/memories?id=zzzz",
    ):
        visitor.to(path).page.wait_for_timeout(300)
        assert visitor.faults_in_all() == [], path
        words = visitor.page.locator("#screen").inner_text()
        assert not re.search(r"\b(?:None|undefined|NaN)\b|[{}]", words), path
