"""The offer of the past: the conversations that agents keep on this machine, shown, and ordered where a person wants them."""

from __future__ import annotations

import os
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from memd.cli.setup.agents import KNOWN
from memd.cli.show import Part, counted, own, own_call
from memd.cli.tables import Column, listing, whole_text
from memd.formats.times import to_day
from memd.model.trust import PAST, past_order
from memd.service.capture.past import find
from memd.service.granting import let_take_past
from memd.store.trust import Trust

if TYPE_CHECKING:
    from memd.storage.files import Tree

AGENTS = {"claude": "projects", "codex": "", "gemini": "tmp"}  # and the directory below its own where it keeps them
COMES_OF_IT = {
    "off": "Nothing of them becomes a memory at the level off; they can be searched.",
    "explicit": "Nothing of them becomes a memory at the level explicit; they can be searched, and `memd consolidate` goes through them.",
    "inbox": "What was told in them waits in the inbox (`memd review`), as long as that is not half full.",
    "auto": "What you clearly told in them becomes memories, dated as it was said; what is doubtful or delicate waits in the inbox, as long as that is not half full.",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Offer:
    """What agents keep here: of each its name, directory, conversations, bytes, first and last day; why how many are left out.

    `ordered` is the id of the order that is being carried out, "" where there is none.
    """

    rows: tuple[tuple[str, str, int, int, str, str], ...]
    left: dict[str, int]
    roots: dict[str, str]
    ordered: str = ""

    @property
    def count(self) -> int:
        """How many conversations can be taken in."""
        return sum(row[2] for row in self.rows)

    @property
    def said(self) -> str:
        """All of it in one sentence."""
        parts = [f"{KNOWN[agent].title} {count} ({_size(size)}, {_days(first, last)})" for agent, _, count, size, first, last in self.rows]  # fmt: skip
        return f"{counted(self.count, 'conversation')}: {'; '.join(parts)}"

    def reply(self) -> dict[str, Any]:
        """Return it as JSON has it."""
        names = ("agent", "folder", "conversations", "bytes", "from", "to")
        return {"agents": [dict(zip(names, row, strict=True)) for row in self.rows], "left": self.left}


def offer_of(tree: Tree | None, state: str, now_s: float, agents: Sequence[str] = ()) -> Offer:
    """Return what agents keep on this machine that is not known here; `tree`: None where there is no workspace yet."""
    named = {one: os.path.join(KNOWN[one].folder(), below).rstrip("/") for one, below in AGENTS.items()}
    roots = {one: path for one, path in named.items() if os.path.isdir(path) and (not agents or one in agents)}
    ordered = ""
    if tree is not None:
        trust = Trust(state)
        trust.look(tree)
        ordered = past_order(trust.trusted.granted).get("id", "")
    found = find(tree, roots, now_s, ordered)
    rows = []
    for agent, root in roots.items():
        mine = [one for one in found.conversations if one.agent == agent]
        if mine:
            size = sum(one.size for one in mine)
            rows.append((agent, root, len(mine), size, to_day(mine[0].began_s), to_day(mine[-1].began_s)))
    return Offer(tuple(rows), found.left, roots, ordered)


def _size(size_bytes: int) -> str:
    return f"{size_bytes / 1e6:.1f} MB" if size_bytes >= 1e6 else f"{max(1, round(size_bytes / 1e3))} kB"


def _days(first: str, last: str) -> str:
    return first if first == last else f"{first} to {last}"


def take(tree: Tree, state: str, offer: Offer, role: str = "") -> str:
    """Order that what is offered is taken in, and return the id of the order; one that is carried out already stands."""
    if offer.ordered:
        return offer.ordered
    past_id = f"{PAST}-{secrets.token_hex(4)}"
    roots = {agent: root for agent, root, *_ in offer.rows}
    let_take_past(tree, Trust(state), {"id": past_id, **({"role": role} if role else {}), **roots})
    return past_id


def offer_parts(offer: Offer, level: str) -> list[Part]:
    """Return an offer for a person, and what comes of it."""
    left = [f"left out: {counted(count, 'conversation')}, {why}" for why, count in offer.left.items()]
    if not offer.rows:
        return ["No agent keeps a conversation on this machine that is not known here.", *left]
    rows = [(KNOWN[agent].title, count, _size(size), _days(first, last), root) for agent, root, count, size, first, last in offer.rows]  # fmt: skip
    table = listing(rows, Column("agent"), Column("conversations"), Column("size"), Column("held"), whole_text("in"))
    kept = "They go into sessions/ of this workspace (git-ignored, as what hooks write), without secrets and without what was said off the record; the files of the agents stay as they are."
    return [table, *left, kept, own(COMES_OF_IT[level])]


def begun_parts(past_id: str, *, runs: bool) -> list[Part]:
    """Return what to know of an order that was given."""
    when = (
        "It goes on in the background"
        if runs
        else "It begins when the daemon runs (`memd up`), and goes on in the background"
    )
    return [
        own(f"{when}: `memd status` tells how far it is, `memd pause` holds it up."),
        f"To take all of it back: {own_call('import', '--undo', past_id)}",
    ]
