"""What this machine grants to a workspace, as it is now, and the changes to it..

Order of an approval and of a grant: the nonce of the workspace, where it needs a new one; then the machine's file, whose
rename makes it true; then the reply. A kill in between leaves what was, and the person does it again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from memd.errors import TrustStateError
from memd.formats.settings import dump_trust, load_trust
from memd.model.trust import LINKS, NOTHING, Trusted
from memd.storage.files import LINKABLE
from memd.storage.trust_state import TrustState, new_nonce, read_nonce

if TYPE_CHECKING:
    from memd.storage.files import Tree
    from memd.storage.system import System


@dataclass(slots=True)
class Trust:
    """`trusted` is in force; `fault` says why what is kept of this workspace is not."""

    folder: str = ""
    trusted: Trusted = field(default_factory=lambda: NOTHING)
    fault: str = ""
    system: System | None = None
    _marks: tuple[object, ...] | None = None

    def look(self, tree: Tree) -> bool:
        """Read again what may have changed; tell whether something else is granted now."""
        state = TrustState(self.folder, tree.path, self.system)
        marks = state.marks(tree)
        if marks == self._marks:
            return False
        self._marks, before = marks, self.trusted
        self.trusted, self.fault = _read(state, tree)
        links = {name: self.trusted.granted.get(f"{LINKS}.{name}") for name in LINKABLE}
        tree.links = {name: target for name, target in links.items() if isinstance(target, str)}
        return self.trusted != before

    def approve(self, tree: Tree, digests: Iterable[str]) -> None:
        """Let texts stand in prompts on this machine, durably. Blocks. TrustStateError where that cannot be kept."""
        new = frozenset(digests)
        if new - self.trusted.approved or self.fault:
            self.change(tree, lambda known: replace(known, approved=known.approved | new))

    def disapprove(self, tree: Tree, digests: Iterable[str]) -> None:
        """Take approvals back. Blocks."""
        gone = frozenset(digests)
        self.change(tree, lambda known: replace(known, approved=known.approved - gone))

    def change(self, tree: Tree, make: Callable[[Trusted], Trusted]) -> None:
        """Change what is granted, durably, from what is granted now, whoever changed it meanwhile. Blocks."""
        state = TrustState(self.folder, tree.path, self.system)
        with state.writing() as base:
            known, fault = _read(state, tree)
            nonce = read_nonce(tree)
            if fault or not nonce or state.read() is None:
                known, nonce = NOTHING, new_nonce(tree)  # whatever id came with the files, a stranger may know it
            wanted = make(known)
            state.write(base, dump_trust(tree.path, nonce, wanted))
        self.look(tree)


def _read(state: TrustState, tree: Tree) -> tuple[Trusted, str]:
    """Return what is granted, and why nothing is where something stands there."""
    try:
        data = state.read()
        return (NOTHING, "") if data is None else (load_trust(data, tree.path, read_nonce(tree)), "")
    except TrustStateError as error:
        return NOTHING, str(error)
    except ValueError as error:
        return NOTHING, f"{state.folder}: {error}"
