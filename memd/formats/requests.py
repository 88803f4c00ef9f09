"""What every request has, and the kinds of fields that rooms below the verbs know too."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct

RoleName = Annotated[str, Meta(min_length=1, max_length=200, description="a role's name, alias or uuid")]
Message = Annotated[str, Meta(max_length=1_000_000)]


class Request(Struct, forbid_unknown_fields=True, kw_only=True):
    """What is asked; parameters that nobody declared are refused."""

    reader: Annotated[
        str, Meta(pattern="^(person|model)$", description="model: what may not stand in a prompt is withheld")
    ] = "person"
