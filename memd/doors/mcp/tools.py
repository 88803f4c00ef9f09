"""The tools: what an agent may do with a memory. Their words are in wording.py, their parameters in parameters.py."""

from __future__ import annotations

from typing import Annotated, Any

from mcp.server.mcpserver.tools import Tool
from mcp.types import CallToolResult, TextContent, ToolAnnotations

from memd.doors.mcp import parameters as p
from memd.doors.mcp import replies as r
from memd.doors.mcp import texts
from memd.doors.mcp.asking import EVERY_ROLE, Desk
from memd.doors.mcp.wording import TOOLS, Told
from memd.storage.itself import with_path

ANNOTATIONS = {
    "reads": ToolAnnotations(read_only_hint=True, idempotent_hint=True, open_world_hint=False),
    "adds": ToolAnnotations(read_only_hint=False, destructive_hint=False, idempotent_hint=False, open_world_hint=False),
    "changes": ToolAnnotations(
        read_only_hint=False, destructive_hint=True, idempotent_hint=True, open_world_hint=False
    ),
}
# Claude Code shows a model only the names of most servers' tools; what is called at every message must be there whole.
AT_HAND, ALWAYS = {"anthropic/alwaysLoad": True}, ("memory_trigger", "memory_remember")
LEAST_BUDGET_CHARS = 100
BASIS = "the agent's own judgement"
EMPTY: list[tuple[str, Any]] = [("default", ""), ("default", None), ("default", []), ("default", {})]
LONG = ("begins", "ends", "lineage", "visible")  # of a hit; `session` alone tells them
OF_A_SESSION = ("session", "title", "role", "events", "opened_at", "last_at", "closed")


class Tools:
    """The tools of one server, over one desk."""

    def __init__(self, desk: Desk) -> None:
        self.desk = desk

    def all(self) -> list[Tool]:
        """Return every tool with its title, words, annotations and schema."""
        return [self._one(told) for told in TOOLS]

    def _one(self, told: Told) -> Tool:
        tool = Tool.from_function(
            getattr(self, told.name), title=told.title, description=told.words, annotations=ANNOTATIONS[told.does],
            meta=AT_HAND if told.name in ALWAYS else None, structured_output=True,
        )  # fmt: skip
        shown = {name: plain(schema) for name, schema in tool.parameters.get("properties", {}).items()}
        tool.parameters = {"type": "object", **tool.parameters, "properties": shown, "additionalProperties": False}
        del tool.parameters["title"]
        return tool

    # Defaults that can be changed are safe here: the SDK takes them for the schema, and copies them for each call.
    async def memory_trigger(
        self,
        message: p.Message,
        role: p.Role = "",
        session: p.Session = "",
        earlier: p.Earlier = [],  # noqa: B006  see above
        budget_chars: p.Budget = 0,
        explain: p.Explain = False,
    ) -> Annotated[CallToolResult, r.TriggerReply]:
        """Bring to mind what bears on a message."""
        own = await self.desk.role(role)
        budget = max(LEAST_BUDGET_CHARS, budget_chars) if budget_chars else None
        raw = await self.desk.ask(
            "trigger", role=own, messages=[*earlier, message], session=session, budget=budget, explain=explain or None
        )
        reply = r.reply_of(r.TriggerReply, raw, activated=_cut(raw["activated"]), refused=_cut(raw.get("refused", [])))
        return _answer(reply, texts.of_trigger(reply))

    async def memory_search(
        self,
        query: p.Query,
        role: p.RoleOrAll = "",
        kind: p.HitKind = "",
        tag: p.Tag = "",
        after: p.Day = "",
        before: p.Day = "",
        limit: p.Limit = 10,
        offset: p.Offset = 0,
    ) -> Annotated[CallToolResult, r.SearchReply]:
        """Find words in everything; in memories, only in those of a role and of the roles it links to."""
        own = "" if role == EVERY_ROLE else await self.desk.role(role)
        raw = await self.desk.ask(
            "search",
            query=query,
            seen_by=own,
            kind=kind,
            tag=tag,
            after=after,
            before=before,
            limit=limit,
            offset=offset,
        )
        reply = r.reply_of(r.SearchReply, raw)
        return _answer(reply, texts.of_search(reply))

    async def memory_get(
        self,
        id: p.MemoryId,  # noqa: A002  the protocol's own name for it
        role: p.Role = "",
        history: p.History = False,
    ) -> Annotated[CallToolResult, r.MemoryReply]:
        """Return one memory."""
        own = await self.desk.role(role)
        return _memory(await self.desk.ask("memory.get", role=own, id=id, history=history or None))

    async def memory_remember(  # noqa: PLR0913, PLR0917  a tool has as many parameters as it has
        self,
        content: p.Statement,
        role: p.Role = "",
        kind: p.Kind = "",
        keys: p.Keys = [],  # noqa: B006  see above
        tags: p.Tags = [],  # noqa: B006  see above
        validity: p.Validity = "",
        explicit: p.Explicit = False,
        source: p.Source = "agent",
        session: p.Session = "",
        scores: p.Scores = {},  # noqa: B006  see above
    ) -> Annotated[CallToolResult, r.RememberReply]:
        """Offer a text to remember."""
        own = await self.desk.role(role)
        raw = await self.desk.ask(
            "remember", role=own, content=content, kind=kind, keys=keys, tags=tags, validity=validity,
            explicit=explicit or None, source="user" if explicit else source, session=session,
            scores={name: {"value": value, "basis": BASIS} for name, value in scores.items()},
        )  # fmt: skip
        shown = raw["dimensions"] if raw["verdict"] == "refused" else {}
        hint = with_path(raw["hint"].replace("memory.update", "memory_update"))
        reply = r.reply_of(r.RememberReply, raw, role=raw["role"], dimensions=shown, hint=hint)
        return _answer(reply, texts.of_remember(reply))

    async def memory_update(  # noqa: PLR0913, PLR0917  a tool has as many parameters as it has
        self,
        id: p.MemoryId,  # noqa: A002  the protocol's own name for it
        role: p.Role = "",
        content: p.NewText = "",
        keys: p.NewKeys = None,
        tags: p.NewTags = None,
        priority: p.Priority = None,
        constant: p.Constant = None,
        disabled: p.Disabled = None,
        validity: p.Validity = "",
        digest: p.Digest = "",
    ) -> Annotated[CallToolResult, r.MemoryReply]:
        """Change fields of one memory."""
        own = await self.desk.role(role)
        given = {
            "content": content or None, "keys": keys, "tags": tags, "priority": priority, "constant": constant,
            "disabled": disabled, "validity": validity or None, "digest": digest or None,
        }  # fmt: skip
        changes = {name: value for name, value in given.items() if value is not None}  # an empty list is a change
        return _memory(
            await self.desk.asker.call("memory.update", reader="model", role=own, id=id, source="agent", **changes)
        )

    async def memory_forget(
        self,
        id: p.MemoryId,  # noqa: A002  the protocol's own name for it
        role: p.Role = "",
        reason: p.Reason = "",
        erase: p.Erase = False,
    ) -> Annotated[CallToolResult, r.ForgetReply]:
        """Archive a memory, or erase it."""
        own = await self.desk.role(role)
        raw = await self.desk.ask("memory.forget", role=own, id=id, reason=reason, erase=erase or None)
        reply = r.reply_of(r.ForgetReply, raw)
        return _answer(reply, texts.of_forget(reply))

    async def memory_snapshot(self) -> Annotated[CallToolResult, r.SnapshotReply]:
        """Return what always holds, and store nothing."""
        raw = await self.desk.ask("context.render")
        reply = r.SnapshotReply.model_validate({"digest": raw["snapshot"], "sections": raw["sections"]})
        return _answer(reply, texts.of_snapshot(reply))

    async def session_search(  # noqa: PLR0913, PLR0917  a tool has as many parameters as it has
        self,
        query: p.Said = "",
        session: p.OneSession = "",
        around: p.Around = "",
        window: p.Window = 5,
        speaker: p.Speaker = "",
        after: p.Day = "",
        before: p.Day = "",
        limit: p.Limit = 5,
        offset: p.Offset = 0,
    ) -> Annotated[CallToolResult, r.SessionsReply]:
        """Find or read what was said."""
        raw = await self.desk.ask(
            "session.search", query=query, session=session, around=around, window=window, speaker=speaker,
            after=after, before=before, limit=limit, offset=offset,
        )  # fmt: skip
        hits = [{key: value for key, value in one.items() if key not in LONG} for one in raw.get("hits", [])]
        sessions = [{key: one[key] for key in OF_A_SESSION if key in one} for one in raw.get("sessions", [])]
        events = raw["events"] if raw["shape"] == "scroll" else []  # of a session that is read, it is their number
        reply = r.reply_of(r.SessionsReply, raw, hits=hits, sessions=sessions, events=events)
        return _answer(reply, texts.of_sessions(reply))


def plain(schema: dict[str, Any]) -> dict[str, Any]:
    """Return a parameter's schema as models read it best: every word of it goes into every prompt.

    A title that repeats the name, a default that says nothing, null for what may as well be left out: all that goes. So does
    an empty text among the choices, which Gemini's models refuse; it is still taken where one is sent.
    """
    kept = {key: value for key, value in schema.items() if key != "title" and (key, value) not in EMPTY}
    for choice in kept.pop("anyOf", []):
        if choice != {"type": "null"}:
            kept |= choice
    if "enum" in kept:
        kept["enum"] = [one for one in kept["enum"] if one]
    return kept


def _cut(found: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{**one, "text": one.get("text", "")[: r.BEGIN_CHARS]} for one in found]


def _memory(raw: dict[str, Any]) -> CallToolResult:
    reply = r.reply_of(r.MemoryReply, raw)
    return _answer(reply, texts.of_memory(reply))


def _answer(reply: r.Reply, text: str) -> CallToolResult:
    """Return a result in both forms: a text to read, and what the output schema promises."""
    shown = reply.model_dump(mode="json", by_alias=True, exclude_defaults=True, exclude_none=True)
    return CallToolResult(content=[TextContent(type="text", text=text)], structured_content=shown)
