"""Verbs that keep a memory in shape: stats, upkeep."""

from __future__ import annotations

from typing import Any

import click

from memd.cli.reach import ask, json_option, workspace_option
from memd.cli.show import emit, short, table


@click.command("stats")
@click.argument("role", default="")
@json_option
@workspace_option
def stats_command(role: str, as_json: bool, workspace: str) -> None:
    """Tell what a memory holds, how it grows and is used, what was refused, and what is to come.

    \b
    memd stats
    memd stats main --json
    """
    reply = ask(workspace, "stats", role=role)
    parts = [
        f"{reply['total']} memories in {len(reply['roles'])} roles; {reply['waiting_for_review']} texts wait for review"
    ]
    if reply["refusals"]:
        parts.append("Refused and noted: " + _counts(reply["refusals"]))
    parts += [_role_text(one) for one in reply["roles"]]
    emit(reply, as_json, "\n\n".join(parts))


def _role_text(role: dict[str, Any]) -> str:
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
    lines = [f"{role['role']}: {role['total']} memories, {role['bytes']} bytes", table(("", ""), rows).lstrip("\n")]
    for title, key in (("Most used", "most_used"), ("Never used, oldest", "least_used")):
        lines += _listed(title, [f"{one.get('uses', '')} {one['content']}".strip() for one in role[key]])
    lines += _listed(
        "Superseded", [f"{one['superseded']['content']} → {one['holds']['content']}" for one in role["contradictions"]]
    )
    lines += _listed("Of one subject", [f"{one['count']}: {one['memories'][0]['content']}" for one in role["clusters"]])
    review, forecast = role["to_review"], role["forecast"]
    lines.append(
        f"To review: {review['expired']} expired, {len(review['expiring'])} about to, {review['below_floor']} worth little"
    )
    lines.append(_forecast_text(forecast))
    return "\n".join(line for line in lines if line.strip())


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


def _listed(title: str, items: list[str]) -> list[str]:
    return [f"{title}:", *(f"  {short(one, 100)}" for one in items)] if items else []


@click.command("upkeep")
@click.argument("role", default="")
@click.option("--dry-run", is_flag=True, help="Say what would be done, and do nothing.")
@json_option
@workspace_option
def upkeep_command(role: str, dry_run: bool, as_json: bool, workspace: str) -> None:
    """Move what expired to the archive, make room where a limit is reached, fold; propose what is worth little.

    \b
    memd upkeep --dry-run
    memd upkeep main
    """
    reply = ask(workspace, "upkeep.plan" if dry_run else "upkeep.run", role=role)
    would = "would go" if dry_run else "went"
    lines: list[str] = []
    for one in reply["roles"]:
        rows = [(entry["id"][:8], entry["kind"], entry["why"], short(entry["content"], 60)) for entry in one["archive"]]
        if rows:
            lines.append(
                f"{one['role']}: {len(rows)} {would} to the archive\n" + table(("id", "kind", "why", "text"), rows)
            )
        lines += [
            f"{one['role']}: {len(group)} episodes become one: {short(group[-1]['content'], 60)}"
            for group in one["fold"]
        ]
        if one["propose"]:
            least = [
                (entry["id"][:8], f"{entry['worth']:g}", short(entry["content"], 60)) for entry in one["propose"][:20]
            ]
            lines.append(
                f"{one['role']}: {len(one['propose'])} worth little; `memd forget` archives one\n"
                + table(("id", "worth", "text"), least)
            )
    if reply["remove"]:
        lines.append(f".memory/ is full: {', '.join(reply['remove'])} {would}")
    emit(reply, as_json, "\n\n".join(lines) or "Nothing to do.")
