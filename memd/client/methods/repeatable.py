"""Which methods write nothing, so that they may be asked twice. Made from the declarations by `make docs`: change those, not this."""

from __future__ import annotations

REPEATABLE = frozenset(
    [
        "capture.level",
        "capture.pause",
        "config.get",
        "consolidate.list",
        "curated.read",
        "export",
        "learning.candidates",
        "log",
        "memory.get",
        "memory.list",
        "memory.verify",
        "ping",
        "profile",
        "rebuild",
        "review.list",
        "role.get",
        "role.list",
        "rpc.discover",
        "run.get",
        "run.list",
        "search",
        "session.get",
        "session.history",
        "session.search",
        "skill.get",
        "skill.list",
        "snapshot.sections",
        "stats",
        "status",
        "subscribe",
        "task.get",
        "task.list",
        "trigger",
        "tune",
        "upkeep.plan",
    ]
)
