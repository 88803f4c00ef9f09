"""The verbs that look at memories: one, and many."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

from msgspec import Meta

from memd.engine.keep.aging import worth_now
from memd.errors import BadQueryError, MemoryAmbiguousError, MemoryUnknownError
from memd.formats.entry import to_memory
from memd.formats.query import span_of
from memd.formats.times import to_exact_iso, to_iso, to_seconds
from memd.model.memory import Kind, Memory
from memd.protocol.fields import Request, RoleName
from memd.protocol.memories import FoundMemory, JudgedAgain, Memories
from memd.protocol.views import ListedMemory
from memd.service.memory.egress import whys_withheld
from memd.service.memory.history import forgotten_of, history_of
from memd.service.memory.records import digest_of, find, raw_of
from memd.service.profile import naming, subject_in
from memd.service.screening import know_provisional
from memd.storage.layout import memory_file
from memd.text.characters import fold
from memd.verbs.declared import Service, verb
from memd.verbs.memory.memory_views import OfMemory, aging_of, related_of, view_of
from memd.verbs.recall.searches import Search, ids_found

if TYPE_CHECKING:
    from memd.store.recall.pasts import Past
    from memd.store.role.role import Role


class GetMemory(OfMemory):
    """One memory; with `history`, what it was before."""

    history: Annotated[
        bool, Meta(description="also its earlier texts, what took whose place, and what it was and will be worth")
    ] = False


class ListMemories(Request):
    """Which memories, and how many at once."""

    role: RoleName
    kind: Annotated[str, Meta(pattern="^(episodic|semantic|trait|goal)$", description="only of this kind")] | None = (
        None
    )
    tag: Annotated[str, Meta(description="only memories with this tag")] = ""
    limit: Annotated[int, Meta(ge=1, le=1000, description="how many at once")] = 100
    offset: Annotated[int, Meta(ge=0, description="how many to pass over")] = 0
    forgotten: Annotated[bool, Meta(description="list what is in the archive instead")] = False
    as_of: (
        Annotated[float | str, Meta(description="those that were known then, as they were: a time, or a day's end")]
        | None
    ) = None
    order: Annotated[
        str,
        Meta(
            pattern="^(file|newest|oldest|score|worth|key)$",
            description="by time, by score or by what they are worth now (highest first), by their first key, or as they stand in the file",
        ),
    ] = "file"
    query: Annotated[
        str,
        Meta(
            max_length=10_000,
            description="only what this search finds, the best first unless another order is asked; of forgotten ones, what has all its words",
        ),
    ] = ""
    about: Annotated[
        str,
        Meta(max_length=200, description="only what names this person or thing, as profile's subject; me: the user"),
    ] = ""
    after: Annotated[str, Meta(max_length=40, description="from this year, month, day or moment on")] = ""
    before: Annotated[str, Meta(max_length=40, description="before this year, month, day or moment")] = ""
    state: Annotated[
        str,
        Meta(
            pattern="^(all|holds|past|always|off)$",
            description="holds: it may come to mind; past: another took its place, or its time is over; always: it always comes; off: it never does",
        ),
    ] = "all"
    figures: Annotated[
        bool, Meta(description="also what each is worth, how often it came to mind, and what it is related to")
    ] = False


@verb(
    "memory.get",
    errors=(
        MemoryAmbiguousError,
        MemoryUnknownError,
    ),
)
async def get_memory(service: Service, asked: GetMemory) -> FoundMemory:
    """Return one memory with its record and digest."""
    store = service.store
    role = await store.role(asked.role)
    await know_provisional(store)
    told = store.keeping.provisional.find(role.name, asked.id)
    async with role.turn:
        await store.refresh(role)
        has_it = told.get("memory", "") if told and asked.id not in role.compiled.memories else ""
        if told and has_it not in role.compiled.memories and told["id"] not in role.compiled.memories:
            return _text_of(role.name, told)
        memory = find(role, has_it if has_it in role.compiled.memories else asked.id)
        record = raw_of(role, memory)
        count, last_s = store.recalled.uses.get(role.name, {}).get(memory.id, (0, None))
        found = view_of(
            memory,
            FoundMemory,
            role=role.name,
            record=record,
            digest=digest_of(record),
            file=memory_file(role.name),
            access_count=count,
            last_access=to_iso(last_s) if last_s is not None else None,
            expired=memory.is_expired(store.ports.now()) or None,
            history=history_of(role, memory) if asked.history else None,
            aging=aging_of(memory, count, last_s, store.ports.now(), store.settings_of(role))
            if asked.history
            else None,
            judged=_judged(told) if told else None,
        )
    (why,) = await whys_withheld(store, role.name, [memory])
    found.withheld = why or None
    return found


def _text_of(role: str, told: Mapping[str, Any]) -> FoundMemory:
    """Return a text that is no memory, and what became of it."""
    kind = str(told.get("kind") or Kind.SEMANTIC)
    return FoundMemory(
        id=told["id"], kind=kind, content=str(told.get("content", "")), priority=0, constant=False, role=role,
        digest="", file="", access_count=0, judged=_judged(told),
    )  # fmt: skip


def _judged(told: Mapping[str, Any]) -> JudgedAgain:
    held = "became" not in told
    return JudgedAgain(
        offer=told["id"],
        provisional=held,
        was=str(told.get("verdict" if held else "was", "")),
        became="" if held else told["became"],
        why="judged by its words, without the model, and judged again when that has time"
        if held
        else str(told.get("why", "")),
        at=str(told.get("at", "")),
        memory=told.get("memory") or None,
        inbox=told.get("inbox") or None,
    )


@verb("memory.list", errors=(BadQueryError,))
async def list_memories(service: Service, asked: ListMemories) -> Memories:
    """List memories, or forgotten ones."""
    store = service.store
    role = await store.role(asked.role)
    found = None
    if asked.query.strip() and not asked.forgotten:
        looked_for = Search(query=asked.query, role=role.name, kind=asked.kind or "memory", as_of=asked.as_of)
        found = {one: place for place, one in enumerate(await ids_found(service, looked_for))}
    async with role.turn:
        await store.refresh(role)
        at_s = None if asked.as_of is None else store.pasts.moment(asked.as_of, store.settings_of(role).trigger.zone)
        then = await store.pasts.then(role, at_s)
        if asked.forgotten:
            archived = then.archived if then else await forgotten_of(store, role.name)
            known = [_Known(_as_it_was(line), line) for line in archived.values()]
        else:
            known = [_Known(memory) for memory in (then or role).compiled.memories.values()]
        now_s = store.ports.now() if at_s is None else at_s
        uses = {} if then else store.recalled.uses.get(role.name, {})
        fits = _chooser(asked, role, then, now_s, found)
        fitting = [one for one in known if fits(one)]
        chosen = _ordered(fitting, asked.order, uses, now_s, found)[asked.offset : asked.offset + asked.limit]
        views = [_listed(one, now_s) for one in chosen]
        if asked.figures and not asked.forgotten:
            records = role.standing()
            for view, one in zip(views, chosen, strict=True):
                _put_figures(view, one.memory, uses.get(one.memory.id, (0, None)), now_s)
                view.related = related_of(records[one.memory.id]() if one.memory.id in records else None) or None
    whys = await whys_withheld(store, role.name, [one.memory for one in chosen])
    for view, why in zip(views, whys, strict=True):
        view.withheld = why or None
    told = Memories(role=role.name, total=len(fitting), memories=views)
    if then is not None:
        told.as_of, told.notes = to_exact_iso(then.at_s), then.notes() or None
    return told


class _Known(NamedTuple):
    """A memory, with the archive's line of one that is forgotten."""

    memory: Memory
    line: Mapping[str, Any] | None = None

    @property
    def at_s(self) -> float | None:
        """When it was remembered, or forgotten."""
        if self.line is None:
            return self.memory.when_s
        at = self.line.get("at")
        return to_seconds(at) if isinstance(at, str) else None


def _as_it_was(line: Mapping[str, Any]) -> Memory:
    return to_memory(line["entry"], Kind(line["kind"]), line["id"])


def _listed(one: _Known, now_s: float) -> ListedMemory:
    if one.line is not None:
        said = {"forgotten_at": one.line.get("at") or "", "reason": one.line.get("reason", "")}
        return view_of(one.memory, ListedMemory, **said)
    return view_of(one.memory, ListedMemory, expired=one.memory.is_expired(now_s) or None)


def _put_figures(view: ListedMemory, memory: Memory, use: tuple[int, float | None], now_s: float) -> None:
    times, used_s = use
    view.worth, view.uses = round(worth_now(memory, times, used_s, now_s), 2), times
    view.last_use = to_iso(used_s) if used_s is not None else None
    view.expires = to_iso(memory.expires_s) if memory.expires_s is not None else None


def _chooser(
    asked: ListMemories, role: Role, then: Past | None, now_s: float, found: Mapping[str, int] | None
) -> Callable[[_Known], bool]:
    """Return what tells whether a memory is asked for; `found`: the ids that a search found. Call in the role's turn."""
    about = None
    if asked.about.strip():
        about = naming(subject_in(role, then, asked.about), fiction=role.own.profile.fiction)
    after_s, before_s = (span_of(one)[0] if one else None for one in (asked.after, asked.before))
    words = fold(asked.query).split() if found is None else []
    tells = STATES[asked.state]

    def fits(one: _Known) -> bool:
        memory, at_s = one.memory, one.at_s
        return (
            (not asked.kind or memory.kind == asked.kind)
            and (not asked.tag or asked.tag in memory.tags)
            and (found is None or memory.id in found)
            and (after_s is None or (at_s is not None and at_s >= after_s))
            and (before_s is None or (at_s is not None and at_s < before_s))
            and tells(memory, now_s)
            and (not words or _has_all(memory, words))
            and (about is None or about(memory))
        )

    return fits


def _worth(memory: Memory, uses: Mapping[str, tuple[int, float]], now_s: float) -> float:
    times, used_s = uses.get(memory.id, (0, None))
    return worth_now(memory, times, used_s, now_s)


def _has_all(memory: Memory, words: list[str]) -> bool:
    text = fold(" ".join((memory.text, *memory.keys, *memory.tags, *memory.topics)))
    return all(word in text for word in words)


def _is_past(memory: Memory, now_s: float) -> bool:
    over = memory.held is not None and memory.held.end_s is not None and memory.held.end_s <= now_s
    return bool(memory.superseded_by) or over or memory.is_expired(now_s)


STATES: dict[str, Callable[[Memory, float], bool]] = {
    "all": lambda memory, now_s: True,  # noqa: ARG005
    "holds": lambda memory, now_s: not (memory.disabled or _is_past(memory, now_s)),
    "past": _is_past,
    "always": lambda memory, now_s: memory.constant and not (memory.disabled or _is_past(memory, now_s)),
    "off": lambda memory, now_s: memory.disabled,  # noqa: ARG005
}


def _ordered(
    known: list[_Known],
    order: str,
    uses: Mapping[str, tuple[int, float]],
    now_s: float,
    found: Mapping[str, int] | None,
) -> list[_Known]:
    """Return memories in an order; what has no time, score or key comes last."""
    values: dict[str, Callable[[_Known], Any]] = {
        "newest": lambda one: one.at_s,
        "oldest": lambda one: one.at_s,
        "score": lambda one: one.memory.score,
        "worth": lambda one: _worth(one.memory, uses, now_s),
        "key": lambda one: fold(one.memory.keys[0]) if one.memory.keys else None,
    }
    value = values.get(order)
    if value is None:
        return known if found is None else sorted(known, key=lambda one: found[one.memory.id])
    told = sorted((one for one in known if value(one) is not None), key=value, reverse=order in ("score", "worth"))
    return [*(told[::-1] if order == "newest" else told), *(one for one in known if value(one) is None)]
