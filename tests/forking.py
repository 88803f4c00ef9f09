"""Processes of memd that start at once: one server has everything imported and forks for each start.

Where several run tests at a time they have one server: importing everything takes a processor some seconds. What runs in each is the whole command line, as `python -m memd` runs it, with its own handles, folder and environment. What
such a process starts of memd itself, a daemon or the child that builds an index, is forked as well; `program` is for shells.
"""

from __future__ import annotations

import atexit
import contextlib
import ctypes
import gc
import importlib
import io
import json
import marshal
import os
import pkgutil
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, BinaryIO, NoReturn, TextIO

import msgspec

import memd
import memd.__main__
from memd.doors.hooks import starting
from memd.errors import ExtraMissingError
from memd.formats.settings import load_settings
from memd.storage import itself, processes
from memd.store.keep.learned import Learned
from memd.store.recall.emotion_file import shipped_feelings
from memd.text.expressions import Expression
from memd.text.times.reading import read_times

ROOT = Path(__file__).parent.parent
DIE_WITH_PARENT = 1  # prctl(2)
IN_LARGE_PAGES = 25  # madvise(2), MADV_COLLAPSE
# No process of the command line has these: an agent's program does, and the process that embeds is no fork. A fork copies, and
# its end gives back, a page table for all that is loaded.
NOT_LOADED = ("memd.adapters.", "memd.storage.embedding.")
# What memd imports where it comes to it.
IMPORTED_LATE = (
    "ctypes.util", "inotify_simple", "mmap", "termios", "tomli_w", "tomlkit", "whoosh.automata.lev", "whoosh.codec.whoosh3",
    "whoosh.filedb.compound", "whoosh.writing",
)  # fmt: skip
HANDLES = 3  # of a request: standard input, output and error
LONGEST = 1 << 18  # bytes of a request: words and environment of a process


# The server.


def main() -> None:
    """Fork for each request on the second socket that the arguments name, until the first's other end is closed; be memd in each."""
    held, listening = (socket.socket(fileno=int(one)) for one in sys.argv[1:3])
    if held in select.select([held, listening], [], [])[0]:
        return  # nobody asked
    warm_up(sys.argv[3:])
    ended, ends = os.pipe()
    os.set_blocking(ends, False)
    signal.set_wakeup_fd(ends)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    living: dict[int, socket.socket] = {}
    coming: dict[int, socket.socket] = {}  # who has come and said nothing yet: nobody else waits for that
    programs: dict[int, int] = {}  # handles of sockets whose other end is a program: the process that stands for it
    settle()
    while True:
        ready = select.select([held.fileno(), listening.fileno(), ended, *coming, *programs], [], [])[0]
        if held.fileno() in ready:
            os._exit(0)
        if ended in ready:
            os.read(ended, 4096)
            reap(living, programs)
        for handle in programs.keys() & {*ready}:
            with contextlib.suppress(ProcessLookupError):
                os.kill(programs.pop(handle), signal.SIGKILL)  # somebody killed the program
        for handle in coming.keys() & {*ready}:
            asking = coming.pop(handle)
            request, handles = taken(asking)
            if not request or len(handles) < HANDLES:  # of a program that was killed before it could ask
                closed([*handles, asking.detach()])
                continue
            pid = os.fork()
            if pid == 0:
                for left in (held, listening, asking, *coming.values(), *living.values()):
                    left.detach()
                be_memd(request, handles)
            living[pid] = asking
            if not of_a_test(request):
                programs[handle] = pid
            watched = os.pidfd_open(pid)
            with contextlib.suppress(ConnectionError):
                socket.send_fds(asking, [str(pid).encode()], [watched])
            closed([*handles, watched])
        if listening.fileno() in ready:
            came, _ = listening.accept()
            coming[came.fileno()] = came


def closed(handles: Sequence[int]) -> None:
    """Close handles."""
    for handle in handles:
        os.close(handle)


def warm_up(words: list[str]) -> None:
    """Import all of memd, have read what a process of it reads when it is asked first; `words`: what such a one starts memd with.

    What is compiled at its first use is compiled here, for all that are forked.
    """
    for one in pkgutil.walk_packages(memd.__path__, "memd."):
        if not one.name.endswith("__main__") and not one.name.startswith(NOT_LOADED):
            with contextlib.suppress(ImportError, ExtraMissingError):  # of an extra that is not installed
                importlib.import_module(one.name)
    for module in (itself, processes, starting):
        vars(module)["child_command"] = lambda: words  # alone: what is written into settings is the installed memd
    Learned().warm_up()
    load_settings((ROOT / "workspace-template/memd.toml").read_bytes(), "memd.toml")
    shipped_feelings()
    for name in IMPORTED_LATE:
        with contextlib.suppress(ImportError):  # of another system
            importlib.import_module(name)
    for one in gc.get_objects():
        if isinstance(one, Expression):
            _ = one.groups
    for struct in below(msgspec.Struct):
        msgspec.json.Decoder(struct)  # which looks at its fields once
    read_times("昨天, yesterday", datetime.now(UTC))  # which compiles the patterns


def below(one: type[Any]) -> Iterator[type[Any]]:
    """Yield the classes of memd that are made of a class."""
    kinds: list[type[Any]] = one.__subclasses__()
    for each in kinds:
        if each.__module__.startswith("memd."):
            yield each
        yield from below(each)


def settle() -> None:
    """Make this process one that forks often: no collection in a child copies a page, and what is there is in large pages.

    A fork copies an entry for each page. The system may decline large ones, and where it does not know them it does.
    """
    gc.freeze()
    with contextlib.suppress(OSError):
        for line in Path("/proc/self/maps").read_text("ascii", "replace").splitlines():
            span, access, _, _, file, *name = line.split(maxsplit=5)
            if access == "rw-p" and file == "0" and name in ([], ["[heap]"]):
                begin, end = (int(one, 16) for one in span.split("-"))
                ctypes.CDLL(None).madvise(ctypes.c_void_p(begin), ctypes.c_size_t(end - begin), IN_LARGE_PAGES)


def taken(asking: socket.socket) -> tuple[bytes, list[int]]:
    """Return what somebody asks, with its handles: standard input, output and error."""
    try:
        request, handles, _, _ = socket.recv_fds(asking, LONGEST, HANDLES)
    except ConnectionError:  # it was killed meanwhile
        return b"", []
    return request, handles


def of_a_test(request: bytes) -> bool:
    """Tell a test, which may look no more at what it started, from a program, which stands for what it started."""
    return request.startswith(b"{")


def be_memd(request: bytes, handles: Sequence[int]) -> NoReturn:
    """Do in a new process what was asked for."""
    asked = json.loads(request) if of_a_test(request) else marshal.loads(request)
    become(asked, handles)
    if before := asked.get("before"):
        getattr(importlib.import_module(before[0]), before[1])(**before[2])
    status = 0
    try:
        memd.__main__.main()
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else 1
    sys.stdout.flush()  # without taking the interpreter apart, which would copy every page
    os._exit(status)


def reap(living: dict[int, socket.socket], programs: dict[int, int]) -> None:
    """Tell of every child that has ended."""
    for pid in [*living]:
        ended, status = os.waitpid(pid, os.WNOHANG)
        if ended:
            programs.pop(living[pid].fileno(), None)
            with living.pop(pid) as told, contextlib.suppress(ConnectionError):
                told.send(str(os.waitstatus_to_exitcode(status)).encode())


def become(asked: dict[str, Any], handles: Sequence[int]) -> None:
    """Take the words, folder, environment and handles of a process of one's own."""
    ctypes.CDLL(None).prctl(DIE_WITH_PARENT, signal.SIGKILL)
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    for at in range(3):
        os.dup2(handles[at], at)
    for handle in [int(name) for name in os.listdir("/proc/self/fd")]:
        if handle > 2:
            with contextlib.suppress(OSError):  # the one of the listing
                os.close(handle)
    if asked.get("leads"):
        os.setsid()
    os.chdir(asked["cwd"])
    os.environ.clear()
    os.environ.update(asked["env"])
    sys.argv = [asked.get("called", "memd"), *asked["arguments"]]
    sys.stdin, sys.stdout, sys.stderr = (anew(one) for one in (sys.stdin, sys.stdout, sys.stderr))


def anew(stream: TextIO) -> TextIO:
    """Return the text stream that a new interpreter makes of the same handle."""
    at = stream.fileno()
    raw = io.FileIO(at, "wb" if at else "rb", closefd=False)
    raw.name = stream.name
    buffer = io.BufferedWriter(raw) if at else io.BufferedReader(raw)
    lines = at == 2 or os.isatty(at)
    return io.TextIOWrapper(buffer, "utf-8", stream.errors, line_buffering=lines)


# The side of the tests.


@dataclass
class Process:
    """A running memd, with what is used of subprocess.Popen."""

    pid: int
    _handle: int
    _told: socket.socket
    returncode: int | None = None

    def poll(self) -> int | None:
        """Return the exit status, below zero for a signal, or None while it runs."""
        return self._status(0)

    def wait(self, timeout: float | None = None) -> int:
        """Wait for the end and return the exit status; raise subprocess.TimeoutExpired."""
        status = self._status(timeout)
        if status is None:
            raise subprocess.TimeoutExpired("memd", timeout or 0)
        return status

    def send_signal(self, number: int) -> None:
        """Send a signal, if it still runs."""
        if self.poll() is None:
            with contextlib.suppress(ProcessLookupError):
                signal.pidfd_send_signal(self._handle, number)

    def ends_within(self, seconds: float) -> bool:
        """Wait so long for its end, and tell whether it came."""
        return self._status(seconds) is not None

    def _status(self, timeout: float | None) -> int | None:
        if self.returncode is None and select.select([self._told], [], [], timeout)[0]:
            self.returncode = int(self._told.recv(64))
            self.close()
        return self.returncode

    def close(self) -> None:
        """Look no more at how it goes on; it runs while the tests do."""
        if self._handle >= 0:
            self._told.close()
            os.close(self._handle)
            self._handle = -1


class _Server:
    """The server of this process, begun when it is first asked, or the one that it was told of."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._program: Path | None = None

    def start(self, request: bytes, handles: Sequence[int]) -> Process:
        ours = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        try:
            ours.connect(str(self.program().with_name("s")))
        except (ConnectionRefusedError, FileNotFoundError):  # a test killed it with what it started
            self._program = None
            ours.connect(str(self.program().with_name("s")))
        socket.send_fds(ours, [request], handles)
        pid, handed, _, _ = socket.recv_fds(ours, 64, 1)
        return Process(int(pid), handed[0], ours)

    def program(self) -> Path:
        with self._lock:
            if self._program is None:
                self._program = self._begin()
        return self._program

    def share(self, program: Path) -> None:
        self._program = program

    def _begin(self) -> Path:
        folder = tempfile.mkdtemp(prefix="memd-f")
        atexit.register(shutil.rmtree, folder, ignore_errors=True)
        program = Path(folder, "memd")
        program.write_text(f"#!{sys.executable} -IS\n{(ROOT / 'tests/forked.py').read_text('utf-8')}", "utf-8")
        program.chmod(0o755)
        ours, held = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with held, socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as listening:
            listening.bind(f"{folder}/s")
            listening.listen(64)
            handles = [held.fileno(), listening.fileno()]
            words = [sys.executable, "-m", "tests.forking", *map(str, handles), str(program)]
            server = subprocess.Popen(words, pass_fds=handles, cwd=ROOT, stdin=subprocess.DEVNULL)
        Path(folder, "pid").write_text(str(server.pid), "ascii")
        atexit.register(server.wait)
        atexit.register(ours.close)
        return program


_server = _Server()


def start(
    *arguments: str,
    cwd: Path = ROOT,
    env: Mapping[str, str] | None = None,
    stdin: int | BinaryIO | None = None,
    stdout: int | BinaryIO | None = None,
    stderr: int | BinaryIO | None = None,
    before: tuple[Callable[..., None], dict[str, Any]] | None = None,
    called: str = "memd",
) -> Process:
    """Start memd with these words. A handle that is not given is one to nowhere; `before` is called in it first.

    By the name that it was called memd knows which program it is, and writes that into hooks.
    """
    asked: dict[str, Any] = {"arguments": arguments, "cwd": str(cwd), "env": {**(os.environ if env is None else env)}}
    asked["called"] = called
    asked["before"] = before and (before[0].__module__, before[0].__name__, before[1])
    request = json.dumps(asked).encode()
    with open(os.devnull, "r+b") as nowhere:
        handles = [nowhere if one is None else one for one in (stdin, stdout, stderr)]
        return _server.start(request, [one if isinstance(one, int) else one.fileno() for one in handles])


def program() -> Path:
    """Return a program called memd, for a shell or another program to start: it is this memd, and starts at once."""
    return _server.program()


def parent() -> int:
    """Return the process id of the parent of what was started."""
    return int(program().with_name("pid").read_text("ascii"))


def share(program: Path) -> None:
    """Have what this process starts come of the server that another process has begun, whose `program` it is."""
    _server.share(program)


def run(
    *arguments: str,
    cwd: Path = ROOT,
    env: Mapping[str, str] | None = None,
    given: bytes = b"",
    timeout_s: float = 60,
    called: str = "memd",
) -> subprocess.CompletedProcess[bytes]:
    """Run memd with these words and something on standard input, to its end."""
    with tempfile.TemporaryFile() as stdin, tempfile.TemporaryFile() as stdout, tempfile.TemporaryFile() as stderr:
        stdin.write(given)
        stdin.seek(0)
        process = start(*arguments, cwd=cwd, env=env, stdin=stdin, stdout=stdout, stderr=stderr, called=called)
        try:
            status = process.wait(timeout_s)
        finally:
            process.send_signal(signal.SIGKILL)
        for one in (stdout, stderr):
            one.seek(0)
        return subprocess.CompletedProcess(["memd", *arguments], status, stdout.read(), stderr.read())


if __name__ == "__main__":
    main()
