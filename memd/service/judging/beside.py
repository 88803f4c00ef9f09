"""What agents keep beside a workspace, compared with what it remembers: which statement of which file says the same, or another thing.

The files are read and nothing of them is kept. A statement is judged as one that is told: by words, and where these see nothing in what is
alike by the model that comes with memd, where it is there. No other model sees these files.
Files for all of a person's work are compared with the person's own role, those of the project here with the project's, too.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, NamedTuple

from memd.engine.keep.relation.judge import LEAST_LIKE
from memd.errors import RoleUnknownError, StorageError
from memd.formats.foreign.agent_files import INSTRUCTIONS, Stated, stated
from memd.model.change import Relation
from memd.service.judging.offers import RememberRequest, read_offer
from memd.service.judging.relating import Spoken, relate
from memd.service.judging.vectors import NO_VECTORS, vectors_of
from memd.storage.checkouts import look_at
from memd.storage.machine import read_text
from memd.store.reading.discovery import own_role, role_of_project

if TYPE_CHECKING:
    from memd.service.judging.relating import Related
    from memd.service.judging.vectors import Vectors
    from memd.store.role.role import Role
    from memd.store.store import Store

MOST_FILES, MOST_STATEMENTS, MOST_ASKED = 400, 2000, 200
SAME, AGAINST, PERHAPS = "says the same as", "contradicts", "may contradict"
_SLUG = re.compile(r"[^A-Za-z0-9]")


class BesideFile(NamedTuple):
    """A file of an agent's, its statements, and whether it is of the project here."""

    path: str
    stated: list[Stated]
    of_project: bool


class Beside(NamedTuple):
    """One statement of a file, and how it stands to which memory of which role."""

    path: str
    stated: Stated
    how: str
    role: str
    memory: str
    text: str


def files_beside(home: str, here: str, workspace: str, environment: Mapping[str, str]) -> list[BesideFile]:
    """Return the files with statements that agents read here; none of the workspace's own. Blocks."""
    found: dict[str, BesideFile] = {}
    own = os.path.realpath(workspace)
    for path, of_project in _paths(home, here, environment):
        real = os.path.realpath(path)
        if real in found or real.startswith(f"{own}/") or len(found) == MOST_FILES or not os.path.isfile(real):
            continue
        try:
            said = stated(read_text(real), path)
        except StorageError:
            continue
        if said:
            found[real] = BesideFile(path, said, of_project)
    return list(found.values())


def _paths(home: str, here: str, environment: Mapping[str, str]) -> Iterator[tuple[str, bool]]:
    claude = environment.get("CLAUDE_CONFIG_DIR") or f"{home}/.claude"
    tops = _tops(here)
    for top in tops:
        yield from ((f"{top}/{name}", True) for name in (*INSTRUCTIONS, ".claude/CLAUDE.md"))
    yield f"{claude}/CLAUDE.md", False
    yield f"{environment.get('CODEX_HOME') or f'{home}/.codex'}/AGENTS.md", False
    yield f"{home}/.gemini/GEMINI.md", False
    slugs = {_SLUG.sub("-", top) for top in tops}
    for slug in _names(f"{claude}/projects"):
        folder = f"{claude}/projects/{slug}/memory"
        yield from ((f"{folder}/{name}", slug in slugs) for name in _names(folder) if name.endswith(".md"))


def _tops(here: str) -> list[str]:
    """Return a directory and those above it up to the top of its repository; itself alone where it is in none."""
    found = [here]
    while not os.path.lexists(f"{found[-1]}/.git"):
        above = os.path.dirname(found[-1])
        if above == found[-1]:
            return [here]
        found.append(above)
    return found


def _names(folder: str) -> list[str]:
    try:
        return sorted(os.listdir(folder))
    except OSError:
        return []


async def compare(store: Store, here: str, files: list[BesideFile], role_named: str = "") -> list[Beside]:
    """Return what of the files says the same as a memory, or another thing; what is surely another thing first.

    `role_named`: whose memories they are compared with, else the person's own role's.
    """
    await store.roles.look()
    try:
        roles = [own_role(store.roles, role_named or store.settings.hooks.role)]
    except RoleUnknownError:
        return []
    project = look_at(here, store.path).project
    of_project = role_of_project(store.roles.values(), project) if project else None
    both = [*roles, of_project] if of_project else roles
    for role in both:
        async with role.turn:
            await store.refresh(role)
    every = [(one, said, role) for one in files for said in one.stated for role in (both if one.of_project else roles)]
    found: list[Beside] = []
    asked = 0
    for one, said, role in every[:MOST_STATEMENTS]:
        beside = _judged(store, role, one.path, said, NO_VECTORS)
        if beside is None and asked < MOST_ASKED and _is_like(store, role, said.text):
            asked += 1
            offer = read_offer(RememberRequest(role.name, said.text))
            beside = _judged(store, role, one.path, said, await vectors_of(store, role, offer))
        found += [beside] if beside else []
    return sorted(found, key=lambda one: (one.how == SAME, one.how == PERHAPS))


def _is_like(store: Store, role: Role, text: str) -> bool:
    """Tell whether some memory has much of a text's words."""
    learned, memories = store.keeping.learned, role.compiled.memories
    return any(
        learned.share(memories[one].text, text) >= LEAST_LIKE for one in learned.nearest(role.compiled, text).ids
    )


def _judged(store: Store, role: Role, path: str, said: Stated, vectors: Vectors) -> Beside | None:
    near = store.keeping.learned.nearest(role.compiled, said.text)
    standing = relate(store, role, said.text, Spoken(), (*vectors.alike, *near.ids), vectors)
    how, related = _how(standing.related), standing.related
    if not how and standing.doubted:
        how, related = PERHAPS, standing.doubted
    return Beside(path, said, how, role.name, related.memory.id, related.memory.text) if how and related else None


def _how(related: Related | None) -> str:
    relation = related.judged.relation if related else Relation.UNRELATED
    return {Relation.DUPLICATE: SAME, Relation.CONTRADICTION: AGAINST}.get(relation, "")
