"""What a role says of itself in role.toml."""

# Annotations are values here, so nothing is imported from __future__: formats/ makes the checks of role.toml from them.

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

from memd.model.settings import Compat, Within


@dataclass(frozen=True, slots=True)
class Link:
    """Permission to see another role's memories, their scores multiplied by a weight of 0 to 1."""

    role: str
    weight: Annotated[float, Within(0, 1)] = 0.5


@dataclass(frozen=True, slots=True)
class BookUse:
    """How one book of a role is used. `name` is its file's, without the ending; `compat` "" where the settings decide."""

    name: str
    compat: Literal["", Compat] = ""
    enabled: bool = True


@dataclass(frozen=True, slots=True)
class Profile:
    """A role's own file: nothing in it is needed. `fiction`: it is a character or a story, and what is said there is its world's.

    `project`: whose memory it is, as host/owner/name.
    """

    display_name: str = ""
    uuid: str = ""
    aliases: tuple[str, ...] = ()
    links: tuple[Link, ...] = ()
    books: tuple[BookUse, ...] = ()
    settings: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    fiction: bool = False
    project: str = ""
