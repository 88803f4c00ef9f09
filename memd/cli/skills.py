"""Verbs over skills: candidates, synthesize, draft, review, publish, retire, list, show, effects."""

from __future__ import annotations

import sys
from typing import Any

import click

from memd.cli.options import asks, given
from memd.cli.reach import ask, ask_all, json_option, workspace_option
from memd.cli.show import Part, draft_text, emit, moment, own_call, say, table, tell
from memd.cli.tables import Table, cut_text, whole_text
from memd.cli.verbs import Family
from memd.errors import BadParamsError, LearningStateError

DIFFERS = 1
BY = given(metavar="WHO", required=False, default="", words="Who says so; asked for on a terminal.")
VERDICTS = ("accepted", "revised", "abandoned")


@click.group("skill", cls=Family)
def skill_command() -> None:
    """Learn skills from accepted tasks. Nothing is published without a person's yes.

    \b
    memd skill candidates
    memd skill synthesize fix-the-login
    memd skill review fix-the-login
    memd skill publish fix-the-login --by Lin
    memd skill effects
    """


@skill_command.command("list")
@json_option
@workspace_option
def list_skills(as_json: bool, workspace: str) -> None:
    """List the published skills with how they do.

    \b
    memd skill list
    """
    reply = ask_all(workspace, "skill.list", "skills")
    rows = [
        (one["skill"], one["version"] or "-", f"{one['effect']['mean']:.2f}" if "effect" in one else "-",
         one.get("effect", {}).get("runs", 0), one["description"])
        for one in reply["skills"]
    ]  # fmt: skip
    heads = ("skill", "version", "mean", "runs", cut_text("for"))
    emit(reply, as_json, table(heads, rows) if rows else "No skill is published.")


@skill_command.command("show")
@asks("skill.get", "skill", version=given(metavar="N"))
@json_option
@workspace_option
def show_skill(as_json: bool, workspace: str, **asked: Any) -> None:
    """Print a skill's text; its versions, and whose word published them, go to standard error.

    \b
    memd skill show fix-the-login --version 1
    """
    reply = ask(workspace, "skill.get", **asked)
    emit(reply, as_json, reply["text"].rstrip("\n"))
    if as_json:
        return
    used = "retired" if reply["retired"] else f"version {reply['version']}" if reply["version"] else "written by hand"
    parts: list[Part] = [f"{reply['skill']}: {used}, {reply['file']}"]
    if reply["versions"]:
        rows = [
            (one["n"], moment(one["published_at"]), one["by"], one.get("candidate", ""), one.get("words", ""))
            for one in reply["versions"]
        ]
        parts.append(table(("version", "published", "by", "candidate", whole_text("words")), rows))
    if reply["effects"]:
        parts.append(_effects_table(reply["effects"]))
    say("", *parts, err=True)


@skill_command.command("candidates")
@asks("learning.candidates", only=("state",))
@json_option
@workspace_option
def list_candidates(state: str | None, as_json: bool, workspace: str) -> None:
    """List the accepted tasks that skills may be learned from.

    \b
    memd skill candidates --state open
    """
    reply = ask_all(workspace, "learning.candidates", "candidates", state=state)
    rows = [
        (one["candidate"], one["state"], len(one.get("runs", [])), one.get("skill", ""), ", ".join(one.get("used", [])),
         moment(one.get("created_at")), one["title"])
        for one in reply["candidates"]
    ]  # fmt: skip
    head = ("candidate", "state", "runs", "skill", "used", "since", cut_text("title"))
    emit(reply, as_json, table(head, rows) if rows else "No candidates: accept a task, and it becomes one.")
    if not as_json:
        tell(*(f"fault: {one}" for one in reply.get("faults", [])))


@skill_command.command("synthesize")
@asks(
    "learning.synthesize", "candidate",
    skill=given(metavar="NAME", words="The skill's name; else made of the task's title."),
    prompt=given(words="Print a prompt for your own model, and make no draft."),
)  # fmt: skip
@json_option
@workspace_option
def synthesize_skill(as_json: bool, workspace: str, **asked: Any) -> None:
    """Make a draft of what a candidate's runs share, without a model; or print a prompt for one.

    \b
    memd skill synthesize fix-the-login
    memd skill synthesize fix-the-login --prompt | your-model | memd skill draft fix-the-login -
    """
    reply = ask(workspace, "learning.synthesize", **asked)
    if asked["prompt"]:
        emit(reply, as_json, reply["prompt"])
    else:
        _show_draft(reply, as_json)


def _show_draft(reply: dict[str, Any], as_json: bool) -> None:
    emit(reply, as_json, *draft_text(reply))
    if not as_json and not reply.get("declined"):
        tell(
            f"next: {own_call('skill publish', reply['skill'], '--by WHO')}   or   {own_call('skill review', reply['skill'], '--decline')}"
        )


@skill_command.command("draft")
@asks("learning.draft", "candidate", without=("text",), made_by=given(metavar="WHO"))
@click.argument("file", type=click.File("rb"))
@json_option
@workspace_option
def hand_in_draft(file: Any, as_json: bool, workspace: str, **asked: Any) -> None:
    """Hand in a SKILL.md that a model or a person wrote for a candidate; FILE may be - for standard input.

    \b
    memd skill draft fix-the-login SKILL.md --made-by Lin
    """
    try:
        text = file.read().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise BadParamsError(f"file: {file.name} is not UTF-8: look at byte {error.start}") from None
    _show_draft(ask(workspace, "learning.draft", text=text, **asked), as_json)


@skill_command.command("review")
@asks(
    "learning.review", "skill", without=("limit", "offset"), decline=given(words="Say no to the draft."), words=given(words="With --decline: why."),
)  # fmt: skip
@json_option
@workspace_option
def review_drafts(as_json: bool, workspace: str, **asked: Any) -> None:
    """Read a draft, and how it differs from what is published; without SKILL, list the drafts that wait.

    \b
    memd skill review
    memd skill review fix-the-login
    memd skill review fix-the-login --decline --words "Too narrow."
    """
    one = asked["skill"] or asked["decline"]
    reply = ask(workspace, "learning.review", **asked) if one else ask_all(workspace, "learning.review", "drafts")
    if asked["decline"]:
        emit(reply, as_json, f"declined {reply['skill']}; candidate {reply['candidate'] or '-'} is closed")
    elif asked["skill"]:
        _show_draft(reply, as_json)
    else:
        rows = [
            (one["skill"], one["candidate"], one["made_by"], moment(one["made_at"]), one["based_on"] or "new",
             len(one["faults"]) or "-")
            for one in reply["drafts"]
        ]  # fmt: skip
        head = ("skill", "candidate", "made by", "when", "over version", "faults")
        emit(reply, as_json, table(head, rows) if rows else "No draft waits for you.")


@skill_command.command("publish")
@asks(
    "learning.publish", "skill", by=BY, words=given(words="What they say to it."),
    digest=given(words="The sha256 of the draft that was read; another one is not published."),
)  # fmt: skip
@click.option("--yes", is_flag=True, help="A person has read the draft and says yes: do not ask.")
@json_option
@workspace_option
def publish_skill(skill: str, by: str, words: str, digest: str, yes: bool, as_json: bool, workspace: str) -> None:
    """Show a draft, ask, and publish exactly what was shown. Away from a terminal it needs --by and --yes.

    \b
    memd skill publish fix-the-login --by Lin --words "Clear and short."
    memd skill publish fix-the-login --by Lin --digest 58820ce0… --yes
    """
    if not yes and not _is_person():
        raise click.UsageError(
            f"a person must say yes before {skill} is published: read `memd skill review {skill}`, then add --yes"
        )
    by = _who(by, "publishes") if yes else by
    draft = ask(workspace, "learning.review", skill=skill)
    if not yes:
        say(*draft_text(draft), "", err=True)
        if why := draft.get("declined") or "; ".join(draft["faults"]):
            raise LearningStateError(f"the draft of {skill!r} cannot be published: {why}")
        by = _who(by, "publishes")
        click.confirm(f"Publish {skill} in the name of {by}?", abort=True, err=True)
    reply = ask(workspace, "learning.publish", skill=skill, by=by, words=words, digest=digest or draft["digest"])
    emit(reply, as_json, f"published {reply['skill']}@{reply['version']}: {reply['file']}")
    if not as_json:
        tell(f"a run that uses it says so: {own_call('run start --skill')} {reply['skill']}@{reply['version']}")


def _is_person() -> bool:
    """Tell whether somebody sits there who can read and answer."""
    return sys.stdin.isatty() and sys.stderr.isatty()


def _who(by: str, what: str) -> str:
    """Return whose word it is; asked for where it was not said, and never guessed."""
    if by.strip():
        return by
    if not _is_person():
        raise click.UsageError(f"say who {what} it: --by WHO")
    named: str = click.prompt(f"Who {what} it", err=True)
    return named


@skill_command.command("retire")
@asks("learning.retire", "skill", by=BY, words=given(words="Why."))
@json_option
@workspace_option
def retire_skill(skill: str, by: str, words: str, as_json: bool, workspace: str) -> None:
    """Take a skill out of use. Its versions are kept, and publishing brings it back.

    \b
    memd skill retire fix-the-login --by Lin --words "The login is gone."
    """
    reply = ask(workspace, "learning.retire", skill=skill, by=_who(by, "retires"), words=words)
    emit(reply, as_json, f"retired {reply['skill']}@{reply['version']}; its versions are in {reply['kept']}")


@skill_command.command("effects")
@asks("skill.effects", "skill", only=("recompute",))
@json_option
@workspace_option
@click.pass_context
def tell_effects(context: click.Context, skill: str, recompute: bool, as_json: bool, workspace: str) -> None:
    """Tell how each version does, by what you said of the runs that used it.

    With --recompute the exit status is 1 where the figures kept were not those of the receipts; they are put right.

    \b
    memd skill effects
    memd skill effects fix-the-login --recompute
    """
    reply = ask_all(workspace, "skill.effects", "effects", skill=skill, recompute=recompute)
    parts: list[Part] = [
        _effects_table(reply["effects"]) if reply["effects"] else "No run that used a skill was judged yet."
    ]
    for one in reply["regressions"]:
        before = f"version {one['before']['version']} had {one['before']['mean']:.2f}"
        sure = "" if one["certain"] else "; it may be chance"
        parts.append(f"worse: {one['skill']}@{one['version']} {one['mean']:.2f}, {before}{sure}")
    if recompute:
        parts += _compared(reply)
    emit(reply, as_json, *parts)
    context.exit(0 if reply.get("equal", True) else DIFFERS)


def _compared(reply: dict[str, Any]) -> list[str]:
    lines = [f"counted {reply['receipts']} receipts again: {'equal' if reply['equal'] else 'not equal'}"]
    for one in reply["differing"]:
        kept, found = ("/".join(str(one[key][word]) for word in VERDICTS) for key in ("running", "receipts"))
        lines.append(f"{one['skill']}@{one['version']}: kept {kept}, the receipts say {found} ({'/'.join(VERDICTS)})")
    lines += [f"edited by hand: {run}" for run in reply["edited"]]
    return [*lines, *(f"fault: {why}" for why in reply["faults"])]


def _effects_table(effects: list[dict[str, Any]]) -> Table:
    rows = [
        (one["skill"], one["version"] or "?", *(one[word] for word in VERDICTS), f"{one['mean']:.2f}",
         f"{one['low']:.2f}..{one['high']:.2f}")
        for one in effects
    ]  # fmt: skip
    return table(("skill", "version", *VERDICTS, "mean", "low..high"), rows)
