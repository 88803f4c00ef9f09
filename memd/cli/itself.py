"""How other programs start this memd: by its absolute path, since they may not have ours on theirs."""

from __future__ import annotations

import os
import shlex
import shutil
import sys


def own_command() -> list[str]:
    """Return the words that start this memd: the script that was started, or the interpreter with the module."""
    started = os.path.abspath(sys.argv[0])
    beside = os.path.join(os.path.dirname(sys.executable), "memd")
    for script in (started, beside, shutil.which("memd") or ""):
        if os.path.basename(script) == "memd" and os.path.isfile(script) and os.access(script, os.X_OK):
            return [script]
    return [sys.executable, "-m", "memd"]


def own_line() -> str:
    """Return the same as a line for a shell."""
    return shlex.join(own_command())
