"""sync: commit what memd wrote, take in what others did, send ours; again, with growing pauses, while others are faster.

Nothing is forced and nothing is thrown away: a merge that needs a person is left standing with its markers, what was
committed stays committed whatever the remote says.
"""

from __future__ import annotations

import os
import random
import re
import time
from collections import defaultdict
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from memd.errors import (
    GitBusyError,
    GitConflictError,
    GitFailedError,
    GitMissingError,
    GitRemoteError,
    MemdError,
    RejectedFileError,
)
from memd.formats.role_reader import load
from memd.model.files import Purpose, Told, purpose_of, role_of, untold
from memd.service.care.git_setup import ATTRIBUTES_FILE, add_attributes, is_ours, words_of
from memd.service.care.transcripts import look_at_pushed, repository_of, told_of
from memd.storage.files import TEMPORARY_SUFFIX, Tree
from memd.storage.history import Git, Ran, git_work
from memd.store.keep.ignored import IGNORE_FILE, is_of_hooks, keep_ignored

if TYPE_CHECKING:
    from memd.storage.files import Tree

TRIES = 8  # rounds of fetch, merge, push
STEPS = ("committing", "fetching", "merging", "sending")
REMOTE_TRIES = 3  # of a remote that does not answer
PAUSE_S, PAUSE_MOST_S = 0.2, 5.0  # doubled each time, with a half of chance
MESSAGE = "memd: merge {branch} of {remote}"
NO_REF = ("couldn't find remote ref", "could not find remote ref")
AT_THE_SAME_TIME = ("cannot lock ref", "failed to update ref", "stale info")  # somebody else pushed this very moment


@dataclass(slots=True)
class Synced:
    """What a sync came to: commits made, taken in and sent, the files committed, and what a person may want to know."""

    branch: str = ""
    remote: str = ""
    committed: list[str] = field(default_factory=list)
    files: int = 0
    taken_in: int = 0
    sent: int = 0
    rounds: int = 0
    remarks: list[str] = field(default_factory=list)


@dataclass(slots=True)
class Sync:
    """One sync of a workspace. `settle` brings what is acknowledged into the files, and says what it could not. Blocks.

    `version`: sessions that hooks write are sent, too.
    """

    git: Git
    tree: Tree
    settle: Callable[[], str]
    everything: bool = False
    remote: str = ""
    told: Told = untold
    version: bool = False
    done: Synced = field(default_factory=Synced)
    _prefix: str = ""
    _theirs: str = ""
    _top: Git = field(init=False)  # at the top of the repository, with a name to commit by

    def run(self) -> Synced:
        """Commit, fetch, merge, push. Raises what a person must look after: GitBusyError, GitConflictError, GitRemoteError."""
        root = self.git.root()
        self._prefix = (
            self.git.run("rev-parse", "--show-prefix").out.decode("utf-8", "surrogateescape").removesuffix("\n")
        )
        self._top = Git(root, self.git.extra + self._who())
        if conclude(self._top, self.tree, self._prefix):
            self.done.remarks.append("a merge that was settled by hand is concluded")
        self.done.branch = _branch(self.git)
        if not self.done.branch:
            raise GitBusyError(f"no branch is checked out in {root}")
        self.done.remote = self.remote or _usual_remote(self.git, self.done.branch)
        if add_attributes(self.tree):
            self.done.remarks.append(f"{ATTRIBUTES_FILE} has memd's lines now")
        if keep_ignored(self.tree, version=self.version):
            self.done.remarks.append(f"{IGNORE_FILE} has memd's lines now")
        if not self.done.remote:
            self._commit()
            self.done.remarks.append("there is no remote: `git remote add origin ADDRESS` names one")
            return self.done
        for number in range(TRIES):
            self.done.rounds = number + 1
            if self._round():
                found = look_at_pushed(self.tree, *repository_of(self.tree.path), version=self.version)
                self.done.remarks += told_of(found)
                return self.done
            pause(number)
        raise GitRemoteError(self.done.remote, f"others were faster {TRIES} times in a row")

    @property
    def _ref(self) -> str:
        return f"refs/heads/{self.done.branch}"

    def _round(self) -> bool:
        """Do all of it once; tell whether nothing is left to do."""
        self._tell("committing")
        self._commit()
        self._tell("fetching")
        there = self._fetch()
        self._tell("merging")
        if there and not self._merge():
            return False
        self._tell("sending")
        return self._push(there=there)

    def _tell(self, step: str) -> None:
        """Tell what comes now; where others were faster, it begins again."""
        self.told(STEPS.index(step), len(STEPS), step)

    def _commit(self) -> None:
        remark = self.settle()
        if remark and remark not in self.done.remarks:
            self.done.remarks.append(remark)
        changed = {name: state for name, state in self._changed() if self._is_wanted(name, state)}
        for name in [one for one in changed if is_broken(self.tree, one)]:
            del changed[name]
            remark = f"{name} is broken, and was not committed: `memd check` says where; sync again when it is mended"
            self.done.remarks += [remark] if remark not in self.done.remarks else []
        if not changed:
            return
        # What is gone from the index and from the disk needs no adding, and cannot be found to be added.
        self._with_names("add", [name for name, state in changed.items() if state != "D "], "-A")
        message = words_of(changed, lambda name: self._blob(f"HEAD:{self._prefix}{name}"), self._staged)
        ran = self._with_names("commit", list(changed), "--quiet", "--only", "-m", message, check=False)
        if ran.status:
            if "nothing to commit" in ran.text or "nothing added" in ran.text:
                return
            raise GitFailedError("commit", ran.said if ran.err.strip() else ran.text[-400:])
        self.done.committed.append(message.partition("\n")[0])
        self.done.files += len(changed)

    def _is_wanted(self, name: str, state: str) -> bool:
        """Tell whether a file is committed; a session of a hook that git does not keep yet only where that is wanted."""
        if state == "??" and is_of_hooks(name) and not self.version:
            return False
        return self.everything or is_ours(name)

    def _changed(self) -> list[tuple[str, str]]:
        """Return the files of the workspace that are not as they were committed, each with git's two letters for it."""
        listed = self.git.run("status", "--porcelain", "-z", "--untracked-files=all", "--no-renames", "--", ".").names
        found = [(line[3:].removeprefix(self._prefix), line[:2]) for line in listed]
        return [one for one in found if TEMPORARY_SUFFIX not in one[0]]

    def _with_names(self, verb: str, names: list[str], *options: str, check: bool = True) -> Ran:
        """Run a command on files of the workspace, whatever their names; from the top, since names count from there."""
        if not names:
            return Ran(0, b"", "")
        given = b"\0".join(os.fsencode(self._prefix + name) for name in names)
        words = ("--literal-pathspecs", verb, *options, "--pathspec-from-file=-", "--pathspec-file-nul")
        ran = self._top.run(*words, given=given, check=False)
        if ran.status and "--sparse" in ran.err and verb == "add":
            ran = self._top.run(*words[:2], "--sparse", *words[2:], given=given, check=False)
        if ran.status and check:
            raise GitFailedError(verb, ran.said)
        return ran

    def _who(self) -> tuple[str, ...]:
        """Return a name to commit by where the person has given git none."""
        named = self.git.run("-c", "user.useConfigOnly=true", "var", "GIT_COMMITTER_IDENT", check=False).status == 0
        return () if named else ("user.name=memd", "user.email=memd@localhost")

    def _blob(self, which: str) -> bytes:
        ran = self.git.run("cat-file", "blob", which, check=False)
        return ran.out if ran.status == 0 else b""

    def _staged(self, name: str) -> bytes:
        return self._blob(f":{self._prefix}{name}")

    def _fetch(self) -> bool:
        """Fetch the branch; False where the remote does not have it yet."""
        ran = Ran(0, b"", "")
        for number in range(REMOTE_TRIES):
            words = ("fetch", "--quiet", "--upload-pack=git-upload-pack", "--", self.done.remote, self._ref)
            ran = self.git.run(*words, check=False, remote=True)
            if ran.status == 0:
                self._theirs = self.git.run("rev-parse", "FETCH_HEAD").text
                return True
            if any(words in ran.err.lower() for words in NO_REF):
                return False
            if number < REMOTE_TRIES - 1:
                pause(number)
        raise GitRemoteError(self.done.remote, ran.said)

    def _merge(self) -> bool:
        """Merge what was fetched; False where somebody wrote meanwhile, and it is to be done again."""
        began = self.git.run("rev-parse", "--verify", "--quiet", "HEAD", check=False).status == 0
        count = int(self.git.run("rev-list", "--count", *(["^HEAD"] if began else []), self._theirs).text)
        if not count:
            return True
        message = MESSAGE.format(branch=self.done.branch, remote=self.done.remote)
        words = ("merge", "--quiet", "--no-edit", "--ff", "--commit", "--no-squash", "-m", message)
        ran = self._top.run(*words, self._theirs, check=False)
        if ran.status == 0:
            self.done.taken_in += count
            return True
        waiting = contested(self.git)
        if waiting:
            raise GitConflictError(", ".join(waiting))
        if "would be overwritten by merge" in ran.err and any(is_ours(name) for name, _ in self._changed()):
            return False
        raise GitFailedError("merge", ran.said)

    def _push(self, *, there: bool) -> bool:
        """Send what the remote lacks; False where others were faster."""
        base = [f"^{self._theirs}"] if there else []
        count = self.git.run("rev-list", "--count", "HEAD", *base, check=False).text
        if not count or count == "0":
            return True
        options = ["--porcelain", "--receive-pack=git-receive-pack", *([] if there else ["--set-upstream"])]
        target = f"HEAD:{self._ref}"
        for number in range(REMOTE_TRIES):
            ran = self.git.run("push", *options, "--", self.done.remote, target, check=False, remote=True)
            refused = [line for line in ran.text.splitlines() if line.startswith("!")]
            if ran.status == 0:
                self.done.sent += int(count)
                return True
            if any("[rejected]" in line for line in refused) or any(words in ran.err for words in AT_THE_SAME_TIME):
                return False
            if refused or number == REMOTE_TRIES - 1:
                raise GitRemoteError(self.done.remote, "; ".join([*(line[2:] for line in refused), ran.said])[:400])
            pause(number)
        return False


def _branch(git: Git) -> str:
    head = git.run("symbolic-ref", "-q", "HEAD", check=False)
    return head.out.decode("utf-8", "surrogateescape").strip().removeprefix("refs/heads/")


def _usual_remote(git: Git, branch: str) -> str:
    configured = git.run("config", "--get", f"branch.{branch}.remote", check=False).text
    remotes = git.run("remote").text.splitlines()
    configured = "" if configured == "." else configured  # a branch that follows another one here
    return configured or ("origin" if "origin" in remotes else (remotes[0] if len(remotes) == 1 else ""))


@dataclass(slots=True)
class Standing:
    """How a workspace's branch stands to the other repository's, as git knew it when it last heard: nobody is asked over the network.

    `uncommitted` files of the workspace; `heard_s` when git last fetched, None where it never did. `why` it tells no more: no_git, no_repository,
    no_branch, no_remote, not_fetched, refused; "" where all is known.
    """

    why: str = ""
    detail: str = ""
    branch: str = ""
    remote: str = ""
    ahead: int = 0
    behind: int = 0
    uncommitted: int = 0
    heard_s: float | None = None


def standing(path: str) -> Standing:
    """Return how a workspace stands to its remote. Blocks; reads no file through a filter, and runs nothing that a repository names."""
    found = Standing()
    try:
        git = Git(path)
        git.root()
        changed = git.run("diff-files", "--name-only", "-z", "--", ".").names
        fresh = git.run("ls-files", "--others", "--exclude-standard", "-z", "--", ".").names
        found.uncommitted = len({*changed, *fresh})
        found.branch = _branch(git)
        found.remote = _usual_remote(git, found.branch) if found.branch else ""
        if not found.remote:
            found.why = "no_remote" if found.branch else "no_branch"
            return found
        theirs = f"refs/remotes/{found.remote}/{found.branch}"
        counts = git.run("rev-list", "--left-right", "--count", f"{theirs}...HEAD", "--", check=False)
        found.why = "not_fetched" if counts.status else ""
        found.behind, found.ahead = map(int, counts.text.split()) if not counts.status else (0, 0)
        with suppress(OSError):
            found.heard_s = os.stat(
                git.run("rev-parse", "--path-format=absolute", "--git-path", "FETCH_HEAD").text
            ).st_mtime
    except GitMissingError as error:
        found.why = "no_repository" if "repository" in str(error) else "no_git"
    except (GitFailedError, GitBusyError) as error:
        found.why, found.detail = "refused", str(error)
    return found


def pause(number: int) -> None:
    """Wait before the next try, longer each time, and never as long as another who waits too."""
    time.sleep(min(PAUSE_S * 2**number, PAUSE_MOST_S) * (0.5 + random.random() / 2))  # noqa: S311  no secret


# End a merge that a person has settled, and only then: what nobody chose is not chosen here.
#
# `git add` says that a file is settled. memory.json and the curated files need not be added: memd's drivers leave markers
# in them wherever there is something to settle, so that one without markers, and whole, is settled.

LOCK_WAIT_S, LOCK_STEP_S = 10.0, 0.05
MARKER = re.compile(rb"^(?:<{7,}|>{7,}) ", re.MULTILINE)
READ_BYTES = 1 << 28


def conclude(git: Git, tree: Tree, prefix: str) -> bool:
    """Conclude a merge that is settled; tell whether there was one. GitBusyError, GitConflictError. `git` is at the top."""
    until = time.monotonic() + LOCK_WAIT_S
    while (work := git_work(tree, tree.system)) == "index.lock" and time.monotonic() < until:
        time.sleep(LOCK_STEP_S)
    if not work:
        return False
    if work != "MERGE_HEAD":
        raise GitBusyError(work)
    stages = contested(git)
    waiting = [name for name, found in stages.items() if not is_settled(tree, prefix, name, found)]
    if waiting:
        raise GitConflictError(", ".join(waiting))
    if stages:
        given = b"\0".join(os.fsencode(name) for name in stages)
        git.run("--literal-pathspecs", "add", "--pathspec-from-file=-", "--pathspec-file-nul", given=given)
    git.run("commit", "--no-edit", "--quiet")
    return True


def contested(git: Git) -> dict[str, set[int]]:
    """Return the files that git waits for, from the top of the repository, and which sides have them: 2 ours, 3 theirs."""
    found: defaultdict[str, set[int]] = defaultdict(set)
    for line in git.run("ls-files", "--unmerged", "--full-name", "-z", "--", ":/").names:
        head, _, name = line.partition("\t")
        found[name].add(int(head.split()[2]))
    return dict(found)


def is_broken(tree: Tree, name: str) -> bool:
    """Tell whether a file is a memory.json that nobody can read; one that is gone is not."""
    if purpose_of(name) is not Purpose.MEMORY:
        return False
    try:
        load(tree.read(name, READ_BYTES)[0], name, role_of(name))
    except RejectedFileError:
        return True
    except (OSError, MemdError):
        pass  # it is gone, or git tells what is wrong with it
    return False


def is_settled(tree: Tree, prefix: str, name: str, stages: set[int]) -> bool:
    """Tell whether a file that git waits for says so itself: memd's own, on both sides, without markers, and whole."""
    own = name.removeprefix(prefix)
    purpose = purpose_of(own) if name.startswith(prefix) else None
    if purpose not in (Purpose.MEMORY, Purpose.CURATED) or not {2, 3} <= stages:
        return False
    try:
        data = tree.read(own, READ_BYTES)[0]
        if purpose is Purpose.MEMORY:
            load(data, own, role_of(own))
    except (FileNotFoundError, RejectedFileError, MemdError):
        return False
    return not MARKER.search(data)
