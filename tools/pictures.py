"""Pictures of a terminal for docs/: what memd prints on a real one, drawn as SVG.

    python -m tools.pictures             # makes docs/pictures anew
    python -m tools.pictures --check     # names those that are stale, and ends with 1

Each is typed by somebody with an empty home and one agent. What is another each time (ids, processes, days) is drawn as one that
is not, so that a picture changes only where memd prints something else. Words judge, and no model: it would have to be loaded first.
"""

from __future__ import annotations

import fcntl
import os
import pty
import re
import shutil
import string
import struct
import subprocess
import sys
import termios
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from html import escape
from itertools import groupby, product
from pathlib import Path

FOLDER = Path(__file__).parent.parent / "docs/pictures"
COLUMNS, HOME = 100, "/home/me"
WIDTH, HEIGHT, MARGIN, BAR = 8.4, 20, 18, 34  # of a column, a line, the edge and the head, in pixels
FONTS = 'ui-monospace,Menlo,Consolas,"DejaVu Sans Mono","Noto Sans Mono CJK SC",monospace'
PROMPT = "$ "


@dataclass(frozen=True)
class Picture:
    """What is typed before it, unseen, and what is typed in it; `says` is what those read who do not see it."""

    says: str
    before: tuple[str, ...]
    typed: tuple[str, ...]


MADE = ("memd init ~/memory", "cd ~/memory", "memd up --detach")
PICTURES = {
    "setup": Picture("memd setup shows its plan, and does it", (), ("memd setup --yes",)),
    "recall": Picture(
        "What is remembered, with what took its place, and what a message brings to mind",
        (
            *MADE,
            'memd remember main "I fly to Lisbon tomorrow at 7:15." --source user',
            'memd remember main "Our staging database listens on port 5433." --source user',
            'memd remember main "Our staging database moved to port 6001." --source user',
        ),
        ("memd list main", 'memd trigger main "Which port is the staging database on?"'),
    ),
    "recall.zh": Picture(
        "记住了什么，谁顶替了谁，一句话又想起了什么",
        (
            *MADE,
            'memd remember main "明天下午三点我要去医院复查。" --source user',
            'memd remember main "测试环境的数据库端口是 5433。" --source user',
            'memd remember main "测试环境的数据库端口改成 6001 了。" --source user',
        ),
        ("memd list main", 'memd trigger main "测试库连哪个端口？"'),
    ),
}

STYLE = re.compile(r"\x1b\[([0-9;]*)m")
HIDDEN_CURSOR = "\x1b[?25l"
OTHER_CODES = re.compile(r"\x1b\[\??[0-9;]*[A-Za-ln-z]")
SAME = (  # what is another each time, and what is drawn for it; an id keeps its length
    (re.compile(r"\bprocess \d+"), "process 4711"),
    (re.compile(r"[\d.]+ ms\b"), "8.14 ms"),
    (re.compile(r"\b[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b"), "5b77-4c1e-9d02-8a6f3e51c7d4"),
)
ID = re.compile(r"\b[0-9a-f]{8}\b")  # nothing else on these screens is one
IDS = ("1f0c2a9b", "2e1d3b4a", "3a5e7c91", "4b6d8f02", "5c7e9a13", "6d8fab24", "7e9abc35", "8fabcd46")
DAYS = ("2026-11-23", "2026-11-24")  # today and tomorrow


class Terminal:
    """Somebody at a terminal, with a home of their own; its path is as long as the one that is drawn."""

    def __init__(self, home: Path) -> None:
        self.home, self.cwd = home, home
        programs = home / ".local/bin"
        programs.mkdir(parents=True)
        (home / "run").mkdir(mode=0o700)
        (programs / "claude").write_text("#!/bin/sh\n")
        (programs / "claude").chmod(0o755)
        (programs / "memd").symlink_to(Path(sys.executable).with_name("memd"))
        for name in ("git", "sh"):
            (programs / name).symlink_to(shutil.which(name) or name)
        self.env = {
            "HOME": str(home), "PATH": str(programs), "XDG_RUNTIME_DIR": str(home / "run"), "TERM": "xterm-256color",
            "LC_ALL": "C.UTF-8", "TZ": "UTC", "MEMD_EMBEDDINGS": "none",
        }  # fmt: skip

    def types(self, text: str) -> str:
        """Return what a command prints, as the terminal gets it. CalledProcessError where it fails."""
        if text.startswith("cd "):
            self.cwd = Path(text.removeprefix("cd ").replace("~", str(self.home)))
            return ""
        ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 50, COLUMNS, 0, 0))
        process = subprocess.Popen(  # noqa: S603  the texts above
            ["/bin/sh", "-c", text], cwd=self.cwd, env=self.env, stdin=theirs, stdout=theirs, stderr=theirs
        )
        os.close(theirs)
        seen = b""
        try:
            while piece := os.read(ours, 65536):
                seen += piece
        except OSError:
            pass  # the other end is closed: it has ended
        os.close(ours)
        if process.wait():
            raise subprocess.CalledProcessError(process.returncode, text, seen)
        lines = seen.decode().replace("\r\n", "\n").splitlines(keepends=True)
        return "".join(
            line for line in lines if HIDDEN_CURSOR not in line
        )  # a bar, which comes where a machine is slow


@contextmanager
def terminal() -> Iterator[Terminal]:
    """Sit down at a terminal; all of it is gone behind."""
    for three in product(string.ascii_lowercase, repeat=3):
        home = Path("/tmp", "".join(three))  # noqa: S108  as long as HOME, and ours alone
        try:
            home.mkdir(mode=0o700)
        except FileExistsError:
            continue
        break
    one = Terminal(home)
    try:
        yield one
    finally:
        for settings in home.glob("*/memd.toml"):
            one.types(f"memd down --workspace {settings.parent} || true")
        shutil.rmtree(home)


def screen(picture: Picture) -> str:
    """Return what stands on a terminal when a picture is taken, with what differs each time as it is drawn."""
    with terminal() as one:
        for text in picture.before:
            one.types(text)
        seen = "".join(f"{PROMPT}{text}\n{one.types(text)}" for text in picture.typed)
        return same(seen.replace(str(one.home), HOME))


def same(seen: str) -> str:
    """Return a screen with ids, processes and today as they are drawn."""
    for pattern, drawn in SAME:
        seen = pattern.sub(drawn, seen)
    for ahead, day in enumerate(DAYS):
        seen = seen.replace((datetime.now(UTC) + timedelta(ahead)).strftime("%Y-%m-%d"), day)
    drawn_ids: dict[str, str] = {}
    return ID.sub(lambda found: drawn_ids.setdefault(found[0], IDS[len(drawn_ids)]), seen)


def drawn(says: str, seen: str) -> str:
    """Return a screen as SVG."""
    lines = OTHER_CODES.sub("", seen).rstrip("\n").split("\n")
    wide, high = 2 * MARGIN + COLUMNS * WIDTH, BAR + MARGIN + len(lines) * HEIGHT
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{wide:g}" height="{high}" viewBox="0 0 {wide:g} {high}" role="img">',
        f"<title>{escape(says)}</title>",
        f"<style>text{{font:14px {FONTS};fill:#d8dee9;white-space:pre}}.b{{font-weight:bold;fill:#fff}}.c{{fill:#a3be8c}}</style>",
        f'<rect width="{wide:g}" height="{high}" rx="8" fill="#22272e"/>',
        *(f'<circle cx="{MARGIN + 18 * at}" cy="17" r="5" fill="#4c566a"/>' for at in range(3)),
    ]
    bold = False
    for number, line in enumerate(lines):
        column, high = 0, BAR + 14 + number * HEIGHT
        typed = line.startswith(PROMPT)
        for at, piece in enumerate(STYLE.split(line)):
            if at % 2:
                bold = piece == "1" if piece in ("", "0", "1", "22") else bold
                continue
            for wide_chars, run in groupby(piece, _is_wide):
                text = "".join(run)
                columns = len(text) * (2 if wide_chars else 1)
                kind = ' class="b"' if bold else ' class="c"' if typed else ""
                if text.strip():
                    place = f'x="{MARGIN + column * WIDTH:g}" y="{high}" textLength="{columns * WIDTH:g}"'
                    parts.append(f"<text {place}{kind}>{escape(text)}</text>")
                column += columns
    return "\n".join([*parts, "</svg>"]) + "\n"


def _is_wide(char: str) -> bool:
    return unicodedata.east_asian_width(char) in "WF"


def shape(svg: str) -> str:
    """Return what a picture says without its figures: a score may move a little, and the picture is still true."""
    return re.sub(r"\d+", "0", svg)


def stale() -> Iterator[str]:
    """Name the pictures that are not what would be made now."""
    for name, picture in PICTURES.items():
        path = FOLDER / f"{name}.svg"
        if not path.exists() or shape(path.read_text("utf-8")) != shape(drawn(picture.says, screen(picture))):
            yield path.name


def main(words: list[str]) -> int:
    """Make all, or those that are named; with --check write nothing."""
    if "--check" in words:
        found = list(stale())
        sys.stdout.write("".join(f"stale: {one}\n" for one in found))
        return bool(found)
    FOLDER.mkdir(exist_ok=True)
    for name in words or PICTURES:
        picture = PICTURES[name]
        (FOLDER / f"{name}.svg").write_text(drawn(picture.says, screen(picture)), "utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
