"""Grant what a workspace asks this machine for, or take it back. Only the command line's `trust`, `capture` and `pause` call this: no door grants."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from memd.errors import TrustUnknownError
from memd.model.settings import LEVELS
from memd.model.trust import ALL, APPROVALS, CAPTURE, LINKS, PAST, ROLE_FILES, START, ModelAt, Trusted, chosen
from memd.service.asking import asks_of, digests_asked
from memd.storage.files import target_of

RAISED = LEVELS[LEVELS.index("explicit") + 1 :]  # levels that a machine has to allow

if TYPE_CHECKING:
    from memd.storage.files import Tree
    from memd.store.trust import Trust


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
