"""A task: what runs work for, and how a person accepts what they came to.

Source
    docs/design/origins.md#the-blueprint-of-an-engine: acceptance is accept, revise or abandon, and learning begins
    with accept alone.
"""

from __future__ import annotations

from enum import StrEnum


class TaskState(StrEnum):
    """How a task stands. Whether a run is under way is not a state: several may be."""

    OPEN = "open"
    REVIEW = "review"
    REVISING = "revising"
    ACCEPTED = "accepted"
    ABANDONED = "abandoned"


class Move(StrEnum):
    """What happens to a task: its runs begin and end, evidence is added, a person says a word."""

    START = "start"
    COMPLETE = "complete"
    STOP = "stop"
    EVIDENCE = "evidence"
    ACCEPT = "accept"
    REVISE = "revise"
    ABANDON = "abandon"


S, M = TaskState, Move
# state -> what happens -> state; what is not here is refused. COMPLETE: a run came to its end; STOP: a run failed, was
# cancelled or interrupted. A run that ends after its task was decided leaves the task as it is.
TASK_MOVES: dict[TaskState, dict[Move, TaskState]] = {
    S.OPEN: {M.START: S.OPEN, M.COMPLETE: S.REVIEW, M.STOP: S.OPEN, M.EVIDENCE: S.OPEN, M.ABANDON: S.ABANDONED},
    S.REVIEW: {
        M.START: S.REVIEW, M.COMPLETE: S.REVIEW, M.STOP: S.REVIEW, M.EVIDENCE: S.REVIEW,
        M.ACCEPT: S.ACCEPTED, M.REVISE: S.REVISING, M.ABANDON: S.ABANDONED,
    },
    S.REVISING: {
        M.START: S.REVISING, M.COMPLETE: S.REVIEW, M.STOP: S.REVISING, M.EVIDENCE: S.REVISING, M.ABANDON: S.ABANDONED,
    },
    S.ACCEPTED: {M.COMPLETE: S.ACCEPTED, M.STOP: S.ACCEPTED, M.EVIDENCE: S.ACCEPTED},
    S.ABANDONED: {M.COMPLETE: S.ABANDONED, M.STOP: S.ABANDONED, M.EVIDENCE: S.ABANDONED},
}  # fmt: skip
# What a person or an engine may do; the rest follows from what runs do.
ASKED = (M.START, M.ACCEPT, M.REVISE, M.ABANDON)


def words_for(state: TaskState) -> str:
    """Return what may be asked for in a state, for a sentence."""
    return ", ".join(move.value for move in ASKED if move in TASK_MOVES[state]) or "nothing: it is decided"
