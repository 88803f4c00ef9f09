"""Verbs that keep a memory in shape: stats, upkeep, tune."""

from __future__ import annotations

from typing import Any

import click

from memd.cli.options import asks, given
from memd.cli.progress import ask_and_watch
from memd.cli.reach import PART, ask, json_option, workspace_option
from memd.cli.show import Part, Strong, counted, emit, own, table
from memd.cli.tables import Column, cut_text, first_of, handle, listing, whole_text

FIRST = 10  # of what may be thousands
UPKEEP_S = 600.0


@click.command("stats")
@asks("stats", "role", only=())
@json_option
@workspace_option
def stats_command(role: str, as_json: bool, workspace: str) -> None:
    """Tell what a memory holds, how it grows and is used, what was refused, and what is to come.

    \b
    memd stats
    memd stats main --json
    """
    reply = ask(workspace, "stats", role=role, limit=PART)
    held = counted(reply["waiting_for_review"], "text")
    parts: list[Part] = [
        f"{counted(reply['total'], 'memory')} in {counted(reply['roles_total'], 'role')}; {held} held for review"
    ]
    if reply["refusals"]:
        parts += ["", "Refused and noted: " + _counts(reply["refusals"])]
    parts += _near_edge(reply["near_edge"])
    for one in reply["roles"]:
        parts += ["", *_of_role(one)]
    emit(reply, as_json, *parts)


def _near_edge(edge: dict[str, Any]) -> list[Part]:
    """Return what was refused near the gate's edge, for a person; nothing where nothing was."""
    if not (edge["refused"] or edge["waiting"] or edge["became"]):
        return []
    left = f"; left the inbox: {_counts(edge['became'])}" if edge["became"] else ""
    head = f"Near the edge, {edge['days']} days: {counted(edge['refused'], 'refusal')}, {edge['waiting']} waiting{left}"
    return ["", head, *near_texts(edge["nearest"])]


def near_texts(nearest: list[dict[str, Any]]) -> list[Part]:
    """Return texts of the inbox, for a person."""
    rows = [(handle(one["id"]), f"{one['total']:g}", one["content"]) for one in nearest]
    return [listing(rows, Column("id"), Column("total"), cut_text("text"), indent=2)] if rows else []


def _of_role(role: dict[str, Any]) -> list[Part]:
    rows = [
        (name, _counts(role[key]))
        for name, key in (
            ("kinds", "by_kind"),
            ("come by", "by_trigger"),
            ("feelings", "by_emotion"),
            ("scores", "by_importance"),
            ("sources", "by_source"),
            ("validity", "by_validity"),
            ("growth", "growth"),
        )
        if role[key]
    ]
    head = Strong(f"{role['role']}: {counted(role['total'], 'memory')}, {counted(role['bytes'], 'byte')}")
    parts: list[Part] = [(head,), listing(rows, Column("of"), whole_text("counts"))]
    for title, key in (("Most used", "most_used"), ("Never used, oldest", "least_used")):
        parts += _listed(title, [(one.get("uses", ""), one["content"]) for one in role[key]])
    replaced = [(one["superseded"]["content"], f"→ {one['holds']['content']}") for one in role["contradictions"]]
    if replaced:
        parts += ["Superseded:", listing(replaced, cut_text("was"), cut_text("is"), indent=2)]
    parts += _listed("Of one subject", [(one["count"], one["memories"][0]["content"]) for one in role["clusters"]])
    review = role["to_review"]
    parts.append(
        f"To review: {review['expired']} expired, {len(review['expiring'])} about to, {review['below_floor']} worth little"
    )
    return [*parts, _forecast_text(role["forecast"])]


def _forecast_text(forecast: dict[str, Any]) -> str:
    days = forecast["days_to_limit_of_memories"]
    text = f"Forecast: {forecast['memories_a_day']:g} memories a day"
    text += f", the limit of memories in {days} days" if days is not None else ""
    ahead = [
        f"in {when} {one['below_floor']} worth little, {one['expired']} expired" for when, one in forecast["in"].items()
    ]
    return "; ".join([text, *ahead])


def _counts(counts: dict[str, int]) -> str:
    return ", ".join(f"{name} {count}" for name, count in counts.items())


def _listed(title: str, rows: list[tuple[Any, str]]) -> list[Part]:
    return [f"{title}:", listing(rows, Column("count"), cut_text("memory"), indent=2)] if rows else []


@click.command("upkeep")
@asks("upkeep.plan", "role", only=())
@click.option("--dry-run", is_flag=True, help="Say what would be done, and do nothing.")
@click.option("--verbose", is_flag=True, help="Name all, not only the first of each kind.")
@json_option
@workspace_option
def upkeep_command(role: str, dry_run: bool, verbose: bool, as_json: bool, workspace: str) -> None:
    """Move what expired to the archive, make room where a limit is reached, fold; propose what is worth little.

    \b
    memd upkeep --dry-run
    memd upkeep main
    """
    method = "upkeep.plan" if dry_run else "upkeep.run"
    reply = ask_and_watch(workspace, method, "Upkeep", name="upkeep", deadline_s=UPKEEP_S, role=role)
    would, most = "would go" if dry_run else "went", None if verbose else FIRST
    parts: list[Part] = []
    for one in reply["roles"]:
        parts += _kept_up(one, would, most)
    if reply["remove"]:
        parts.append(f".memory/ is full: {', '.join(reply['remove'])} {would}")
    if reply.get("inbox"):
        parts.append(f"{counted(len(reply['inbox']), 'text')} {would} from the inbox to the audit: nobody kept them")
    emit(reply, as_json, *(parts or ["Nothing to do."]))


@click.command("tune")
@asks("tune", role=given(words="Only of this role."))
@json_option
@workspace_option
def tune_command(as_json: bool, workspace: str, **asked: Any) -> None:
    """Show how other thresholds would have judged what you decided: what you kept or dropped of the inbox, what was told again,
    and what you forgot within a week. Nothing is changed: `memd config gate.keep_from N` does.

    \b
    memd tune
    memd tune --keep-from 6.2 --since 2026-05-01
    """
    reply = ask(workspace, "tune", **asked)
    heads = ("keep from", "", "would keep", "would drop", "as decided", "lost", "noise", "waiting kept")
    rows = [
        (
            f"{one['keep_from']:g}", "now" if one["in_force"] else "", one["would_keep"], one["would_drop"], one["right"],
            one["lost"], one["noise"], one["waiting_kept"],
        )
        for one in reply["thresholds"]
    ]  # fmt: skip
    by = f" ({_counts(reply['decided'])})" if reply["decided"] else ""
    head = f"Decided: {reply['kept']} to keep, {reply['dropped']} to drop{by}; {reply['waiting']} waiting, undecided"
    words = "lost: you kept it, and it would be dropped; noise: you dropped it, and it would be kept"
    emit(reply, as_json, head, table(heads, rows), words)


def _kept_up(one: dict[str, Any], would: str, most: int | None) -> list[Part]:
    parts: list[Part] = []
    if one["archive"]:
        rows = [(handle(entry["id"]), entry["kind"], entry["why"], entry["content"]) for entry in one["archive"]]
        parts.append(f"{one['role']}: {counted(one['total']['archive'], 'memory')} {would} to the archive")
        parts += first_of(("id", "kind", "why", cut_text("text")), rows, most)
    if one["fold"]:
        groups = [(f"{len(group)} episodes become one:", group[-1]["content"]) for group in one["fold"]]
        parts.append(f"{one['role']}: {counted(one['total']['fold'], 'fold')}")
        parts += first_of((Column("fold"), cut_text("text")), groups, most)
    if one["propose"]:
        least = [(handle(entry["id"]), f"{entry['worth']:g}", entry["content"]) for entry in one["propose"]]
        parts.append(own(f"{one['role']}: {one['total']['propose']} worth little; `memd forget` archives one"))
        parts += first_of(("id", "worth", cut_text("text")), least, most)
    return parts
