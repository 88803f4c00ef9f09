"""What goes wrong at the doors to other programs: git, agents' settings, services, backups, extras."""

from __future__ import annotations

from memd.errors.disk import NotRegularError
from memd.errors.general import BadNameError, FileChangedError, MemdError
from memd.errors.protocol import BadParamsError


class GitMissingError(MemdError):
    """There is no git program, or the workspace is no repository."""

    code = "git.missing"
    hint = "Install git, then run `git init` in the workspace and commit once."
    sentence = "{0}"


class GitBusyError(MemdError):
    """A merge, a rebase or the like is under way, and not ours to end."""

    code = "git.busy"
    hint = "Finish or abort it with git, then try again; what memd remembers meanwhile is safe in its log."
    sentence = "git has something under way: {0}"


class GitConflictError(MemdError):
    """Two people changed the same thing, and a person must choose."""

    code = "git.conflict"
    hint = "Choose: edit what stands between <<<<<<< and >>>>>>>, `git add` the files, and run `memd sync` again; `git merge --abort` goes back."
    sentence = "both sides changed the same in {0}"


class GitFailedError(MemdError):
    """git refused a command."""

    code = "git.failed"
    hint = "Run the same with git itself to see all it says; nothing was lost."
    sentence = "git {0} failed: {1}"


class GitRemoteError(MemdError):
    """The other repository cannot be reached, or refuses what it is sent."""

    code = "git.remote"
    hint = "Check the remote with `git remote -v` and your access to it; what was committed here stays, and the next sync sends it."
    sentence = "the remote {0} could not be used: {1}"


class BackupError(MemdError):
    """A backup that cannot be made, or is not what it should be."""

    code = "backup.bad"
    hint = "Make it again with `memd backup FILE`, to a disk with room; an older backup is not touched."
    sentence = "{0}: {1}"


class BackupPlaceError(BackupError):
    """A place where no backup is written, or restored."""

    code = "backup.place"
    hint = "Name another place; nothing was written."


class AgentSettingsError(MemdError):
    """A settings file of an agent's that memd cannot edit without harm."""

    code = "hook.settings"
    hint = "Mend the file, or add the hooks by hand from `memd hook install AGENT --print`; nothing in it was changed."
    sentence = "{0}: {1}"


class ServiceMissingError(MemdError):
    """The system's service manager is not there, or refused."""

    code = "service.missing"
    hint = "Look at the units with `memd service install --print`, or run `memd up --detach` instead."
    sentence = "{0}"


class ExtraMissingError(MemdError):
    """A part of memd that is installed only on request."""

    code = "extra.missing"
    hint = "Install memd with the extra that is named: `pip install 'memdaemon[mcp]'` for `mcp`, and so on."
    sentence = "this needs memd's extra `{0}`, which is not installed"


class UnitEditedError(FileChangedError):
    """A unit that somebody edited; nothing was written."""

    hint = "Use --force to write over it, keeping a copy; or put your changes into a drop-in: `systemctl --user edit`."
    sentence = "{0} is not as memd wrote it; nothing was changed"


class UnitBlockedError(NotRegularError):
    """Something that is no regular file stands where a unit belongs; nothing was written over it."""

    hint = "Move it away, then run `memd service install` again."
    sentence = "{0} is in the way of a unit: {1}"


class NotCheckedError(BadParamsError):
    """A file that was named for `memd check` and could not be looked at."""

    hint = "Name files and directories that are there and can be read, below the workspace if one is named."
    sentence = "not looked at: {0}"


class BadPageNameError(BadNameError):
    """A name that a page or its folder cannot have."""

    hint = "Choose another name: letters of any script, figures, '-', '_', '.' and single blanks always do."
