"""No reply has a list without an end: what may grow comes in parts, and every other list says what bounds it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from memd.doors.rpc import discover

WALKS = {"offset", "before", "since"}  # how a client goes on: by number, or from what it has seen last
TOLD = {"total", "more", "cut", "n"}  # how it knows whether there is more
# Lists that come in parts.
PAGED = {
    "Candidates.candidates", "Effects.effects", "Found.hits", "FoundInSessions.events", "FoundInSessions.hits",
    "FoundInSessions.sessions", "History.messages", "Log.happened", "Memories.memories", "PassesView.passes", "Reviewed.drafts",
    "Reviews.conflicts", "Reviews.held", "Reviews.waiting", "Reviews.withheld", "Roles.roles", "Runs.runs", "Skills.skills",
    "Statistics.roles", "Subscribed.recalls", "Subscribed.verdicts", "Tasks.tasks",
}  # fmt: skip
# Every other, with what bounds it: an object stands for all its lists.
BOUNDED = {
    "a memory's own record": (
        "FoundMemory", "ListedMemory", "MemoryView", "RestoredMemory", "UpdatedMemory", "Activated", "ProfileLine", "HeldText",
        "WaitingText", "Hit.tags", "PlaceTaken", "UndoneDecision", "SettledConflict", "RelationTold.covers", "MeantRemember",
        "CommittedChange",
    ),
    "the newest commits, as many as are asked for: what is older is in git": ("Commits.changes",),
    "the agents that memd knows, and the few files each of them reads": ("AgentHooks", "Status.agents"),
    "one text, read up to gate and splitter's own bounds": (
        "Remembered", "Scored", "GuardRuling", "EmotionRead", "Recalled.times", "Refused.reasons",
    ),
    "one file, which is served whole": (
        "EditedCurated", "ReadCurated", "FoundRole", "RoleView", "SnapshotSections", "TakenSnapshot", "SettingsInForce",
        "TrustState", "Context.sections",
    ),
    "one session, run, task or skill: its own record": (
        "CandidateView", "ClosedSession", "DraftLine", "DraftView", "FoundRun", "FoundSkill", "JudgedTask", "ListedSession",
        "OpenedSession", "ReceiptView", "RunUnderWay", "SessionView", "StartedRun", "Synthesized", "TaskView", "VersionView",
        "FoundInSessions.begins", "FoundInSessions.ends", "FoundInSessions.runs", "SessionHit", "History.lineage",
    ),
    "the request's own length": (
        "AppendedEvents", "RunEvents", "Imported", "AppliedPack", "UnprovedFact", "Subscribed.roles", "Subscribed.subscribed",
        "UpdatedCollection.added", "UpdatedCollection.refused", "UpdatedCollection.updated",
    ),
    "the budget of a block": (
        "Context.activated", "ProfileView", "ProfilePart", "Recalled.activated", "Places", "AtDepth",
    ),
    "`limit`, which says how many; the rest comes when these are done": ("Proposals", "PacksView", "PackView"),
    "what one call did, as it did it; consolidate.list and log have it in parts": (
        "ConsolidatedSessions", "PassView", "PassTakenBack", "ForgottenMemory", "UpdatedCollection.archived", "Upkeep.inbox",
        "Upkeep.remove",
    ),
    "all of a kind stand in an upsert's reply, which may have archived the others": ("UpdatedCollection.memories",),
    "`limit` of each role; the roles are told whole, as upkeep works on all of them": ("RoleUpkeep", "Upkeep.roles"),
    "a constant of ours": (
        "Cluster", "NearEdge", "RoleStatistics", "ToReview", "Tuned", "ScopeView", "RecentRecall", "RecentRecalled",
        "RecentVerdicts", "Aging", "SettingView.choices",
    ),
    "sessions.max_context_messages; session.history has the rest": ("Context.messages",),
    "files that cannot be read, which a person mends; `memd check` goes through them": (
        "Candidates.faults", "Tasks.faults", "Effects.faults", "Reviewed.faults", "Roles.rejected", "Status.rejected",
    ),
    "what was found to be wrong, once, by counting everything again": ("Effects.differing", "Effects.edited"),
    "of each skill one, the newest that does worse": ("Effects.regressions", "WorkState.regressions"),
    "processes that run now": ("Runs.running", "WorkState.running"),
    "one look at everything, a word each; role.list and run.list have it in parts": (
        "Status.roles", "WorkState.edited_receipts", "LogState.conflict_copies",
    ),
    "one candidate each, as `counts` has them": (
        "Context.dropped_for_room", "Recalled.dropped_for_room", "Recalled.in_window", "Recalled.withheld", "Recalled.refused",
    ),
    "notes of links and files that a role names": ("Found.notes", "Memories.notes", "Recalled.notes"),
}  # fmt: skip


def test_every_list_comes_in_parts_or_says_what_bounds_it() -> None:
    document = discover()
    methods = {one["name"]: one for one in document["methods"]}
    named = {name for some in BOUNDED.values() for name in some}
    endless, unpaged, known = set(), set(), set()
    for method, name in lists(document):
        known |= {name, name.partition(".")[0]}
        if name in PAGED:
            params = {one["name"] for one in methods[method]["params"]}
            reply = document["components"]["schemas"][methods[method]["result"]["schema"]["$ref"].rpartition("/")[2]]
            pages = bool(
                params & {"limit", "last", "max_messages"} and params & WALKS and reply["properties"].keys() & TOLD
            )
            unpaged |= set() if pages else {f"{method}: {name}"}
        elif not {name, name.partition(".")[0]} & named:
            endless.add(f"{method}: {name}")
    assert (endless, unpaged) == (set(), set())
    assert (PAGED | named) - known == set(), "no such list any more"


def test_a_list_that_nobody_bounded_is_found() -> None:
    document = {
        "methods": [{"name": "a.list", "result": {"schema": {"$ref": "#/components/schemas/A"}}}],
        "components": {
            "schemas": {
                "A": {"properties": {"some": {"type": "array", "items": {"$ref": "#/components/schemas/B"}}}},
                "B": {"properties": {"few": {"type": "array", "maxItems": 3}, "many": {"anyOf": [{"type": "array"}]}}},
            }
        },
    }
    assert sorted(lists(document)) == [("a.list", "A.some"), ("a.list", "B.many")]


def lists(document: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield each list of each method's reply, by the object it is in, as `Object.key`."""
    schemas = document["components"]["schemas"]
    for method in document["methods"]:
        seen: set[str] = set()
        wanted = [method["result"]["schema"]["$ref"].rpartition("/")[2]]
        while wanted:
            name = wanted.pop()
            if name not in seen:
                seen.add(name)
                for key, schema in schemas[name].get("properties", {}).items():
                    found = list(parts(schema))
                    wanted += [one["$ref"].rpartition("/")[2] for one in found if "$ref" in one]
                    if key != "remarks" and any(one.get("type") == "array" and "maxItems" not in one for one in found):
                        yield method["name"], f"{name}.{key}"


def parts(schema: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield a schema and those inside it."""
    yield schema
    for one in (*schema.get("anyOf", ()), schema.get("items"), schema.get("additionalProperties")):
        if isinstance(one, dict):
            yield from parts(one)
