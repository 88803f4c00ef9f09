"""sync: commit what memd wrote, take in what others did, send ours; again, with growing pauses, while others are faster.

Nothing is forced and nothing is thrown away: a merge that needs a person is left standing with its markers, what was
committed stays committed whatever the remote says.
"""

from __future__ import annotations

import os
import random
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from memd.errors import GitBusyError, GitConflictError, GitFailedError, GitRemoteError
from memd.service.care.commit_words import is_ours, words_of
from memd.service.care.git_setup import ATTRIBUTES_FILE, add_attributes
from memd.storage.files import TEMPORARY_SUFFIX, Tree
from memd.storage.history import Git, Ran, git_work

TRIES = 8  # rounds of fetch, merge, push
REMOTE_TRIES = 3  # of a remote that does not answer
PAUSE_S, PAUSE_MOST_S = 0.2, 5.0  # doubled each time, with a half of chance
LOCK_WAIT_S, LOCK_STEP_S = 10.0, 0.05
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
    """One sync of a workspace. `settle` brings what is acknowledged into the files. Blocks."""

    git: Git
    tree: Tree
    settle: Callable[[], None]
    everything: bool = False
    remote: str = ""
    done: Synced = field(default_factory=Synced)
    _prefix: str = ""
    _theirs: str = ""

    def run(self) -> Synced:
        """Commit, fetch, merge, push. Raises what a person must look after: GitBusyError, GitConflictError, GitRemoteError."""
        root = self.git.root()
        self._prefix = (
            self.git.run("rev-parse", "--show-prefix").out.decode("utf-8", "surrogateescape").removesuffix("\n")
        )
        self._conclude()
        self.done.branch = self.git.run("symbolic-ref", "--short", "-q", "HEAD", check=False).text
        if not self.done.branch:
            raise GitBusyError(f"no branch is checked out in {root}")
        self.done.remote = self.remote or self._usual_remote()
        if add_attributes(self.tree):
            self.done.remarks.append(f"{ATTRIBUTES_FILE} has memd's lines now")
        if not self.done.remote:
            self._commit()
            self.done.remarks.append("there is no remote: `git remote add origin ADDRESS` names one")
            return self.done
        for number in range(TRIES):
            self.done.rounds = number + 1
            if self._round():
                return self.done
            pause(number)
        raise GitRemoteError(self.done.remote, f"others were faster {TRIES} times in a row")

    def _round(self) -> bool:
        """Do all of it once; tell whether nothing is left to do."""
        self._commit()
        there = self._fetch()
        if there and not self._merge():
            return False
        return self._push(there=there)

    def _conclude(self) -> None:
        """End a merge that has been settled; refuse to work inside anything else."""
        until = time.monotonic() + LOCK_WAIT_S
        while (work := git_work(self.tree, self.tree.system)) == "index.lock" and time.monotonic() < until:
            time.sleep(LOCK_STEP_S)
        if not work:
            return
        if work != "MERGE_HEAD":
            raise GitBusyError(work)
        waiting = self._contested()
        settled = [name for name in waiting if not self._has_markers(name)]
        if len(settled) < len(waiting):
            raise GitConflictError(", ".join(name for name in waiting if name not in settled))
        if settled:
            self._with_names("add", settled)
        self.git.run("commit", "--no-edit", "--quiet")
        self.done.remarks.append("a merge that was settled by hand is concluded")

    def _contested(self) -> list[str]:
        return self.git.run("diff", "--name-only", "-z", "--diff-filter=U").names

    def _has_markers(self, name: str) -> bool:
        """Tell whether a file still has conflict markers; one that is gone was settled by removing it."""
        try:
            folder = Tree(os.path.dirname(os.path.join(self.git.root(), name)))
        except OSError:
            return False
        try:
            lines = folder.read(os.path.basename(name))[0].splitlines()
        except FileNotFoundError:
            return False
        finally:
            folder.close()
        return any(line.startswith((b"<<<<<<< ", b">>>>>>> ")) for line in lines)

    def _usual_remote(self) -> str:
        configured = self.git.run("config", "--get", f"branch.{self.done.branch}.remote", check=False).text
        remotes = self.git.run("remote").text.split()
        return configured or ("origin" if "origin" in remotes else (remotes[0] if len(remotes) == 1 else ""))

    def _commit(self) -> None:
        self.settle()
        names = [name for name in self._changed() if self.everything or is_ours(name)]
        if not names:
            return
        whole = [self._prefix + name for name in names]
        self._with_names("add", whole, "-A")
        message = words_of(names, lambda name: self._blob(f"HEAD:{self._prefix}{name}"), self._staged)
        ran = self._with_names("commit", whole, "--quiet", "--only", "-m", message, check=False)
        if ran.status:
            if "nothing to commit" in ran.text or "nothing added" in ran.text:
                return
            raise GitFailedError("commit", ran.said if ran.err.strip() else ran.text[-400:])
        self.done.committed.append(message.partition("\n")[0])
        self.done.files += len(names)

    def _changed(self) -> list[str]:
        """Return the files of the workspace that are not as they were committed."""
        listed = self.git.run("status", "--porcelain", "-z", "--untracked-files=all", "--no-renames", "--", ".").names
        names = [line[3:].removeprefix(self._prefix) for line in listed]
        return [name for name in names if TEMPORARY_SUFFIX not in name]

    def _with_names(self, verb: str, names: list[str], *options: str, check: bool = True) -> Ran:
        """Run a command on files, whatever their names; from the top, since that is where names count from."""
        given = b"\0".join(os.fsencode(name) for name in names)
        who = () if verb != "commit" else self._who()
        top = Git(self.git.root(), self.git.extra + who)
        words = ("--literal-pathspecs", verb, *options, "--pathspec-from-file=-", "--pathspec-file-nul")
        return top.run(*words, given=given, check=check)

    def _who(self) -> tuple[str, ...]:
        """Return a name to commit by where the person has given git none."""
        known = self.git.run("var", "GIT_COMMITTER_IDENT", check=False).status == 0
        named = known and self.git.run("config", "--get", "user.email", check=False).status == 0
        return () if named or os.environ.get("GIT_COMMITTER_EMAIL") else ("user.name=memd", "user.email=memd@localhost")

    def _blob(self, which: str) -> bytes:
        ran = self.git.run("cat-file", "blob", which, check=False)
        return ran.out if ran.status == 0 else b""

    def _staged(self, name: str) -> bytes:
        return self._blob(f":{self._prefix}{name}")

    def _fetch(self) -> bool:
        """Fetch the branch; False where the remote does not have it yet."""
        ran = Ran(0, b"", "")
        for number in range(REMOTE_TRIES):
            ran = self.git.run("fetch", "--quiet", self.done.remote, self.done.branch, check=False, remote=True)
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
        top = Git(self.git.root(), self.git.extra + self._who())
        ran = top.run("merge", "--quiet", "--no-edit", "-m", message, self._theirs, check=False)
        if ran.status == 0:
            self.done.taken_in += count
            return True
        contested = self._contested()
        if contested:
            raise GitConflictError(", ".join(contested))
        if "would be overwritten by merge" in ran.err and any(is_ours(name) for name in self._changed()):
            return False
        raise GitFailedError("merge", ran.said)

    def _push(self, *, there: bool) -> bool:
        """Send what the remote lacks; False where others were faster."""
        base = [f"^{self._theirs}"] if there else []
        count = self.git.run("rev-list", "--count", "HEAD", *base, check=False).text
        if not count or count == "0":
            return True
        options = ["--porcelain", *([] if there else ["--set-upstream"])]
        target = f"HEAD:refs/heads/{self.done.branch}"
        for number in range(REMOTE_TRIES):
            ran = self.git.run("push", *options, self.done.remote, target, check=False, remote=True)
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


def pause(number: int) -> None:
    """Wait before the next try, longer each time, and never as long as another who waits too."""
    time.sleep(min(PAUSE_S * 2**number, PAUSE_MOST_S) * (0.5 + random.random() / 2))  # noqa: S311  no secret
