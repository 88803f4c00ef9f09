"""What goes wrong at the doors to other programs: git, agents' settings, services, backups, extras."""

from __future__ import annotations

from memd.errors.protocol import BadParamsError
from memd.errors.root import BadNameError, FileChangedError, MemdError, NotRegularError


class GitMissingError(MemdError):
    """There is no git program, or the workspace is no repository."""

    why: str
    code = "git.missing"
    hint = "Install git, then run `git init` in the workspace and commit once."


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
    hint = "Mend the file, or add the hooks by hand from `memd hook install AGENT --print`; nothing in it was changed."
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
    hint = "Install memd with the extra that is named: `pip install 'memdaemon[mcp]'` for `mcp`, and so on."
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
