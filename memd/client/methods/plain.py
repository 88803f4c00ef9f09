"""Made from the declarations by `make docs`: change those, not this."""

# mypy: disable-error-code=empty-body

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Literal

from memd.client.asking import Asks, K, method

if TYPE_CHECKING:
    from memd.protocol.keeping import GivenScore, Proposals, Remembered, SaidMessage, Scored
    from memd.protocol.recall import ProfileView, Recalled
    from memd.protocol.roles import Exported, Imported, ImportedMemory
    from memd.protocol.statistics import Log, Statistics, Subscribed, Tuned
    from memd.protocol.status import Flushed, Pong, Rebuilt, Status
    from memd.protocol.views import Found, TriedSettings


class PlainMethods(Asks[K]):
    """Methods whose names are one word."""

    @method("export")
    def export(
        self,
        *,
        role: str,
        form: Literal["memory", "management", "world-info", "card-v2"] = "memory",
        book: str = "",
        offset: int = 0,
        digest: str = "",
        whole: bool = False,
        reader: Literal["person", "model"] = "person",
    ) -> Exported:
        """Give out memories or a book in a form others read.

        role: a role's name, alias or uuid
        form: what other programs read it
        book: which book, for world-info and card-v2
        digest: of the whole that a later part is asked of
        whole: all in one reply, however long
        """

    @method("flush")
    def flush(self, *, reader: Literal["person", "model"] = "person") -> Flushed:
        """Bring everything that is acknowledged into the files now, and tell what is not there."""

    @method("import")
    def import_(
        self,
        *,
        import_id: str,
        role: str | None = None,
        source: str = "",
        memories: list[ImportedMemory] = [],
        book: str = "",
        text: str = "",
        at: int = 0,
        more: bool = False,
        dry_run: bool = False,
        undo: bool = False,
        uuid: str = "",
        reader: Literal["person", "model"] = "person",
    ) -> Imported:
        """Take in what another program remembered, or take it back.

        import_id: the same for all batches
        role: a role's name, alias or uuid
        source: the file it comes from
        book: a book's title
        text: the book as World Info, or a part of it
        at: characters of the book in the parts before
        more: further parts follow
        dry_run: plan, and change nothing
        undo: take this import back
        uuid: characterUuid of the file; a role without memories takes it
        """

    @method("log")
    def log(
        self,
        *,
        role: str = "",
        limit: int = 20,
        offset: int = 0,
        id: str = "",
        reader: Literal["person", "model"] = "person",
    ) -> Log:
        """Tell what memd did lately, each with the command that takes it back.

        role: a role's name, alias or uuid; all roles without it
        limit: how many, the newest first
        offset: how many of the newest are left out
        id: only what was done to this memory, pass or text
        """

    @method("ping")
    def ping(self, *, protocol: int | None = None, reader: Literal["person", "model"] = "person") -> Pong:
        """Answer with version, pid and workspace, and how far long work is.

        protocol: the protocol that the asker was written for
        """

    @method("profile")
    def profile(
        self,
        *,
        subject: str = "",
        role: str = "",
        budget: int = 4000,
        as_of: float | str | None = None,
        reader: Literal["person", "model"] = "person",
    ) -> ProfileView:
        """Return what holds of the user, the role, a person or a thing: by parts, dated, the best within a budget.

        subject: a person, a thing or a project as a memory names them, or as what they are: my sister, 我妈妈; you: the role; the user without it
        role: a role's name, alias or uuid; else hooks.role of the settings, else main
        budget: characters of the whole block
        as_of: what was known and held then: a time, or a day's end
        """

    @method("propose")
    def propose(
        self,
        *,
        role: str,
        messages: list[SaidMessage] = [],
        results: list[str] = [],
        session: str = "",
        limit: int = 20,
        reader: Literal["person", "model"] = "person",
    ) -> Proposals:
        """Name what of a conversation is worth remembering.

        role: a role's name, alias or uuid
        results: results of tools
        session: without messages: what this session of memd's has at its end
        limit: how many proposals
        """

    @method("rebuild")
    def rebuild(self, *, reader: Literal["person", "model"] = "person") -> Rebuilt:
        """Build the full-text index from nothing."""

    @method("remember")
    def remember(
        self,
        *,
        role: str,
        content: str,
        name: str | None = None,
        keys: list[str] | None = None,
        tags: list[str] | None = None,
        topics: list[str] | None = None,
        emotions: list[str] | None = None,
        priority: int | None = None,
        constant: bool | None = None,
        validity: str | None = None,
        event_start: str | None = None,
        event_end: str | None = None,
        kind: Literal["episodic", "semantic", "trait", "goal"] | None = None,
        scores: Mapping[str, float | GivenScore] = {},
        explicit: bool = False,
        source: Literal["user", "agent", "tool", "file-edit", "import"] | None = None,
        session: str = "",
        speaker: str = "",
        turn: int | None = None,
        run: str = "",
        split: bool = False,
        reader: Literal["person", "model"] = "person",
    ) -> Remembered:
        """Keep a text, or refuse it and say why.

        role: a role's name, alias or uuid. content: the text. name: a trait's name. keys: words that bring it to
        mind, all of them. tags: words it is filed under, all of them. topics: what it is about, all of it. emotions:
        feelings that go with it; of a new one they are else read from the text. priority: its priority in recall;
        else that of its kind. constant: it always comes to mind. validity: how long it holds: short, medium, long;
        短期, 中期, 长期. event_start: when what it tells happened or will: a day, a month, a year, or ISO 8601. event_end:
        the end of that; a day is meant whole. kind: what it is; else found out from the text. scores: any of the six
        dimensions: a number, or value and basis. explicit: the user asked for it: the total is at least 8. source:
        who says so. session: the session it comes from. speaker: who says it there, by name. turn: the turn of the
        session; an episodic one is kept as it was said. run: the run it comes from. split: make a memory of each
        statement, each with a verdict of its own; not with `explicit`, `keys`, `kind`, `name`, `scores`; a list,
        verse, code, or a text that claims its total stays one.
        """

    @method("score")
    def score(
        self,
        *,
        role: str,
        content: str,
        name: str | None = None,
        keys: list[str] | None = None,
        tags: list[str] | None = None,
        topics: list[str] | None = None,
        emotions: list[str] | None = None,
        priority: int | None = None,
        constant: bool | None = None,
        validity: str | None = None,
        event_start: str | None = None,
        event_end: str | None = None,
        kind: Literal["episodic", "semantic", "trait", "goal"] | None = None,
        scores: Mapping[str, float | GivenScore] = {},
        explicit: bool = False,
        source: Literal["user", "agent", "tool", "file-edit", "import"] | None = None,
        session: str = "",
        speaker: str = "",
        turn: int | None = None,
        run: str = "",
        reader: Literal["person", "model"] = "person",
    ) -> Scored:
        """Judge a text as remember would, and store nothing.

        role: a role's name, alias or uuid. content: the text. name: a trait's name. keys: words that bring it to
        mind, all of them. tags: words it is filed under, all of them. topics: what it is about, all of it. emotions:
        feelings that go with it; of a new one they are else read from the text. priority: its priority in recall;
        else that of its kind. constant: it always comes to mind. validity: how long it holds: short, medium, long;
        短期, 中期, 长期. event_start: when what it tells happened or will: a day, a month, a year, or ISO 8601. event_end:
        the end of that; a day is meant whole. kind: what it is; else found out from the text. scores: any of the six
        dimensions: a number, or value and basis. explicit: the user asked for it: the total is at least 8. source:
        who says so. session: the session it comes from. speaker: who says it there, by name. turn: the turn of the
        session; an episodic one is kept as it was said. run: the run it comes from.
        """

    @method("search")
    def search(
        self,
        *,
        query: str = "",
        role: str | None = None,
        kind: str = "",
        seen_by: str | None = None,
        tag: str = "",
        after: str = "",
        before: str = "",
        as_of: float | str | None = None,
        limit: int = 10,
        offset: int = 0,
        reader: Literal["person", "model"] = "person",
    ) -> Found:
        """Find words, phrases, patterns and dates in everything.

        query: words, "phrases", wild*cards, field:value
        role: only memories and pages of this role
        kind: memory, episodic, …, curated, page, session, run, task, skill
        seen_by: no memories of roles that this one may not look into
        tag: only what has this tag
        after: from this year, month, day or moment on
        before: before this year, month, day or moment
        as_of: memories as they were then, and no file of a later time: a time, or a day's end
        limit: how many at once
        offset: how many to pass over
        """

    @method("stats")
    def stats(
        self, *, limit: int = 1000, offset: int = 0, role: str = "", reader: Literal["person", "model"] = "person"
    ) -> Statistics:
        """Tell totals, use, growth, refusals, clusters, and a forecast.

        limit: how many at once
        offset: how many to pass over
        role: a role's name, alias or uuid; all roles without it
        """

    @method("status")
    def status(self, *, outside: bool = False, reader: Literal["person", "model"] = "person") -> Status:
        """Tell how the workspace is: roles, rejected files, limits used, log.

        outside: also which agents have memd's hooks, and how git stands to its remote: some 20 ms more
        """

    @method("subscribe")
    def subscribe(
        self,
        *,
        topics: list[Literal["memory", "curated", "file", "role", "settings", "recalls", "verdicts"]] = [],
        roles: list[str] = [],
        last: int = 0,
        since: int = 0,
        reader: Literal["person", "model"] = "person",
    ) -> Subscribed:
        """Send an `event` on this connection for every change, and for what comes to mind and what becomes of texts.

        last: so many of the last recalls, and of the last verdicts, come with the reply
        since: but only those whose `n` is greater
        """

    @method("trigger")
    def trigger(
        self,
        *,
        role: str,
        message: str | None = None,
        messages: list[str] = [],
        topic: str = "",
        now: float | str | None = None,
        as_of: float | str | None = None,
        budget: int | None = None,
        budget_tokens: int | None = None,
        position: Literal["system", "user", "assistant"] | None = None,
        session: str = "",
        turn: int | None = None,
        repeat_after: int | None = None,
        emotion: str = "",
        zone: str = "",
        occasion: Literal["normal", "continue", "impersonate", "swipe", "regenerate", "quiet"] = "normal",
        explain: bool = False,
        explain_limit: int = 1000,
        trying: TriedSettings | None = None,
        reader: Literal["person", "model"] = "person",
    ) -> Recalled:
        """Return what the scene brings to mind, rendered and explained.

        role: a role's name, alias or uuid. message: the newest message. messages: messages, oldest first. topic: what
        the conversation is about. now: the scene's time: seconds, milliseconds or ISO 8601. as_of: what was known and
        held then: seconds, milliseconds, ISO 8601, or the end of a day, month or year. budget: characters of the
        whole block. budget_tokens: tokens of the block, estimated; 0 is no limit. position: where the block is to
        stand. session: what this session's window has is not injected again. turn: messages in the chat so far; else
        counted. repeat_after: turns after which a memory may come again. emotion: the speaker's feeling; else read
        from the message. zone: time zone: a name, or an offset such as +08:00. occasion: what the next answer is for;
        entries of books may want some alone. explain: also list what was refused, why, and the parts of every score.
        explain_limit: how many refused are listed, the nearest to coming; `counts` has all. trying: settings to try
        in place of those in force, with `explain` alone.
        """

    @method("tune")
    def tune(
        self,
        *,
        role: str = "",
        keep_from: float | None = None,
        since: str = "",
        reader: Literal["person", "model"] = "person",
    ) -> Tuned:
        """Tell how other thresholds would have judged what people decided; change nothing.

        role: a role's name, alias or uuid; all roles without it
        keep_from: a threshold to try too
        since: only what was decided from this day or time on, ISO 8601
        """
