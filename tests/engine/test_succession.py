"""Who took whose place, over a small world: however it came about, it is what the memories say now."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memd.engine.keep.relation.endings import (
    death_in,
    ends_with,
    leaves_standing,
    not_yet,
    of_another,
    only_a_visit,
    only_adds,
    only_once,
)
from memd.engine.keep.succeed import (
    Taken,
    also_taking,
    says_nothing_alone,
    taken_by,
    taking,
    with_what_hangs_on,
    without,
)
from memd.engine.recall.compiled import Compiled
from memd.engine.recall.lexicon import weights_of
from memd.model.memory import Kind, Memory, Period
from memd.text.clauses import clauses, digest_of, rest_of
from tests.support import examples

IDS = ("a", "b", "c")
SAID = ("Anna lives in Oslo and works at Siemens.", "Anna lives in Oslo.", "对花生过敏，喜欢打篮球。")
DIGESTS = tuple(one.digest for text in SAID for one in clauses(text))

memories = st.builds(
    Memory,
    st.sampled_from(IDS),
    st.just(Kind.SEMANTIC),
    st.sampled_from(SAID),
    when_s=st.sampled_from([None, 1.0, 2.0]),
    expires_s=st.sampled_from([None, None, None, 10.0]),
    disabled=st.sampled_from([False] * 5 + [True]),
    supersedes=st.lists(st.sampled_from(IDS), max_size=2, unique=True).map(tuple),
    covers=st.one_of(st.just(()), st.just(()), st.lists(st.sampled_from(DIGESTS), max_size=2).map(tuple)),
)
acts = st.one_of(memories, memories, memories, st.sampled_from(IDS), st.sampled_from([0.0, 10.0, 20.0]))


def fresh(held: dict[str, Memory], now_s: float, *, turned: bool = False) -> Compiled:
    role = Compiled()
    for memory in sorted(held.values(), key=lambda one: one.id, reverse=turned):
        role.put(memory, weights_of(memory) if turned else None)
    role.pass_time(now_s)
    return role


def left_of(memory: Memory, held: dict[str, Memory], now_s: float) -> str:
    """What holds of a memory, by the words of docs/design/origins.md and nothing clever."""

    def live(one: Memory) -> bool:
        return not one.disabled and (one.expires_s is None or one.expires_s > now_s)

    def leads(start: str, goal: str, seen: frozenset[str] = frozenset()) -> bool:
        if start == goal:
            return True
        if start in seen or start not in held or not live(held[start]):
            return False
        return any(leads(one, goal, seen | {start}) for one in held[start].supersedes)

    takers = [
        one for one in held.values() if live(one) and memory.id in one.supersedes and not leads(memory.id, one.id)
    ]
    if any(not one.covers for one in takers):
        return ""
    return rest_of(memory.content, {digest for one in takers for digest in one.covers})


@settings(max_examples=examples(250))
@given(st.lists(acts, min_size=5, max_size=14))
def test_how_a_memory_stands_follows_from_those_that_are_there(history: list[Memory | str | float]) -> None:
    role, held, now_s = Compiled(), dict[str, Memory](), float("-inf")
    for act in history:
        before = dict(role.memories)
        if isinstance(act, Memory):
            held[act.id] = act
            others = role.put(act)
            own = {act.id}
        elif isinstance(act, str):
            held.pop(act, None)
            others = role.drop(act)
            own = {act}
        else:
            now_s = act
            others, own = role.pass_time(act), set()
        changed = {one for one in role.memories if role.memories[one] != before.get(one)} - own
        assert set(others) == changed, "who asks is told of all others that changed, and of no more"
        for turned in (False, True):
            again = fresh(held, now_s, turned=turned)
            assert again.memories == role.memories
            assert {one: again.lexicon.weights(one) for one in held} == {one: role.lexicon.weights(one) for one in held}
            assert again.partial == role.partial
        for one, memory in role.memories.items():
            assert ("" if memory.superseded_by else memory.said) == left_of(held[one], held, now_s)
            assert memory.as_written() == held[one]
            for at_s in (0.0, 10.0, 20.0):
                then = role.at(one, at_s)
                assert ("" if then.superseded_by else then.said) == left_of(held[one], held, at_s)
            assert all(one in role.memories[rival].rivals for rival in memory.rivals)


def known(*held: Memory) -> dict[str, Memory]:
    return {one.id: one for one in held}


OLD = Memory("old", Kind.SEMANTIC, "Anna lives in Oslo and works at Siemens.")
HOME, WORK = (one.digest for one in clauses(OLD.content))
NEW = Memory("new", Kind.SEMANTIC, "Anna moved to Bergen.", supersedes=("old",))
PART = Memory("part", Kind.SEMANTIC, "Anna moved to Bergen.", supersedes=("old",), covers=(HOME,))
PLAIN = Memory("plain", Kind.SEMANTIC, "Anna works at Bosch.")


def test_who_takes_a_place_takes_that_of_those_behind_it_too() -> None:
    memories = known(OLD, NEW, PART)
    assert taking(OLD, (), memories) == Taken(("old",))
    assert taking(OLD, (HOME,), memories) == Taken(("old",), (HOME,))
    assert taking(NEW, (), memories) == Taken(("new", "old"))
    own = tuple(one.digest for one in clauses(PART.content))
    assert taking(PART, (), memories) == Taken(("part", "old"), (*own, HOME))
    assert also_taking(NEW, PLAIN, known(OLD, NEW, PLAIN)) == Taken(("plain", "old"))
    assert also_taking(NEW, OLD, memories) == taken_by(NEW)


def test_what_is_taken_back_leaves_the_rest_as_it_was() -> None:
    both = Memory(
        "both", Kind.SEMANTIC, "x", supersedes=("old", "plain"), covers=(HOME, clauses(PLAIN.content)[0].digest)
    )
    memories = known(OLD, PLAIN, both)
    assert without(both, {"old"}, memories) == Taken(("plain",), both.covers[1:])
    assert without(both, {"old", "plain"}, memories) == Taken()
    assert without(Memory("one", Kind.SEMANTIC, "x", supersedes=("old", "gone")), {"old"}, memories) == Taken(("gone",))
    edited = Memory("only", Kind.SEMANTIC, "x", supersedes=("old", "plain"), covers=(HOME,))
    assert without(edited, {"old"}, memories) == Taken(), "what it did not cover does not become covered as a whole"


def test_of_a_long_chain_the_nearest_are_named() -> None:
    chain = [Memory("m0", Kind.SEMANTIC, "x")]
    memories = known(*chain)
    for number in range(1, 40):
        taken = taking(chain[-1], (), memories)
        chain.append(Memory(f"m{number}", Kind.SEMANTIC, "x", supersedes=taken.supersedes))
        memories[f"m{number}"] = chain[-1]
    assert chain[-1].supersedes == tuple(f"m{number}" for number in range(38, 22, -1))
    role = fresh(memories, 0.0)
    assert [one for one in role.memories.values() if not one.superseded_by] == [chain[-1]]


def test_what_will_be_so_from_a_time_on_takes_no_place_before() -> None:
    later = replace(NEW, held=Period(1000.0, None, since="1970-01-01"))
    compiled = fresh(known(OLD, later, replace(PLAIN, conflicts=("new",))), 500.0)
    assert compiled.at("old", 500.0).superseded_by == ""
    assert compiled.at("plain", 500.0).rivals == ()
    assert compiled.at("old", 1000.0).superseded_by == "new"
    compiled.pass_time(2000.0)
    assert compiled.memories["old"].superseded_by == "new"
    assert compiled.memories["plain"].rivals == ("new",)
    compiled.pass_time(999.0)
    assert compiled.memories["old"].superseded_by == ""


def test_what_was_covered_before_it_was_cut_stays_covered() -> None:
    dictated = Memory("old", Kind.SEMANTIC, "我女儿在重庆读大四 她说想考研")
    assert len(clauses(dictated.content)) == 2
    heir = replace(PART, covers=(digest_of(dictated.content),))
    assert fresh(known(dictated, heir), 0.0).memories["old"].superseded_by == "part"


@pytest.mark.parametrize(
    ("text", "ends", "hangs"),
    [
        ("We've booked Madeira, flying from Shannon in May.", 0, 1),
        ("I drive a Micra, sixteen years old.", 0, 1),
        ("I live in Hamburg, allergic to peanuts.", 0, 0),
        ("I live in Hamburg, sixteen years old.", 0, 0),
        ("I sing in a choir, and I am learning to swim.", 0, 0),
        ("I live in Cork. Swimming keeps me sane.", 0, 0),
        ("I live in Cork, and cooking has become my hobby.", 0, 0),
    ],
)
def test_what_hangs_on_a_statement_ends_with_it(text: str, ends: int, hangs: int) -> None:
    held = Memory("old", Kind.SEMANTIC, text)
    digests = [one.digest for one in clauses(text)]
    assert with_what_hangs_on(held, [digests[ends]]) == digests[ends : ends + 1 + hangs]


@pytest.mark.parametrize(
    ("told", "known", "ends"),
    [
        ("My sister Bernadette died on Saturday.", "My sister Bernadette is very bad", True),
        ("We buried poor Mossie on Thursday.", "My uncle Mossie lives with us", True),
        ("Our Rex was put to sleep", "My dog Rex is nine", True),
        ("my nan passed away", "My nan's in a home in Hull", True),
        ("我外婆上个月去世了", "我外婆住在绍兴", True),
        ("my nan passed away", "My nan's recipe is in the tin", False),
        ("my nan passed away", "My nan was a miner", False),
        ("my nan passed away", "I live with my nan", False),
        ("My sister Ana died", "My sister Ines lives in Kiel", False),
        ("My uncle died", "My uncle Mossie is ninety", False),
        ("我外婆去世了", "我外婆的院子有棵枣树", False),
        ("My phone died", "My phone is a Pixel", False),
        ("我妈妈的朋友去世了", "我妈妈住在成都", False),
        ("我爸爸说爷爷去世了", "我爸爸住在成都", False),
        ("我爸爸还没去世", "我爸爸住在成都", False),
        ("我哥哥去世了", "我哥们在腾讯", False),
        ("Redis died again last night", "Redis runs on port 6380", False),
        ("My friend died her hair pink", "My friend is a nurse", False),
        ("My mother passed on her recipe", "My mother lives in Cork", False),
        ("If my dad died I would move", "My dad lives in Cork", False),
        ("Our cat is dead tired", "Our cat is nine", False),
        ("My dad died in May", "My dad has been dead for a year", False),
        ("I nearly died laughing", "I am a nurse", False),
        ("Bernadette's dog died", "Bernadette lives in Quin", False),
    ],
)
def test_a_death_ends_what_who_died_is_and_does(told: str, known: str, ends: bool) -> None:
    death = death_in(told)
    assert (death is not None and ends_with(death, known)) is ends


def test_of_who_is_gone_all_ends_that_is_said_of_them() -> None:
    held = Memory("old", Kind.SEMANTIC, "我外婆八十八，住在绍兴，她爱听戏，我每周去看她。")
    first, *others = (one.digest for one in clauses(held.content))
    assert with_what_hangs_on(held, [first], gone=True) == [first, *others[:-1]]
    other = Memory("old", Kind.SEMANTIC, "我爷爷住在乡下。奶奶住在城里。")
    first, _ = (one.digest for one in clauses(other.content))
    assert with_what_hangs_on(other, [first], gone=True) == [first]


@pytest.mark.parametrize(
    ("known", "told", "stands"),
    [
        ("I can't do shellfish", "He's got me taking lisinopril for the blood pressure, every morning.", True),
        ("I can't eat nuts", "turns out I can eat nuts after all", False),
        ("I can't do Mondays", "Monday is fine for me now", False),
        ("Josie's eleven", "Josie's playing striker, put two in the net.", True),
        ("My daughter Emma is 8", "Emma just turned 9", False),
        ("The rent is 45", "rent's fifty now", False),
        ("it's our twentieth anniversary", "We fly to Kauai March twentieth", True),
        ("老大糖糖7岁上二年级", "糖糖最喜欢三角龙，家里全是恐龙。", True),
        ("老大糖糖7岁上二年级", "糖糖上三年级了", False),
        ("糖糖穿130的", "糖糖上学要坐2站公交", True),
        ("志强生日是12月24号", "志强的年假是12月28号开始", True),
        ("我叫林悦", "我负责的项目叫云仓调度", True),
        ("用户（32岁）在杭州做设计", "我搬到苏州了", False),
        ("我不吃香菜", "我现在能吃香菜了", False),
        ("我不能吃香菜", "我在练瑜伽", True),
        # a job, a faith, a thing's age and a file's size are none
        ("我是护士", "我辞职开店了", False),
        ("I'm Catholic", "I converted to Islam", False),
        ("I'm Dale Hutchins", "Liability insurance is with Farm Bureau", True),
        ("The boiler is 12 years old", "we got a new boiler", False),
        ("The file size is 5 MB", "it's 7 MB now", False),
        ("I can't do spreadsheets", "I learned how to write formulas", False),
        ("My shoe size is 42", "My shoes are from Clarks", False),
        ("My shoe size is 42", "My brother works in Leeds", True),
    ],
)
def test_an_attribute_is_ended_only_by_what_speaks_of_it(known: str, told: str, stands: bool) -> None:
    assert leaves_standing(known, told) is stands


@pytest.mark.parametrize(
    ("known", "told", "stands"),
    [
        ("Volunteers meet on alternate Thursdays in the back room", "this Thursday the meeting is on Zoom, just this once", True),
        ("Lab meeting: Fridays 9:00", "Tomorrow (2026-01-23) the lab meeting is at 11", True),
        ("Lab meeting: Fridays 9:00", "The lab meeting is at 11 from next week", False),
        ("Lab meeting: Fridays 9:00", "Lab meeting is Mondays at 11", False),
        ("Gym every Monday", "I quit the gym yesterday", False),
        ("The rent is 900", "This time it was 950", False),
        ("每周六上午学钢琴", "这周六不去钢琴，发烧", True),
        ("每周六上午学钢琴", "昨天把钢琴课退了", False),
        ("每周二晚上打羽毛球", "周四了，周二晚上要开会", False),
    ],
)  # fmt: skip
def test_what_comes_again_is_ended_by_no_single_day(known: str, told: str, stands: bool) -> None:
    assert only_once(known, told) is stands


def test_what_is_on_a_thing_goes_with_it() -> None:
    held = Memory("old", Kind.SEMANTIC, "I'm driving a 2011 F-250, white, two hundred thousand miles on it.")
    parts = clauses(held.content)
    assert with_what_hangs_on(held, [parts[0].digest]) == [one.digest for one in parts]


@pytest.mark.parametrize(
    ("left", "nothing"),
    [
        ("Wednesdays at half seven.", True),
        ("I'm so happy!", True),
        ("我气惨了", True),
        ("周三下午三点半", True),
        ("two kids, a dog", False),
        ("我在气象局上班", False),
        ("flying from Shannon", False),
        ("I'm happy in Cork", False),
    ],
)
def test_what_is_left_may_say_nothing(left: str, nothing: bool) -> None:
    assert says_nothing_alone(left) is nothing


def ring(*ids: str, disabled: str = "") -> dict[str, Memory]:
    following = (*ids[1:], ids[0])
    return known(
        *(
            Memory(one, Kind.SEMANTIC, one, supersedes=(other,), disabled=one == disabled)
            for one, other in zip(ids, following, strict=True)
        )
    )


def test_a_circle_ends_where_a_member_does_not_count_or_goes() -> None:
    def superseded(role: Compiled) -> set[str]:
        return {one for one, memory in role.memories.items() if memory.superseded_by}

    role = fresh(ring("a", "b", "c", "d", "e"), 0.0)
    assert superseded(role) == set()
    assert set(role.drop("a")) == {"c", "d", "e"}
    assert superseded(role) == {"c", "d", "e"}
    assert superseded(fresh(ring("a", "b", "c", disabled="c"), 0.0)) == {"b", "c"}


@pytest.mark.parametrize(
    ("known", "told", "stands"),
    [
        ("The user has type 2 diabetes and takes metformin.", "Doc added Ozempic to the metformin.", True),
        ("We pay for the vet plan.", "They added dental to our vet plan", True),
        ("我在吃二甲双胍", "医生在二甲双胍的基础上又加了一种针", True),
        ("外公血压高他吃的是硝苯地平", "医生又给外公加了厄贝沙坦", True),
        ("外公吃的是硝苯地平", "医生又给外公加了厄贝沙坦，硝苯地平停了", False),
        ("Mum takes ramipril.", "they've put her on an inhaler as well", True),
        ("The user takes ramipril.", "Doc added Ozempic to the metformin.", False),
        ("The user takes metformin.", "They added Ozempic to the metformin, then stopped the metformin", False),
        ("The user takes metformin.", "I take Ozempic instead of metformin", False),
    ],
)
def test_what_something_is_added_to_goes_on(known: str, told: str, stands: bool) -> None:
    assert only_adds(known, told) is stands


@pytest.mark.parametrize(
    ("known", "told", "other"),
    [
        ("Ana's exam is on the 13th", "They moved Tom's exam to the 15th", True),
        ("Ana's exam is on the 13th", "They moved Ana's exam to the 15th", False),
        ("Ana's exam is on the 13th", "Tom's exam is with Ana's exam on the 15th now", False),
        ("Ana's exam is on the 13th", "Tom's flat is sold", False),
    ],
)
def test_what_is_anothers_changes_nothing(known: str, told: str, other: bool) -> None:
    assert of_another(known, told) is other


@pytest.mark.parametrize(
    ("told", "waits"),
    [
        ("we can have lilies in the shop again once Jonas's gone", True),
        ("we get the garage back when the tenants have moved out", True),
        ("等我妈回来了就换大床", True),
        ("we have lilies in the shop again", False),
        ("Jonas's gone", False),
        ("I took over the shop after Tom left", False),
        ("when the kids left we let their room", False),
        ("等我妈走了才搬的", False),
    ],
)
def test_what_waits_for_something_ends_nothing_yet(told: str, waits: bool) -> None:
    assert not_yet("Jonas is allergic to lilies so there are none in the shop", told) is waits


def test_the_left_knee_has_left_nobody() -> None:
    assert only_once(
        "We only deliver Tuesdays and Thursdays", "the left knee again, I've got physio on Thursday (2026-12-03)"
    )
    assert only_a_visit("52 for a wash and cut", "the left knee again, I've got physio on Thursday (2026-12-03)")
