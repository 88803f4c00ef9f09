"""Carry a plan of setup out: each thing is noted with what was there before, then done."""

from __future__ import annotations

import contextlib
import os
import shlex
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from memd.cli.hook_files import write_settings
from memd.cli.hooking import let_hooks_start
from memd.cli.reach import ask, is_running
from memd.cli.services import folder_of_units, install_units, remove_units
from memd.cli.setup.agents import Edit, read_text, without_ours
from memd.cli.setup.planning import SYSTEMD, Plan
from memd.cli.starting import start_detached
from memd.cli.trusting import set_level
from memd.client import socket_of
from memd.errors import AgentSettingsError, MemdError
from memd.formats.setup_files import Kept, Record, digest_of
from memd.model.trust import CAPTURE, START
from memd.service.granting import raise_capture
from memd.service.setup import (
    OWN,
    Records,
    make_files,
    make_repository,
    missing_of,
    planned_files,
    write_start,
)
from memd.storage.files import Tree
from memd.storage.itself import own_line
from memd.storage.layout import NONCE_FILE
from memd.storage.trust_state import FILE as TRUST_FILE
from memd.store.trust import Trust
from memd.whereabouts import SETTINGS

if TYPE_CHECKING:
    from memd.model.files import Told


@dataclass(slots=True)
class Done:
    """What was done, and what could not be, each in a sentence."""

    made: list[str] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)


def carry_out(plan: Plan, told: Told) -> Done:
    """Do what a plan says. What makes the workspace must succeed; of the rest what fails is told, and the others are done.

    MemdError where the workspace cannot be made or allowed: what was done until then is in the record, and can be taken back.
    """
    records, done = Records(plan.state), Done()
    absent = _absent(plan)  # before the record's own directory is made
    steps = 3 + len(plan.agents)
    with records.writing():
        record = records.read() or _fresh(plan)
        record.folders += [one for one in absent if one not in record.folders]
        records.write(record)
        told(0, steps, "workspace")
        if plan.makes:
            _make(plan, record, records, done)
        _allow(plan, record, records, done)
        told(1, steps, "daemon")
        _keep_up(plan, record, records, done)
        if plan.takes:
            _take_past(plan, done)
        for number, agent in enumerate(plan.agents):
            told(2 + number, steps, agent.title)
            for edit in agent.edits:
                _edit(plan, edit, record, records, done)
    return done


def _fresh(plan: Plan) -> Record:
    """Return the record of a first run: what is so before anything is done."""
    granted: dict[str, object] = {}
    names = {
        "nonce": os.path.join(plan.workspace, NONCE_FILE), "trust": os.path.join(plan.state, TRUST_FILE),
        "memory": os.path.join(plan.workspace, OWN), "cache": os.path.dirname(plan.cache),
    }  # fmt: skip
    if not plan.makes:
        tree = Tree(plan.workspace)
        try:
            trust = Trust(plan.state)
            trust.look(tree)
            granted = dict(trust.trusted.granted)
        finally:
            tree.close()
    return Record(
        plan.workspace,
        missing=[name for name, path in names.items() if not os.path.lexists(path)],
        served=not plan.begins,
        starts=granted.get(START) is True,
        level=str(granted.get(CAPTURE, "")),
    )


def _absent(plan: Plan) -> list[str]:
    """Return the directories that are not there and will be, the outermost first."""
    wanted = [plan.workspace, plan.state, os.path.dirname(plan.cache), os.path.dirname(socket_of(plan.workspace))]
    wanted += [os.path.dirname(os.path.realpath(edit.path)) for agent in plan.agents for edit in agent.edits]
    if plan.keeps == SYSTEMD:
        wanted.append(os.path.join(folder_of_units(), "sockets.target.wants"))
    return list(dict.fromkeys(one for path in wanted for one in missing_of(path)))


def _make(plan: Plan, record: Record, records: Records, done: Done) -> None:
    files = planned_files(plan.level)
    record.made = {name: digest_of(data) for name, data in files.items()}
    record.git = plan.git
    records.write(record)
    make_files(plan.workspace, files)
    done.made.append(f"workspace: {plan.workspace}")
    if plan.git:
        try:
            make_repository(plan.workspace, list(files), own_line())
        except MemdError as error:
            done.failed.append(f"git: {error}")


def _allow(plan: Plan, record: Record, records: Records, done: Done) -> None:
    """Let the level hold on this machine, and hooks start the daemon."""
    if plan.raises:
        tree = Tree(plan.workspace)
        try:
            if plan.makes:
                raise_capture(tree, Trust(plan.state), plan.level)
            else:
                _set_level(plan, tree, record, records)
        finally:
            tree.close()
        done.made.append(f"capture: {plan.level}")
    if plan.serves:
        try:
            write_start(plan.state, plan.workspace)
        except (OSError, MemdError) as error:
            done.failed.append(f"plugins: they do not find this workspace: {error}")
    if plan.grants:
        starts, why = let_hooks_start(plan.workspace)
        if not starts:
            done.failed.append(f"daemon: {why}")


def _set_level(plan: Plan, tree: Tree, record: Record, records: Records) -> None:
    """Set the level in a workspace that was there, its memd.toml noted before and after."""
    path, data = os.path.join(plan.workspace, SETTINGS), tree.read(SETTINGS)[0]
    was = digest_of(data)
    if SETTINGS not in record.made:
        _note(record, records, Kept(path, "", "", there=True, before=data, after=was), was)
    set_level(plan.workspace, plan.state, plan.level)
    after = digest_of(tree.read(SETTINGS)[0])
    if SETTINGS in record.made:
        record.made[SETTINGS] = after if record.made[SETTINGS] == was else record.made[SETTINGS]
        records.write(record)
    else:
        _note(record, records, Kept(path, "", "", there=True, before=data, after=after), was)


def _note(record: Record, records: Records, kept: Kept, was: str) -> None:
    """Keep what a file was and will be; `was`: the digest of what it is now.

    What was noted before stays as it was first; where somebody else wrote the file since, only memd's parts can be taken out of it.
    """
    old = next((one for one in record.files if one.path == kept.path), None)
    if old:
        after = kept.after if old.after == was else ""
        record.files[record.files.index(old)] = Kept(old.path, old.scope, old.agent, old.there, old.before, after)
    else:
        record.files.append(kept)
    records.write(record)


def _keep_up(plan: Plan, record: Record, records: Records, done: Done) -> None:
    """Have systemd start the daemon, where it is there; else start it now, and hooks do from then on."""
    if plan.keeps == SYSTEMD:
        record.units = True
        records.write(record)
        try:
            reply, _ = install_units(plan.workspace)
            if not reply["why"]:
                done.made.append("daemon: systemd starts it when it is asked something")
                return
            done.failed.append(f"service: {reply['why']}; agents' hooks start the daemon instead")
            remove_units(plan.workspace)
        except MemdError as error:
            done.failed.append(f"service: {error}; agents' hooks start the daemon instead")
    with contextlib.suppress(MemdError):
        if is_running(plan.workspace):
            return
    try:
        pid = start_detached(plan.workspace, os.path.realpath(socket_of(plan.workspace)))
        done.made.append(f"daemon: process {pid} answers")
    except MemdError as error:
        done.failed.append(f"daemon: {error}")


def _take_past(plan: Plan, done: Done) -> None:
    """Order that what agents keep of conversations is taken in; the daemon does it in the background."""
    from memd.cli.setup.planning import take

    tree = Tree(plan.workspace)
    try:
        past_id = take(tree, plan.state, plan.past)
        line = shlex.join(["memd", "import", "--undo", past_id, "--workspace", plan.workspace])
        done.made.append(f"past: {plan.past.said}; `{line}` takes them back")
        if is_running(plan.workspace):
            ask(plan.workspace, "status")  # which wakes who takes them in
    except MemdError as error:
        done.failed.append(f"past: {error}")
    finally:
        tree.close()


def _edit(plan: Plan, edit: Edit, record: Record, records: Records, done: Done) -> None:
    before = None if _comes_back(plan, edit) else edit.text.encode()
    kept = Kept(edit.path, plan.project, edit.agent, edit.exists, before, digest_of(edit.new.encode()))
    try:
        if read_text(edit.path, edit.agent)[0] == edit.new:
            return  # another setup was quicker
        _note(record, records, kept, digest_of(edit.text.encode()))
        write_settings(edit.path, edit.text, edit.new, exists=edit.exists, keep=False)
    except AgentSettingsError as error:
        done.failed.append(f"{edit.agent}: {error}")
        return
    done.made.append(f"{edit.agent}: {' and '.join(edit.parts)} in {edit.path}")


def _comes_back(plan: Plan, edit: Edit) -> bool:
    """Tell whether taking memd's parts out of a file again gives what it was, so that no copy of it need be kept."""
    if not edit.exists:
        return True
    try:
        return without_ours(edit.new, edit.path, edit.agent, plan.workspace) == edit.text
    except AgentSettingsError:
        return False
