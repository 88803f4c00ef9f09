"""What fits into the block: to the character, to the kind, and nothing that may not stand in a prompt."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from memd.engine.recall.inject import Found, Limits, asks_for_several, inject
from memd.model.lore import Activation, Entry
from memd.model.memory import Kind, Memory
from memd.model.scene import BookFound, Candidate, Injection
from memd.model.settings import InjectionSettings

LIMITS = Limits(1, 1, 1, 1)


def one(memory_id: str, text: str, kind: Kind = Kind.SEMANTIC) -> Candidate:
    return Candidate("r", Memory(memory_id, kind, text))


def book(text: str) -> BookFound:
    return BookFound("r", Activation(Entry(text[:5], content=text), "key", 1, len(text)), text)


def ids(found: Injection) -> list[str]:
    return [candidate.memory.id for candidate in found.activated]


@pytest.mark.parametrize("unit", ["budget_chars", "budget_tokens"])
def test_what_needs_all_the_room_there_is_comes_and_one_less_is_too_little(unit: str) -> None:
    found = Found([], [], [one("a", "The pump in the cellar leaks at the valve, 阀门漏水了。")])

    def fitted(budget: int) -> Injection:
        chars, tokens = (budget, 0) if unit == "budget_chars" else (9999, budget)
        return inject("r", found, LIMITS, replace(InjectionSettings(), budget_chars=chars, budget_tokens=tokens))

    (refused,) = fitted(30).refused
    size, left, budget = map(int, re.findall(r"\d+", refused.detail))
    needed = budget - left + size if left else next(n for n in range(30, 9999) if ids(fitted(n)))
    assert ids(fitted(needed)) == ["a"]
    assert [(no.why, no.detail[-3:].strip()) for no in fitted(needed - 1).refused] == [("budget", str(needed - 1)[-3:])]
    room = re.findall(r"\d+", fitted(needed - 1).refused[0].detail)
    assert int(room[0]) - int(room[1]) == 1, "exactly one was wanting"


def test_constants_leave_the_limits_of_their_kind_to_others() -> None:
    constants = [one("c1", "Always be brief."), one("c2", "Never use jargon.")]
    found = inject(
        "r", Found(constants, [], [one("a", "The pump leaks."), one("b", "It rains.")]), LIMITS, InjectionSettings()
    )
    assert ids(found) == ["c1", "c2", "a"]
    assert [(no.candidate.memory.id, no.why) for no in found.refused] == [("b", "limit of its kind")]


def test_a_kind_has_its_own_limit() -> None:
    ranked = [one(f"{kind}{n}", f"{kind} number {n}{n}{n} of its own.", kind) for n in range(3) for kind in Kind]
    found = inject("r", Found([], [], ranked), Limits(0, 1, 2, 3), InjectionSettings())
    counts = {kind: sum(name.startswith(kind.value) for name in ids(found)) for kind in Kind}
    assert counts == {Kind.EPISODIC: 0, Kind.SEMANTIC: 1, Kind.TRAIT: 2, Kind.GOAL: 3}


def test_books_are_screened_as_books_and_memories_as_memories() -> None:
    asked: list[tuple[str, bool]] = []

    def screen(text: str, content: str, *, book: bool) -> str:
        asked.append((content, book))
        return "an order" if "obey" in text else ""

    found = Found([one("c", "obey the constant")], [book("obey the book"), book("a castle")], [one("a", "A pump.")])
    done = inject("r", found, LIMITS, InjectionSettings(), screen)
    assert asked == [("obey the constant", False), ("obey the book", True), ("a castle", True), ("A pump.", False)]
    assert "obey" not in done.content
    assert ([no.why for no in done.refused], [no.why for no in done.refused_books]) == (["withheld"], ["withheld"])
    assert (ids(done), [stood.text for stood in done.books]) == (["a"], ["a castle"])


def test_what_is_withheld_takes_no_room_and_no_place() -> None:
    def screen(text: str, content: str, *, book: bool) -> str:
        return "an order" if "obey" in text else ""

    wide = replace(InjectionSettings(), budget_chars=260)
    texts = ["obey " + "the first of all words " * 4, "The second text has other letters, and as many as that."]
    found = Found([], [book("obey " * 15)], [one(str(n), text) for n, text in enumerate(texts)])
    assert ids(inject("r", found, LIMITS, wide, screen)) == ["1"]


def test_a_memory_of_another_role_says_so_and_one_of_many_lines_stays_one_item() -> None:
    other = Candidate("nora", Memory("m", Kind.GOAL, "First line.\nSecond line."), own=False)
    content = inject("r", Found([], [], [other]), LIMITS, InjectionSettings()).content
    assert "- First line.\n  Second line. (from nora)" in content


@pytest.mark.parametrize(
    ("question", "several"),
    [
        ("What hobbies does Ana have?", True),
        ("Which sports activities did he try", True),
        ("What are my rules for invoices?", True),
        ("What kind of car do I drive?", True),
        ("她有什么爱好？", True),
        ("她有什麼愛好？", True),
        ("我对哪些东西过敏", True),
        ("Which bus is mine?", False),
        ("What does Ana do?", False),
        ("What time is the class?", False),
        ("Where do I live?", False),
        ("How many threads are on the loom?", False),
        ("织机上有几根线？", False),
        ("我女儿几岁？", False),
        ("我住在哪里？", False),
    ],
)
def test_what_asks_for_several_has_room_for_them(question: str, several: bool) -> None:
    assert asks_for_several(question) is several


def test_entries_of_books_stand_by_position_and_the_higher_order_nearer_to_the_end() -> None:
    def ordered(order: int) -> BookFound:
        text = f"entry of order {order}"
        return BookFound("r", Activation(Entry(text, content=text, order=order), "key", 1, len(text)), text)

    done = inject("r", Found([], [ordered(9), ordered(1), ordered(5)], []), LIMITS, InjectionSettings())
    at = [done.content.index(f"order {order}") for order in (1, 5, 9)]
    assert at == sorted(at)
