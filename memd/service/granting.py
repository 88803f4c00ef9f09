"""What a workspace asks this machine for (settings that weaken, approvals it brings along, directories that lie elsewhere), granted
or taken back. Only the command line's `trust`, `capture` and `pause` grant: no door does.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

from memd.errors import BadSettingsError, MemdError, TrustUnknownError
from memd.formats.records import read_lines
from memd.formats.settings import DIGEST, TOML_BYTES, line_of, load_profile
from memd.model.settings import LEVELS, Settings
from memd.model.trust import (
    ALL,
    APPROVALS,
    CAPTURE,
    LINKS,
    PAST,
    ROLE_FILES,
    START,
    Ask,
    ModelAt,
    Trusted,
    chosen,
    in_force,
    weak_in,
)
from memd.storage.files import LINKABLE, target_of
from memd.storage.layout import REVIEW, SETTINGS, profile_file
from memd.store.in_force import read_settings
from memd.store.reading.discovery import look_for_roles

if TYPE_CHECKING:
    from memd.storage.files import Tree
    from memd.store.store import Store
    from memd.store.trust import Trust

APPROVED = "approved"  # as lines of review.jsonl say it


Own = Mapping[str, Mapping[str, Any]]  # a role's settings, by table and key


def asks_of(tree: Tree, trusted: Trusted, owns: Mapping[str, Own] | None = None) -> list[Ask]:
    """Return everything a workspace asks for, as its files are now. Blocks; a file with faults asks for nothing.

    `owns`: the settings of every role, where they are known already.
    """
    try:
        asked = read_settings(tree)
    except (MemdError, FileNotFoundError):
        asked = Settings()
    found = list(_of_settings(tree, SETTINGS, "", asdict(asked), trusted, None))
    base = in_force(asked, trusted.granted)
    known = {role: _own(tree, role) for role in look_for_roles(tree)[0]} if owns is None else owns
    for role, own in sorted(known.items()):
        found += _of_settings(tree, profile_file(role), f"{role}/", own, trusted, base) if own else ()
    return [*found, *_approvals(tree, trusted), *_links(tree, trusted)]


async def asked_by(store: Store) -> list[Ask]:
    """Return what a workspace asks this machine for, granted or not."""
    owns = {role.name: role.own.profile.settings for role in store.roles.values()}
    return await asyncio.to_thread(asks_of, store.tree, store.in_force.trust.trusted, owns)


def digests_asked(tree: Tree) -> frozenset[str]:
    """Return the digests of texts that review.jsonl says were approved, by whomever."""
    try:
        lines = read_lines(tree.read(REVIEW)[0])
    except (MemdError, FileNotFoundError):
        return frozenset()
    said = (line.value.get("digest") for line in lines if line.value and line.value.get("what") == APPROVED)
    return frozenset(one for one in said if isinstance(one, str) and DIGEST.fullmatch(one))


def in_vain(asks: list[Ask]) -> list[Ask]:
    """Return what is asked for and not granted."""
    return [one for one in asks if not one.granted]


def view(one: Ask) -> dict[str, Any]:
    """Return a request as replies tell it."""
    return {
        "name": one.name, "value": one.value, "file": one.file, "line": one.line, "gives_up": one.gives_up,
        "granted": one.granted, "in_force": one.value if one.granted else one.held,
    }  # fmt: skip


def sentence(asks: list[Ask]) -> str:
    """Return what is asked for in vain as one line with the command that grants it; "" where nothing is."""
    vain = in_vain(asks)
    if not vain:
        return ""
    names = vain[0].name if len(vain) == 1 else "all"
    told = ", ".join(one.said for one in vain[:4]) + (f" and {len(vain) - 4} more" if len(vain) > 4 else "")
    return f"asked for and not granted on this machine: {told}; `memd trust` tells what that means, `memd trust --grant {names}` grants it"


def _own(tree: Tree, role: str) -> Own:
    try:
        return load_profile(tree.read(profile_file(role), TOML_BYTES * 2)[0], profile_file(role)).settings
    except (BadSettingsError, MemdError, FileNotFoundError):
        return {}


def _of_settings(
    tree: Tree, file: str, prefix: str, tables: Own, trusted: Trusted, base: Settings | None
) -> Iterator[Ask]:
    text = ""
    for weak in weak_in(tables, base):
        text = text or _text(tree, file)
        name = prefix + weak.protection.key
        table, _, key = weak.protection.key.partition(".")
        reached = weak.protection.reached(trusted.granted.get(name), weak.value)
        line = line_of(text, table, key)
        yield Ask(name, weak.value, file, weak.protection.gives_up, reached == weak.value, reached, line)


def _text(tree: Tree, file: str) -> str:
    try:
        return tree.read(file, TOML_BYTES * 2)[0].decode("utf-8-sig", "replace")
    except (MemdError, FileNotFoundError):
        return ""


def _approvals(tree: Tree, trusted: Trusted) -> Iterator[Ask]:
    asked = digests_asked(tree)
    if missing := len(asked - trusted.approved):
        why = "texts that somebody approved elsewhere, or before, stand in prompts"
        yield Ask(APPROVALS, missing, REVIEW, why, granted=False, held=0)


def _links(tree: Tree, trusted: Trusted) -> Iterator[Ask]:
    for name in LINKABLE:
        if os.path.islink(os.path.join(tree.path, name)):
            target = target_of(tree.path, name).path
            asked = f"{LINKS}.{name}"
            granted = bool(target) and trusted.granted.get(asked) == target
            value = target or os.readlink(os.path.join(tree.path, name))
            yield Ask(asked, value, name, f"{name}/ lies outside the workspace", granted, "")


RAISED = LEVELS[LEVELS.index("explicit") + 1 :]  # levels that a machine has to allow


def change(tree: Tree, trust: Trust, grants: Sequence[str], revokes: Sequence[str]) -> None:
    """Grant and revoke by names, or nothing of it: TrustUnknownError names a word that means nothing here. Blocks.

    What is asked for now is what is granted: a value that weakens more, asked for later, is asked for again.
    """
    trust.look(tree)
    asks = {one.name: one for one in asks_of(tree, trust.trusted)}
    wanted = [asks[name] for name in _named(list(asks), grants, "not asked for") if name != CAPTURE or name in grants]
    _named(_granted(trust.trusted), revokes, "not granted")
    for one in wanted:
        if one.name.startswith(f"{LINKS}."):
            why = target_of(tree.path, one.file).why
            if why:
                raise TrustUnknownError(one.name, f"a link that cannot be granted ({why})", one.value)
    digests = digests_asked(tree) if any(one.name == APPROVALS for one in wanted) else frozenset()
    values = {one.name: one.value for one in wanted if one.name != APPROVALS}

    def make(known: Trusted) -> Trusted:
        gone = {name for word in revokes for name in chosen(_granted(known), word)}
        kept = {name: value for name, value in known.granted.items() if name not in gone}
        approved = frozenset() if APPROVALS in gone else known.approved
        return replace(known, granted={**kept, **values}, approved=approved | digests)

    trust.change(tree, make)


def raise_capture(tree: Tree, trust: Trust, level: str) -> None:
    """Let this machine keep of this workspace's conversations what a level says, and no more. Blocks."""

    def make(known: Trusted) -> Trusted:
        others = {name: value for name, value in known.granted.items() if name != CAPTURE}
        return replace(known, granted={**others, CAPTURE: level} if level in RAISED else others)

    trust.change(tree, make)


def let_choose(tree: Tree, trust: Trust, mark: str, role: str) -> None:
    """Let a `.memd-role`, known by its mark, choose a role on this machine; "" takes that back. Blocks."""
    name = f"{ROLE_FILES}.{mark}"

    def make(known: Trusted) -> Trusted:
        others = {one: value for one, value in known.granted.items() if one != name}
        return replace(known, granted={**others, name: role} if role else others)

    trust.change(tree, make)


def let_start(tree: Tree, trust: Trust) -> None:
    """Let agents' hooks start a daemon for this workspace on this machine. Blocks."""
    trust.look(tree)
    if trust.trusted.granted.get(START) is not True:
        trust.change(tree, lambda known: replace(known, granted={**known.granted, START: True}))


def let_take_past(tree: Tree, trust: Trust, order: Mapping[str, str]) -> None:
    """Let conversations that agents keep here be taken in: `id`, `role`, and of each agent the directory; {} ends that. Blocks."""

    def make(known: Trusted) -> Trusted:
        others = {name: value for name, value in known.granted.items() if not name.startswith(f"{PAST}.")}
        return replace(known, granted={**others, **{f"{PAST}.{name}": value for name, value in order.items()}})

    trust.change(tree, make)


def pause(tree: Tree, trust: Trust, until_s: float) -> None:
    """Keep nothing of conversations here until then, in seconds since 1970; 0: go on keeping. Blocks."""
    trust.change(tree, lambda known: replace(known, paused_until_s=until_s))


def name_model(tree: Tree, trust: Trust, model: ModelAt | None) -> None:
    """Let conversations of this workspace be sent to an endpoint when they are consolidated, or to none. Blocks."""
    trust.change(tree, lambda known: replace(known, model=model))


def _granted(known: Trusted) -> list[str]:
    return [*known.granted, *([APPROVALS] if known.approved else [])]


def _named(names: list[str], words: Iterable[str], why: str) -> list[str]:
    found: list[str] = []
    for word in words:
        meant = chosen(names, word)
        if not meant and word != ALL:
            raise TrustUnknownError(word, why, ", ".join(names) or "nothing")
        found += meant
    return found
