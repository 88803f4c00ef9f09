"""What is wrong with curated memory, sessions, receipts, tasks and skills, as far as one file tells."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from memd.errors import Fault, RejectedFileError
from memd.formats.events import read_events
from memd.formats.skill_file import skill_faults
from memd.formats.task_file import load_task
from memd.model.files import Purpose, purpose_of
from memd.store.limits import WARN_SHARE
from memd.store.recall.curated import chars_of, limit_chars

if TYPE_CHECKING:
    from memd.model.settings import Settings


def work_faults(name: str, data: bytes, settings: Settings) -> Iterator[Fault]:
    """Yield what is wrong beyond what makes a file unreadable."""
    look = _LOOKS.get(purpose_of(name) or Purpose.PAGE)
    if look is not None:
        yield from look(name, data, settings)


def _curated(name: str, data: bytes, settings: Settings) -> Iterator[Fault]:
    size, limit = chars_of(data.decode("utf-8", "replace")), limit_chars(settings.limits, name)
    if size > limit:
        yield Fault(name, 1, 1, f"{size} characters; tools may write up to {limit}", "limit.curated")
    elif size >= limit * WARN_SHARE:
        yield Fault(name, 1, 1, f"{size} of {limit} characters that tools may write", "limit.near")


def _session(name: str, data: bytes, _: Settings) -> Iterator[Fault]:
    lines = [number for number, read in enumerate(read_events(data), 1) if read.foreign]
    if lines and lines[0] > 1:  # a file that begins so is another program's
        why = f"{len(lines)} lines were written or changed by somebody else than memd"
        yield Fault(name, lines[0], 1, why, "session.foreign")


def _task(name: str, data: bytes, _: Settings) -> Iterator[Fault]:
    try:
        load_task(data.decode("utf-8", "replace"), name)
    except RejectedFileError as error:
        yield error.fault


def _skill(name: str, data: bytes, _: Settings) -> Iterator[Fault]:
    known = skill_faults(data.decode("utf-8", "replace"), name.split("/")[-2], name)
    yield from (fault for fault in known if fault.code.startswith("skill."))


_LOOKS: dict[Purpose, Callable[[str, bytes, Settings], Iterator[Fault]]] = {
    Purpose.CURATED: _curated,
    Purpose.SESSION: _session,
    Purpose.TASK: _task,
    Purpose.SKILL: _skill,
}
