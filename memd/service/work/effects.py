"""How well each version of a skill does, counted from receipts and kept as a running figure.

The receipts are the truth: the running figures are a copy of what they say, kept in `.memory/state/effects.json` so that
status need not read them all. A recount reads them all, tells what differs, and puts the copy right.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, NamedTuple

from memd.engine.work.effects import judge, regressions, tally
from memd.errors import Fault, RejectedFileError, RunUnknownError, StorageError
from memd.formats.strict_json import StrictError, dumps, loads
from memd.model.tasks import Counts, Effect
from memd.service.work.receipts import all_receipts, receipt_of
from memd.storage.layout import EFFECTS, RUNS, STATE
from memd.storage.listing import is_unlistable, is_unreadable, read_side
from memd.storage.replace import replace

if TYPE_CHECKING:
    from memd.model.runs import Acceptance, Receipt
    from memd.storage.files import Tree
    from memd.store.store import Store

Figures = dict[tuple[str, int], Counts]


def figures_of(receipts: Iterable[Receipt]) -> Figures:
    """Return the counts of every version of every skill that receipts name."""
    return tally((use.name, use.version, one.acceptance) for one in receipts for use in one.skills)


async def running_figures(store: Store) -> Figures:
    """Return the running figures; where there are none yet, they are made of the receipts."""
    working = store.working
    if working.effects is None:
        kept = await asyncio.to_thread(_load, store.tree)
        if kept is None:
            kept = figures_of((await all_receipts(store))[0])
            if await asyncio.to_thread(is_unlistable, store.tree, RUNS):
                return kept  # not to be kept: there may be more of them
        if working.effects is None:
            working.effects = kept
    return working.effects


async def count_verdicts(store: Store, run: str, acceptance: Acceptance) -> Callable[[], None]:
    """Return what counts a verdict, to be called once it is durable: what was said of the run before counts no more."""
    figures = await running_figures(store)
    try:
        receipt = (await receipt_of(store, run))[0]
    except (RunUnknownError, RejectedFileError):
        return lambda: None

    def count() -> None:
        for use in receipt.skills:
            key = (use.name, use.version)
            counts = figures.get(key, Counts())
            figures[key] = _shifted(_shifted(counts, receipt.acceptance, -1), acceptance, 1)

    return count


async def drop_figures(store: Store) -> None:
    """Let go of the copy before a verdict: whoever dies in between leaves none that is out of date."""
    if read_side(store.tree, EFFECTS) is not None:
        await asyncio.to_thread(store.tree.remove, EFFECTS)


async def keep_figures(store: Store) -> None:
    """Keep the running figures for the next start."""
    if store.working.effects is not None and store.writer.running is not None:
        await asyncio.to_thread(_save, store.tree, dict(store.working.effects))


def _shifted(counts: Counts, acceptance: Acceptance, by: int) -> Counts:
    values = {"accepted": counts.accepted, "revised": counts.revised, "abandoned": counts.abandoned}
    if acceptance.value in values:
        values[acceptance.value] = max(0, values[acceptance.value] + by)
    return Counts(**values)


class Differing(NamedTuple):
    """A skill's version of which the running figure says another thing than the receipts."""

    key: tuple[str, int]
    running: Counts
    receipts: Counts


class Recount(NamedTuple):
    """What the receipts alone say, compared with the running figures."""

    figures: Figures
    receipts: list[Receipt]
    faults: list[Fault]
    differing: list[Differing]


async def recount(store: Store, figures: Figures) -> Recount:
    """Count all receipts again, and put the running figures right where they differ."""
    receipts, faults = await all_receipts(store)
    found = figures_of(receipts)
    wanted, had = _without_empty(found), _without_empty(figures)
    differing = [
        Differing(key, had.get(key, Counts()), wanted.get(key, Counts()))
        for key in sorted(wanted.keys() | had.keys())
        if wanted.get(key) != had.get(key)
    ]
    store.working.effects = found
    if differing:
        await keep_figures(store)
    return Recount(found, receipts, faults, differing)


def judged_of(figures: Figures) -> list[Effect]:
    """Return the effects in the order of skills and versions."""
    return [judge(name, version, counts) for (name, version), counts in sorted(figures.items()) if counts.total]


def worse(judged: Iterable[Effect], skill: str = "") -> list[dict[str, Any]]:
    """Return the versions that do worse than the one before."""
    return [
        {
            "skill": one.skill, "version": one.version, "mean": one.mean,
            "before": {"version": one.before_version, "mean": one.before_mean}, "certain": one.certain,
        }
        for one in regressions(judged)
        if not skill or one.skill == skill
    ]  # fmt: skip


def _without_empty(figures: Figures) -> Figures:
    return {key: counts for key, counts in figures.items() if counts.total}


def _load(tree: Tree) -> Figures | None:
    try:
        value = loads(read_side(tree, EFFECTS) or b"")
        return {(str(name), int(version)): Counts(*map(int, counts)) for name, version, counts in value}
    except (StrictError, TypeError, ValueError):
        return None


def _save(tree: Tree, figures: Figures) -> None:
    rows = [[name, version, [c.accepted, c.revised, c.abandoned]] for (name, version), c in sorted(figures.items())]
    if is_unreadable(tree, EFFECTS):
        return  # what stands there is not ours
    try:
        tree.make_dirs(STATE)
        replace(tree, EFFECTS, dumps(rows).encode("utf-8"))
    except (OSError, StorageError):
        return  # without a copy, the figures are made again from the receipts
