"""The books of a role where they lie, and the pages that name it: ready to be scanned, followed live, never written.

Books are grouped by the rules they are evaluated by; a change makes its group anew in a thread, and the old one serves
until then. A book that cannot be read leaves what it said before.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from heapq import nlargest
from typing import TYPE_CHECKING, NamedTuple

from memd.engine.recall.lore.entries import Lore
from memd.engine.recall.lore.evaluate import Scan, evaluate
from memd.engine.recall.passages import KEYS, is_of, narrowed, passage_of, question_of
from memd.errors import Fault, NotRegularError, RejectedFileError, StorageError, TooLargeError
from memd.formats.books import BOOK_BYTES, load_book
from memd.model.files import is_copy
from memd.model.lore import RULES, Entry, Evaluated, LoreSettings, Timers
from memd.storage.layout import books_dir

if TYPE_CHECKING:
    from memd.model.lore import Evaluated
    from memd.model.scene import BookFound, Scene
    from memd.model.search import Document
    from memd.model.settings import BookSettings, Profile, Settings
    from memd.storage.files import Identity, Tree
    from memd.store.reading.library import Library
    from memd.store.role.role import Role

PAGES_READ = 4  # for each page that may come by what it says
READ_CHARS = 200_000  # of one of them
PAGE_CHARS = 4000  # of a page that comes to mind


class HeldBook(NamedTuple):
    """A book as it was last read well; `rejected` says why the file as it is now is not served."""

    identity: Identity | None
    entries: tuple[Entry, ...] = ()
    form: str = ""
    faults: tuple[Fault, ...] = ()
    rejected: Fault | None = None


@dataclass(slots=True)
class Shelf:
    """`groups` by compat. `made_of` is what they were made of; another means to make them anew. `dated` has the times of pages."""

    held: dict[str, HeldBook] = field(default_factory=dict)
    groups: dict[str, Lore] = field(default_factory=dict)
    made_of: object = None
    changes: int = 0
    trouble: Fault | None = None
    dated: dict[str, float] = field(default_factory=dict)

    def _until(self, found: Evaluated, as_of_s: float | None) -> Evaluated:
        """Return what came without pages of a later time than is asked about; None: all of it."""
        if as_of_s is None:
            return found
        return replace(
            found, activated=tuple(one for one in found.activated if self.dated.get(one.entry.id, as_of_s) <= as_of_s)
        )

    def faults(self) -> list[Fault]:
        """Return what is wrong with the books."""
        own = [self.trouble] if self.trouble else []
        return own + [
            fault
            for _, book in sorted(self.held.items())
            for fault in (book.rejected, *book.faults)
            if fault is not None
        ]

    async def refresh(
        self, tree: Tree, role: str, profile: Profile, settings: BookSettings, library: Iterable[Document]
    ) -> None:
        """Bring a role's shelf up to its files and to the pages of the library that name it; call in the role's turn."""
        changed = _changed(tree, self, role)
        if changed:
            found = await asyncio.to_thread(_read_all, tree, {name: self.held.get(name) for name in changed})
            for name, book in found.items():
                if book.identity is None:
                    self.held.pop(name, None)
                else:
                    self.held[name] = book
        pages = _pages_of(role, profile, library)
        books = {name: book.identity for name, book in self.held.items()}
        made_of = (books, profile.books, profile.display_name, settings.compat, settings.case_sensitive, pages)
        if made_of != self.made_of:
            names = {"char": profile.display_name or role}
            groups = await asyncio.to_thread(_grouped, dict(self.held), profile, settings, dict(pages), names)
            self.groups, self.made_of = groups, made_of
            self.dated = {f"page:{one.name}": one.when_s for one in pages.values() if one.when_s is not None}
            self.changes += 1

    def evaluated(self, compat: str, scene: Scene, settings: Settings, timers: Timers, role: str) -> Evaluated:
        """Return what the books of one group do in a scene of a role, and their timers from now on."""
        books = settings.books
        scan = Scan(
            scene.messages[::-1], scene.length, scene.roll, budget=books.budget_chars,
            timers=timers, occasion=scene.occasion, role=role, clock=scene.clock,
        )  # fmt: skip
        rules = LoreSettings(
            settings.trigger.scan_messages, books.recursive, books.max_steps, books.min_activations,
            books.min_activations_depth, books.case_sensitive, settings.trigger.whole_words, books.group_scoring,
        )  # fmt: skip
        return self._until(evaluate(self.groups[compat], scan, rules), scene.as_of_s)

    async def fitting(
        self, library: Library, tree: Tree, role: Role, scene: Scene, workspace: Settings, settings: Settings
    ) -> list[BookFound]:
        """Return the pages that come to a role by what they say, the best first; a role's own settings can only narrow."""
        where = narrowed(workspace.pages.recall, settings.pages.recall)
        if where == KEYS or not settings.trigger.semantic:
            return []
        lexicon, known, most = library.lexicon, library.documents, settings.pages.most
        question = question_of(scene.messages[-settings.trigger.scan_messages :], lexicon)
        scores = {
            key: score for key, score in lexicon.query(question).items() if is_of(where, known[key], scene.as_of_s)
        }
        best = [known[key] for key in nlargest(most * PAGES_READ, scores, key=lambda key: (scores[key], key))]
        best = [one for one in best if not one.role or _pages_of(role.name, role.own.profile, [one])]
        texts = await library.texts(tree, [one.name for one in best])
        chars = settings.pages.passage_chars
        came = (passage_of(role.name, one, texts[one.name][:READ_CHARS], question, lexicon, chars) for one in best)
        found = [one for one in came if one is not None and one.score >= settings.trigger.relevance_threshold]
        return sorted(found, key=lambda one: -one.score)[:most]


def _changed(tree: Tree, shelf: Shelf, role: str) -> list[str]:
    """Return the books that appeared, went, or are other than they were. A few system calls."""
    folder = books_dir(role)
    if not shelf.held and tree.identify(folder) is None:
        return []
    try:
        listed = tree.entries(folder)
    except StorageError as error:
        shelf.trouble = Fault(folder, 1, 1, str(error).removeprefix(f"{folder}: "), "file.odd")
        return sorted(shelf.held)
    shelf.trouble = None
    present = {
        f"{folder}/{one.name}" for one in listed if one.is_file and one.name.endswith(".json") and not is_copy(one.name)
    }
    names = present | shelf.held.keys()
    return [
        name
        for name in sorted(names)
        if _identity(tree, name) != (shelf.held[name].identity if name in shelf.held else None)
    ]


def _identity(tree: Tree, name: str) -> Identity | None:
    try:
        return tree.identify(name)
    except StorageError:
        return None


def _read_all(tree: Tree, wanted: Mapping[str, HeldBook | None]) -> dict[str, HeldBook]:
    return {name: _read(tree, name, held) for name, held in wanted.items()}


def _read(tree: Tree, name: str, held: HeldBook | None) -> HeldBook:
    before = held or HeldBook(None)
    try:
        data, identity = tree.read(name, BOOK_BYTES)
    except (FileNotFoundError, NotRegularError):
        return HeldBook(None)
    except StorageError as error:
        code = "file.too_large" if isinstance(error, TooLargeError) else "file.unreadable"
        return before._replace(
            identity=_identity(tree, name), rejected=Fault(name, 1, 1, str(error).removeprefix(f"{name}: "), code)
        )
    try:
        book = load_book(data, name)
    except RejectedFileError as error:
        return before._replace(identity=identity, rejected=error.fault)
    return HeldBook(identity, book.entries, book.form, book.faults)


def _grouped(
    held: Mapping[str, HeldBook],
    profile: Profile,
    settings: BookSettings,
    pages: Mapping[str, Document],
    names: Mapping[str, str],
) -> dict[str, Lore]:
    uses = {one.name: one for one in profile.books}
    groups: dict[str, list[Entry]] = {}
    for name, book in sorted(held.items()):
        use = uses.get(name.rpartition("/")[2].removesuffix(".json"))
        if use is None or use.enabled:
            groups.setdefault((use.compat if use else "") or settings.compat, []).extend(book.entries)
    if pages:
        groups.setdefault("memd", []).extend(map(_page_entry, pages.values()))
    made: dict[str, Lore] = {}
    for compat, entries in groups.items():
        lore = made[compat] = Lore(RULES[compat], case_sensitive=settings.case_sensitive, names=names)
        lore.load(entries)
    return made


def _page_entry(page: Document) -> Entry:
    """Return a page that names a role and keys as an entry: its text comes where a key stands in the messages."""
    text = page.text if len(page.text) <= PAGE_CHARS else page.text[:PAGE_CHARS] + "…"
    return Entry(
        f"page:{page.name}", page.keys, (), f"{page.title}\n{text}" if page.title else text, page.title, "",
        exclude_recursion=True, prevent_recursion=True, digest=hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=8).hexdigest(),
    )  # fmt: skip


def _pages_of(role: str, profile: Profile, pages: Iterable[Document]) -> dict[str, Document]:
    """Return the pages whose header names this role, by its name, an alias, its display name or its uuid."""
    names = {role, *profile.aliases, profile.display_name, profile.uuid} - {""}
    return {one.name: one for one in pages if one.role in names}
