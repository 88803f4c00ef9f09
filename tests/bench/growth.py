"""How a daemon's resident memory grows: over triggers, and over remembers beyond what the memories themselves cost.

`python -m tests.bench.growth [memories] [triggers] [remembers]`: what a daemon holds after so many remembers is set beside
what a daemon holds that was just started on the same files and asked the same kind of things.
"""

from __future__ import annotations

import os
import random
import sys
import tempfile
from pathlib import Path

from tests.support import Daemon, Folder, until

ROOT = Path(__file__).parent.parent.parent
WORDS = sorted({word.lower() for word in (ROOT / "README.md").read_text("utf-8").split() if word.isalpha()})
SESSIONS = 50
WARM = 300


def sentence(chance: random.Random) -> str:
    """A text of ordinary words, and one figure."""
    return " ".join(chance.choice(WORDS) for _ in range(14)).capitalize() + f" {chance.getrandbits(20):x}."


def resident_kb(daemon: Daemon) -> int:
    """Return what the daemon's process holds."""
    assert daemon.process is not None
    with open(f"/proc/{daemon.process.pid}/status", encoding="utf-8") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("VmRSS"))


def trigger(daemon: Daemon, chance: random.Random, count: int) -> None:
    """Ask so often, in turn in so many sessions."""
    with daemon.client() as client:
        for number in range(count):
            client.call("trigger", role="main", message=sentence(chance), session=f"s{number % SESSIONS}")


def remember(daemon: Daemon, chance: random.Random, count: int) -> None:
    """Store so many new memories, and wait until they are in the files."""
    with daemon.client() as client:
        for _ in range(count):
            client.call("remember", role="main", content=sentence(chance), explicit=True, kind="semantic")
    until(lambda: daemon.call("status")["log"]["waiting"] == 0, 300, "all is in the files")


def warm(daemon: Daemon, chance: random.Random) -> int:
    """Do a little of both, and return what is held then."""
    trigger(daemon, chance, WARM)
    remember(daemon, chance, WARM)
    return resident_kb(daemon)


def main(memories: int = 10_000, triggers: int = 10_000, remembers: int = 10_000) -> None:
    """Print the table."""
    chance = random.Random(1)
    with tempfile.TemporaryDirectory() as name:
        os.environ.update(HOME=name, XDG_CACHE_HOME=f"{name}/cache", XDG_RUNTIME_DIR=name)
        folder = Folder.make(Path(name) / "m", demo=False)
        folder.settings(limits__scorings_per_day=10**6, limits__role_memories=10**6, limits__role_bytes=10**9)
        folder.write("main", *(sentence(chance) for _ in range(memories)))
        daemon = Daemon(folder, Path(name) / "s", alone=True)
        daemon.start()
        begun = warm(daemon, chance)
        trigger(daemon, chance, triggers)
        asked = resident_kb(daemon)
        remember(daemon, chance, remembers)
        stored = resident_kb(daemon)
        daemon.stop()
        daemon.start()
        fresh = warm(daemon, chance)
        daemon.stop()
    print(f"{'resident memory':44} {'MB':>8} {'growth':>8}  goal")
    print(f"{f'{memories:,} memories, warm':44} {begun / 1024:8.1f}")
    print(f"{f'after {triggers:,} triggers':44} {asked / 1024:8.1f} {asked / begun - 1:8.1%}  < 5 %")
    print(f"{f'after {remembers:,} remembers':44} {stored / 1024:8.1f}")
    print(f"{'the same files, a daemon just started':44} {fresh / 1024:8.1f} {stored / fresh - 1:8.1%}  < 5 %")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
