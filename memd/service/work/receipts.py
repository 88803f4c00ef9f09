"""Receipts: made of what a session has of a run, found again by the run's name, and read as the truth whoever edited them."""

from __future__ import annotations

import asyncio
import unicodedata
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from memd.engine.work.visible import without_raw_call
from memd.errors import Fault, RejectedFileError, RunUnknownError, StorageError
from memd.formats.receipt_file import load_receipt
from memd.formats.texts import decoded
from memd.model.runs import Receipt, RunState, Step
from memd.model.sessions import Event, EventKind, Usage
from memd.storage.layout import RUNS
from memd.storage.listing import list_side

if TYPE_CHECKING:
    from memd.model.runs import Running
    from memd.storage.files import Tree
    from memd.store.store import Store

RESULT_CHARS = 200  # of a tool's result, where it failed


def look_for_receipts(tree: Tree) -> dict[str, str]:
    """Return the files of all receipts by run. Blocks."""
    found: dict[str, str] = {}
    for month in list_side(tree, RUNS):
        for entry in list_side(tree, f"{RUNS}/{month.name}") if month.is_dir else ():
            if entry.is_file and entry.name.endswith(".md") and not entry.name.startswith("."):
                found[entry.name.removesuffix(".md")] = f"{RUNS}/{month.name}/{entry.name}"
    return found


async def find_receipts(store: Store) -> dict[str, str]:
    """Return the files of all receipts as the directories are now, those on their way there included."""
    on_their_way = store.texts.names(RUNS)  # what is written while we look is in one of the two
    found = await asyncio.to_thread(look_for_receipts, store.tree)
    for name in (*on_their_way, *store.texts.names(RUNS)):
        if name.endswith(".md"):
            found[name.rpartition("/")[2].removesuffix(".md")] = name
    store.working.receipts = found
    return found


async def receipt_text(store: Store, run: str) -> tuple[str, str]:
    """Return the file and the text of a run's receipt, or raise RunUnknownError."""
    wanted = unicodedata.normalize("NFC", run)
    for known in (store.working.receipts, None):
        files = known if known is not None else await find_receipts(store)
        text = store.texts.read(store.tree, files[wanted]) if wanted in files else None
        if text is not None:
            return files[wanted], text
    raise RunUnknownError(run)


async def receipt_of(store: Store, run: str) -> tuple[Receipt, str]:
    """Return a run's receipt as its file says, and the file."""
    name, text = await receipt_text(store, run)
    return load_receipt(text, name)[0], name


async def all_receipts(store: Store) -> tuple[list[Receipt], list[Fault]]:
    """Return every receipt that can be read, in the order of their names, and what is wrong with the others."""
    return await read_receipts(store, sorted((await find_receipts(store)).values()))


async def read_receipts(store: Store, names: Sequence[str]) -> tuple[list[Receipt], list[Fault]]:
    """Return the receipts of these files that can be read, in their order, and what is wrong with the others."""
    held = {name: store.texts.read(store.tree, name) for name in names if name in store.texts.held}
    return await asyncio.to_thread(_read_all, store.tree, names, held)


def _read_all(tree: Tree, names: Sequence[str], held: dict[str, str | None]) -> tuple[list[Receipt], list[Fault]]:
    receipts: list[Receipt] = []
    faults: list[Fault] = []
    for name in names:
        try:
            text = held.get(name) or decoded(name, tree.read(name)[0])
        except RejectedFileError as error:
            faults.append(error.fault)
            continue
        except (StorageError, FileNotFoundError):
            continue
        receipt, odd = load_receipt(text, name)
        faults += odd
        if receipt.run:
            receipts.append(receipt)
    return receipts, faults


def compose(
    run: Running, events: Sequence[Event], state: RunState, ended_at: str, summary: str, changed: Sequence[str]
) -> Receipt:
    """Return the receipt of a run, made of its events."""
    usage = Usage()
    tools: Counter[str] = Counter()
    injected: dict[str, None] = {}
    evidence: list[str] = []
    for event in events:
        said = event.said
        if event.kind == EventKind.USAGE:
            usage.add(said)
        elif event.kind == EventKind.TOOL_CALL:
            tools[str(said.get("tool", ""))] += 1
        elif event.kind == EventKind.INJECTED:
            role = str(said.get("role", "") or run.role)
            injected.update(dict.fromkeys(f"{role}/{one}" if role else str(one) for one in said.get("memories", ())))
        elif event.kind == EventKind.EVIDENCE:
            status = f"[{said['status']}] " if said.get("status") else ""
            evidence.append(f"{status}{said.get('content', '')}")
    return Receipt(
        run=run.run, state=state, task=run.task, session=run.session, role=run.role, started_at=run.started_at,
        ended_at=ended_at, snapshot=run.snapshot, skills=run.skills, injected=tuple(injected), tools=dict(tools),
        iterations=len(iterations_of(events)), max_tool_iterations=run.max_tool_iterations, events=len(events), usage=usage.view(),
        asked=run.asked or _first_asked(events), summary=summary or _last_answer(events), evidence=tuple(evidence),
        changed=tuple(changed), steps=steps_of(events),
    )  # fmt: skip


def iterations_of(events: Sequence[Event]) -> set[str]:
    """Return what tells the tool iterations of a run apart: the number the engine gave, else each call is one."""
    return {iteration_key(event.said, event.id) for event in events if event.kind == EventKind.TOOL_CALL}


def iteration_key(said: Any, event_id: str) -> str:
    """Return what a tool call's iteration is known by."""
    number = said.get("iteration")
    return f"#{number}" if isinstance(number, int) else event_id


def steps_of(events: Sequence[Event]) -> tuple[Step, ...]:
    """Return the tool calls of a run with what came of them: by the call's id, else the result that follows."""
    results = {str(e.said["call_id"]): e for e in events if e.kind == EventKind.TOOL_RESULT and e.said.get("call_id")}
    steps: list[Step] = []
    for number, event in enumerate(events):
        if event.kind != EventKind.TOOL_CALL:
            continue
        result = results.get(str(event.said.get("call_id", "")))
        if result is None and not event.said.get("call_id") and number + 1 < len(events):
            after = events[number + 1]
            result = after if after.kind == EventKind.TOOL_RESULT and not after.said.get("call_id") else None
        arguments = event.said.get("arguments", {})
        failed = bool(result and result.said.get("is_error"))
        text = str(result.said.get("content", ""))[:RESULT_CHARS] if result else ""
        known = arguments if isinstance(arguments, (dict, str)) else {"input": arguments}
        steps.append(Step(str(event.said.get("tool", "")), known, failed, text))
    return tuple(steps)


def _first_asked(events: Sequence[Event]) -> str:
    return next((str(e.said.get("content", "")) for e in events if _is_said(e, "user")), "")


def _last_answer(events: Sequence[Event]) -> str:
    answers = (e for e in reversed(events) if _is_said(e, "assistant") and str(e.said.get("content", "")).strip())
    return next((without_raw_call(e.said) for e in answers), "")


def _is_said(event: Event, speaker: str) -> bool:
    return event.kind == EventKind.MESSAGE and event.visible and event.said.get("speaker") == speaker
