"""The verb doctor: prove that files, log, index and daemon agree, and say what to do about what does not."""

from __future__ import annotations

import os
from collections import Counter
from typing import TYPE_CHECKING

import click

from memd.cli.reach import json_option, workspace_option
from memd.cli.show import Part, emit
from memd.cli.tables import Column, listing, whole_text
from memd.cli.widths import width

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memd.service.care.doctor import Row, Scope
    from memd.service.judging.beside import Beside, BesideFile

BESIDE, QUOTED = 20, 80  # findings in agents' files that are named, and characters of a text


@click.command("doctor")
@json_option
@workspace_option
def doctor_command(as_json: bool, workspace: str) -> int:
    """Look at everything memd stands on: files, log, index, daemon, socket, limits, git, agents, service.

    Each line is a check with what was seen, and what to do where something is wrong. The exit status is 1 where a check
    fails. It works with and without a daemon, and changes nothing but the time stamp of memd's own lock. Where systemd
    listens for the daemon, asking it starts it.

    \b
    memd doctor
    memd doctor --json
    """
    rows = _examined(workspace)
    counts = Counter(one.state for one in rows)
    reply = {"checks": [one._asdict() for one in rows], "counts": dict(counts)}
    emit(reply, as_json, *_parts(rows))
    return 1 if counts["fail"] else 0


def _parts(rows: list[Row]) -> list[Part]:
    wide = max(width(one.name) for one in rows)
    told: list[tuple[str, str, str]] = []
    for row in rows:
        told.append((row.name.ljust(wide), row.state, row.seen))
        told += [("", "", f"→ {row.do}")] if row.do else []
    return [listing(told, Column("check"), Column("state"), whole_text("seen"))]


def _examined(workspace: str) -> list[Row]:
    from memd.cli.doctor_daemon import check_daemon, check_socket, check_watcher
    from memd.errors import StorageError, WorkspaceMissingError
    from memd.service.care.doctor import FAIL, OF_WORKSPACE, SKIP, Row, examine
    from memd.service.care.doctor_index import check_the_index
    from memd.service.care.doctor_machine import OF_MACHINE
    from memd.service.care.doctor_outside import OF_OTHERS

    try:
        scope = _scope(workspace)
    except WorkspaceMissingError as error:
        return [Row("workspace", FAIL, str(error), error.hint), *examine(_nowhere(), OF_MACHINE[:3])]
    first = examine(scope, OF_WORKSPACE[:1])
    try:
        scope.tree.entries(".")
    except (OSError, StorageError):
        return first + [Row(name, SKIP, "the workspace cannot be opened") for name, _ in OF_WORKSPACE[1:]]
    daemon = examine(scope, (("daemon", check_daemon),))
    own = (*OF_WORKSPACE[1:], ("index", check_the_index))
    others = (*OF_OTHERS, ("beside", check_beside))
    rest = (("watcher", check_watcher), ("socket", check_socket), *own, *OF_MACHINE, *others)
    return [*first, *daemon, *examine(scope, rest)]


def check_beside(scope: Scope) -> Iterator[Row]:
    """What agents keep of their own says nothing else than what is remembered, and nothing twice."""
    import asyncio

    from memd.errors import MemdError
    from memd.service.care.doctor import OK, SKIP, WARN, Row
    from memd.service.judging.beside import AGAINST, PERHAPS, SAME, files_beside

    files = files_beside(scope.home, scope.here, scope.workspace, scope.environment)
    if not files:
        yield Row("beside", SKIP, "agents keep nothing of their own here")
        return
    try:
        found = asyncio.run(_compared(scope, files))
    except MemdError as error:  # why it cannot be opened is told where that belongs
        yield Row("beside", SKIP, f"agents' files are not looked at: {error}")
        return
    wrong = {
        AGAINST: "Correct the one that is wrong", PERHAPS: "Look which of the two holds",
        SAME: "One of the two is enough",
    }  # fmt: skip
    for one in found[:BESIDE]:
        seen = f"{one.path}:{one.stated.line}: “{_short(one.stated.text)}” {one.how} memory {one.memory[:8]} of {one.role}: “{_short(one.text)}”"
        yield Row("beside", WARN, seen, f"{wrong[one.how]}: the line, or `memd show {one.role} {one.memory[:8]}`.")
    if len(found) > BESIDE:
        yield Row("beside", WARN, f"and {len(found) - BESIDE} more in agents' files", "Mend these first.")
    if not found:
        said = sum(len(one.stated) for one in files)
        yield Row(
            "beside", OK, f"{said} statements in {len(files)} files of agents, none of them against what is remembered"
        )


async def _compared(scope: Scope, files: list[BesideFile]) -> list[Beside]:
    from dataclasses import replace

    from memd.config import place_of
    from memd.daemon import local
    from memd.places import BY_NAME
    from memd.service.judging.beside import compare

    place = place_of(scope.workspace)
    given = place.embeddings
    own = replace(given, where="none" if given.where == "none" else BY_NAME)
    async with local(replace(place, embeddings=own), writes=False) as opened:
        return await compare(opened.store, scope.here, files)


def _short(text: str) -> str:
    plain = " ".join(text.split())
    return plain if len(plain) <= QUOTED else f"{plain[:QUOTED]}…"


def _scope(workspace: str) -> Scope:
    """Return what is looked at. A folder without memd.toml is looked at too, if it was once a workspace: that is a finding."""
    from memd import __version__
    from memd.cli.services import folder_of_units, installed_plan
    from memd.client import socket_of
    from memd.config import place_of
    from memd.errors import ServiceMissingError, WorkspaceMissingError
    from memd.service.care.doctor import Scope

    path = _path_of(workspace)
    try:
        place = place_of(path)
        cache, state = place.cache, place.state
    except WorkspaceMissingError:
        cache = state = ""
    home, here = os.path.expanduser("~"), os.path.realpath(".")
    try:
        units = installed_plan(path).units()
    except ServiceMissingError:
        units = {}  # a path that no unit can name has none
    return Scope(
        path,
        cache,
        socket_of(path),
        home,
        here,
        os.environ,
        __version__,
        unit_folder=folder_of_units(),
        units=units,
        state=state,
    )


def _path_of(workspace: str) -> str:
    from memd.client import find_workspace
    from memd.errors import WorkspaceMissingError

    named = workspace or os.environ.get("MEMD_WORKSPACE", "")
    if named and os.path.isdir(named):
        return os.path.realpath(named)
    try:
        return find_workspace(workspace)
    except WorkspaceMissingError:
        path = os.path.realpath(".")
        while not named and not (os.path.isdir(f"{path}/roles") and os.path.isdir(f"{path}/.memory")):
            if path == os.path.dirname(path):
                raise
            path = os.path.dirname(path)
        if named:
            raise
        return path


def _nowhere() -> Scope:
    from memd import __version__
    from memd.service.care.doctor import Scope

    return Scope("", "", "", "", "", os.environ, __version__)
