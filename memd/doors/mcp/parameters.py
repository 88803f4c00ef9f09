"""What the tools take, as types: the one place where parameters, their bounds and their words are declared."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from memd.doors.mcp.asking import EVERY_ROLE

Role = Annotated[
    str,
    Field(description="whose memory: a role's name, alias or uuid; leave it out for your own", max_length=200),
]
RoleOrAll = Annotated[
    str,
    Field(description=f"leave it out: your own memory and all shared files; {EVERY_ROLE}: every role", max_length=200),
]
Session = Annotated[str, Field(description="the id of this conversation, the same on every call", max_length=200)]
Message = Annotated[str, Field(description="the newest message, word for word", min_length=1, max_length=100_000)]
Earlier = Annotated[
    list[Annotated[str, Field(max_length=8_000)]],  # with the message they fit the frame to the daemon, in any script
    Field(description="messages before it, oldest first; two or three are enough", max_length=20),
]
Budget = Annotated[int, Field(description="how long the block may be; 0: as set", ge=0, le=100_000)]
Explain = Annotated[bool, Field(description="also tell what was considered and why it did not come")]

MemoryId = Annotated[str, Field(description="a memory's id, or its first 8 characters", min_length=4, max_length=200)]
History = Annotated[bool, Field(description="also what it said before, and what took whose place")]

Query = Annotated[
    str,
    Field(
        description='words in English or Chinese; also "a phrase", wild*, -not, title:x, tag:x, file:x, on:2026-05',
        min_length=1,
        max_length=2000,
    ),
]
HitKind = Annotated[
    Literal[
        "", "memory", "episodic", "semantic", "trait", "goal", "curated", "page", "session", "run", "task", "skill"
    ],
    Field(description="only this kind; memory is the four kinds after it"),
]
Tag = Annotated[str, Field(description="only with this tag", max_length=200)]
Day = Annotated[str, Field(description="a day, month or year: 2026-05-08, 2026-05, 2026", max_length=40)]
Limit = Annotated[int, Field(description="how many at most", ge=1, le=50)]
Offset = Annotated[int, Field(description="how many to skip, for the next page", ge=0, le=10_000)]

Statement = Annotated[
    str, Field(description="one statement that can be understood alone", min_length=1, max_length=100_000)
]
Kind = Annotated[
    Literal["", "episodic", "semantic", "trait", "goal"], Field(description="leave it out: it is told from the text")
]
Words = Annotated[list[Annotated[str, Field(min_length=1, max_length=500)]], Field(max_length=100)]
Keys = Annotated[Words, Field(description="words that should bring it to mind")]
Tags = Annotated[Words, Field(description="to find it and others of its sort by")]
Validity = Annotated[
    Literal["", "short", "medium", "long"], Field(description="how long it holds: days, months, or for good")
]
Explicit = Annotated[bool, Field(description="the user asked in so many words to remember this")]
Source = Annotated[Literal["user", "agent", "tool"], Field(description="who said it: user for the user's own words")]
Scores = Annotated[
    dict[
        Literal["importance", "novelty", "relevance", "credibility", "granularity", "timeliness"],
        Annotated[float, Field(ge=0, le=10)],
    ],
    Field(description="your own judgement, 0 to 10; what you leave out is assessed"),
]

NewText = Annotated[str, Field(description="the new text; leave it out to keep the old", max_length=100_000)]
NewKeys = Annotated[Words | None, Field(description="the new keys, all of them")]
NewTags = Annotated[Words | None, Field(description="the new tags, all of them")]
Priority = Annotated[int | None, Field(description="who gets room first; 50 is usual", ge=0, le=100)]
Constant = Annotated[bool | None, Field(description="true: always in mind, whatever is said")]
Disabled = Annotated[bool | None, Field(description="true: kept, and never in mind")]
Digest = Annotated[str, Field(description="refuse where the record is another by now", max_length=64)]

Reason = Annotated[str, Field(description="why; it is kept with the archived text", max_length=500)]
Erase = Annotated[bool, Field(description="remove the text itself for good; only where the user asks for it")]

Said = Annotated[str, Field(description="what was said; leave it out to read or browse", max_length=2000)]
OneSession = Annotated[str, Field(description="only in this session; alone: how it began and ended", max_length=400)]
Around = Annotated[str, Field(description="with `session`: an event's place or id, to read on from", max_length=100)]
Window = Annotated[int, Field(description="events on either side", ge=1, le=50)]
Speaker = Literal["", "user", "assistant", "tool"]
