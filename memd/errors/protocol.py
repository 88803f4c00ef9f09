"""What goes wrong between a client and the daemon."""

from __future__ import annotations

from memd.errors.root import BadNameError, FileChangedError, MemdError, NotRegularError


class BadFrameError(MemdError):
    """Bytes that are not one strict JSON object."""

    why: str
    code = "frame.bad"
    hint = "Send one JSON object per line: UTF-8, no duplicate keys, no NaN, no lone surrogates, depth 64 at most."


class FrameTooLargeError(MemdError):
    """A line longer than the frame limit; the connection closes."""

    why: str
    code = "frame.too_large"
    hint = "Send less than the frame limit in one line, and split large work."


class SlowFrameError(MemdError):
    """A frame that was begun and not finished in time; the connection closes."""

    why: str
    code = "frame.slow"
    hint = "Send a whole line at once."


class BadRequestError(MemdError):
    """JSON, but not a JSON-RPC 2.0 request."""

    why: str
    code = "request.bad"
    hint = 'Send {"jsonrpc": "2.0", "id": 1, "method": "ping", "params": {}}.'


class MethodUnknownError(MemdError):
    """No such method."""

    method: str
    code = "method.unknown"
    hint = "Call rpc.discover for the list of methods."
    sentence = "no method {method!r:.82}"


class BadParamsError(MemdError):
    """Parameters that do not fit the method's declaration."""

    why: str
    code = "params.bad"
    hint = "Call rpc.discover for the parameters of each method."


class SettingUnknownError(BadParamsError):
    """A name that no setting has."""

    hint = "List all settings with `memd config`, and what each may be with `memd config --declared`."


class ProtocolVersionError(MemdError):
    """A client that was written for a newer protocol than the daemon speaks."""

    asked: int
    spoken: int | str
    code = "protocol.version"
    hint = "Restart the daemon (`memd down`, then `memd up --detach`) if it is older than the memd that is installed; else upgrade memd."
    sentence = "protocol {asked} was asked for, but the daemon speaks {spoken}"


class BadReplyError(MemdError):
    """What answers at the socket does not speak memd's protocol."""

    path: str
    code = "socket.stranger"
    hint = "Stop what listens there, or set MEMD_SOCKET to another path for memd."
    sentence = "what listens at {path} is not memd"


class DaemonMissingError(MemdError):
    """Nobody answers at the socket."""

    path: str
    code = "daemon.missing"
    hint = "Start one with `memd up --detach`."
    sentence = "no daemon answers at {path}"


class DaemonLostError(DaemonMissingError):
    """The daemon ended while it was asked to change something; the request may have been carried out."""

    hint = "Check whether it was done; if not, run it again: commands work without a daemon, and `memd up --detach` starts one."
    sentence = "the daemon ended during the request; whether this was done is not known"


class DaemonFailedError(DaemonMissingError):
    """A daemon that was started in the background and ended before it answered."""

    status: int
    said: str
    hint: str = "Fix what it names; `memd doctor` looks at everything a daemon needs."
    sentence = "the daemon ended with status {status} before it answered: {said}"


class DeadlineError(MemdError):
    """The daemon did not answer in time; the request may have been carried out."""

    method: str
    deadline_s: float
    code = "client.deadline"
    hint = "Look at `memd status`; ask again with a longer deadline."
    sentence = "{method} was not answered within {deadline_s:g} s"


class ClientClosedError(MemdError):
    """A client that was closed, and is asked, or was asked when that happened; the request may have been carried out."""

    code = "client.closed"
    hint = "Make another client; one that was closed stays so."
    sentence = "this client was closed"


class ReplyMisfitError(MemdError):
    """An answer that is not what its method declares here: the daemon is of another version."""

    method: str
    why: str
    code = "protocol.reply"
    hint = "Restart the daemon (`memd down`, then `memd up --detach`), so that it and this program are of one version."
    sentence = "the daemon's answer to {method} does not fit this version of memd: {why}"


class BadSocketError(MemdError):
    """A socket path that is too long, taken by another file, or in a directory of somebody else."""

    why: str
    code = "socket.bad"
    hint = "Set MEMD_SOCKET or --socket to a short path in a directory of your own."


class RemoteError(MemdError):
    """An error the daemon answered with; number, sentence, code and hint are its own.

    In a client it is of the class of its code as well. What that class would know of the situation is not known here.
    """

    def __init__(self, number: int, message: str, code: str, hint: str) -> None:
        self.number, self.message, self.code, self.hint = number, message, code, hint
        self.args = (number, message, code, hint)

    def __str__(self) -> str:
        return self.message


class GitMissingError(MemdError):
    """There is no git program, or the workspace is no repository."""

    why: str
    code = "git.missing"
    hint = "Install git; where the workspace is in no repository, run `git init`, `git add -A` and `git commit -m memory` in it. Then try again."


class GitBusyError(MemdError):
    """A merge, a rebase or the like is under way, and not ours to end."""

    work: str
    code = "git.busy"
    hint = "Finish or abort it with git, then try again; what memd remembers meanwhile is safe in its log."
    sentence = "git has something under way: {work}"


class GitConflictError(MemdError):
    """Two people changed the same thing, and a person must choose."""

    files: str
    code = "git.conflict"
    hint = "Choose: edit what stands between <<<<<<< and >>>>>>>, `git add` the files, and run `memd sync` again; `git merge --abort` goes back."
    sentence = "both sides changed the same in {files}"


class GitFailedError(MemdError):
    """git refused a command."""

    command: str
    why: str
    code = "git.failed"
    hint = "Run the same with git itself to see all it says; nothing was lost."
    sentence = "git {command} failed: {why}"


class GitRemoteError(MemdError):
    """The other repository cannot be reached, or refuses what it is sent."""

    remote: str
    why: str
    code = "git.remote"
    hint = "Check the remote with `git remote -v` and your access to it; what was committed here stays, and the next sync sends it."
    sentence = "the remote {remote} could not be used: {why}"


class BackupError(MemdError):
    """A backup that cannot be made, or is not what it should be."""

    path: str
    why: str
    code = "backup.bad"
    hint = "Make it again with `memd backup FILE`, to a disk with room; an older backup is not touched."
    sentence = "{path}: {why}"


class BackupPlaceError(BackupError):
    """A place where no backup is written, or restored."""

    code = "backup.place"
    hint = "Name another place; nothing was written."


class AgentSettingsError(MemdError):
    """A settings file of an agent's that memd cannot edit without harm."""

    path: str
    why: str
    code = "hook.settings"
    hint = "Fix the file, or add the hooks by hand from `memd hook install AGENT --print`; nothing in it was changed."
    sentence = "{path}: {why}"


class AgentSettingsChangedError(AgentSettingsError):
    """Somebody else wrote the file meanwhile; it can be read again."""

    hint = "Run it again; nothing in the file was changed."


class ServiceMissingError(MemdError):
    """The system's service manager is not there, or refused."""

    why: str
    code = "service.missing"
    hint = "Look at the units with `memd service install --print`, or run `memd up --detach` instead."


class ExtraMissingError(MemdError):
    """A part of memd that is installed only on request."""

    extra: str
    code = "extra.missing"
    hint = "In the clone of memd, for `mcp`: `pipx install --force '.[mcp]'`, or `pip install '.[mcp]'` where memd is in an environment of its own; others by their names."
    sentence = "this needs memd's extra `{extra}`, which is not installed"


class UnitEditedError(FileChangedError):
    """A unit that somebody edited; nothing was written."""

    hint = "Use --force to write over it, keeping a copy; or put your changes into a drop-in: `systemctl --user edit`."
    sentence = "{name} is not as memd wrote it; nothing was changed"


class UnitBlockedError(NotRegularError):
    """Something that is no regular file stands where a unit belongs; nothing was written over it."""

    hint = "Move it away, then run `memd service install` again."
    sentence = "{name} is in the way of a unit: {why}"


class NotCheckedError(BadParamsError):
    """A file that was named for `memd check` and could not be looked at."""

    hint = "Name files and directories that are there and can be read, below the workspace if one is named."
    sentence = "not looked at: {why}"


class BadPageNameError(BadNameError):
    """A name that a page or its folder cannot have."""

    hint = "Choose another name: letters of any script, figures, '-', '_', '.' and single blanks always do."


class SetupBlockedError(MemdError):
    """What `memd setup` needs is not there, is somebody else's, or cannot be written."""

    path: str
    why: str
    code = "setup.blocked"
    hint = "Name another place with `--workspace DIR`, or put right what is named; nothing was changed."
    sentence = "{path}: {why}"
