"""Take an erased text out of what hooks left and nobody has taken in yet: it would come back with it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from memd.formats.spooled import TEXTS, dump_spooled, load_spooled
from memd.store.writing.erasing_texts import Told, forms_of, said_without


def editing(texts: tuple[str, ...]) -> Callable[[bytes], bytes]:
    """Return what edits the bytes of a file of the spool; b"" where it has such a text and cannot be read as ours."""
    told = Told(texts)
    return partial(_without, told=told, forms=forms_of(told))


def _without(data: bytes, told: Told, forms: list[bytes]) -> bytes:
    try:
        one = load_spooled(data)
    except ValueError:
        return b"" if any(form in data for form in forms) else data
    event = {
        key: said_without(value, told) if key in TEXTS and isinstance(value, str) else value
        for key, value in one.event.items()
    }
    return data if event == one.event else dump_spooled(one._replace(event=event))
