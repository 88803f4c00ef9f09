"""Runs: one execution of an agent each, from a frozen snapshot to a receipt.

What a run does are events of its session (appending.py).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from memd.errors import (
    MemdError,
)
from memd.model.runs import Receipt, Running, RunState
from memd.service.work.receipts import iterations_of, receipt_of
from memd.service.work.run_state import make_runs_ready
from memd.service.work.sessions import session_of

if TYPE_CHECKING:
    from memd.model.settings import SessionSettings
    from memd.store.store import Store


def sessions_settings(store: Store, role: str) -> SessionSettings:
    """Return what is in force for the runs of a role, or of none."""
    known = store.roles.get(role)
    return (store.settings_of(known) if known else store.settings).sessions


async def running_of(store: Store, name: str) -> Running | None:
    """Return a run under way; None for one that has ended; RunUnknownError."""
    await make_runs_ready(store)
    run = store.working.running.get(name)
    if run is None:
        await receipt_of(store, name)
    return run


async def known_run(store: Store, name: str) -> Running:
    """Return a run under way, or one that has ended as its receipt has it."""
    return await running_of(store, name) or again(store, (await receipt_of(store, name))[0])


async def counted(store: Store, run: Running) -> Running:
    """Return a run with its tool iterations counted: those of a process before us stand in its session."""
    if not run.counted:
        try:
            async with store.working.turn_of(run.session):
                log = await session_of(store, run.session)
            run.iterations, run.counted = run.iterations | iterations_of(log.of_run(run.run)), True
        except MemdError:
            return run
    return run


def again(store: Store, receipt: Receipt) -> Running:
    """Return a run that was closed as interrupted while its process went on."""
    return Running(
        receipt.run, receipt.session, receipt.started_at, receipt.task, receipt.role, receipt.asked, receipt.snapshot,
        receipt.skills, receipt.max_tool_iterations or sessions_settings(store, receipt.role).max_tool_iterations,
        state=RunState.INTERRUPTED,
    )  # fmt: skip
