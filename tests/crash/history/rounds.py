"""Rounds of work, kills and looks at one workspace: what is served, and what stands on the disk, against what was acknowledged."""

from __future__ import annotations

import collections
import json
import os
import random
import shutil
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from memd.client import Client
from memd.errors import MemdError
from tests.crash.history import more_verbs, talk_verbs, task_verbs, verbs, views, work_verbs
from tests.crash.history.clients import Heard, Sender
from tests.crash.history.files import faults_of, violations_of
from tests.crash.history.forking import Forked
from tests.crash.history.owner import SHARED, Owner
from tests.crash.history.seam import SYNC
from tests.crash.history.things import Thing, judge
from tests.support import Folder, until

SEEING = {**verbs.SEEING, **more_verbs.SEEING, **talk_verbs.SEEING, **work_verbs.SEEING, **task_verbs.SEEING}
SETTLED_S = 30.0  # an editor's file is kept for some seconds after it was exchanged out
SCORED = ("remember", "score")
TRIES = 20
PADDINGS = (150_000, 400_000, 1_000_000)  # bytes: at latest after so many seconds as that is times 100,000
ASKED_TOO = 5  # memories that are also searched and triggered after each round


def blockable() -> tuple[str, ...]:
    """Return parts of names of files that a disk may refuse for a while."""
    now = datetime.now(UTC)
    return (
        "declarative.md", f"{now:%Y-%m}.jsonl", f"{now:%Y-%m-%d}.jsonl", "audit.jsonl", "review.jsonl", "memory.json",
        "MEMORY.md", "USER.md", "SKILL.md", "t-u", "run-u", "s-u", "record.toml",
    )  # fmt: skip


@dataclass
class History:
    """One workspace through its rounds. Everything by chance comes from the seed."""

    seed: int
    base: Path
    clients: int = 4
    chains: bool = True
    say: Callable[[str], None] = print
    counts: collections.Counter[str] = field(default_factory=collections.Counter)
    wrong: list[str] = field(default_factory=list)
    known: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.chance = random.Random(self.seed)
        self.folder = Folder.make(self.base / "m", demo=False)
        many = 10**8
        self.folder.settings(
            limits__scorings_per_day=many, limits__memory_md_chars=10**6, limits__user_md_chars=10**6,
            limits__role_bytes=many, limits__memory_dir_bytes=many, limits__violations=1000, gate__relations=False,
            upkeep__every_minutes=0, daemon__index=self.seed % 3 == 0,
        )  # fmt: skip
        self.owners = [
            Owner(f"c{n}", n, random.Random(self.chance.getrandbits(64)), self.chains) for n in range(self.clients)
        ]
        for name in (*SHARED, *(one.role for one in self.owners)):
            (self.folder.path / "roles" / name).mkdir(parents=True, exist_ok=True)
        self.pad()
        self.daemon = Forked(self.folder.path, self.base / "s", self.base / "diary")
        self.scored = 0
        self.was_settled = False
        self.day = datetime.now(UTC).date()

    def run(self, rounds: int, *, first: bool = False) -> None:
        """Go through so many rounds; `first`: no further than to the first broken promise."""
        try:
            for number in range(rounds):
                if first and self.wrong:
                    return
                self.round(number)
                self.say(f"seed {self.seed} round {number}: {self.counts['kills']} kills, {len(self.wrong)} wrong")
        finally:
            self.daemon.close()

    def pad(self) -> None:
        """In two of three histories, make some files so large that they follow the log when it is quiet."""
        for name in (*SHARED, *(one.role for one in self.owners)):
            if self.seed % 3 and self.chance.random() < 0.7:
                padding = ["x" * 1000] * (self.chance.choice(PADDINGS) // 1000)
                document = {"characterUuid": name, "semantic": [], "padding": padding}
                self.folder.file(name).write_text(json.dumps(document, indent=2) + "\n", "utf-8")

    def round(self, number: int) -> None:
        """Work until a kill, kill the recovery some times, and look."""
        chance = self.chance
        blocked = tuple(chance.sample(blockable(), chance.choice((1, 1, 2, 4)))) if chance.random() < 0.6 else ()
        if chance.random() < 0.1:
            blocked = (SYNC,)
        self.work(f"round {number}", blocked)
        blocked = tuple(one for one in blocked if one != SYNC)
        if self.daemon.is_alive():
            self.daemon.arm(0, ())  # the disk works again, and nobody was killed
            self.look_while_pending(f"round {number}, without a kill")
            self.look_when_settled(f"round {number}, without a kill")
            self.kill("kills at rest")
        for _ in range(chance.choice((0, 1, 2, 3, 4))):
            self.kill_recovery(blocked if chance.random() < 0.3 else ())
        if blocked and chance.random() < 0.5:
            self.begin(blocked)
            self.look_while_pending(f"round {number}, {blocked} refused")
            self.kill("kills during recovery")
        self.begin(())
        self.look_while_pending(f"round {number}")
        self.look_when_settled(f"round {number}")
        if chance.random() < 0.2:
            self.daemon.stop()
            self.counts["stops"] += 1
            self.wrong += self.compared(f"round {number}, stopped", self.settled_view)

    def begin(self, blocked: tuple[str, ...]) -> None:
        """Start the daemon and wait until it answers."""
        self.daemon.spawn(0, blocked)
        if not self.daemon.answers():
            raise AssertionError(f"the daemon did not start: {self.daemon.diary.read_text('utf-8')[-2000:]}")

    def kill(self, what: str) -> None:
        """kill -9, and count it."""
        self.daemon.kill()
        self.counts["kills"] += 1
        self.counts[what] += 1

    def work(self, when: str, blocked: tuple[str, ...]) -> None:
        """Let all clients ask until the daemon is killed, at a step of its own or after so many replies; or until they end."""
        chance = self.chance
        by_step = chance.random() < 0.5
        lives = not by_step and SYNC not in blocked and chance.random() < 0.3
        kill_at = int(2 ** chance.uniform(4, 9)) if by_step else 0
        most = chance.choice((4, 20, 60))
        heard = Heard(chance.choice((1, 4, 15, 40, 90)))
        pause_s = chance.random() * chance.choice((0.002, 0.02, 0.1, 0.4))
        tolerates = "storage." if SYNC in blocked else ""
        senders = [Sender(one, self.daemon.socket, most, when, heard) for one in self.owners]
        for one in senders:
            one.tolerates = tolerates
        if not self.daemon.is_alive():
            self.begin(())
        self.daemon.arm(kill_at, blocked)
        for one in senders:
            one.start()
        until(
            lambda: (
                self.daemon.ends_within(0.002)
                or (heard.reached.is_set() and not by_step)
                or not any(one.is_alive() for one in senders)
            ),
            120,
            "it dies at its step, or replies come, or the clients have ended",
        )
        time.sleep(pause_s)  # the kill must come at a moment nobody chose
        if not lives:
            self.kill("kills at work")
        for one in senders:
            one.join(90)
            self.wrong += [f"{when}: {why}" for why in one.refused]
            self.wrong += [f"{when}: a client failed: {one.failed!r}"] if one.failed else []
        self.counts["acknowledged"] += heard.total
        self.counts["refused"] += sum(len(one.refused) for one in senders)
        self.counts.update({f"of {method}": times for method, times in heard.methods.items()})
        self.scored += sum(heard.methods[one] for one in SCORED)

    def kill_recovery(self, blocked: tuple[str, ...]) -> None:
        """Kill the daemon while it takes over: at a step of its own, or some time after its start."""
        chance = self.chance
        self.was_settled = False
        if chance.random() < 0.7:
            # A recovery has few steps where little waits, and many after a disk that would not sync.
            self.daemon.spawn(int(2 ** chance.uniform(0, chance.choice((1.5, 3, 5)))), blocked)
            until(lambda: self.daemon.ends_within(0.005) or self.is_settled(blocked), 60, "it dies or is settled")
        else:
            self.daemon.spawn(0, blocked)
            if not self.daemon.ends_within(chance.random() * 0.3):
                self.is_settled(blocked)  # for the count alone
        self.kill("kills after recovery" if self.was_settled else "kills during recovery")

    def is_settled(self, blocked: tuple[str, ...] = ()) -> bool:
        """Tell whether nothing waits for a file; a daemon that cannot write is as settled as it gets when it answers."""
        self.was_settled = False
        try:
            with self.daemon.client() as client:
                status = client.call("status")
        except (MemdError, OSError):
            return False
        self.was_settled = not status["log"]["waiting"] and not any(one["waiting"] for one in status["roles"])
        return self.was_settled or bool(blocked)

    def look_while_pending(self, when: str) -> None:
        """What is served is what was acknowledged, and a reader of the files and the log makes the same of them."""
        copy = self.base / f"pending of {when.partition(',')[0]}"
        with self.daemon.client() as client:
            for _ in range(TRIES):  # what hooks keep is kept behind their reply
                known = self.view(client)
                self.daemon.hold()
                shutil.rmtree(copy, ignore_errors=True)
                shutil.copytree(self.folder.path, copy, symlinks=True)
                self.daemon.go_on()
                view = self.view(client)
                if view == known:
                    break
            self.judge(when, view, [one for one in self.things() if one.kind in SEEING])
            self.scorings(when, client)
        with views.fresh_reader(copy) as call:
            found = views.differences(view, views.serve(call, self.digests()))
        self.wrong += [f"{when}: daemon and a reader with the log differ: {one}" for one in found]
        if not found:
            shutil.rmtree(copy)
        self.pending_view = view

    def look_when_settled(self, when: str) -> None:
        """When nothing waits the files alone say what is served."""
        with self.daemon.client() as client:
            if self.chance.random() < 0.5:
                self.counts["flushes"] += 1
                self.wrong += [f"{when}: a flush left {left}" for left in [client.call("flush")] if left["held"]]
        self.settle(when)
        with self.daemon.client() as client:
            self.settled_view = self.view(client)
            found = views.differences(self.pending_view, self.settled_view)
            self.wrong += [f"{when}: settling changed what is served: {one}" for one in found]
            self.ask_too(when, client)
        self.wrong += self.compared(when, self.settled_view)
        counted = [one for one in self.things() if one.kind == more_verbs.VIOLATIONS]
        found = judge(counted, lambda one: violations_of(self.folder.path, f"g-{one.known['by']}") or None)
        self.wrong += [f"{when}: {one}" for one in found]

    def settle(self, when: str) -> None:
        """Wait until nothing waits for a file, and nothing is left of the writing."""
        end = time.monotonic() + SETTLED_S
        while not self.is_settled() or self.temporaries():
            if time.monotonic() > end:
                with self.daemon.client() as client:
                    status = client.call("status")
                waits = [one for one in status["roles"] if one["waiting"]]
                self.wrong.append(f"{when}: not settled: {status['log']} {status['held']} {waits} {self.temporaries()}")
                for one in self.temporaries():
                    (self.folder.path / one).unlink()
                return
            time.sleep(0.02)

    def temporaries(self) -> list[str]:
        """Return the files that a write left, or has not ended with."""
        path = self.folder.path
        return [
            os.path.relpath(os.path.join(at, name), path)
            for at, _, names in os.walk(path)
            for name in names
            if ".memd-tmp" in name
        ]

    def compared(self, when: str, view: views.View) -> list[str]:
        """Return what is wrong with the files: by themselves, and beside what was served."""
        copy = self.base / "files"
        self.copy_at_rest(copy)
        gone = [one.key for one in self.things() if one.known.get("erased") and one.acknowledged is None]
        found = faults_of(copy, view, gone)
        (copy / ".memory/wal.jsonl").unlink(missing_ok=True)
        with views.fresh_reader(copy) as call:
            afresh = views.serve(call, self.digests())
        found += [f"daemon and files differ: {one}" for one in views.differences(view, afresh)]
        new = [one for one in dict.fromkeys(found) if one not in self.known]  # what stays wrong is told once
        self.known.update(new)
        return [f"{when}: {one}" for one in new]

    def copy_at_rest(self, copy: Path) -> None:
        """Copy the files while nothing of them is being written."""
        shutil.rmtree(copy, ignore_errors=True)
        end = time.monotonic() + SETTLED_S
        while True:
            self.daemon.hold()
            try:
                if not self.temporaries() or time.monotonic() > end:
                    shutil.copytree(self.folder.path, copy, symlinks=True)
                    return
            finally:
                self.daemon.go_on()
            time.sleep(0.02)

    def judge(self, when: str, view: views.View, things: list[Thing]) -> None:
        found = judge(things, lambda thing: SEEING[thing.kind](view, thing))
        self.counts["things looked at"] += len(things)
        self.wrong += [f"{when}: {one}" for one in found]

    def scorings(self, when: str, client: Client) -> None:
        """A day's scorings are counted across kills. At midnight the count begins anew."""
        used = client.call("status")["limits"]["scorings_per_day"]["used"]
        today = datetime.now(UTC).date()
        if self.day == today and used < self.scored:
            self.wrong.append(f"{when}: {self.scored} scorings were acknowledged, {used} are counted")
            self.scored = used

    def ask_too(self, when: str, client: Client) -> None:
        """Some memories by their words and by their key: found where they stand, and only there."""
        known = [one for one in self.things() if one.kind == verbs.MEMORY and "id" in one.known]
        for thing in self.chance.sample(known, min(ASKED_TOO, len(known))):
            state, role = thing.acknowledged, thing.known["role"]
            stands = verbs.is_live(state)
            hits = {one["id"] for one in client.call("search", query=thing.key, role=role)["hits"]}
            if (thing.known["id"] in hits) != stands:
                self.wrong.append(f"{when}: search finds {thing.key}: {thing.known['id'] in hits}, it is {state}")
            if not stands or (state["keys"] and not state.get("expired")):
                content = client.call("trigger", role=role, message=f"What of {thing.key}?")["content"]
                if (thing.key in content) and not stands:
                    self.wrong.append(f"{when}: trigger tells {thing.key}, it is {state}: {content[:300]}")

    def view(self, client: Client) -> views.View:
        return views.serve(client.call, self.digests())

    def things(self) -> list[Thing]:
        return [thing for one in self.owners for thing in one.things if not thing.broken]

    def digests(self) -> list[str]:
        return sorted({one for thing in self.things() for one in thing.known.get("digests", [])})

    def told(self) -> dict[str, Any]:
        """Return what was counted, in order."""
        return dict(sorted(self.counts.items()))
