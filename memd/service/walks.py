"""The walks that several methods take: what each is asked, and who answers, which the composition root names.

A method that is made of others (an agent's hook, the context of a run) takes their walks by these names, and imports none of
them: what it says is the order of steps.
"""

from __future__ import annotations

import hashlib
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

from msgspec import Meta, structs

from memd.protocol.fields import Message, Request, RoleName
from memd.protocol.views import TriedSettings

if TYPE_CHECKING:
    from memd.formats.foreign.chat import Stated
    from memd.model.files import Told
    from memd.model.runs import PromptSection, Running
    from memd.model.sessions import LetGo
    from memd.model.sessions import Told as Statement
    from memd.model.settings import Settings
    from memd.service.capture.asking import Heard
    from memd.service.capture.consolidating import Passed
    from memd.service.capture.pack_answers import Applied
    from memd.service.capture.packs import Packs
    from memd.service.work.sessions import OpenRequest
    from memd.store.attended import Conversation
    from memd.store.capture import Report
    from memd.store.store import Store

KEPT_CHARS = 20_000  # of messages; the answer to a longer scene is not kept
PERSONS, OTHERS = "persons", "others"  # what a person says of themselves, or all else
MAIN = "main"  # whom a guard rules for where nobody is named, whether or not there is such a role


class TriggerRequest(Request):
    """Give `message`, or `messages` oldest first. Where a parameter is missing, the settings decide."""

    role: RoleName
    message: Annotated[Message, Meta(description="the newest message")] | None = None
    messages: Annotated[list[Message], Meta(max_length=10_000, description="messages, oldest first")] = []
    topic: Annotated[str, Meta(max_length=500, description="what the conversation is about")] = ""
    now: Annotated[float | str, Meta(description="the scene's time: seconds, milliseconds or ISO 8601")] | None = None
    as_of: (
        Annotated[
            float | str,
            Meta(
                description="what was known and held then: seconds, milliseconds, ISO 8601, or the end of a day, month or year"
            ),
        ]
        | None
    ) = None
    budget: Annotated[int, Meta(ge=100, le=1_000_000, description="characters of the whole block")] | None = None
    budget_tokens: (
        Annotated[int, Meta(ge=0, le=1_000_000, description="tokens of the block, estimated; 0 is no limit")] | None
    ) = None
    position: (
        Annotated[str, Meta(pattern="^(system|user|assistant)$", description="where the block is to stand")] | None
    ) = None
    session: Annotated[
        str, Meta(max_length=200, description="what this session's window has is not injected again")
    ] = ""
    turn: Annotated[int, Meta(ge=0, le=10_000_000, description="messages in the chat so far; else counted")] | None = (
        None
    )
    repeat_after: (
        Annotated[int, Meta(ge=0, le=1000, description="turns after which a memory may come again")] | None
    ) = None
    emotion: Annotated[str, Meta(max_length=40, description="the speaker's feeling; else read from the message")] = ""
    zone: Annotated[str, Meta(max_length=60, description="time zone: a name, or an offset such as +08:00")] = ""
    occasion: Annotated[
        str,
        Meta(
            pattern="^(normal|continue|impersonate|swipe|regenerate|quiet)$",
            description="what the next answer is for; entries of books may want some alone",
        ),
    ] = "normal"
    explain: Annotated[bool, Meta(description="also list what was refused, why, and the parts of every score")] = False
    explain_limit: Annotated[
        int, Meta(ge=1, le=10_000, description="how many refused are listed, the nearest to coming; `counts` has all")
    ] = 1000
    trying: (
        Annotated[TriedSettings, Meta(description="settings to try in place of those in force, with `explain` alone")]
        | None
    ) = None

    @property
    def said(self) -> str:
        """A digest of what was said, by which a question that is asked again is known."""
        return hashlib.blake2b("\0".join(self.messages).encode("utf-8", "replace"), digest_size=8).hexdigest()

    @property
    def injecting(self) -> dict[str, Any]:
        """What is said of the block, by the names that the settings have for it."""
        given = {
            "budget_chars": self.budget, "budget_tokens": self.budget_tokens,
            "position": self.position, "repeat_after": self.repeat_after,
        }  # fmt: skip
        return {name: value for name, value in given.items() if value is not None}

    def instead(self, settings: Settings) -> Settings:
        """Return settings with those that are tried in their place."""
        if self.trying is None:
            return settings
        tried = {name: value for name, value in structs.asdict(self.trying).items() if value is not None}
        return replace(settings, trigger=replace(settings.trigger, **tried))

    def of(self, role: str) -> TriggerRequest:
        """Return it as of a role by its name, the newest message among the others."""
        newest = [] if self.message is None else [self.message]
        return structs.replace(self, role=role, messages=[*self.messages, *newest], message=None)

    def known_by(self, now_s: float) -> tuple[object, ...] | None:
        """Return what tells it from other scenes, its time to the minute and not who reads; None where it tells too much."""
        if self.session or self.explain or self.as_of is not None or sum(map(len, self.messages)) > KEPT_CHARS:
            return None
        now = now_s // 60 if self.now is None else self.now
        differs = {**structs.asdict(self), "messages": tuple(self.messages), "now": now, "reader": ""}
        return tuple(differs.values())


@dataclass(frozen=True, slots=True)
class GuardRequest:
    """A tool call by its name and input, or a user's message."""

    tool: str = ""
    given: Mapping[str, Any] | str = ""
    message: str = ""
    role: str = MAIN
    session: str = ""


@dataclass(frozen=True, slots=True)
class Prompt:
    """A prompt of a conversation: whose memory, into which session it goes, the agent's key of it. `trouble`: why there is no role; `at_s`: when it was said, where that was long ago, else 0.

    `person`: who gets what a person says of themselves; `address`: what stands for the role where it is a project's;
    `only`: of a project whose memory is in another workspace, what is kept in this one.
    """

    role: str
    session: str
    key: str
    text: str
    trouble: str = ""
    at_s: float = 0.0
    person: str = ""
    address: str = ""
    only: str = ""

    @property
    def homes(self) -> tuple[str, ...]:
        """The roles that may have what was kept in this conversation."""
        return tuple(dict.fromkeys(one for one in (self.role, self.person) if one))


@dataclass(frozen=True, slots=True)
class Consolidate:
    """What to look at: a session, the sessions of a role, or all; at which level, and who says so (person, model or memd)."""

    session: str = ""
    role: str = ""
    level: str = "auto"
    by: str = "person"
    dry_run: bool = False


class Bounds(NamedTuple):
    """How large a pack for a model may be, and how many there may be."""

    turns: int = 80
    size_bytes: int = 32_000
    packs: int = 8


@dataclass(frozen=True, slots=True)
class Walks:
    """Who answers. Each takes the store first.

    `trigger` tells what a scene brings to mind; `check` rules on a call or a message; `notice` finds what of a turn is worth
    remembering, and `is_new` whether it still is; `write_down` keeps events of a conversation, `append_to_run` those of a run;
    `listen` tells what a prompt wants of memory and `carry_out` does it; `standing` is the level of capture, or that it is paused;
    `was_asked` whether the person in a session asked for anything to be remembered, None where no hook sees it;
    `said_in` tells what a session has at its end, `sections_of` what a run works on; `consolidate` makes memories of what was
    said, and tells how far it is, `dropped_in` tells what a pass of it did not keep, and `passed_over_in` what of its turns tells nothing that lasts; `take_packs` gives what a model is given of it, and `apply_pack` takes the answer;
    `take_in` hears what hooks left while no daemon ran, before anything newer is heard.
    """

    trigger: Callable[[Store, TriggerRequest], Awaitable[dict[str, Any]]]
    check: Callable[[Store, GuardRequest], Awaitable[dict[str, Any]]]
    notice: Callable[[Store, str, str, Sequence[tuple[str, str]]], Awaitable[list[dict[str, Any]]]]
    is_new: Callable[[Store, Mapping[str, Any]], Awaitable[bool]]
    write_down: Callable[[Store, Conversation, OpenRequest, Sequence[dict[str, Any]], float], Awaitable[None]]
    said_in: Callable[[Store, str], Awaitable[list[tuple[str, str]]]]
    sections_of: Callable[[Store, Running], Awaitable[list[PromptSection]]]
    append_to_run: Callable[[Store, str, Sequence[dict[str, Any]]], Awaitable[object]]
    listen: Callable[[Store, Conversation, Prompt], Awaitable[Heard]]
    carry_out: Callable[[Store, Conversation, Prompt, Heard], Coroutine[Any, Any, None]]
    standing: Callable[[Store], str]
    was_asked: Callable[[Store, str], Awaitable[bool | None]]
    consolidate: Callable[[Store, Consolidate, Told], Awaitable[Passed]]
    dropped_in: Callable[[Store, Report], Awaitable[list[Statement]]]
    passed_over_in: Callable[[Store, Report], Awaitable[list[LetGo]]]
    take_packs: Callable[[Store, str, str, Bounds], Awaitable[Packs]]
    apply_pack: Callable[[Store, str, Sequence[Stated], Consolidate], Awaitable[Applied]]
    take_in: Callable[[Store, Walks, int], Awaitable[None]]
