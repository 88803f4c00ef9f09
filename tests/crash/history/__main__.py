"""Run histories from the command line; the exit status is 1 where a promise was broken."""

from __future__ import annotations

import argparse
import collections
import os
import shutil
import sys
import tempfile
import time
from pathlib import Path

from tests.crash.history.rounds import History


def main() -> int:
    """Run, and tell."""
    parser = argparse.ArgumentParser(prog="python -m tests.crash.history", description=__doc__)
    parser.add_argument("--seed", type=int, default=1, help="of the first history")
    parser.add_argument(
        "--histories", type=int, default=1, help="how many, each with the next seed and a new workspace"
    )
    parser.add_argument("--rounds", type=int, default=20, help="of each history")
    parser.add_argument("--clients", type=int, default=4)
    parser.add_argument("--no-chains", action="store_true", help="ask nothing on of what there is no reply about yet")
    parser.add_argument("--first", action="store_true", help="end at the first promise that is broken")
    parser.add_argument("--keep", action="store_true", help="leave the workspace where it is")
    asked = parser.parse_args()
    total: collections.Counter[str] = collections.Counter()
    broken = 0
    begun_s = time.monotonic()
    for seed in range(asked.seed, asked.seed + asked.histories):
        base = Path(tempfile.mkdtemp(prefix="memd-h"))
        os.environ.update(
            XDG_CACHE_HOME=str(base / "cache"),
            XDG_RUNTIME_DIR=str(base / "run"),
            HOME=str(base / "home"),
            MEMD_EMBEDDINGS="none",  # the id of an offer that is to be judged again answers for a memory that is gone
        )
        (base / "run").mkdir(mode=0o700)
        history = History(seed, base, asked.clients, not asked.no_chains, say=lambda text: print(text, flush=True))
        history.run(asked.rounds, first=asked.first)
        total += history.counts
        broken += len(history.wrong)
        for one in history.wrong:
            print(f"WRONG seed {seed}: {one}")
        if history.wrong:
            print(
                f"again: python -m tests.crash.history --seed {seed} --rounds {asked.rounds} --clients {asked.clients}"
            )
        if asked.first and broken:
            return 1
        if not asked.keep:
            shutil.rmtree(base, ignore_errors=True)
        else:
            print(f"kept: {base}")
    print(f"{dict(sorted(total.items()))}; {broken} wrong; {time.monotonic() - begun_s:.0f} s")
    return int(broken > 0)


if __name__ == "__main__":
    sys.exit(main())
