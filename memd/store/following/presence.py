"""Whether the workspace is still where it was opened; a directory that took its place is another one."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from memd.storage.files import Tree

logger = logging.getLogger(__name__)


@dataclass(slots=True)
class Presence:
    """`gone_since_s` is monotonic, None while the workspace is there; `came_back` until it is taken."""

    tree: Tree
    monotonic: Callable[[], float]
    gone_since_s: float | None = None
    came_back: bool = False

    def look(self) -> bool:
        """Tell whether the workspace is in its place."""
        there = self.tree.is_in_place()
        if there and self.gone_since_s is not None:
            self.gone_since_s, self.came_back = None, True
            logger.info("the workspace is back")
        elif not there and self.gone_since_s is None:
            self.gone_since_s = self.monotonic()
            logger.warning("the workspace is no longer at %s", self.tree.path)
        return there

    def is_gone_for(self, seconds: float) -> bool:
        """Tell whether the workspace has been gone for so long."""
        return self.gone_since_s is not None and self.monotonic() - self.gone_since_s >= seconds
