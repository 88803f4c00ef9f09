"""memd's own World Info: each deviation by its name, patterns that cannot hang, fates that add up."""

from __future__ import annotations

import random
import time
from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memd.engine.recall.lore.entries import Lore
from memd.engine.recall.lore.evaluate import Scan, evaluate
from memd.engine.recall.lore.patterns import DEADLINE_S, pattern_of
from memd.model.lore import MEMD, SILLYTAVERN, Entry, Evaluated, Fate, LoreSettings, Rules, Timers
from tests.support import examples


def scan(
    rules: Rules,
    entries: Sequence[Entry],
    *messages: str,
    budget: int = 0,
    whole: bool = True,
    timers: Timers | None = None,
) -> Evaluated:
    lore = Lore(rules)
    lore.load(entries)
    asked = Scan(messages[::-1], len(messages), lambda: 0.5, budget, timers=timers or Timers())
    return evaluate(lore, asked, LoreSettings(recursive=False, whole_words=whole))


def came(found: Evaluated) -> list[str]:
    return [one.entry.id for one in found.activated]


def entry(name: str, *keys: str, content: str = "", **fields: object) -> Entry:
    return replace(Entry(name, keys, content=content or name), **fields)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("key", "text", "memd", "sillytavern"),
    [
        ("手机", "我的iPhone手机丢了", True, False),
        ("年", "2024年的事", True, False),
        ("龙", "恶龙来了", True, True),
        ("the king", "see the kingdom", False, True),
        ("caf", "a café", False, True),
        ("foo", "foo_bar", True, False),
        ("king", "the king's men", True, True),
    ],
)
def test_unicode_words_have_edges_only_where_a_script_separates_words(
    key: str, text: str, *, memd: bool, sillytavern: bool
) -> None:
    assert came(scan(MEMD, [entry("e", key)], text)) == (["e"] if memd else [])
    assert came(scan(SILLYTAVERN, [entry("e", key)], text)) == (["e"] if sillytavern else [])


@pytest.mark.parametrize(
    ("key", "text"),
    [
        ("straße", "STRASSE"),
        ("abc", "ＡＢＣ"),
        ("2024", "２０２４"),
        ("café", "cafe\u0301"),
        ("first person", "first\n person"),
    ],
)
def test_fold_makes_widths_cases_and_blanks_equal(key: str, text: str) -> None:
    assert came(scan(MEMD, [entry("e", key)], text)) == ["e"]
    assert came(scan(SILLYTAVERN, [entry("e", key)], text)) == []


def test_constants_first_in_the_budget() -> None:
    book = [
        entry("keyed", "x", content="k" * 30, order=100),
        entry("constant", content="c" * 30, order=1, constant=True),
    ]
    assert came(scan(MEMD, book, "x", budget=40)) == ["constant"]
    assert came(scan(SILLYTAVERN, book, "x", budget=40)) == ["keyed"]


def test_exact_fit_is_admitted() -> None:
    book = [entry("e", "x", content="k" * 30)]
    assert came(scan(MEMD, book, "x", budget=30)) == ["e"]
    assert came(scan(SILLYTAVERN, book, "x", budget=30)) == []
    assert came(scan(MEMD, book, "x", budget=29)) == []


def test_smaller_after_one_that_does_not_fit_are_tried() -> None:
    book = [entry("big", "x", content="k" * 50, order=9), entry("small", "x", content="k" * 10, order=8)]
    assert came(scan(MEMD, book, "x", budget=20)) == ["small"]
    assert came(scan(SILLYTAVERN, book, "x", budget=20)) == []


def test_losers_only_are_taken_out_by_groups() -> None:
    book = [
        entry("a", "x", group="g,h", order=9), entry("b", "x", group="g", order=8, group_override=True),
        entry("c", "x", group="h", order=7, group_override=True), entry("stranger", "x", order=6),
    ]  # fmt: skip
    assert came(scan(MEMD, book, "x")) == ["b", "c", "stranger"]
    assert came(scan(SILLYTAVERN, book, "x")) == ["b", "c"]


def test_every_entry_in_question_ends_with_one_fate() -> None:
    book = [
        entry("came", "x"), entry("off", "x", disabled=True), entry("logic", "x", secondary=("y",)),
        entry("roll", "x", probability=10), entry("delay", "x", delay=5), entry("never", "x", never=True),
        entry("win", "x", group="g", group_override=True, order=101), entry("lose", "x", group="g"),
        entry("later", "x", delay_until_recursion=3), entry("big", "x", content="k" * 500), entry("silent", "z"),
    ]  # fmt: skip
    found = scan(MEMD, book, "x", budget=100)
    fates = {one.entry.id: one.fate for one in found.stopped}
    assert fates == {
        "off": Fate.DISABLED, "logic": Fate.LOGIC, "roll": Fate.ROLL, "delay": Fate.DELAY, "never": Fate.DECORATOR,
        "lose": Fate.GROUP, "big": Fate.BUDGET, "later": Fate.RECURSION
    }  # fmt: skip
    assert sorted(came(found)) == ["came", "win"]


def test_recursion_follows_what_entries_say_and_stops_where_they_say() -> None:
    lore = Lore(MEMD)
    lore.load(
        [entry("a", "door", content="a 钥匙 lies here"), entry("b", "钥匙", content="the key opens the vault"),
         entry("c", "vault", exclude_recursion=True), entry("d", "钥匙", content="nothing", prevent_recursion=True)]
    )  # fmt: skip
    found = evaluate(lore, Scan(["the door"], 1, lambda: 0.0), LoreSettings(recursive=True))
    assert {(one.entry.id, one.step) for one in found.activated} == {("a", 1), ("b", 2), ("d", 2)}


def test_timers_hold_over_turns_and_end() -> None:
    book, timers, on = [entry("e", "x", sticky=3, cooldown=2, delay=2, digest="d")], Timers(), []
    for length in range(1, 9):
        found = scan(MEMD, book, *(["x"] * length), timers=timers)
        timers = found.timers
        on.append(bool(found.activated))
    assert on == [False, True, True, True, False, False, True, True]


@pytest.mark.parametrize(
    ("key", "text", "found"),
    [
        ("/dra(gon|ke)s?/i", "two DRAKES", True),
        ("/龙|剑/", "恶龙", True),
        (r"/^\w+$/", "один", False),
        (r"/\d{4}/", "٢٠٢٤", False),
        (r"/a.c/", "a\nc", False),
        (r"/a.c/s", "a\nc", True),
        (r"/end$/", "end\n", False),
        (r"/^b/m", "a\nb", True),
        (r"/(?<=Dr\. )Who/", "Dr. Who", True),
        (r"/(a)\1/", "baab", True),
        (r"/\u9f99/", "龙", True),
        (r"/[^]/", "\n", True),
        (r"/\s/", "\u3000", True),
        (r"/x/y", "ax", False),
        (r"/C\+\+/", "in C++", True),
        (r"/[*+]+/", "a++", True),
        (r"/\p{Script=Han}/u", "龙", True),
        (r"/(?<n>a)\k<n>/", "aa", True),
        (r"/\ud83d\ude00/", "😀", True),
        (r"/a{,3}/", "a{,3}", True),
        (r"/(?=.)[\W]/", "é", True),
    ],
)
def test_patterns_mean_what_they_mean_in_javascript(key: str, text: str, *, found: bool) -> None:
    pattern = pattern_of(key)
    assert pattern is not None
    assert pattern.has(text) is found


@pytest.mark.parametrize(
    "key",
    [
        "/a/b/",
        "/(/",
        "/x/gg",
        "plain",
        "//",
        "/x/q",
        "/a++/",
        "/(?>a)/",
        "/(?i)a/",
        "/(?P<n>a)/",
        "/a(*FAIL)/",
        "/^*/",
        r"/\b+/",
    ],
)
def test_what_is_no_pattern_is_plain_text(key: str) -> None:
    assert pattern_of(key) is None


def test_patterns_together_have_a_limit_too() -> None:
    book = [entry(f"e{n}", f"/(?=a)(a|aa)+(?!x)b{n}/") for n in range(300)]
    lore = Lore(MEMD)
    lore.load(book)
    started = time.process_time()
    evaluate(lore, Scan(["a" * 5000], 1, lambda: 0.0, clock=time.perf_counter), LoreSettings())
    assert time.process_time() - started < 1.0


@pytest.mark.parametrize("group", ["0x", "٣", "1, 0, 00", "9" * 30])
def test_any_text_names_a_group(group: str) -> None:
    assert len(came(scan(MEMD, [entry("a", "x", group=group), entry("b", "x", group=group)], "x"))) == 1


def test_keys_that_begin_with_others_are_ready_soon_and_found() -> None:
    started = time.process_time()
    lore = Lore(MEMD)
    lore.load(entry(f"e{n}", f"key{n}") for n in range(50_000))
    assert time.process_time() - started < 10
    found = evaluate(lore, Scan(["x" * 4090 + " key123 and key49999"], 1, lambda: 0.0), LoreSettings())
    assert sorted(came(found)) == ["e123", "e49999"]


def test_no_pattern_hangs() -> None:
    text = "a" * 5000 + "!"
    for key in ("/(a+)+$/", "/(a|aa)+$/", r"/^(?=(a+)+$)b/", r"/(a*)*\1c/"):
        started = time.process_time()
        pattern = pattern_of(key)
        assert pattern is not None
        assert not pattern.has(text)
        assert time.process_time() - started < 50 * DEADLINE_S, key


def test_a_delay_is_over_with_the_message_it_names() -> None:
    book = [entry("e", "x", delay=2)]
    assert [came(scan(MEMD, book, *["x"] * count)) for count in (1, 2, 3)] == [[], ["e"], ["e"]]


def test_a_scan_looks_at_as_many_messages_as_its_depth_and_no_more() -> None:
    talk = ("a zebra", "nothing", "nothing", "nothing")
    assert [came(scan(MEMD, [entry("e", "zebra", scan_depth=depth)], *talk)) for depth in (0, 3, 4)] == [[], [], ["e"]]


def test_of_those_that_override_a_group_the_highest_order_wins() -> None:
    book = [entry(name, "x", group="g", group_override=True, order=order) for name, order in (("low", 1), ("high", 9))]
    assert came(scan(MEMD, book, "x")) == ["high"] == came(scan(SILLYTAVERN, book, "x"))


WORDS = ["tea", "harbour", "Rain", "茶", "港口", "king's", "old"]


@given(st.integers(0, 10**9), st.sampled_from([MEMD, SILLYTAVERN]))
@settings(max_examples=examples(200), deadline=None)
def test_keys_asked_once_find_what_they_find_asked_for_each_entry(seed: int, rules: Rules) -> None:
    chance = random.Random(seed)
    some: list[dict[str, object]] = [
        {}, {}, {}, {"secondary": ("old",)}, {"probability": 40}, {"group": "g"}, {"ignore_budget": True}, {"constant": True},
        {"sticky": 2}, {"cooldown": 2}, {"prevent_recursion": True}, {"exclude_recursion": True}, {"delay_until_recursion": 1},
        {"scan_depth": 1}, {"whole_words": False}, {"disabled": True}, {"keys": ("/t.a/", "Rain")},
    ]  # fmt: skip
    book = [
        entry(
            f"e{number}", *chance.sample(WORDS, chance.randint(1, 3)), content=" ".join(chance.choices(WORDS, k=4)),
            **{"order": chance.randrange(3), **chance.choice(some)},
        )
        for number in range(30)
    ]  # fmt: skip
    messages = [" ".join(chance.choices(("xx", *WORDS), k=4)) for _ in range(3)]
    how = LoreSettings(min_activations=chance.choice((0, 5)), whole_words=chance.random() < 0.5, scan_depth=2)
    found: list[Evaluated] = []
    for each in (False, True):
        lore, rolls, timers = Lore(rules), random.Random(seed), Timers()
        lore.load(book)
        if each:
            lore.ruled.special |= lore.ruled.simple
            lore.ruled.simple.clear()
        for turn in range(3):
            found.append(evaluate(lore, Scan(messages, turn + 3, rolls.random, 60, timers), how))
            timers = found[-1].timers
    assert found[:3] == found[3:]


def test_a_timer_that_began_with_the_message_that_is_answered_again_begins_anew() -> None:
    book = [entry("e", "x", sticky=3, digest="d")]
    timers = scan(MEMD, book, "a", "x").timers
    assert came(scan(MEMD, book, "a", "b", timers=timers)) == []
    assert came(scan(MEMD, book, "a", "b", "c", timers=timers)) == ["e"]


def test_of_those_that_override_a_group_with_one_order_the_first_wins() -> None:
    book = [entry(name, "x", group="g", group_override=True) for name in ("first", "second")]
    assert came(scan(MEMD, book, "x")) == ["first"] == came(scan(SILLYTAVERN, book, "x"))


def test_looking_further_back_for_so_many_entries_ends_behind_the_depth_that_is_named() -> None:
    lore = Lore(MEMD)
    lore.load([entry("e", "zebra")])
    said = ["nothing", "nothing", "a zebra", "nothing"]
    found = {
        deepest: came(
            evaluate(
                lore,
                Scan(said, 4, lambda: 0.0),
                LoreSettings(recursive=False, scan_depth=1, min_activations=1, min_activations_depth=deepest),
            )
        )
        for deepest in (0, 1, 2, 3)
    }
    assert found == {0: ["e"], 1: [], 2: ["e"], 3: ["e"]}


def test_what_entries_say_has_whole_words_too() -> None:
    lore = Lore(MEMD)
    lore.load([entry("a", "door", content="the kingdom"), entry("b", "king", secondary=("door",))])
    for whole, expected in ((True, ["a"]), (False, ["a", "b"])):
        found = evaluate(lore, Scan(["the door"], 1, lambda: 0.0), LoreSettings(recursive=True, whole_words=whole))
        assert came(found) == expected
