"""Made from the declarations by `make docs`: change those, not this."""

# mypy: disable-error-code=empty-body

from __future__ import annotations

import builtins
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal

from memd.client.asking import Asks, K, method

if TYPE_CHECKING:
    from memd.protocol.keeping import ConsolidatedSessions, PassesView, PassTakenBack
    from memd.protocol.memories import GuardRuling
    from memd.protocol.roles import CreatedRole, FoundRole, Roles, ScopeView
    from memd.protocol.sessions import AppliedPack, AttendedEvent, CaptureLevel, CapturePaused, PacksView, StatedFact
    from memd.protocol.status import SettingChanged, SettingsInForce


class CaptureMethods(Asks[K]):
    """The methods `capture.*`."""

    @method("capture.level")
    def level(self, *, reader: Literal["person", "model"] = "person") -> CaptureLevel:
        """Tell what is kept of conversations on this machine."""

    @method("capture.pause")
    def pause(self, *, until: float | str = "", reader: Literal["person", "model"] = "person") -> CapturePaused:
        """Keep nothing of conversations for a while. It is this machine's own, and no file of the workspace ends it.

        until: seconds, milliseconds or ISO 8601; without it, until a person ends it
        """


class ConfigMethods(Asks[K]):
    """The methods `config.*`."""

    @method("config.get")
    def get(
        self,
        *,
        key: str = "",
        role: str | None = None,
        declared: bool = False,
        reader: Literal["person", "model"] = "person",
    ) -> SettingsInForce:
        """Tell the settings in force.

        role: as they are in force for this role
        declared: how each is declared and where it is set, and the file as it is
        """

    @method("config.set")
    def set(
        self,
        *,
        key: str,
        value: bool | int | float | str | None = None,
        unset: bool = False,
        role: str | None = None,
        reader: Literal["person", "model"] = "person",
    ) -> SettingChanged:
        """Change a setting, or take it out of its file; comments stay.

        unset: take it out of the file: what holds without it holds again
        role: in its role.toml
        """


class ConsolidateMethods(Asks[K]):
    """The methods `consolidate.*`."""

    @method("consolidate.apply")
    def apply(
        self,
        *,
        pack: str,
        statements: builtins.list[StatedFact],
        inbox: bool = False,
        dry_run: bool = False,
        reader: Literal["person", "model"] = "person",
    ) -> AppliedPack:
        """Take a model's statements: what the turns prove is judged like all that is said, what none proves is refused.

        pack: a pack's id, as it was given
        inbox: nothing is kept at once: all that is worth it waits in the inbox
        dry_run: only say what would become of it
        """

    @method("consolidate.list")
    def list(
        self, *, id: str = "", limit: int = 20, before: str = "", reader: Literal["person", "model"] = "person"
    ) -> PassesView:
        """List the passes, or show one.

        id: a pass's id, or its first characters; all without it
        limit: how many, the newest first
        before: only those that came before this one
        """

    @method("consolidate.pack")
    def pack(
        self,
        *,
        session: str = "",
        role: str = "",
        max_turns: int = 80,
        max_bytes: int = 32000,
        limit: int = 8,
        reader: Literal["person", "model"] = "person",
    ) -> PacksView:
        """Give the turns that were not looked at, numbered, with what is known and the form of an answer, for a model to say what they tell.

        session: one session; all without it
        role: a role's name, alias or uuid; all roles without it
        max_turns: turns of one pack
        max_bytes: bytes of one pack's turns, about
        limit: how many packs
        """

    @method("consolidate.run")
    def run(
        self,
        *,
        session: str = "",
        role: str = "",
        inbox: bool = False,
        dry_run: bool = False,
        reader: Literal["person", "model"] = "person",
    ) -> ConsolidatedSessions:
        """Make memories of what was said in sessions since the last pass, or say what would become of it.

        session: one session; all without it
        role: a role's name, alias or uuid; all roles without it
        inbox: nothing is kept at once: all that is worth it waits in the inbox
        dry_run: only say what would become of it
        """

    @method("consolidate.undo")
    def undo(self, *, id: str, reader: Literal["person", "model"] = "person") -> PassTakenBack:
        """Take a pass back as a whole; what was changed since is left, and told.

        id: a pass's id, or its first characters
        """


class GuardMethods(Asks[K]):
    """The methods `guard.*`."""

    @method("guard.check")
    def check(
        self,
        *,
        tool: str = "",
        input: Mapping[str, Any] | str | None = None,
        message: str = "",
        role: str = "main",
        session: str = "",
        reader: Literal["person", "model"] = "person",
    ) -> GuardRuling:
        """Rule on a tool call or a message: should it be a remember?

        tool: the tool's name as the agent knows it
        input: the tool's input
        message: a user's message instead
        role: a role's name, alias or uuid
        session: violations are counted by session
        """


class HookMethods(Asks[K]):
    """The methods `hook.*`."""

    @method("hook.event")
    def event(
        self,
        *,
        agent: str,
        event: Literal["start", "prompt", "tool", "stop", "compact", "end"],
        session: str = "",
        key: str = "",
        source: str = "",
        message: str = "",
        reply: str = "",
        tool: str = "",
        input: Mapping[str, Any] | str = "",
        until_ms: int = 0,
        role: str = "",
        project: str = "",
        named: str = "",
        mark: str = "",
        shared: bool = False,
        chinese: bool = False,
        reader: Literal["person", "model"] = "person",
    ) -> AttendedEvent:
        """Answer an agent's hook, and keep what was said.

        agent: claude, codex, gemini, vscode, or another. event: what happened. session: the agent's id of the
        conversation. key: the agent's id of the turn or the call. source: why a window begins or is compacted.
        message: the prompt. reply: what the agent answered at the end of a turn. tool: the tool's name as the agent
        knows it. input: of the tool: an object, or a text such as a patch. until_ms: when the asker goes, in ms since
        1970: later it is told nothing; 0: it stays. role: else the directory that the agent works in decides.
        project: of that directory, host/owner/name by its origin. named: the role that its .memd-role names. mark: of
        that file's place and what it says. shared: the person's own workspace sent the hook here: what they say of
        themselves is kept there. chinese: the person reads Chinese, as the agent's locale says.
        """


class RoleMethods(Asks[K]):
    """The methods `role.*`."""

    @method("role.create")
    def create(
        self, *, name: str, display_name: str = "", fiction: bool = False, reader: Literal["person", "model"] = "person"
    ) -> CreatedRole:
        """Make a role.

        display_name: what the role is called in full
        fiction: it is a character or a story: what is said there is kept as its world, not as the user's
        """

    @method("role.get")
    def get(self, *, role: str, reader: Literal["person", "model"] = "person") -> FoundRole:
        """Tell which role an address means, and what it holds.

        role: a role's name, alias or uuid
        """

    @method("role.list")
    def list(self, *, limit: int = 1000, offset: int = 0, reader: Literal["person", "model"] = "person") -> Roles:
        """List the roles.

        limit: how many at once
        offset: how many to pass over
        """

    @method("role.of")
    def of(
        self, *, project: str = "", named: str = "", mark: str = "", reader: Literal["person", "model"] = "person"
    ) -> ScopeView:
        """Tell whose memory a directory gets, by what it says of itself, and why.

        project: host/owner/name, by the origin of its repository
        named: the role that its .memd-role names
        mark: of that file's place and what it says
        """
