"""memd as a service: units that systemd accepts, a socket handed over, readiness and signs of life, installing."""

from __future__ import annotations

import contextlib
import json
import os
import plistlib
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from memd.cli import services
from memd.cli.main import Prioritized, log_formatter
from memd.client import Client
from memd.doors.listening import OURS, take_manager
from memd.errors import DaemonMissingError
from memd.formats.unit_files import LAUNCHD, UnitPlan, choices_of, command_of, is_untouched
from memd.places import workspace_key
from tests import forking
from tests.support import ROOT, Daemon, Folder, memd, until

ODD = '记忆 100% "q" $HOME \\'
SYSTEMCTL = """#!/bin/sh
echo "systemctl $*" >> "$CALLS"
case "$*" in *show*) printf 'ActiveState=inactive\\nSubState=dead\\nUnitFileState=enabled\\nMainPID=0\\n';; esac
exit "${SYSTEMCTL_STATUS:-0}"
"""
JOURNALCTL = '#!/bin/sh\necho "journalctl $*"\n'


def needs(program: str) -> str:
    found = shutil.which(program)
    if not found:
        pytest.skip(f"there is no {program} here")
    return found


def plan(workspace: Path, *, sandbox: bool = True, **environment: str) -> UnitPlan:
    program = (sys.executable, "-P", "-m", "memd")
    return UnitPlan(str(workspace), workspace_key(str(workspace)), program, environment, sandbox)


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Stand-ins for systemctl and journalctl, and the file of what systemctl was asked."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for name, text in (("systemctl", SYSTEMCTL), ("journalctl", JOURNALCTL)):
        (folder / name).write_text(text)
        (folder / name).chmod(0o755)
    calls = tmp_path / "calls"
    calls.touch()
    monkeypatch.setenv("CALLS", str(calls))
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")
    return calls


def units_of(home: Path) -> Path:
    return home / "home/.config/systemd/user"


@contextlib.contextmanager
def started(folder: Folder, *before: str, **env: str) -> Iterator[subprocess.Popen[bytes]]:
    words = [*before, sys.executable, "-m", "memd", "up", "-w", str(folder.path)]
    with subprocess.Popen(words, stderr=subprocess.PIPE, cwd=ROOT, env={**os.environ, **env}) as process:
        try:
            yield process
        finally:
            if process.poll() is None:
                process.terminate()
            process.communicate(timeout=30)


ACCEPTING = "00010000"  # the flag of a Unix socket that listens, as the kernel shows it


def listening_at(path: Path) -> bool:
    """Tell whether somebody listens, without connecting: a connection would be what starts the daemon."""
    lines = Path("/proc/net/unix").read_text().splitlines()
    return any(
        line.endswith(f" {path}") and line.split()[3] == ACCEPTING for line in lines
    )  # bound is not yet listening


@pytest.mark.parametrize("workspace_path", ["/srv/memory", f"/srv/{ODD}", "/srv/two\nlines"])
@pytest.mark.parametrize("environment", [{}, {"MEMD_EMBEDDINGS": "http://127.0.0.1:11434"}])
@pytest.mark.parametrize("sandbox", [True, False])
def test_systemd_accepts_the_units(
    tmp_path: Path, workspace_path: str, environment: dict[str, str], sandbox: bool
) -> None:
    analyze = needs("systemd-analyze")
    units = plan(Path(workspace_path), sandbox=sandbox, **environment).units()
    for name, text in units.items():
        (tmp_path / name).write_text(text, "utf-8")
        assert is_untouched(text)
    (service,) = tmp_path.glob("*.service")
    files = [str(tmp_path / name) for name in units]
    verified = subprocess.run([analyze, "--user", "verify", *files], capture_output=True, text=True, check=False)
    assert (verified.returncode, verified.stdout + verified.stderr) == (0, "")
    if workspace_path == "/srv/memory":
        judged = subprocess.run(
            [analyze, "--user", "--offline=true", "--threshold=65", "security", str(service)],
            capture_output=True,
            text=True,
            check=False,
        )
        assert judged.returncode == 0, judged.stdout + judged.stderr
        assert judged.stdout.count("✗ RestrictAddressFamilies=~AF_(INET|INET6)") == bool(environment)


def test_a_command_with_any_signs_reads_back_as_it_was() -> None:
    for path in (f"/srv/{ODD}", "/srv/a\tb\nc", "/srv/%t/$$/${X}"):
        (text,) = (text for name, text in plan(Path(path)).units().items() if name.endswith(".service"))
        assert command_of(text)[-2:] == ["--workspace", path]
        assert "\nExecStart=" in text
    assert '"/srv/%%t/$$$$/$${X}"' in text, "none of it means something to systemd"


def test_a_socket_that_is_handed_over_is_served_and_stays(workspace: Folder, short_dir: Path) -> None:
    activate = needs("systemd-socket-activate")
    path = short_dir / "s"
    with started(workspace, activate, "--listen", str(path), "--fdname=memd") as process:
        until(lambda: listening_at(path), 10, "it listens")
        with Client(str(path), deadline_s=30) as client:  # it waits in the queue until the daemon is there
            status = client.call("status")
            assert (status["socket"], status["pid"]) == (str(path), process.pid)
        inode = path.stat().st_ino
        process.terminate()
        assert process.wait(30) == 0
        assert path.stat().st_ino == inode


@pytest.mark.demo
def test_questions_asked_before_the_daemon_is_up_are_all_answered(workspace: Folder, short_dir: Path) -> None:
    activate = needs("systemd-socket-activate")
    path = short_dir / "s"
    pids = []

    def ask() -> None:
        with Client(str(path), deadline_s=30) as client:
            pids.append(client.call("trigger", role="阿远", message="我想喝杯咖啡")["counts"] and "answered")

    with started(workspace, activate, "--listen", str(path)):
        until(lambda: listening_at(path), 10, "it listens")
        asking = [threading.Thread(target=ask) for _ in range(20)]
        for one in asking:
            one.start()
        for one in asking:
            one.join(30)
    assert pids == ["answered"] * 20


def test_what_was_handed_to_another_process_is_left_alone(workspace: Folder, short_dir: Path) -> None:
    path = short_dir / "s"
    with started(workspace, MEMD_SOCKET=str(path), LISTEN_PID="1", LISTEN_FDS="1") as process:
        until(path.exists, 20, "it made a socket of its own")
        until(lambda: answers(path), 20, "it answers")
        process.terminate()
        process.wait(30)
    assert not path.exists()


def answers(path: Path) -> bool:
    try:
        with Client(str(path)) as client:
            return bool(client.call("ping"))
    except DaemonMissingError:
        return False


def test_something_else_than_a_listening_socket_is_refused_in_words(workspace: Folder, short_dir: Path) -> None:
    program = "import os, sys; os.environ.update(LISTEN_PID=str(os.getpid()), LISTEN_FDS='1'); os.dup2(0, 3); "
    program += f"os.execv(sys.executable, [sys.executable, '-m', 'memd', 'up', '-w', {str(workspace.path)!r}])"
    done = subprocess.run([sys.executable, "-c", program], stdin=subprocess.DEVNULL, capture_output=True, text=True, cwd=ROOT, timeout=60, check=False)  # fmt: skip
    assert done.returncode == 73
    assert "no listening Unix socket" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.demo
def test_a_manager_hears_readiness_life_and_the_end(workspace: Folder, short_dir: Path) -> None:
    path, address = short_dir / "s", str(short_dir / "n")
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        manager.bind(address)
        manager.settimeout(20)
        given = {"MEMD_SOCKET": str(path), "NOTIFY_SOCKET": address, "WATCHDOG_USEC": "800000"}
        with started(workspace, **given) as process:
            said = [manager.recv(4096).decode() for _ in range(4)]
            ready = next(one for one in said if "READY=1" in one)
            assert f"STATUS=serving {workspace.path}: 3 roles" in ready
            assert answers(path)
            before_s = time.monotonic()
            assert [manager.recv(4096) for _ in range(3)] == [b"WATCHDOG=1"] * 3
            assert 0.7 < time.monotonic() - before_s < 2.4, "three within three times what is allowed"
            inherited = Path(f"/proc/{process.pid}/environ").read_bytes()
            assert b"NOTIFY_SOCKET" in inherited, "it had it, and its children must not"
            os.kill(process.pid, signal.SIGSTOP)
            silent_until(manager)
            os.kill(process.pid, signal.SIGCONT)
            process.terminate()
            until(lambda: b"STOPPING=1" in manager.recv(4096), 20, "it tells that it stops")
            assert process.wait(30) == 0


def silent_until(manager: socket.socket) -> None:
    """Take what is under way, then hear nothing for longer than a sign of life may take."""
    manager.settimeout(1.2)
    with contextlib.suppress(TimeoutError):
        for _ in range(3):
            manager.recv(4096)
        raise AssertionError("a process whose loop does not turn gave signs of life")
    manager.settimeout(20)


def test_a_daemon_that_cannot_start_tells_the_manager_why(daemon: Daemon, short_dir: Path) -> None:
    address = f"@memd-test-{os.getpid()}"
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        manager.bind(f"\0{address[1:]}")
        manager.settimeout(20)
        with started(daemon.folder, MEMD_SOCKET=str(short_dir / "x"), NOTIFY_SOCKET=address) as process:
            assert manager.recv(4096).decode().startswith("STATUS=the workspace is held by process")
            assert process.wait(30) == 75


def test_what_is_meant_for_the_daemon_is_not_inherited_by_its_children(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in OURS:
        monkeypatch.setenv(name, "1")
    assert take_manager().listening is None
    assert not set(OURS) & set(os.environ)


def test_log_lines_carry_priorities_only_where_the_journal_reads_them(
    workspace: Folder, short_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = short_dir / "log"
    words = [sys.executable, "-m", "memd", "up", "-w", str(workspace.path), "--socket", str(short_dir / "s")]
    with log.open("wb") as err:
        state = os.fstat(err.fileno())
        env = {**os.environ, "JOURNAL_STREAM": f"{state.st_dev}:{state.st_ino}"}
        with subprocess.Popen(words, stderr=err, cwd=ROOT, env=env) as process:
            until(lambda: answers(short_dir / "s"), 20, "it answers")
            process.terminate()
            process.wait(30)
    assert "<6>memd.daemon: stopping" in log.read_text("utf-8").splitlines()
    monkeypatch.setenv("JOURNAL_STREAM", f"{state.st_dev}:{state.st_ino + 1}")
    assert not isinstance(log_formatter(), Prioritized), "standard error was sent elsewhere since"


def test_install_writes_units_once_and_uninstall_takes_them_out(tmp_path: Path, programs: Path) -> None:
    folder = Folder.make(tmp_path / "记忆", demo=False)
    elsewhere = units_of(tmp_path) / "mine.service"
    elsewhere.parent.mkdir(parents=True)
    elsewhere.write_text("[Service]\n")
    installed = memd("service", "install", "--json", "-w", str(folder.path), check=False)
    assert (installed.returncode, "memd does not answer" in installed.stderr) == (69, True)  # nobody starts it here
    done = json.loads(installed.stdout)
    name = f"memd-{workspace_key(str(folder.path))}"
    assert sorted(done["written"]) == [f"{name}.service", f"{name}.socket"]
    assert f"systemctl --user enable --now {name}.socket" in programs.read_text()
    (service,) = units_of(tmp_path).glob("memd-*.service")
    assert "记忆" in service.read_text("utf-8")
    assert command_of(service.read_text("utf-8"))[-1] == str(folder.path)
    again = json.loads(memd("service", "install", "--json", "-w", str(folder.path), check=False).stdout)
    assert again["written"] == {}
    shutil.rmtree(folder.path)  # the folder may be gone; its units are not
    memd("service", "uninstall", "-w", str(folder.path))
    assert f"disable --now {name}.socket {name}.service" in programs.read_text()
    assert os.listdir(units_of(tmp_path)) == ["mine.service"]
    assert "nothing to remove" in memd("service", "uninstall", "-w", str(folder.path)).stdout


def test_a_unit_that_somebody_edited_is_told_and_kept(tmp_path: Path, workspace: Folder, programs: Path) -> None:
    where = ("-w", str(workspace.path))
    memd("service", "install", *where, check=False)
    (service,) = units_of(tmp_path).glob("memd-*.service")
    edited = service.read_text("utf-8").replace("RestartSec=2", "RestartSec=77")
    service.write_text(edited, "utf-8")
    calls = programs.read_text()
    refused = memd("service", "install", *where, check=False)
    assert refused.returncode == 75
    assert "-RestartSec=77\n+RestartSec=2" in refused.stderr
    assert (service.read_text("utf-8"), programs.read_text()) == (edited, calls)
    memd("service", "install", "--force", *where, check=False)
    (copy,) = units_of(tmp_path).glob("*.memd-backup-*")
    assert copy.read_text("utf-8") == edited
    assert "RestartSec=2" in service.read_text("utf-8")


def test_without_a_manager_the_units_are_there_and_what_does_not_run_is_told(
    tmp_path: Path, workspace: Folder, programs: Path
) -> None:
    where = ("-w", str(workspace.path))
    done = memd("service", "install", *where, check=False, env={"SYSTEMCTL_STATUS": "1"})
    assert done.returncode == 69
    assert "the units are written, and systemd did not take them" in done.stderr
    assert "systemctl --user daemon-reload" in done.stdout
    assert len(os.listdir(units_of(tmp_path))) == 2
    removed = memd("service", "uninstall", *where, env={"SYSTEMCTL_STATUS": "1"})
    assert "systemd was not told" in removed.stdout
    assert os.listdir(units_of(tmp_path)) == []


def test_a_daemon_started_by_hand_is_told_of_and_goes_on(daemon: Daemon, programs: Path) -> None:
    where, env = ("-w", str(daemon.folder.path)), {"MEMD_SOCKET": str(daemon.socket)}
    pid = daemon.call("ping")["pid"]
    done = memd("service", "install", *where, env=env)
    assert f"process {pid}, started by hand" in done.stdout
    assert "--now" not in programs.read_text()
    assert daemon.call("ping")["pid"] == pid
    shown = json.loads(memd("service", "status", "--json", *where, env=env).stdout)
    assert (shown["pid"], shown["installed"]) == (pid, True)


def test_print_writes_nothing_and_logs_are_the_journals(tmp_path: Path, workspace: Folder, programs: Path) -> None:
    where = ("-w", str(workspace.path))
    shown = memd("service", "install", "--print", *where).stdout
    assert "ListenStream=%t/memd/" in shown
    assert not units_of(tmp_path).exists()
    assert programs.read_text() == ""
    name = f"memd-{workspace_key(str(workspace.path))}"
    told = memd("service", "logs", "-f", "-n", "5", *where).stdout
    assert told == f"journalctl --user --unit {name}.service --lines 5 --follow\n"
    assert memd("service", "status", *where, check=False).returncode == 69


def test_installing_again_keeps_what_was_chosen_until_told_otherwise(
    tmp_path: Path, workspace: Folder, programs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("MEMD_EMBEDDINGS")

    def install(*words: str, **env: str) -> str:
        memd("service", "install", *words, "-w", str(workspace.path), check=False, cwd=tmp_path, env=env)
        (service,) = units_of(tmp_path).glob("memd-*.service")
        return service.read_text("utf-8")

    odd = {"MEMD_EMBEDDINGS": '模型 100% "q" $$', "MEMD_EMBEDDINGS_DIGEST": "a1"}
    first = install("--no-sandbox", **odd)
    assert choices_of(first) == (False, {**odd, "MEMD_EMBEDDINGS": f"{tmp_path}/{odd['MEMD_EMBEDDINGS']}"})
    assert install() == first
    done = json.loads(memd("doctor", "--json", "-w", str(workspace.path), check=False).stdout)
    assert [row["state"] for row in done["checks"] if row["name"] == "service"] == ["ok", "ok"]
    told = install("--sandbox", MEMD_EMBEDDINGS="http://127.0.0.1:1")
    assert choices_of(told) == (True, {"MEMD_EMBEDDINGS": "http://127.0.0.1:1"})
    assert choices_of(install(MEMD_EMBEDDINGS="")) == (True, {})
    assert programs.read_text()


def test_a_directory_where_a_unit_belongs_is_told_and_nothing_is_written(
    tmp_path: Path, workspace: Folder, programs: Path
) -> None:
    name = f"memd-{workspace_key(str(workspace.path))}"
    (units_of(tmp_path) / f"{name}.service").mkdir(parents=True)
    done = memd("service", "install", "-w", str(workspace.path), check=False)
    assert (done.returncode, f"{name}.service is in the way of a unit" in done.stderr) == (73, True)
    assert "Move it away" in done.stderr
    assert os.listdir(units_of(tmp_path)) == [f"{name}.service"]
    assert "enable" not in programs.read_text()


# launchd. There is none here: what it would read is compared with what launchd.plist(5) says, and a stand-in for launchctl starts
# what the agent names, as its page has it.

DOCUMENTED: dict[str, type] = {
    "Label": str, "Disabled": bool, "UserName": str, "GroupName": str, "LimitLoadToSessionType": str, "Program": str,
    "ProgramArguments": list, "EnableGlobbing": bool, "EnableTransactions": bool, "EnablePressuredExit": bool,
    "KeepAlive": dict, "RunAtLoad": bool, "RootDirectory": str, "WorkingDirectory": str, "EnvironmentVariables": dict,
    "Umask": int, "TimeOut": int, "ExitTimeOut": int, "ThrottleInterval": int, "InitGroups": bool, "WatchPaths": list,
    "QueueDirectories": list, "StartOnMount": bool, "StartInterval": int, "StartCalendarInterval": dict,
    "StandardInPath": str, "StandardOutPath": str, "StandardErrorPath": str, "SoftResourceLimits": dict,
    "HardResourceLimits": dict, "Nice": int, "ProcessType": str, "AbandonProcessGroup": bool, "LowPriorityIO": bool,
    "LowPriorityBackgroundIO": bool, "LaunchOnlyOnce": bool, "MachServices": dict, "Sockets": dict, "SessionCreate": bool,
}  # fmt: skip
PROCESS_TYPES = {"Background", "Standard", "Adaptive", "Interactive"}
KEPT_ALIVE = {"SuccessfulExit", "Crashed", "OtherJobEnabled", "PathState", "NetworkState"}
LAUNCHCTL = r"""
import os, plistlib, signal, subprocess, sys, time
verb, target, *rest = sys.argv[1:]
with open(os.environ["CALLS"], "a") as calls:
    print("launchctl", *sys.argv[1:], file=calls)
keys = plistlib.load(open(rest[0], "rb")) if rest else {"Label": target.rpartition("/")[2]}
job = os.environ["CALLS"] + "." + keys["Label"]
if verb == "bootstrap":
    err = open(keys["StandardErrorPath"], "ab")
    given = {**os.environ, **keys["EnvironmentVariables"]}
    started = subprocess.Popen(keys["ProgramArguments"], env=given, stdout=subprocess.DEVNULL, stderr=err, start_new_session=True)
    open(job, "w").write(str(started.pid))
elif not os.path.exists(job):
    sys.exit("Could not find service in domain for user")
elif verb == "print":
    print(f"{target} = {{\n\tactive count = 1\n\tstate = running\n\n\tpid = {open(job).read()}\n\tendpoints = {{\n\t}}\n}}")
else:
    os.kill(int(open(job).read()), signal.SIGTERM)
    os.remove(job)
"""


@pytest.mark.parametrize("workspace_path", ["/srv/memory", f"/srv/{ODD}", "/srv/<&>'記"])
def test_the_agent_says_to_launchd_what_its_page_documents_and_reads_back(workspace_path: str) -> None:
    given = {"MEMD_EMBEDDINGS": "http://127.0.0.1:1/?a=1&b=2"}
    program = (sys.executable, "-P", "-m", "memd")
    made = UnitPlan(
        workspace_path, "k", program, given, manager=LAUNCHD, log="/Users/me/Library/Logs/memd-k.log"
    ).units()
    ((name, text),) = made.items()
    keys = plistlib.loads(text.encode())
    assert {key: DOCUMENTED[key] for key in keys} == {key: type(value) for key, value in keys.items()}
    assert name == f"{keys['Label']}.plist"
    assert keys["ProcessType"] in PROCESS_TYPES
    assert set(keys["KeepAlive"]) <= KEPT_ALIVE
    assert keys["Umask"] == int("077", 8)
    assert text.startswith('<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE plist')
    assert command_of(text) == [*program, "up", "--workspace", workspace_path]
    assert choices_of(text) == (False, given)
    assert is_untouched(text)
    assert not is_untouched(text.replace("Interactive", "Background"))
    assert not is_untouched(text.replace("<plist", "<!-- mine --><plist"))
    assert command_of(text[:200]) == []


def on_macos() -> None:
    services.SYSTEM = "darwin"


def on_mac(*words: str) -> tuple[int, str]:
    """Run memd where its service takes the system for macOS; return its exit status and what it printed."""
    with tempfile.TemporaryFile() as screen:
        process = forking.start(*words, stdout=screen, stderr=screen, before=(on_macos, {}))
        status = process.wait(60)
        screen.seek(0)
        return status, screen.read().decode()


def test_on_macos_launchd_is_given_an_agent_that_starts_memd_and_is_taken_out_again(
    tmp_path: Path, workspace: Folder, programs: Path
) -> None:
    launchctl = programs.parent / "bin/launchctl"
    launchctl.write_text(f"#!{sys.executable}\n{LAUNCHCTL}")
    launchctl.chmod(0o755)
    (tmp_path / "home/Library/Logs").mkdir(parents=True)
    agents = tmp_path / "home/Library/LaunchAgents"
    where, name = ("-w", str(workspace.path)), f"memd-{workspace_key(str(workspace.path))}"
    assert "nothing to remove" in on_mac("service", "uninstall", *where)[1]
    status, said = on_mac("service", "install", *where)
    try:
        assert status == 0, said
        assert f"wrote: {agents}/{name}.plist" in said
        assert "memd answers, process" in said
        assert programs.read_text().splitlines()[-1] == f"launchctl bootstrap gui/{os.geteuid()} {agents}/{name}.plist"
        calls = programs.read_text().count("bootstrap")
        assert on_mac("service", "install", *where)[1].startswith("unchanged: ")
        assert programs.read_text().count("bootstrap") == calls
        status, said = on_mac("service", "status", *where)
        assert (status, f"{name}.plist" in said, "memd answers, process" in said) == (0, True, True)
        assert "listening at " in on_mac("service", "logs", "-n", "50", *where)[1]
        assert on_mac("doctor", *where)[1].count(f"{name}.plist is installed") == 1
    finally:
        status, said = on_mac("service", "uninstall", *where)
    assert f"removed: {agents}/{name}.plist" in said
    assert f"bootout gui/{os.geteuid()}/{name}" in programs.read_text()
    assert os.listdir(agents) == []
    assert "systemctl" not in programs.read_text()
    until(lambda: on_mac("service", "status", *where)[0] == 69, 20, "it has ended")
    assert on_mac("service", "install", "-w", str(tmp_path / "none"))[0] == 2
