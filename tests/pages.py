"""Pages with commands in them: what a page tells its reader to type, a person who types it, and whether the page was true.

In a block of `sh` every line is a command. In a block of `console` commands begin with `$ `, and what follows is what they
print: `…` stands for what varies, on a line of its own for any lines; eight hex digits stand for the id that was printed where
they first stood, and in later commands too; runs of blanks are one blank. A command succeeds unless the page shows an `Error:`;
one whose answer is shown may end with 1, which says that something was found.

In a block of `prompt` what begins with `> ` is said to the reader's agent, and what follows is what memd tells the agent with it. Each
block is a conversation of its own, over when a command follows. Beside an agent memd works in the background: what is shown of the
next commands may take a moment.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from memd.client import Client
from memd.errors import DaemonMissingError, MemdError
from memd.model.agents import EVENTS
from tests import forking
from tests.support import until

FENCE = re.compile(r"^(?P<marks>```+)(?P<language>[a-z]*)\n(?P<inside>.*?)^(?P=marks)$", re.MULTILINE | re.DOTALL)
# On which machine the reader sits from here on, and which files of the old one's home came along: no reader sees it.
MACHINE = re.compile(r"^<!-- machine: (?P<name>\w+)(?:, with (?P<files>[\w. -]+))? -->$", re.MULTILINE)
# The block behind this is a file of the reader's home.
SAVED = re.compile(r"^<!-- saved: (?P<name>[^/\s]+) -->\n```\w+\n(?P<inside>.*?)^```$", re.MULTILINE | re.DOTALL)
OTHER_LANGUAGES = {"text", "python", "toml", "json", "yaml"}
REST_OF_ID = "(?:(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})?"  # a pipe is given ids whole
ID = re.compile(r"\b(?=[0-9]*[a-f])(?=[a-f]*[0-9])[0-9a-f]{8}\b")
ANYTHING = "…"
PROGRAMS = ".venv/bin/"
PLAIN = re.compile(
    r"""(?:[^\s"'|&;<>()$`\\*?~#\[\]{}!]|\s|'[^']*'|"[^"$`\\!]*")+"""
)  # what a shell only cuts into words
FOUND = 1  # the exit status of a command that works and finds something
HOME = "/home/me"  # how a page writes the reader's home where a command prints it
ADDRESS = "git@example.com:me/"  # and where the reader's repositories are
AGENTS = {
    "claude": "claude",
    "codex": "codex",
    "gemini": "gemini",
    "vscode": "code",
    "opencode": "opencode",
}  # their programs
HOOKS = {"claude": ".claude/settings.json", "codex": ".codex/hooks.json", "gemini": ".gemini/settings.json", "vscode": ".copilot/hooks/memd.json"}  # fmt: skip
BACKGROUND_S, READING = 30.0, (["about"], ["list"], ["log"], ["trigger"])
KNOWN_TO_GIT = "[user]\nname = Robin\nemail = robin@example.com\n[init]\ndefaultBranch = main\n"


@dataclass(frozen=True)
class Command:
    """What a page says to type; `shown` is what it shows of the answer, None where it shows nothing."""

    page: str
    line: int
    text: str
    shown: str | None = None
    machine: str = ""  # no command, but from here on another machine
    files: tuple[str, ...] = ()
    saved: str = ""  # no command, but a file of this name that has the text
    conversation: int = 0  # said to the agent, in the conversation that begins in this line of the page

    @property
    def place(self) -> str:
        return f"{self.page}:{self.line}: {self.text}"


def commands_of(page: str, text: str) -> list[Command]:
    """Return what a page says to type, in its order. Raise AssertionError for a block that hides commands."""
    found = []
    for block in FENCE.finditer(text):
        line = text.count("\n", 0, block.start()) + 2
        language, inside = block["language"], block["inside"]
        if language == "sh":
            found += [Command(page, at, typed) for at, typed in _typed(inside, line)]
        elif language == "console":
            found += _talk(page, inside, line)
        elif language == "prompt":
            said = _talk(page, inside, line, "> ")
            found += [replace(one, shown=one.shown or None, conversation=line) for one in said]
        else:
            assert language in OTHER_LANGUAGES, f"{page}:{line - 1}: a block of {language or 'no language'}"
            assert not re.search(r"^\s*\$ ", inside, re.MULTILINE), f"{page}:{line - 1}: commands that nobody runs"
    assert text.count("```") == 2 * len(FENCE.findall(text)), f"{page}: a block that does not begin its line"
    known = len(MACHINE.findall(text)) + len(SAVED.findall(text))
    assert text.count("<!--") == known, f"{page}: a comment that is no machine and no file"
    for file in SAVED.finditer(text):
        line = text.count("\n", 0, file.start()) + 1
        found.append(Command(page, line, file["inside"], saved=file["name"]))
    for switch in MACHINE.finditer(text):
        line = text.count("\n", 0, switch.start()) + 1
        found.append(Command(page, line, "", machine=switch["name"], files=tuple((switch["files"] or "").split())))
    return sorted(found, key=lambda one: one.line)


def _typed(inside: str, line: int) -> list[tuple[int, str]]:
    commands, begun = [], ""
    for at, one in enumerate(inside.splitlines(), line):
        begun += one
        if one.endswith("\\"):
            begun = begun[:-1]
        elif begun.strip() and not begun.startswith("#"):
            commands.append((at, begun.strip()))
            begun = ""
        else:
            begun = ""
    assert not begun, f"line {line}: a block ends within a command"
    return commands


def _talk(page: str, inside: str, line: int, mark: str = "$ ") -> list[Command]:
    assert inside.startswith(mark), f"{page}:{line}: a talk begins with a command"
    commands = []
    for at, said in enumerate(inside.splitlines(), line):
        if said.startswith(mark):
            commands.append((at, said[2:], list[str]()))
        else:
            commands[-1][2].append(said)
    return [Command(page, at, typed, "\n".join(shown).strip()) for at, typed, shown in commands]


def pattern_of(shown: str, ids: Mapping[str, str]) -> re.Pattern[str]:
    """Return what the text that a page shows stands for. A group `id_…` of it is an id that was not known yet."""
    told: set[str] = set()

    def of_id(found: re.Match[str]) -> str:
        name = found[0]
        if name in ids:
            return ids[name][:8] + REST_OF_ID
        if name in told:
            return f"(?P=id_{name}){REST_OF_ID}"
        told.add(name)
        return f"(?P<id_{name}>[0-9a-f]{{8}}){REST_OF_ID}"

    lines = []
    for line in blanks_as_one(shown).splitlines():
        if line == ANYTHING:
            lines.append(r"(?:[^\n]*\n)*?")
        else:
            lines.append(ID.sub(of_id, re.escape(line).replace(ANYTHING, r"[^\n]*?")) + r"\n")
    return re.compile("".join(lines))


def blanks_as_one(text: str) -> str:
    return "\n".join(re.sub(r"[ \t]+", " ", line).strip() for line in text.strip().splitlines())


@dataclass
class Person:
    """Somebody at a shell, with a home of their own on each machine, and a repository that all machines reach.

    The program of their `agent` does nothing by itself; its hooks are run as it would run them.
    """

    place: Path
    home: Path = Path()
    cwd: Path = Path()
    env: dict[str, str] = field(default_factory=dict)
    ids: dict[str, str] = field(default_factory=dict)
    agent: str = ""
    _runtimes: dict[str, Path] = field(default_factory=dict)
    _conversation: int = 0  # with the agent, 0 between two
    _talked: bool = False

    def sits_at(self, machine: str, *files: str) -> None:
        """Go to a machine, a new one where it was never named; `files` of the home that one comes from are carried along."""
        old, self.home = self.home, self.place / machine
        self.home.mkdir(exist_ok=True)
        for name in files:
            shutil.copy2(old / name, self.home / name)
        if machine not in self._runtimes:
            self._runtimes[machine] = Path(tempfile.mkdtemp(prefix="memd-p"))  # short enough for a socket
        kept = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith(("XDG_", "MEMD_", "PYTEST_", "GIT_"))
        }
        others = [
            one for one in kept["PATH"].split(":") if not any(Path(one, name).exists() for name in AGENTS.values())
        ]
        path = ":".join(
            [str(self.home / ".local/bin"), str(forking.program().parent), os.path.dirname(sys.executable), *others]
        )
        self.env = {**kept, "PATH": path, "HOME": str(self.home), "XDG_RUNTIME_DIR": str(self._runtimes[machine])}
        self.cwd = self.home
        remotes = self.place / "remotes"
        if not remotes.exists():
            subprocess.run(["git", "init", "-q", "--bare", "-b", "main", remotes / "my-memory.git"], check=True)
        known = f'{KNOWN_TO_GIT}[url "{remotes}/"]\ninsteadOf = {ADDRESS}\n'
        (self.home / ".gitconfig").write_text(known, "utf-8")

    def has(self, agent: str) -> None:
        """Install an agent on this machine."""
        self.agent = agent
        program = self.home / ".local/bin" / AGENTS[agent]
        program.parent.mkdir(parents=True)
        program.write_text("#!/bin/sh\n")
        program.chmod(0o755)

    def says(self, command: Command) -> str:
        """Say something to the agent, and return what memd tells the agent with it."""
        told = ""
        if self._conversation != command.conversation:
            self.closes()
            self._conversation = command.conversation
            told = self._happens("start", source="startup")
        told += self._happens("prompt", prompt=command.text)
        self._happens("stop", last_assistant_message="OK.", prompt=command.text, prompt_response="OK.")
        return told

    def closes(self) -> None:
        """End the conversation with the agent, if there is one."""
        if self._conversation:
            self._happens("end", reason="exit")
            self._conversation, self._talked = 0, True

    def _happens(self, meaning: str, **more: str) -> str:
        """Run the hooks that the agent's settings have for an event, and return what they tell the agent."""
        name = next((one for one, means in EVENTS[self.agent].items() if means == meaning), "")
        hooks = json.loads((self.home / HOOKS[self.agent]).read_text("utf-8"))["hooks"].get(name, [])
        known = {"hook_event_name": name, "session_id": f"5f0c2a9b-{self._conversation}", "cwd": str(self.cwd), **more}
        told = []
        for hook in [inner for one in hooks for inner in one.get("hooks", [one])]:
            ran = subprocess.run(hook["command"], shell=True, input=json.dumps(known).encode(), cwd=self.cwd, env=self.env, capture_output=True, check=True)  # fmt: skip
            said = json.loads(ran.stdout) if ran.stdout else {}
            told.append(said.get("hookSpecificOutput", {}).get("additionalContext", ""))
        return "\n".join(told)

    def types(self, text: str) -> tuple[int, str]:
        """Type a command, and return its exit status and what stands on the screen then."""
        text = ID.sub(lambda found: self.ids.get(found[0], found[0]), text)
        text = re.sub(rf"(?<!\S){re.escape(PROGRAMS)}", os.path.dirname(sys.executable) + "/", text)
        words = shlex.split(text) if PLAIN.fullmatch(text) else []
        if words and os.path.basename(words[0]) == "memd":
            with tempfile.TemporaryFile() as screen:
                process = forking.start(*words[1:], cwd=self.cwd, env=self.env, stdout=screen, stderr=screen)
                status = process.wait(60)
                screen.seek(0)
                said = screen.read()
        else:
            status, said = self._through_a_shell(text)
        return status, said.decode().replace(str(self.home), HOME)

    def _through_a_shell(self, text: str) -> tuple[int, bytes]:
        left = self.place / "left"
        left.unlink(missing_ok=True)
        script = f'{text}\nstatus=$?\n{{ pwd; env -0; }} > "{left}"\nexit $status\n'
        ran = subprocess.run(
            ["bash", "-c", script],
            cwd=self.cwd,
            env=self.env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            check=False,
        )
        if left.exists():  # else the shell did not understand a word of it, or was told to end
            cwd, _, variables = left.read_text("utf-8").partition("\n")
            self.cwd = Path(cwd)
            self.env = dict(one.partition("=")[::2] for one in variables.split("\0") if one)
        return ran.returncode, ran.stdout

    def follows(self, command: Command) -> str:
        """Do what a page says, and return in which way the page was not true, "" where it was."""
        if command.machine:
            self.sits_at(command.machine, *command.files)
            return ""
        if command.saved:
            (self.home / command.saved).write_text(command.text, "utf-8")
            return ""
        if command.conversation:
            told = self.says(command)
            return "" if command.shown is None else self._compares(command, told)
        self.closes()
        for runtime in self._runtimes.values():
            for path in runtime.glob("memd/*.sock"):
                until(partial(_is_settled, path), 60, "the model is loaded: who reads a page takes longer than that")
        waits = self._talked and command.text.split()[1:2] in READING
        until_s = time.monotonic() + BACKGROUND_S * waits
        while (fault := self._types(command)) and time.monotonic() < until_s:
            time.sleep(0.3)
        return fault

    def _types(self, command: Command) -> str:
        status, said = self.types(command.text)
        wrong = re.search("^Error: ", command.shown or "", re.MULTILINE)
        if bool(wrong) != (status not in ((0,) if command.shown is None else (0, FOUND))):
            return f"{command.place}\nended with {status}:\n{said}"
        if command.shown is None:
            return ""
        return self._compares(command, said)

    def _compares(self, command: Command, said: str) -> str:
        assert command.shown is not None
        found = pattern_of(command.shown, self.ids).fullmatch(blanks_as_one(said) + "\n" * bool(said.strip()))
        if found is None:
            return f"{command.place}\nprints\n{said}\nand the page says\n{command.shown}"
        self.ids |= {name.removeprefix("id_"): value for name, value in found.groupdict().items()}
        return ""

    def leaves(self) -> None:
        """Stop the daemons that still run, as the end of the day does."""
        for runtime in self._runtimes.values():
            for path in runtime.glob("memd/*.sock"):
                try:
                    with Client(str(path)) as client:
                        pid = int(client.call("ping")["pid"])
                except DaemonMissingError:
                    continue
                os.kill(pid, signal.SIGTERM)
                until(partial(_is_gone, path), 20, "the daemon ends")
            shutil.rmtree(runtime, ignore_errors=True)


def _is_settled(path: Path) -> bool:
    try:
        with Client(str(path)) as client:
            return str(client.call("status")["embedder"]["state"]) != "starting"
    except MemdError:
        return True


def _is_gone(path: Path) -> bool:
    return not path.exists()
