"""replay: recorded turns through trigger again, and how what comes to mind now differs from what came then."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from memd.errors import BadSettingsError, Fault, MemdError
from memd.formats.expectations import Expectation, load_expectations
from memd.formats.settings import TOML_BYTES
from memd.service.memory.trigger import trigger
from memd.service.walks import TriggerRequest
from memd.storage.layout import EXPECT
from memd.text.characters import squeeze

if TYPE_CHECKING:
    from memd.formats.expectations import Turn
    from memd.store.store import Store

SESSION = "replay"
TURN = "turn"  # for a time: that of each turn
WINDOW = 10  # messages that go along with a turn


async def replay(
    store: Store,
    role: str,
    turns: Sequence[Turn],
    replies: list[dict[str, Any]] | None = None,
    *,
    as_of: str | None = None,
) -> list[dict[str, Any]]:
    """Return for each turn what comes now, and against what is recorded what is new and what is gone, each with why.

    `replies` gets the whole reply to each turn, where it is given. `as_of`: what was known then is asked, at each turn's own
    time where it is TURN; a turn that has none is asked as of now.
    """
    told: list[dict[str, Any]] = []
    said: list[str] = []
    for number, turn in enumerate(turns, 1):
        said.append(turn.message)
        request = TriggerRequest(
            role=turn.role or role, messages=said[-WINDOW:], session=SESSION, turn=number, now=turn.now, explain=True,
            as_of=turn.now if as_of == TURN else as_of,
        )  # fmt: skip
        reply = await trigger(store, request)
        told.append(_turn(turn, reply))
        if replies is not None:
            replies.append(reply)
    store.recalled.talks.pop((role, SESSION), None)
    return told


def _turn(turn: Turn, reply: dict[str, Any]) -> dict[str, Any]:
    now = [
        {"id": one["id"], "text": one["text"], "reasons": one["reasons"], "score": one["score"]}
        for one in reply["activated"]
    ]
    shown: dict[str, Any] = {"line": turn.line, "message": turn.message, "activated": now}
    shown |= {key: reply[key] for key in ("as_of", "notes") if key in reply}
    if turn.recalled is not None:
        shown |= differing(turn.recalled, reply)
    return shown


def differing(before: Sequence[str], reply: dict[str, Any]) -> dict[str, Any]:
    """Return what came that did not before, and what came before and does not, each with the reason of now."""
    after = {one["id"]: "; ".join(one["reasons"]) for one in reply["activated"]}
    refused = {one["id"]: f"{one['why']}: {one['detail']}" for one in reply.get("refused", ())}
    return {
        "recorded": list(before),
        "new": [{"id": key, "why": why} for key, why in after.items() if key not in before],
        "gone": [
            {"id": key, "why": refused.get(key, "unrelated to the message")} for key in before if key not in after
        ],
    }


# check --expect: a workspace's own tests. Every case goes through trigger; what differs is a finding with its line.


async def check_expectations(store: Store) -> tuple[list[Fault], int]:
    """Return what does not come as the files under expect/ say, and how many cases there are."""
    faults: list[Fault] = []
    count = 0
    for name in sorted(one.name for one in store.tree.entries(EXPECT) if one.is_file and one.name.endswith(".toml")):
        path = f"{EXPECT}/{name}"
        try:
            cases = load_expectations(store.tree.read(path, TOML_BYTES * 2)[0], path)
        except BadSettingsError as error:
            faults += error.faults
            continue
        except MemdError as error:
            faults.append(Fault(path, 1, 1, str(error), "file.unreadable"))
            continue
        count += len(cases)
        for case in cases:
            faults += await _look(store, case)
    return faults, count


async def _look(store: Store, case: Expectation) -> list[Fault]:
    request = TriggerRequest(
        role=case.role,
        messages=list(case.messages),
        now=case.now,
        zone=case.zone,
        emotion=case.emotion,
        explain=True,
    )
    try:
        reply = await trigger(store, request)
    except MemdError as error:
        return [Fault(case.name, case.line, 1, str(error), "expect.failed")]
    came = [(one["id"], one["text"]) for one in reply["activated"]]
    refused = {one["id"]: f"{one['why']}, {one['detail']}" for one in reply["refused"]}
    texts = {one["id"]: one["text"] for one in reply["refused"]}
    said = f"{case.messages[-1][:60]!r}"
    fault = partial(Fault, case.name, case.line, 1)
    faults = [
        fault(f"{said} does not bring {wanted!r}{_because(wanted, refused, texts)}", "expect.missing")
        for wanted in case.must
        if not any(_is_meant(wanted, *one) for one in came)
    ]
    faults += [
        fault(f"{said} brings {unwanted!r}: {text[:60]!r}", "expect.came")
        for unwanted in case.must_not
        for key, text in came
        if _is_meant(unwanted, key, text)
    ]
    if case.nothing:
        extra = [
            one for one in reply["activated"] if "constant" not in one["strategies"] and one["reasons"] != ["constant"]
        ]
        faults += [fault(f"{said} brings {one['text'][:60]!r}", "expect.came") for one in extra]
    return faults


def _is_meant(words: str, memory_id: str, text: str) -> bool:
    return memory_id.startswith(words) or squeeze(words) in squeeze(text)


def _because(wanted: str, refused: dict[str, str], texts: dict[str, str]) -> str:
    why = next((refused[key] for key, text in texts.items() if _is_meant(wanted, key, text)), "")
    return f": {why}" if why else ""
