"""demo: memd at work on real text in two languages, from an empty folder to a killed daemon and back.

Every line behind a `$` is run by a shell as it stands, from where the person stands; every figure is measured on the way.
"""

from __future__ import annotations

import contextlib
import os
import re
import shlex
import signal
import statistics
import time
from collections.abc import Callable, Iterator
from typing import Any

import click

from memd.cli.show import clean, short
from memd.client import Client, socket_of
from memd.errors import MemdError, WorkspaceExistsError
from memd.storage.files import Tree
from memd.storage.itself import typed_line
from memd.storage.processes import run_program
from memd.store.keep.template import copy_template

FIRST = ("nora", "Who is my tax adviser?")
MESSAGES = (
    ("nora", "What do I need to know before I order gloves?"),
    ("阿远", "中午点菜，有什么要避开的？"),
)
CHANGES = (
    ("nora", "The landlord is no longer Herr Petersen; since May it is Frau Brandt.", "Who is the landlord?"),
    ("阿远", "房租涨了，从下个月起每月三千五。", "房租多少钱？"),
)
EDIT = "s/The van is a Citroen/The van stands behind the bakery. It is a Citroen/"
EDITED, VAN = "behind the bakery", ("nora", "Where is the van?")
PAGE = "The pyrometer of the gas kiln reads 12 degrees high. 煤气窑的测温计偏高十二度。"
SEARCH = "测温计 煤气窑"
OFFERS = (
    ("nora", "Hmm, I'm on the train, give me a minute."),
    ("阿远", "哈哈，今天可真冷，你吃了没？"),
    ("nora", "I am allergic to cashews."),
    ("阿远", "我对花生过敏。"),
)
SAVED = "花生过敏"  # of the last of them
ASKED = 60  # different messages that are timed
COLUMNS = 118  # of a line of an answer; a narrower terminal breaks it
MOST = 3  # memories of an answer that are shown
SAFE = re.compile(r"[\w@%+=:,./-]+")  # needs no quotes, in any language
RUN_S, HEARD_S, STOP_S = 60.0, 10.0, 20.0

Lines = Callable[[str], list[str]]


@click.command("demo")
@click.argument("directory", default="demo-memory")
def demo_command(directory: str) -> None:
    """Make a workspace with two roles in DIRECTORY, show memd at work on it, and leave it to play with.

    \b
    memd demo
    """
    begun_s = time.monotonic()
    asked, directory = directory, _free(directory)
    _say("1. A folder of plain text, yours, and a daemon beside it", "一个属于你的纯文本文件夹，旁边一个守护进程")
    if asked != directory:
        click.echo(f"  {asked}/ is there already and stays as it is; this run makes {directory}/.")
        click.echo(f"  {asked}/ 已经存在，保持原样；这次新建 {directory}/。")
    _make(directory)
    demo = _Demo(directory)
    started_s = time.monotonic()
    demo.run(_memd("up", "--detach", "-w", directory), _all)
    demo.figures.append(("start of the daemon, until the command is back", _seconds(time.monotonic() - started_s)))
    demo.find()
    try:
        demo.show()
    finally:
        demo.stop()
    _say("7. Measured in this run", "本次实测")
    figures = [*demo.figures, ("all of this", _seconds(time.monotonic() - begun_s))]
    click.echo("\n".join(f"  {what}: {figure}" for what, figure in figures))
    _go_on(directory)


class _Demo:
    """What is shown of one workspace: its commands, its daemon, and the figures that were measured."""

    def __init__(self, directory: str) -> None:
        self.directory, self.pid = directory, 0
        self.workspace = os.path.realpath(directory)
        self.figures: list[tuple[str, str]] = []

    def show(self) -> None:
        _say("2. What comes to mind", "想起什么")
        self.trigger(*FIRST, _block)
        for role, message in MESSAGES:
            self.trigger(role, message, _relevant)
        _say("3. What is new takes the place of what was", "新的取代旧的")
        for role, text, question in CHANGES:
            self.remember(role, text)
            self.trigger(role, question, _relevant)
        _say("4. Any editor, any program: the next answer knows", "随便用什么改，下一次就知道")
        self.edit()
        self.write_page()
        self.measure()
        _say("5. What is kept, and what is refused", "记住什么，不记什么")
        for role, text in OFFERS:
            self.remember(role, text)
        _say("6. kill -9, and what was acknowledged is there", "强行杀掉，答应记住的还在")
        self.kill()

    def run(self, line: str, lines: Lines) -> str:
        """Show a line, have a shell run it, show those lines of what it printed; an error where it fails."""
        click.echo(click.style(f"$ {line}", bold=True))
        ran = run_program(["sh", "-c", line], deadline_s=RUN_S)
        if ran.status:
            raise click.ClickException(f"that ended with status {ran.status}: {clean(ran.why)}")
        for one in lines(clean(ran.out)):
            click.echo(f"  {short(one, COLUMNS - 2)}")
        return ran.out

    def trigger(self, role: str, message: str, lines: Lines) -> str:
        return self.run(_memd("trigger", role, message, "-w", self.directory), lines)

    def remember(self, role: str, text: str) -> None:
        self.run(_memd("remember", role, text, "--source", "user", "-w", self.directory), _verdict)

    def edit(self) -> None:
        """Change a memory's file from outside, and see that it is known."""
        file = os.path.join(self.directory, "roles", "nora", "memory.json")
        self.run(_line("sed", "-i", EDIT, file), _none)
        waited_s = _until(lambda: EDITED in self.ask("trigger", role=VAN[0], message=VAN[1])["content"])
        self.trigger(*VAN, lambda out: [line for line in _relevant(out) if EDITED in line])
        self.figures.append(("from the end of `sed` to an answer that knows", f"{waited_s * 1000:.0f} ms"))

    def write_page(self) -> None:
        """Write a page, and find it."""
        page = os.path.join(self.directory, "notes", "kiln.md")
        self.run(f"{_line('mkdir', '-p', os.path.dirname(page))} && {_line('echo', PAGE)} > {_quoted(page)}", _none)
        waited_s = _until(lambda: any(hit["kind"] == "page" for hit in self.ask("search", query=SEARCH)["hits"]))
        self.run(_memd("search", SEARCH, "--limit", "1", "-w", self.directory), _hits)
        self.figures.append(("from the end of `echo` to a search that finds it", f"{waited_s * 1000:.0f} ms"))

    def measure(self) -> None:
        """Time triggers over the socket, no message asked twice: each is what one of the memories says."""
        took_ms = []
        roles = sorted({role for role, _ in MESSAGES})
        with Client(socket_of(self.workspace)) as client:
            listed = [(role, client.call("memory.list", role=role)["memories"]) for role in roles]
            asked = [
                (role, memory["content"]) for role, memories in listed for memory in memories[: ASKED // len(roles)]
            ]
            for role, message in asked:
                begun_s = time.perf_counter()
                client.call("trigger", role=role, message=message)
                took_ms.append((time.perf_counter() - begun_s) * 1000)
        count = sum(len(memories) for _, memories in listed)
        what = f"trigger over the socket, {len(asked)} messages, {count} memories, median / slowest"
        self.figures.append((what, f"{statistics.median(took_ms):.1f} / {max(took_ms):.1f} ms"))

    def kill(self) -> None:
        """Kill the daemon behind an acknowledged memory, and find it without one."""
        self.run(f"kill -9 {self.pid}", _none)
        self.pid = 0
        found = self.run(_memd("search", SAVED, "--limit", "1", "-w", self.directory), _hits)
        if SAVED not in found:
            raise click.ClickException("what was acknowledged is not there")

    def find(self) -> None:
        """Find the daemon's process."""
        self.pid = int(self.ask("ping")["pid"])

    def ask(self, method: str, **params: Any) -> dict[str, Any]:
        with Client(socket_of(self.workspace)) as client:
            return client.call(method, **params)

    def stop(self) -> None:
        """End the daemon where it was not killed."""
        if not self.pid:
            return
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGTERM)
            _until(lambda: not _answers(self.workspace), STOP_S)


def _make(directory: str) -> None:
    os.makedirs(directory, exist_ok=True)
    tree = Tree(os.path.realpath(directory))
    try:
        names = [*copy_template(tree, "workspace")[0], *copy_template(tree, "demo")[0]]
    finally:
        tree.close()
    shown = [name for name in names if name.endswith((".md", "memory.json"))]
    click.echo(f"  {directory}/: {', '.join(shown)} and {len(names) - len(shown)} more")


def _go_on(directory: str) -> None:
    """Say what to type next; each line works from where the person stands."""
    _say("Go on", "接着试")
    lines = [
        _memd("trigger", "nora", "What does the landlord want?", "--explain", "-w", directory),
        _memd("remember", "阿远", "阿远下个月开始学游泳，每周二晚上。", "--source", "user", "-w", directory),
        _memd("list", "nora", "--kind", "trait", "-w", directory),
        _memd("search", '"gas kiln" after:2026-01', "-w", directory),
        _memd("status", "-w", directory),
    ]
    own = os.path.expanduser("~/my-memory")
    if not os.path.lexists(own):
        lines.append(f"{_memd('init')} ~/my-memory   # one of your own 建一个自己的")
    click.echo("\n".join(f"  {line}" for line in lines))


def _memd(*words: str) -> str:
    return f"{typed_line()} {_line(*words)}"


def _line(*words: str) -> str:
    return " ".join(map(_quoted, words))


def _quoted(word: str) -> str:
    """Return a word as a person would write it for a shell."""
    if SAFE.fullmatch(word):
        return word
    return f'"{word}"' if "'" in word and not set(word) & set('"$`\\!') else shlex.quote(word)


def _all(out: str) -> list[str]:
    return out.splitlines()


def _none(_: str) -> list[str]:
    return []


def _block(out: str) -> list[str]:
    """Return what the model is given."""
    lines = out.splitlines()
    ends = next((number for number, line in enumerate(lines) if line.startswith("</")), len(lines) - 1)
    return lines[: ends + 1]


def _relevant(out: str) -> list[str]:
    """Return what of it is relevant now, a line each."""
    lines = _block(out)
    begins = next((number for number, line in enumerate(lines) if line == "## Relevant now"), len(lines))
    return [line for line in lines[begins:] if line.startswith("- ")][:MOST]


def _verdict(out: str) -> list[str]:
    return out.splitlines()[:1]


def _hits(out: str) -> list[str]:
    """Return the hits, without what is said of the index."""
    lines = out.splitlines()
    ends = next((number for number, line in enumerate(lines) if " of " in line and line.endswith(" ms")), len(lines))
    return lines[:ends]


def _say(text: str, chinese: str) -> None:
    click.echo(click.style(f"\n== {text}  {chinese}", bold=True))


def _until(holds: Callable[[], bool], most_s: float = HEARD_S) -> float:
    """Look until something is so, and return how long that took in seconds; an error where it does not become so."""
    begun_s = time.monotonic()
    while not holds():
        if time.monotonic() - begun_s > most_s:
            raise click.ClickException(f"that was not so after {most_s:g} s")
        time.sleep(0.002)
    return time.monotonic() - begun_s


def _answers(workspace: str) -> bool:
    try:
        with Client(socket_of(workspace)):
            return True
    except MemdError:
        return False


def _seconds(value_s: float) -> str:
    return f"{value_s:.1f} s"


def _free(directory: str) -> str:
    """Return the directory, or the first of its kind with a number that does not exist yet."""
    return next(one for one in _names(directory) if not os.path.exists(one) or _is_empty(one))


def _names(directory: str) -> Iterator[str]:
    yield directory
    for number in range(2, 1000):
        yield f"{directory.rstrip('/')}-{number}"
    raise WorkspaceExistsError(directory)


def _is_empty(path: str) -> bool:
    return os.path.isdir(path) and not os.listdir(path)
