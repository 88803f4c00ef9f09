"""The methods of the protocol: all verbs."""

from __future__ import annotations

# ruff: noqa: F401  each module declares its verbs
from memd.verbs.care import capture, exchange, happenings, roles, settings, statistics, status, upkeep
from memd.verbs.declared import VERBS, Verb
from memd.verbs.memory import (
    collections,
    consolidation,
    corrections,
    guard,
    links,
    memories,
    proposals,
    remembering,
    reviews,
    verdicts,
)
from memd.verbs.recall import context, curated, profiles, recall, searches
from memd.verbs.sessions import hooks, session_search, sessions
from memd.verbs.work import learning, run_events, runs, skills, tasks

METHODS: dict[str, Verb] = VERBS
