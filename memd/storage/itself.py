"""Which program this memd is, and how it is called from elsewhere: the one place that says so.

Another program on PATH may be called memd too, and an agent, git or a service manager may have no PATH of ours. So whatever
is written into somebody's settings, or told somebody to run from another place, has the absolute path of this one.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import sys
from functools import lru_cache
from typing import NamedTuple

import memd
from memd.storage.system import read_setting

NAME = "memd"
STARTS = "memd.__main__"  # what the script that an installer writes imports
_SHEBANG = re.compile(r"#!\s*([^\s\"']+)")
_LONG = re.compile(r"'''exec' \"?([^\"\n]+?)\"? \"\$0\"")  # where the interpreter's path has blanks, or is too long
_TOLD = re.compile(r"`memd (?=[a-z-])")
_WHOLE = re.compile(r"`memd (?!init\b)([a-z-][^`\n]*)`")


class Other(NamedTuple):
    """A program of the same name that comes first on PATH; `is_memd`: another installation of this one."""

    path: str
    is_memd: bool


def own_command() -> list[str]:
    """Return the words that start this memd: its script's absolute path, or its interpreter's where there is no script."""
    return [*_found(sys.argv[0], sys.executable)]


def own_line(*words: str) -> str:
    """Return the same, with more words behind it, as a line for a shell."""
    return shlex.join([*own_command(), *words])


def module_command() -> list[str]:
    """Return the words that start this memd by its interpreter. -P: not what the working directory calls memd."""
    return [sys.executable, "-P", "-m", NAME]


def child_command() -> list[str]:
    """Return the words that start this memd in this process's own directory; also from a source that was never installed."""
    try:
        in_source = os.path.samefile(os.getcwd(), os.path.dirname(os.path.dirname(memd.__file__)))
    except OSError:
        in_source = False
    return [one for one in module_command() if one != "-P"] if in_source else module_command()


def own_modules(path: str) -> str:
    """Return a PYTHONPATH by which this memd is found from any directory, also a source that was never installed."""
    above = os.path.dirname(os.path.dirname(os.path.abspath(memd.__file__)))
    installed = os.path.basename(above) in ("site-packages", "dist-packages")
    return os.pathsep.join(filter(None, [path, "" if installed else above]))


def typed_line(*words: str) -> str:
    """Return what a person types where they stand: `memd` where PATH leads to this one, else its path, relative below here."""
    program = own_command()
    found = shutil.which(NAME)
    if found and is_this(found):
        program = [NAME]
    elif len(program) == 1:
        relative = os.path.relpath(program[0])
        program = [program[0] if relative.startswith("..") else os.path.join(*_under(relative))]
    return shlex.join([*program, *words])


def with_path(text: str) -> str:
    """Return a text of memd's own in which every `memd …` names this program by its path."""
    return _TOLD.sub(lambda _: f"`{own_line()} ", text)


def placed(text: str, workspace: str) -> str:
    """Return a text of memd's own in which every `memd …` names this program by its path, and the workspace: it works anywhere."""
    place = shlex.join(["--workspace", workspace])
    return with_path(_WHOLE.sub(lambda found: f"`{own_line()} {found[1]} {place}`", text))


def as_typed(text: str) -> str:
    """Return a text of memd's own in which every `memd …` is what a person types where they stand."""
    return _TOLD.sub(lambda _: f"`{typed_line()} ", text)


def other_on_path(search: str) -> Other | None:
    """Return the program that a shell would start instead of this one, None where there is none; `search`: its PATH."""
    found = shutil.which(NAME, path=search)
    if not found or is_this(found):
        return None
    return Other(os.path.abspath(found), STARTS in _text_of(found))


def is_this(script: str) -> bool:
    """Tell whether a program is this very installation, also behind a link."""
    program = own_command()
    if len(program) == 1 and os.path.realpath(script) == os.path.realpath(program[0]):
        return True
    return _runs_us(script, sys.executable)


@lru_cache(maxsize=4)
def _found(called: str, executable: str) -> tuple[str, ...]:
    script = os.path.abspath(called) if os.sep in called else ""
    if os.path.basename(script) == NAME and _can_run(script):
        return (script,)
    beside = os.path.join(os.path.dirname(executable), NAME)
    return (beside,) if _can_run(beside) and _runs_us(beside, executable) else tuple(module_command())


def _can_run(path: str) -> bool:
    return os.path.isfile(path) and os.access(path, os.X_OK)


def _runs_us(script: str, executable: str) -> bool:
    """Tell whether a script was written by an installer for this package and this interpreter."""
    text = _text_of(script)
    named = _SHEBANG.match(text)
    long = _LONG.search(text) if named and named[1] == "/bin/sh" else None
    interpreter = long[1] if long else named[1] if named else ""
    return bool(interpreter) and STARTS in text and _same_python(interpreter, executable)


def _same_python(one: str, other: str) -> bool:
    """Tell whether two paths are one interpreter of one environment: environments link to the same file elsewhere."""
    folders = {os.path.realpath(os.path.dirname(path)) for path in (one, other)}
    return len(folders) == 1 and os.path.realpath(one) == os.path.realpath(other)


def _text_of(path: str) -> str:
    return read_setting(os.path.realpath(path)) if os.path.isfile(path) else ""


def _under(relative: str) -> tuple[str, ...]:
    return (relative,) if os.sep in relative else (os.curdir, relative)
