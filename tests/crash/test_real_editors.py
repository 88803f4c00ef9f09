"""The editors people use save memory.json while the daemon writes it: the save is in the next answer, none is lost."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from memd.client import Client
from tests.crash.test_editors import is_settled, memd_recover, remembering
from tests.support import Daemon, Folder, until

PAUSE_S = 0.03  # between the daemon's own writes: some thousand in the slowest editor's 300 saves
ANCHOR = '"semantic": ['


def vim(path: Path, record: str, *settings: str) -> None:
    # The `y` answers vim's question whether to write over a file that has changed. Where it changes under the very write
    # vim writes nothing and says so (E949): a person saves again. Vim backs nothing up below /tmp, but for backupskip.
    change = "%s/" + r'"semantic": \[/"semantic": [\r    ' + record.replace("/", r"\/") + ",/"
    commands = [part for one in ("set backupskip=", *settings, change, "w!", "q!") for part in ("-c", one)]
    call = ["vim", "-es", "-N", "-u", "DEFAULTS", *commands, str(path)]
    for _ in range(20):
        if subprocess.run(call, input=b"y\n", check=False, timeout=20, capture_output=True).returncode == 0:
            return
    raise AssertionError("vim never got to save")


def vim_copying(path: Path, record: str) -> None:
    vim(path, record, "set backupcopy=yes")


def emacs(path: Path, record: str) -> None:
    lisp = (
        "(progn (setq make-backup-files t backup-enable-predicate (lambda (_) t))"
        # What a person answers when the file has changed under the buffer: save it all the same.
        " (load \"userlock\") (fset 'ask-user-about-supersession-threat #'ignore) (fset 'yes-or-no-p (lambda (&rest _) t))"
        f" (find-file {json.dumps(str(path))}) (goto-char (point-min))"
        f" (search-forward {json.dumps(ANCHOR)}) (insert {json.dumps(chr(10) + '    ' + record + ',')})"
        " (set-buffer-file-coding-system 'utf-8-unix) (clear-visited-file-modtime) (save-buffer))"
    )
    done = subprocess.run(["emacs", "--batch", "-Q", "--eval", lisp], check=False, timeout=30, capture_output=True)
    assert done.returncode == 0, done.stderr.decode()


def sed(path: Path, record: str) -> None:
    subprocess.run(["sed", "-i", rf's|"semantic": \[|"semantic": [ {record},|', str(path)], check=True, timeout=20)


def truncating(path: Path, record: str) -> None:
    text = _read(path).replace(ANCHOR, f"{ANCHOR} {record},", 1)
    with path.open("w", encoding="utf-8") as file:
        file.write(text[: len(text) // 2])
        file.flush()
        time.sleep(0.002)
        file.write(text[len(text) // 2 :])


def atomic(path: Path, record: str) -> None:
    swap = path.with_name(".swap")
    swap.write_text(_read(path).replace(ANCHOR, f"{ANCHOR} {record},", 1), "utf-8")
    swap.replace(path)


def _read(path: Path) -> str:
    while True:
        try:
            text = path.read_text("utf-8")
        except FileNotFoundError:
            continue
        if text.rstrip().endswith("}"):
            return text


EDITORS: dict[str, Callable[[Path, str], None]] = {
    "vim": vim,
    "vim_copying": vim_copying,
    "emacs": emacs,
    "sed": sed,
    "truncating": truncating,
    "atomic": atomic,
}
PROGRAMS = {"vim": "vim", "vim_copying": "vim", "emacs": "emacs", "sed": "sed"}


def found_after_s(look: Callable[[], bool], limit_s: float = 10.0) -> float:
    begun = time.monotonic()
    while not look():
        if time.monotonic() - begun > limit_s:
            return limit_s
        time.sleep(0.001)
    return time.monotonic() - begun


def race(folder: Folder, socket: Path, editor: str, saves: int) -> dict[str, list[float]]:
    folder.write("main", "The first record.")
    folder.settings(
        limits__scorings_per_day=10**6, limits__role_memories=10**6, gate__relations=False, gate__scan=False
    )
    folder.trust("gate.scan")
    daemon = Daemon(folder, socket)
    daemon.start()
    stop, acknowledged = threading.Event(), list[str]()
    writer = threading.Thread(target=remembering, args=(socket, stop, acknowledged, PAUSE_S))
    writer.start()
    trigger_s: list[float] = []
    search_s: list[float] = []
    try:
        with Client(str(socket), deadline_s=30) as client:
            for number in range(saves):
                marker = f"zq{number:04d}{editor.replace('_', '')}"
                record = json.dumps({"id": f"edit-{number:05d}", "content": f"Saved {marker} 存档"}, ensure_ascii=False)
                EDITORS[editor](folder.file("main"), record)
                triggering = partial(client.call, "trigger", role="main", message=marker)
                trigger_s.append(found_after_s(lambda ask=triggering: bool(ask()["activated"])))  # type: ignore[misc]
                searching = partial(client.call, "search", query=marker)
                search_s.append(found_after_s(lambda ask=searching: bool(ask()["hits"])))  # type: ignore[misc]
        stop.set()
        writer.join()
        until(lambda: is_settled(daemon), 20, "everything is in the files")
        ids = {one["id"] for one in folder.records("main")}
        assert [n for n in range(saves) if f"edit-{n:05d}" not in ids] == []
        contents, recovered = set(folder.contents("main")), memd_recover(folder)
        assert [text for text in acknowledged if text not in contents and text not in recovered] == []
        assert daemon.call("status")["rejected"] == []
    finally:
        stop.set()
        writer.join()
        daemon.stop()
    return {"trigger": sorted(trigger_s), "search": sorted(search_s), "remembered": [float(len(acknowledged))]}


@pytest.mark.parametrize("editor", EDITORS)
def test_a_save_while_the_daemon_writes_is_in_the_next_answers(workspace: Folder, short_dir: Path, editor: str) -> None:
    if not shutil.which(PROGRAMS.get(editor, sys.executable)):
        pytest.skip(f"{editor} is not installed")
    found = race(workspace, short_dir / "s", editor, 6)
    assert found["trigger"][-1] < 5
    assert found["search"][-1] < 5


@pytest.mark.torture
@pytest.mark.timeout(600)
@pytest.mark.parametrize("editor", EDITORS)
def test_three_hundred_saves_of_each(workspace: Folder, short_dir: Path, editor: str) -> None:
    if not shutil.which(PROGRAMS.get(editor, sys.executable)):
        pytest.skip(f"{editor} is not installed")
    found = race(workspace, short_dir / "s", editor, 300)
    for what in ("trigger", "search"):
        times = found[what]
        print(
            f"{editor}: {what} after a save: median {times[150] * 1000:.1f} ms, p99 {times[296] * 1000:.1f} ms,"
            f" longest {times[-1] * 1000:.1f} ms; {found['remembered'][0]:.0f} remembered meanwhile"
        )
