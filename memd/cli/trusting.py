"""The verbs with which this machine's user says what a workspace may, and what is kept of conversations: trust, capture, pause.

No door grants anything, only these verbs.
"""

from __future__ import annotations

import os
import re
import time
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

import click

from memd.cli.options import asks, given
from memd.cli.reach import ask, json_option, workspace_option
from memd.cli.show import Part, emit, own, table
from memd.cli.tables import whole_text
from memd.model.settings import LEVELS

if TYPE_CHECKING:
    from memd.model.trust import Ask
    from memd.store.trust import Trust


LASTS = re.compile(r"(\d{1,5}(?:\.\d+)?)\s*(m|min|minutes?|分钟?|h|hours?|小时|d|days?|天)", re.IGNORECASE)
LASTS_S = {"m": 60.0, "分": 60.0, "h": 3600.0, "小": 3600.0, "d": 86_400.0, "天": 86_400.0}
CLOCK = re.compile(r"(\d{1,2})[:：](\d\d)")


@click.command("trust")
@click.option(
    "--grant", "grants", multiple=True, metavar="NAME|all", help="Allow it on this machine; may be given several times."
)
@click.option("--revoke", "revokes", multiple=True, metavar="NAME|all", help="Allow it no longer.")
@json_option
@workspace_option
def trust_command(grants: tuple[str, ...], revokes: tuple[str, ...], as_json: bool, workspace: str) -> None:
    """Show what a workspace asks for that weakens a protection, and grant it on this machine, or take that back.

    A workspace may be a stranger's: what weakens holds only where you say so here. A grant is kept outside of it, for this
    path and this copy of it alone, and for the value you saw. A running daemon follows at once.

    \b
    memd trust
    memd trust --grant gate.scan
    memd trust --grant links --grant nora/books.scan
    memd trust --revoke all
    """
    from memd.config import place_of
    from memd.service.granting import asks_of, change
    from memd.storage.files import Tree
    from memd.store.trust import Trust

    place = place_of(workspace)
    tree = Tree(place.workspace)
    try:
        trust = Trust(place.state)
        trust.look(tree)
        if grants or revokes:
            change(tree, trust, grants, revokes)
        asks = asks_of(tree, trust.trusted)
        reply = _reply(place.workspace, trust, asks)
    finally:
        tree.close()
    emit(reply, as_json, *_parts(reply))


def _reply(workspace: str, trust: Trust, asks: list[Ask]) -> dict[str, Any]:
    from memd.service.granting import sentence, view

    known = trust.trusted
    return {
        "workspace": workspace, "state": trust.folder, "fault": trust.fault, "asked": [view(one) for one in asks],
        "granted": dict(known.granted), "approved": len(known.approved), "said": sentence(asks),
        "daemon_elsewhere": _daemon_elsewhere(workspace, trust.folder),
    }  # fmt: skip


def _daemon_elsewhere(workspace: str, state: str) -> str:
    """Return where a running daemon looks instead, "" where it looks here or none runs."""
    from memd.client import Client
    from memd.errors import MemdError

    try:
        with Client.of_workspace(workspace) as client:
            theirs = str(client.call("status")["trust"]["state"])
    except (MemdError, LookupError, TypeError):
        return ""
    return "" if theirs == state else theirs


def _parts(reply: dict[str, Any]) -> list[Part]:
    rows = [
        (
            one["name"],
            one["value"],
            f"{one['file']}:{one['line']}",
            "granted" if one["granted"] else "not granted",
            one["gives_up"],
        )
        for one in reply["asked"]
    ]
    nothing = "This workspace asks for nothing that weakens a protection."
    heads = ("name", whole_text("value"), "asked in", "", whole_text("what it gives up"))
    lines: list[Part] = [table(heads, rows) if rows else nothing]
    idle = [name for name in reply["granted"] if name not in {one["name"] for one in reply["asked"] if one["granted"]}]
    lines += [f"granted, but not asked for with these values: {', '.join(idle)}"] if idle else []
    lines += [f"texts approved on this machine: {reply['approved']}"] if reply["approved"] else []
    lines += [f"nothing is granted: {reply['fault']}"] if reply["fault"] else []
    elsewhere = reply["daemon_elsewhere"]
    lines += (
        [f"the daemon that runs reads grants elsewhere, in {elsewhere}: start it in this environment"]
        if elsewhere
        else []
    )
    return lines


@click.command("capture")
@click.argument("level", required=False, type=click.Choice(LEVELS), metavar="[off|explicit|inbox|auto]")
@click.option("--model", "url", default="", metavar="URL", help="Let a model behind an OpenAI-compatible address say what sessions told; none: no longer.")  # fmt: skip
@click.option("--model-name", "name", default="", metavar="NAME", help="Which model there.")
@click.option("--key-env", "variable", default="", metavar="VARIABLE", help="Its key is in this variable of the daemon's environment.")  # fmt: skip
@click.option(
    "--key-file", "file", default="", metavar="PATH", help="Its key is in this file, which nobody else may read."
)
@json_option
@workspace_option
def capture_command(level: str | None, as_json: bool, workspace: str, **named: str) -> None:
    """Show what is kept of conversations with agents on this machine, or set it.

    The levels inbox and auto count only on the machine where you set them: a clone of the workspace, or another machine, stays
    at explicit until somebody runs this there too.

    \b
    off        nothing of conversations is kept
    explicit   only what you ask to have remembered
    inbox      each conversation is read when it is over; what is found waits for you in `memd review`
    auto       what you clearly stated is kept then; what is doubtful waits

    \b
    memd capture
    memd capture inbox
    memd capture off
    memd capture --model http://127.0.0.1:11434/v1 --model-name qwen3:4b
    memd capture --model none
    """
    from memd.config import place_of
    from memd.service.capture.levels import plan

    place = place_of(workspace)
    if any(named.values()):
        name_model(place.workspace, place.state, **named)
    if level:
        set_level(place.workspace, place.state, level)
    reply = ask(place.workspace, "capture.level")
    reply["plan"] = plan(place.workspace, reply["level"], remotes_here(place.workspace))
    emit(reply, as_json, *_told_of_level(reply, level))


def set_level(workspace: str, state: str, level: str) -> None:
    """Put a level into memd.toml, and let it hold here: the machine's word last, as it is what makes it true."""
    from memd.service.granting import raise_capture
    from memd.storage.files import Tree
    from memd.store.trust import Trust

    ask(workspace, "config.set", key="capture.level", value=level)
    tree = Tree(workspace)
    try:
        raise_capture(tree, Trust(state), level)
    finally:
        tree.close()


def _told_of_level(reply: dict[str, Any], wanted: str | None) -> list[str]:
    lines = [f"capture: {reply['level']}"]
    if reply["paused_until"]:
        lines[0] += f", paused until {_until(reply['paused_until'])}: nothing is kept; `memd pause --off` ends that"
    if reply["asked"] != reply["level"]:
        if wanted:
            lines.append("The daemon that runs reads this machine's grants elsewhere: start it in this environment.")
        else:
            lines.append(
                f"memd.toml asks for {reply['asked']}, which this machine has not allowed; `memd capture {reply['asked']}` does"
            )
    if reply["model"]:
        lines.append(
            f"Model: {reply['model']}. At a session's end what was said in it (keys and tokens redacted, nothing off the record) and"
            " memories that may say the same go there; what the turns prove of its answer is taken. `memd capture --model none` ends that."
        )
    if reply["model_trouble"]:
        lines.append(
            f"It did not answer: {reply['model_trouble']}. memd consolidates without it, and asks again later."
        )
    return [own(one) for one in (*lines, *reply["plan"])]


def remotes_here(path: str) -> list[str] | None:
    """Return the remotes of the repository that a workspace is in, None where it is in none."""
    from memd.errors import MemdError
    from memd.storage.history import Git

    try:
        git = Git(path)
        git.root()
        return git.run("remote").text.splitlines()
    except MemdError:
        return None


def _until(told: str) -> str:
    return "you end it" if told.startswith("9999-") else told


@click.command("pause")
@click.option("--for", "lasts", default="", metavar="2h", help="For so long: 30m, 2h, 1d.")
@asks("capture.pause", until=given(words="Until then: 18:30, or ISO 8601."))
@click.option("--off", is_flag=True, help="Go on keeping.")
@json_option
@workspace_option
def pause_command(lasts: str, off: bool, as_json: bool, workspace: str, **asked: Any) -> None:
    """Keep nothing of conversations with agents for a while: neither what is said, nor what is asked to be remembered.

    What is known still comes to mind, and `memd remember` still works.

    \b
    memd pause --for 2h
    memd pause --until 18:30
    memd pause
    memd pause --off
    """
    from memd.client import find_workspace

    until = str(asked.get("until") or "")
    if sum(map(bool, (lasts, until, off))) > 1:
        raise click.UsageError("give one of --for, --until and --off")
    path = find_workspace(workspace)
    if off:
        _go_on(path)
    else:
        ask(path, "capture.pause", until=_end_of(lasts, until))
    reply = ask(path, "capture.level")
    paused = reply["paused_until"]
    told = (
        own(f"paused until {_until(paused)}; `memd pause --off` ends that") if paused else f"capture: {reply['level']}"
    )
    if off and paused:
        told = f"still paused until {_until(paused)}: the daemon that runs reads this machine's grants elsewhere"
    emit(reply, as_json, told)


def _go_on(path: str) -> None:
    """End a pause. The machine's own word, so no door does it."""
    from memd.config import place_of
    from memd.service.granting import pause
    from memd.storage.files import Tree
    from memd.store.trust import Trust

    tree = Tree(path)
    try:
        pause(tree, Trust(place_of(path).state), 0.0)
    finally:
        tree.close()


def _end_of(lasts: str, until: str) -> float | str:
    """Return the end of a pause in seconds since 1970, or as it was given; "" where a person will end it."""
    if lasts:
        found = LASTS.fullmatch(lasts.strip())
        if not found:
            raise click.BadParameter(f"{lasts!r} is no length of time; write 30m, 2h or 1d", param_hint="--for")
        return time.time() + float(found[1]) * LASTS_S[found[2][0].lower()]
    clock = CLOCK.fullmatch(until.strip())
    if not clock:
        return until
    if int(clock[1]) > 23 or int(clock[2]) > 59:
        raise click.BadParameter(f"{until!r} is no time of a day", param_hint="--until")
    now = datetime.now().astimezone()
    end = now.replace(hour=int(clock[1]), minute=int(clock[2]), second=0, microsecond=0)
    return (end if end > now else end + timedelta(days=1)).timestamp()


NONE = "none"


def name_model(workspace: str, state: str, *, url: str, name: str, variable: str, file: str) -> None:
    """Name an endpoint on this machine, or none. No door does it, and no file of a workspace."""
    from memd.model.trust import ModelAt
    from memd.service import granting
    from memd.service.capture.pack_answers import check_model
    from memd.storage.files import Tree
    from memd.storage.posting import VARIABLE, PostError, key_of
    from memd.store.trust import Trust

    if not url:
        raise click.UsageError("--model-name, --key-env and --key-file go with --model URL")
    model = None if url == NONE else ModelAt(url, name, variable, os.path.realpath(file) if file else "")
    if model is not None:
        check_model(model)
        if not name:
            raise click.UsageError("say which model: --model-name NAME")
        if variable and file:
            raise click.UsageError("give one of --key-env and --key-file")
        if variable and not VARIABLE.fullmatch(variable):
            raise click.BadParameter(f"{variable!r} is no name of a variable", param_hint="--key-env")
        if model.key_file.startswith(f"{os.path.realpath(workspace)}/"):
            raise click.BadParameter("a key does not lie in the workspace", param_hint="--key-file")
        try:
            key_of("", model.key_file)
        except PostError as error:  # a variable is of the daemon's environment, and is not known here
            raise click.BadParameter(str(error), param_hint="--key-file") from None
    tree = Tree(workspace)
    try:
        granting.name_model(tree, Trust(state), model)
    finally:
        tree.close()
