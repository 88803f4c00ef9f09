"""How other programs start this memd: by its absolute path, since they may not have ours on theirs."""

from __future__ import annotations

import os
import shlex
import sys


def own_command() -> list[str]:
    """Return the words that start this memd: its script, or where there is none, the interpreter and its name."""
    beside = os.path.join(os.path.dirname(sys.executable), "memd")
    for script in (os.path.abspath(sys.argv[0]), beside):
        if os.path.basename(script) == "memd" and os.path.isfile(script) and os.access(script, os.X_OK):
            return [script]
    return [sys.executable, "-P", "-m", "memd"]  # -P: not what the caller's working directory calls memd


def own_line(*words: str) -> str:
    """Return the same, with more words behind it, as a line for a shell."""
    return shlex.join([*own_command(), *words])
