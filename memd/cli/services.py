"""The verb service: have the system start the daemon of a workspace, when somebody first asks it something."""

from __future__ import annotations

import os
import shutil
import sys
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

from memd.cli.reach import json_option, workspace_option
from memd.cli.show import clean, emit, own, table
from memd.cli.verbs import Family
from memd.errors import ServiceMissingError, UnitEditedError

if TYPE_CHECKING:
    from memd.formats.unit_files import UnitPlan

NO_SERVICE = 69
SYSTEM = sys.platform  # macOS has launchd, which is untested
ANSWER_S = 20.0
GIVEN = ("MEMD_EMBEDDINGS", "MEMD_EMBEDDINGS_MODEL", "MEMD_EMBEDDINGS_DIGEST")
NAMESPACES = (  # where any of these says no, a user's service cannot have a view of the disk of its own
    ("/proc/sys/kernel/unprivileged_userns_clone", "0"),
    ("/proc/sys/user/max_user_namespaces", "0"),
    ("/proc/sys/kernel/apparmor_restrict_unprivileged_userns", "1"),
)


@click.group("service", cls=Family)
def service_command() -> None:
    """Have systemd start the daemon of a workspace when it is first needed; on macOS launchd, from login on.

    \b
    memd service install
    memd service status
    memd service logs -f
    memd service uninstall
    """


@service_command.command("install")
@click.option("--print", "only_print", is_flag=True, help="Only show the units; write nothing.")
@click.option("--force", is_flag=True, help="Write over units that somebody edited; a copy of them is kept.")
@click.option(
    "--sandbox/--no-sandbox", default=None, help="Run the daemon in a sandbox; default: where the system can."
)
@json_option
@workspace_option
def service_install(only_print: bool, force: bool, sandbox: bool | None, as_json: bool, workspace: str) -> int:
    """Write the units for this user, and have the system take them.

    \b
    memd service install
    memd service install --print
    """
    from memd.client import find_workspace

    path = find_workspace(workspace)
    if only_print:
        units = plan_of(path, sandbox).units()
        emit({"units": units}, as_json, "\n".join(f"# {name}\n{text}" for name, text in units.items()))
        return 0
    reply, lines = install_units(path, sandbox=sandbox, force=force)
    emit(reply, as_json, own("\n".join([*lines, *reply["told"]])))
    if reply["why"]:
        raise ServiceMissingError(f"the units are written, and {reply['why']}")
    return 0


def install_units(path: str, *, sandbox: bool | None = None, force: bool = False) -> tuple[dict[str, Any], list[str]]:
    """Write the units of a workspace and have systemd take them; return what was done, and it in lines. UnitEditedError."""
    from memd.service.care.units import look_at_units, put_units

    plan = plan_of(path, sandbox)
    units, folder = plan.units(), folder_of_units()
    edited = [one for one in look_at_units(folder, units) if one.state == "edited"]
    if edited and not force:
        click.echo(clean("\n".join(one.differs for one in edited)), err=True)
        raise UnitEditedError(", ".join(f"{folder}/{one.name}" for one in edited))
    written = put_units(folder, units, time.time())
    taken = _bootstrap(plan, bool(written)) if plan.log else _enable(plan, bool(written))
    reply = {"folder": folder, "units": list(units), "written": written, **taken}
    lines = [f"{'wrote' if name in written else 'unchanged'}: {folder}/{name}" for name in units]
    lines += [f"kept what was edited: {folder}/{copy}" for copy in written.values() if copy]
    return reply, lines


@service_command.command("status")
@json_option
@workspace_option
def service_status(as_json: bool, workspace: str) -> int:
    """Tell what the system says of the units, and whether the daemon answers. The exit status is 0 where it does.

    \b
    memd service status
    """
    from memd.service.care.units import look_at_units

    path = _path_of(workspace)
    plan = installed_plan(path)
    units = [{"name": one.name, "file": one.state, **shown_unit(one.name)} for one in look_at_units(folder_of_units(), plan.units())]  # fmt: skip
    installed = any(one["file"] != "missing" for one in units)
    waits = any(one.get("active") == "active" and one["name"].endswith(".socket") for one in units)
    runs = any(one.get("active") == "active" and not one["name"].endswith(".socket") for one in units)
    pid = None if waits and not runs else _answering(path)  # asking would start it
    state = f"answers, process {pid}" if pid else "starts at the first request" if waits else "does not answer"
    reply = {"workspace": path, "installed": installed, "units": units, "pid": pid, "state": state}
    rows = [
        (one["name"], one["file"], one.get("active", "-"), one.get("enabled", "-"), one.get("why", "")) for one in units
    ]
    emit(reply, as_json, table(("unit", "file", "state", "enabled", ""), rows), f"memd {state}")
    return 0 if pid or waits else NO_SERVICE


@service_command.command("logs")
@click.option("--follow", "-f", is_flag=True, help="Go on showing lines as they come.")
@click.option("--lines", "-n", type=click.IntRange(0, 1_000_000), default=200, help="How many of the newest lines.")
@workspace_option
def service_logs(follow: bool, lines: int, workspace: str) -> None:
    """Show the daemon's diary, as the system has it.

    \b
    memd service logs
    memd service logs -f
    """
    plan = plan_of(_path_of(workspace), None)
    words = ["journalctl", "--user", "--unit", f"{plan.name}.service", "--lines", str(lines), *(["--follow"] * follow)]
    words = ["tail", "-n", str(lines), *(["-f"] * follow), plan.log] if plan.log else words
    if not shutil.which(words[0]):
        raise ServiceMissingError(f"there is no program {words[0]}")
    os.execvp(words[0], words)  # noqa: S606  the reader takes this process's place


@service_command.command("uninstall")
@json_option
@workspace_option
def service_uninstall(as_json: bool, workspace: str) -> int:
    """Stop the service, and remove its units; the workspace and its caches stay as they are.

    \b
    memd service uninstall
    """
    reply, lines = remove_units(_path_of(workspace))
    emit(reply, as_json, "\n".join(lines))
    return 0


def has_units(path: str) -> bool:
    """Tell whether units of a workspace are installed, whoever wrote them."""
    from memd.service.care.units import look_at_units

    return any(one.state != "missing" for one in look_at_units(folder_of_units(), plan_of(path, None).units()))


def remove_units(path: str) -> tuple[dict[str, Any], list[str]]:
    """Stop the service of a workspace, and remove its units; return what was done, and it in lines."""
    from memd.service.care.units import drop_units
    from memd.storage.processes import run_program

    plan = plan_of(path, None)
    folder, units = folder_of_units(), plan.units()
    if not has_units(path):
        return {"removed": [], "kept": {}, "why": ""}, ["There was nothing to remove."]
    if plan.log:
        stopped = run_program(["launchctl", "bootout", f"{_domain()}/{plan.name}"])
    else:
        stopped = run_program(["systemctl", "--user", "disable", "--now", f"{plan.name}.socket", f"{plan.name}.service"])  # fmt: skip
    gone = drop_units(folder, units, time.time())
    if not plan.log:
        run_program(["systemctl", "--user", "daemon-reload"])
    why = stopped.why if stopped.status else ""
    kept = {name: copy for name, copy in gone.items() if copy}
    lines = [f"removed: {folder}/{name}" for name in gone]
    lines += [f"kept what was edited: {folder}/{copy}" for copy in kept.values()]
    lines += [own(f"{plan.manager} was not told: {why}")] if why else []
    return {"removed": list(gone), "kept": kept, "why": why}, lines


def plan_of(workspace: str, sandbox: bool | None, environment: Mapping[str, str] = os.environ) -> UnitPlan:
    """Return what the units of a workspace are made of: as told, else as they were installed, else as this system can."""
    from memd.formats.unit_files import LAUNCHD, SYSTEMD, UnitPlan
    from memd.model.files import is_utf8
    from memd.places import state_path, workspace_key
    from memd.storage.itself import module_command
    from memd.whereabouts import surroundings

    program = tuple(module_command())  # a script may be a link that goes away, or be called by two names
    odd = [one for one in (workspace, sys.executable) if not is_utf8(one)]
    odd += [sys.executable] if any(char in "\"'\\" or not char.isprintable() for char in sys.executable) else []
    agent = SYSTEM == "darwin"
    odd += [workspace] if agent and any(ord(char) < 32 for char in workspace) else []  # XML has none of them
    if odd:
        raise ServiceMissingError(f"a unit cannot name the path {odd[0]!r}")
    key = workspace_key(workspace)
    chosen, given = _choices(key)
    if sandbox is None:
        sandbox = _can_sandbox() if chosen is None else chosen
    state = state_path(workspace, surroundings())
    spool, log = (
        f"{state}/spool" if state else "",
        os.path.expanduser(f"~/Library/Logs/memd-{key}.log") if agent else "",
    )
    return UnitPlan(
        workspace, key, program, _given(given, environment), sandbox, spool, LAUNCHD if agent else SYSTEMD, log
    )


def installed_plan(workspace: str) -> UnitPlan:
    """Return what the units of a workspace are made of, with what was chosen when they were installed."""
    return plan_of(workspace, None, {})


def _choices(key: str) -> tuple[bool | None, dict[str, str]]:
    """Return what an installed service was given: a view of the disk of its own, or None where none is installed."""
    from memd.formats.unit_files import choices_of
    from memd.service.care.units import unit_text

    text = unit_text(folder_of_units(), f"memd-{key}.{'plist' if SYSTEM == 'darwin' else 'service'}")
    return choices_of(text) if text else (None, {})


def _given(before: Mapping[str, str], environment: Mapping[str, str]) -> dict[str, str]:
    """Return what the service gets of the environment: where embeddings come from, as it is told now, else as before.

    Another place takes the companions of the first one away; an empty one takes all of it away.
    """
    from memd.places import is_folder

    now = {name: environment[name] for name in GIVEN if name in environment}
    where = now.get("MEMD_EMBEDDINGS", "")
    if is_folder(where):
        now["MEMD_EMBEDDINGS"] = os.path.abspath(where)  # a service has another current directory
    kept = {} if GIVEN[0] in now else {name: value for name, value in before.items() if name in GIVEN}
    return {name: value for name, value in {**kept, **now}.items() if value}


def folder_of_units() -> str:
    """Return where this user's units lie."""
    from memd.service.care.units import unit_dir

    if SYSTEM == "darwin":
        return os.path.realpath(os.path.expanduser("~/Library/LaunchAgents"))
    return unit_dir(os.path.expanduser("~"), os.environ.get("XDG_CONFIG_HOME", ""))


def _can_sandbox() -> bool:
    from memd.storage.system import read_setting

    return all(read_setting(path) != no for path, no in NAMESPACES)


def _path_of(workspace: str) -> str:
    """Return the workspace's path; one that is named may be gone, its units are not."""
    from memd.client import find_workspace

    return os.path.realpath(workspace) if workspace else find_workspace()


def _enable(plan: UnitPlan, changed: bool) -> dict[str, Any]:
    """Have systemd take the units; `why` tells what it did not do, `told` what a person should know."""
    from memd.storage.processes import run_program

    holder, socket = _answering(plan.workspace), f"{plan.name}.socket"
    service_pid = shown_unit(f"{plan.name}.service").get("pid", "")
    by_hand = bool(holder) and str(holder) != service_pid
    commands = [["daemon-reload"], ["enable", *([] if by_hand else ["--now"]), socket]]
    if changed and holder and not by_hand:
        commands.append(["try-restart", f"{plan.name}.service"])
    reply: dict[str, Any] = {"enabled": False, "pid": holder, "why": "", "told": _differing(plan)}
    for words in commands:
        done = run_program(["systemctl", "--user", *words])
        if done.status:
            rest = [f"  systemctl --user {' '.join(one)}" for one in commands]
            why = f"systemd did not take them: {done.why}"
            return {**reply, "why": why, "told": ["run this where your services run:", *rest, *reply["told"]]}
    reply["enabled"] = True
    if by_hand:
        note = f"process {holder}, started by hand, answers for this workspace and goes on; after it ended run"
        reply["told"] += [note, f"  systemctl --user start {socket}"]
    else:
        reply["pid"] = _answering(plan.workspace)  # proves it: the first question starts the service
        if reply["pid"]:
            reply["told"].append(f"memd answers, process {reply['pid']}")
            return reply
        reply["why"] = "memd does not answer: `memd service logs` tells why"
        if plan.sandboxed:
            reply["told"].append("if the log says NAMESPACE: `memd service install --no-sandbox`")
    return reply


def _bootstrap(plan: UnitPlan, changed: bool) -> dict[str, Any]:
    """Have launchd take the agent, which starts it; what is returned is as of `_enable`."""
    from memd.storage.processes import run_program

    holder, target, path = (
        _answering(plan.workspace),
        f"{_domain()}/{plan.name}",
        f"{folder_of_units()}/{plan.name}.plist",
    )
    shown = shown_unit(f"{plan.name}.plist")
    loaded = "why" not in shown
    by_hand = bool(holder) and str(holder) != shown.get("pid")
    commands = [["bootout", target]] if loaded and changed else []
    commands += [["bootstrap", _domain(), path]] if changed or not loaded else []
    reply: dict[str, Any] = {"enabled": False, "pid": holder, "why": "", "told": []}
    for words in commands:
        done = run_program(["launchctl", *words])
        if done.status:
            rest = [f"  launchctl {' '.join(one)}" for one in commands]
            why = f"launchd did not take them: {done.why}"
            return {**reply, "why": why, "told": ["run this where your services run:", *rest]}
    reply["enabled"] = True
    if by_hand:
        note = f"process {holder}, started by hand, answers for this workspace and goes on; launchd starts its own after it ended"
        return {**reply, "told": [note]}
    until = time.monotonic() + ANSWER_S
    while not (pid := _answering(plan.workspace)) and time.monotonic() < until:
        time.sleep(0.2)  # it is started beside us, and nobody keeps questions for it
    if not pid:
        return {**reply, "pid": None, "why": "memd does not answer: `memd service logs` tells why"}
    return {**reply, "pid": pid, "told": [f"memd answers, process {pid}"]}


def _domain() -> str:
    return f"gui/{os.geteuid()}"


def _differing(plan: UnitPlan) -> list[str]:
    """Return what of this shell would look for the daemon elsewhere than the unit listens."""
    from memd.client import socket_of

    runtime = os.environ.get("XDG_RUNTIME_DIR", "").rstrip("/")
    if runtime and socket_of(plan.workspace) == f"{runtime}/memd/{plan.key}.sock":
        return []
    where = f"this shell looks for the daemon at {socket_of(plan.workspace)}, not where the unit listens"
    return [f"{where}: unset MEMD_SOCKET, and have XDG_RUNTIME_DIR set as a login does"]


def _answering(workspace: str) -> int | None:
    """Return the process that answers for a workspace, or None."""
    from memd.client import Client, socket_of
    from memd.errors import MemdError

    try:
        with Client(socket_of(workspace), deadline_s=ANSWER_S) as client:
            return int(client.call("ping")["pid"])
    except (MemdError, OSError, ValueError, LookupError, TypeError, AttributeError):
        return None


def shown_unit(unit: str) -> Mapping[str, str]:
    """Return what the system says of a unit, or why it says nothing."""
    from memd.storage.processes import run_program

    if unit.endswith(".plist"):
        done = run_program(["launchctl", "print", f"{_domain()}/{unit.removesuffix('.plist')}"])
        if done.status:
            return {"why": done.why}
        said = dict(line.strip().partition(" = ")[::2] for line in reversed(done.out.splitlines()))  # the first counts
        active = "active" if said.get("state") == "running" else said.get("state", "")
        return {"active": active, "sub": said.get("state", ""), "enabled": "enabled", "pid": said.get("pid", "")}
    done = run_program(["systemctl", "--user", "show", "--property=ActiveState,SubState,UnitFileState,MainPID", unit])
    if done.status:
        return {"why": done.why}
    said = dict(line.partition("=")[::2] for line in done.out.splitlines())
    active = said.get("ActiveState", "")
    return {"active": active, "sub": said.get("SubState", ""), "enabled": said.get("UnitFileState", ""), "pid": said.get("MainPID", "")}  # fmt: skip
