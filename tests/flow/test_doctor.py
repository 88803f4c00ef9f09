"""memd doctor: each fault made for real is told with what to do, and the other checks go on."""

from __future__ import annotations

import json
import os
import re
import shutil
import socket
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from memd.cli.doctor import check_daemon
from memd.formats.git_files import read_git_config
from memd.model.agents import EVENTS
from memd.places import cache_path, workspace_key
from memd.service.care.doctor import OK, Row, Scope, examine
from memd.service.care.doctor_outside import check_git, programs_in
from memd.storage.itself import own_command
from memd.whereabouts import surroundings
from tests.support import Daemon, Folder, memd, until

GONE = "/nowhere/bin/memd"


def doctor(folder: Folder, status: int, **env: str) -> dict[str, dict[str, Any]]:
    """Return the rows by name; the worst where a name has several."""
    done = memd("doctor", "--json", "-w", str(folder.path), check=False, env=env, cwd=folder.path)
    assert done.returncode == status, done.stdout + done.stderr
    order = ("skip", "ok", "warn", "fail")
    rows: dict[str, dict[str, Any]] = {}
    for row in json.loads(done.stdout)["checks"]:
        assert bool(row["do"]) is (row["state"] in ("warn", "fail")), row
        if row["name"] not in rows or order.index(row["state"]) > order.index(rows[row["name"]]["state"]):
            rows[row["name"]] = row
    return rows


def put(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")
    return path


def scope(folder: Folder, **changes: Any) -> Scope:
    given: dict[str, Any] = {
        "workspace": str(folder.path), "cache": "", "socket": "", "home": os.environ["HOME"],
        "here": str(folder.path), "environment": {}, "version": "",
    }  # fmt: skip
    return Scope(**{**given, **changes})


def git_config(folder: Folder, driver: str) -> None:
    put(folder.path / ".gitattributes", "**/memory.json merge=memd\n")
    quoted = driver.replace("\\", "\\\\").replace('"', '\\"')
    put(folder.path / ".git/config", f'[core]\n\tbare = false\n[merge "memd"]\n\tdriver = "{quoted}"\n')


def test_a_good_workspace_with_a_daemon_is_proven_to_be_one(daemon: Daemon, tmp_path: Path) -> None:
    git_config(daemon.folder, f"{sys.executable} -m memd git merge-driver memory %O %A %B")
    command = f"{sys.executable} -m memd hook claude --workspace {daemon.folder.path}"
    hooks = {"hooks": {event: [{"hooks": [{"type": "command", "command": command}]}] for event in EVENTS["claude"]}}
    put(tmp_path / "home/.claude/settings.json", json.dumps(hooks))
    until(lambda: daemon.call("status")["watcher"]["reconciled"]["at"], 20, "everything was looked at")
    until(lambda: daemon.call("status")["index"]["behind"] == 0, 20, "the index is there")
    rows = doctor(daemon.folder, 0, MEMD_SOCKET=str(daemon.socket))
    good = {name for name, row in rows.items() if row["state"] == "ok"}
    assert good >= {"workspace", "settings", "files", "limits", "log", "index", "daemon", "watcher", "socket", "disk", "git", "merge driver", "hooks claude", "libraries"}  # fmt: skip
    assert rows["watcher"]["seen"].startswith("noticed a test change within")


@pytest.mark.demo
def test_every_fault_of_the_files_is_a_row_and_the_others_go_on(workspace: Folder) -> None:
    memd("rebuild", "-w", str(workspace.path))
    put(workspace.file("nora"), '{"semantic": [\n  {"content": }\n]}')
    put(workspace.path / "笔记.md", "喝茶\n<<<<<<< HEAD\na\n=======\nb\n>>>>>>> 分支\n")
    put(workspace.path / "memd.toml", "[trigger]\nkeywrod = true\n")
    put(workspace.path / ".memory/wal.jsonl", '{"memd":"wal","version":1,"writer":"5f0c21aa","n":40,"c":')
    rows = doctor(workspace, 1)
    assert "roles/nora/memory.json:2:15: json.syntax" in rows["files"]["seen"]
    assert "笔记.md:2:1" in rows["conflicts"]["seen"]
    assert "memd.toml:2:1" in rows["settings"]["seen"]
    assert (rows["log"]["state"], rows["log"]["seen"][:21]) == ("warn", "the last line is torn")
    assert {rows[name]["state"] for name in ("settings", "files", "conflicts")} == {"fail"}
    assert {rows[name]["state"] for name in ("daemon", "watcher", "hooks", "service")} == {"skip"}
    assert {rows[name]["state"] for name in ("disk", "watches")} == {"ok"}


@pytest.mark.demo
def test_work_that_only_the_log_has_and_damage_in_it_are_told(workspace: Folder, daemon: Daemon) -> None:
    shutil.rmtree(workspace.path / "roles/main")
    (workspace.path / "roles/main").symlink_to("/nowhere")  # its file cannot be written
    daemon.call("remember", role="nora", content="I keep bees behind the shed.", source="user", explicit=True)
    daemon.kill()
    log = workspace.path / ".memory/wal.jsonl"
    kept = [line for line in log.read_bytes().splitlines(keepends=True) if not line.startswith(b'{"applied"')]
    log.write_bytes(b"".join(kept))
    rows = doctor(workspace, 1)
    assert "1 acknowledged batch not yet in the files, the oldest since 20" in rows["log"]["seen"]
    log.write_bytes(kept[0] + b"no line\n" + b"".join(kept[1:]))
    assert any("the log has 8 bytes that are no lines of it" in row.seen for row in examine_log(workspace))


def examine_log(folder: Folder) -> list[Row]:
    from memd.service.care.doctor import check_log  # noqa: PLC0415  beside the only test that asks it alone

    return examine(scope(folder), (("log", check_log),))


def test_an_index_that_is_not_the_files_is_told(workspace: Folder) -> None:
    memd("rebuild", "-w", str(workspace.path))
    put(workspace.path / "notes/kiln.md", "The kiln is hot.\n")
    workspace.write("main", "写在守护进程之外。")
    rows = doctor(workspace, 0)
    assert rows["index"]["state"] == "warn"
    assert "the index does not have" in rows["index"]["seen"]


def test_a_running_daemon_whose_index_is_another_one_fails(daemon: Daemon) -> None:
    until(lambda: daemon.call("status")["index"]["behind"] == 0, 20, "the index is there")
    cache = Path(cache_path(str(daemon.folder.path), surroundings(os.environ["XDG_CACHE_HOME"])))
    shutil.copytree(cache, cache.with_name("older"))
    count = daemon.call("status")["index"]["documents"]
    put(daemon.folder.path / "notes/kiln.md", "The kiln is hot.\n")
    until(lambda: daemon.call("status")["index"]["documents"] == count + 1, 20, "it is indexed")
    shutil.rmtree(cache)
    cache.with_name("older").rename(cache)
    rows = doctor(daemon.folder, 1, MEMD_SOCKET=str(daemon.socket))
    assert rows["index"]["state"] == "fail"


def test_a_socket_directory_that_is_open_and_a_socket_left_behind_are_told(workspace: Folder) -> None:
    folder = Path(os.environ["XDG_RUNTIME_DIR"]) / "memd"
    folder.mkdir(0o700)
    with socket.socket(socket.AF_UNIX) as left:
        left.bind(str(folder / f"{workspace_key(str(workspace.path))}.sock"))
    rows = doctor(workspace, 0)
    assert "left of a daemon that died" in rows["socket"]["seen"]
    folder.chmod(0o755)
    rows = doctor(workspace, 1)
    assert (rows["socket"]["state"], "0755" in rows["socket"]["seen"]) == ("fail", True)


def test_git_without_its_driver_or_in_the_middle_of_a_merge_is_told(workspace: Folder) -> None:
    assert doctor(workspace, 0)["git"]["state"] == "skip"
    git_config(workspace, f"sh -c 'if [ -x {GONE} ]; then exec {GONE} git-merge \"$@\"; fi' memd %O %A %B")
    put(workspace.path / ".git/MERGE_HEAD", "0" * 40)
    rows = doctor(workspace, 1)
    assert "MERGE_HEAD is under way" in rows["git"]["seen"]
    assert f"starts {GONE}, which is not there" in rows["merge driver"]["seen"]
    (workspace.path / ".git/config").write_text("[core]\n")
    assert "this clone has no driver" in doctor(workspace, 0)["merge driver"]["seen"]


OURS = f"{sys.executable} -m memd git merge-driver"
BOTH = f'[merge "memd"]\ndriver = {OURS} memory %O\n[merge "memd-curated"]\ndriver = {OURS} curated %O\n'
NAMED = "roles/*/memory.json merge=memd diff=memd\nMEMORY.md merge=memd-curated\n"


@pytest.mark.parametrize(
    ("attributes", "config", "state", "seen"),
    [
        (NAMED, BOTH, "ok", "memd and memd-curated installed"),
        (NAMED, BOTH.replace(f"{OURS} memory %O", "true"), "fail", "merge.memd.driver is `true`, which is not memd's"),
        (NAMED, BOTH.replace(f"{OURS} curated %O", f"{GONE} git merge-driver"), "fail", f"starts {GONE}"),
        (NAMED, BOTH.partition('[merge "memd-c')[0], "warn", "this clone has no driver memd-curated"),
        (f"# {NAMED.splitlines()[0]}\n", BOTH, "warn", "no .gitattributes names it"),
        (NAMED, f"{BOTH}[include]\npath = 其他\n", "skip", "includes other files, which doctor does not read"),
        (NAMED, '[includeIf "gitdir:/"]\npath = x\n', "skip", "includes other files"),
    ],
)
def test_a_merge_driver_is_good_only_where_all_that_is_named_is_memds(
    workspace: Folder, attributes: str, config: str, state: str, seen: str
) -> None:
    put(workspace.path / ".gitattributes", attributes)
    put(workspace.path / ".git/config", config)
    row = next(one for one in examine(scope(workspace), (("git", check_git),)) if one.name == "merge driver")
    assert (row.state, seen in row.seen) == (state, True), row


def test_a_daemon_that_listens_elsewhere_is_found_and_one_that_cannot_be_reached_is_named(daemon: Daemon) -> None:
    pid = daemon.call("ping")["pid"]
    until(lambda: daemon.call("status")["watcher"]["reconciled"]["at"], 20, "everything was looked at")
    put(daemon.folder.path / "笔记.md", "窑很热。\n")  # just now: the index may not have it yet

    def is_well() -> bool:
        rows = doctor(daemon.folder, 0)
        return all(rows[name]["state"] == "ok" for name in ("daemon", "watcher", "socket", "index"))

    until(is_well, 60, "all is well")  # a page behind for longer than a moment is a warning
    with (daemon.folder.path / ".memory/wal.jsonl").open("ab") as log:
        log.write(b'{"n":9')
    assert f"`kill {pid}`" in doctor(daemon.folder, 0)["log"]["do"]
    daemon.socket.unlink()
    row = doctor(daemon.folder, 1)["daemon"]
    assert f"process {pid} holds the workspace and cannot be reached" in row["seen"]
    assert f"`kill {pid}`" in row["do"]


@pytest.mark.parametrize(
    "answer",
    [
        b"\xff\xfe hello\n", b"HTTP/1.1 400 Bad\r\n\r\n", b"[]\n", b'{"jsonrpc":"2.0","id":1,"result":null}\n',
        b'{"jsonrpc":"2.0","id":1,"result":{}}\n',
        b'{"jsonrpc":"2.0","id":1,"result":{"pid":"x","version":"0.1.0","uptime_s":"z","workspace":3}}\n',
    ],
)  # fmt: skip
def test_a_stranger_at_the_socket_is_one_row(workspace: Folder, short_dir: Path, answer: bytes) -> None:
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(short_dir / "s"))
        listening.listen()
        threading.Thread(target=answering, args=(listening, answer), daemon=True).start()
        rows = doctor(workspace, 1, MEMD_SOCKET=str(short_dir / "s"))
        assert [name for name, row in rows.items() if row["state"] == "fail"] == ["daemon"]
        assert "is not memd" in rows["daemon"]["seen"]
        status = memd(
            "service", "status", "-w", str(workspace.path), check=False, env={"MEMD_SOCKET": str(short_dir / "s")}
        )
        assert (status.returncode, "internal" in status.stderr) == (69, False)
        listening.shutdown(socket.SHUT_RDWR)


def answering(listening: socket.socket, answer: bytes) -> None:
    while True:
        try:
            with listening.accept()[0] as one:
                if one.recv(9999):
                    one.sendall(answer)
        except OSError:
            return


@pytest.mark.demo
def test_without_memd_toml_the_rest_is_looked_at_and_a_running_daemon_told_of(daemon: Daemon) -> None:
    (daemon.folder.path / "memd.toml").unlink()
    rows = doctor(daemon.folder, 1)
    assert "roles: main, nora" in rows["settings"]["seen"]
    assert f"process {daemon.call('ping')['pid']}" in rows["daemon"]["seen"]
    (daemon.folder.path / "memd.toml").mkdir()
    assert "is no regular file" in doctor(daemon.folder, 1)["settings"]["seen"]


def spoil_cache(folder: Folder) -> None:
    cache = Path(cache_path(str(folder.path), surroundings(os.environ["XDG_CACHE_HOME"])))
    put(cache.parent, "a file")


def spoil_private(folder: Folder) -> None:
    shutil.rmtree(folder.path / ".memory", ignore_errors=True)
    put(folder.path / ".memory", "a file")


@pytest.mark.parametrize(
    ("spoil", "name", "env"),
    [(spoil_cache, "index", {}), (spoil_private, "workspace", {}), (lambda _: None, "extras", {"MEMD_EMBEDDINGS": "/没有"})],
)  # fmt: skip
def test_what_lies_in_the_way_is_one_row(
    workspace: Folder, spoil: Callable[[Folder], None], name: str, env: dict[str, str]
) -> None:
    spoil(workspace)
    rows = doctor(workspace, 1, **env)
    assert [one for one, row in rows.items() if row["state"] == "fail"] == [name]


def test_hooks_in_two_files_name_the_one_to_edit(workspace: Folder, tmp_path: Path) -> None:
    command = f"{sys.executable} -m memd hook claude --workspace="
    files = [tmp_path / "home/.claude/settings.json", workspace.path / ".claude/settings.local.json"]
    for file in files:
        put(file, json.dumps({"hooks": {"Stop": [{"hooks": [{"command": f"{command}{workspace.path}"}]}]}}))
    row = doctor(workspace, 0)["hooks claude"]
    assert (row["state"], str(files[1]) in row["do"]) == ("warn", True)
    put(files[1], json.dumps({"hooks": {"Stop": [{"hooks": [{"command": f"{command}/别处"}]}]}}))
    assert "/别处 is no workspace" in doctor(workspace, 1)["hooks claude"]["seen"]


@pytest.mark.parametrize("agent", ["claude", "gemini", "codex"])
def test_hooks_of_before_that_lack_the_end_of_a_conversation_are_told(
    workspace: Folder, tmp_path: Path, agent: str
) -> None:
    memd("hook", "install", agent, "-w", str(workspace.path))
    (file,) = [one for one in (tmp_path / "home").rglob("*.json") if "hook" in one.read_text("utf-8")]
    row = doctor(workspace, 0)[f"hooks {agent}"]
    assert (row["state"], row["seen"]) == ("ok", f"installed in {file}")
    settings = json.loads(file.read_text("utf-8"))
    del settings["hooks"]["SessionEnd"]
    file.write_text(json.dumps(settings), "utf-8")
    row = doctor(workspace, 0)[f"hooks {agent}"]
    assert (row["state"], row["seen"]) == ("warn", f"{file} has no hook of memd's for SessionEnd")
    assert f"hook install {agent}" in row["do"]
    memd("hook", "install", agent, "-w", str(workspace.path))
    assert doctor(workspace, 0)[f"hooks {agent}"]["state"] == "ok"


def test_hooks_that_start_nothing_or_twice_or_cannot_be_read_are_told(workspace: Folder, tmp_path: Path) -> None:
    def hooks(agent: str, program: str, where: str) -> str:
        command = f'"{program}" hook {agent} --workspace "{where}"'
        return json.dumps({"hooks": {"Stop": [{"hooks": [{"type": "command", "command": command}]}]}})

    home = tmp_path / "home"
    here = str(workspace.path)
    put(home / ".claude/settings.json", hooks("claude", GONE, here))
    put(workspace.path / ".claude/settings.json", hooks("claude", sys.executable + '" -m "memd', here))
    put(home / ".codex/hooks.json", "{broken memd hook codex")
    put(home / ".gemini/settings.json", hooks("gemini", sys.executable + '" -m "memd', "/别处"))
    done = memd("doctor", "--json", "-w", here, check=False, cwd=workspace.path)
    seen = {(row["name"], row["state"], row["seen"]) for row in json.loads(done.stdout)["checks"]}
    assert done.returncode == 1
    assert any(state == "fail" and f"{GONE} is not there" in why for name, state, why in seen if name == "hooks claude")
    assert any(state == "warn" and "installed 2 times" in why for name, state, why in seen if name == "hooks claude")
    assert any(state == "warn" and "cannot be read" in why for name, state, why in seen if name == "hooks codex")
    assert any("/别处 is no workspace" in why for name, _, why in seen if name == "hooks gemini")


def test_a_unit_whose_python_is_gone_is_told(workspace: Folder, tmp_path: Path) -> None:
    memd("service", "install", "-w", str(workspace.path), check=False, env={"PATH": "/nowhere"})
    folder = tmp_path / "home/.config/systemd/user"
    assert doctor(workspace, 0)["service"]["state"] == "ok"
    (service,) = folder.glob("memd-*.service")
    service.write_text(service.read_text("utf-8").replace(sys.executable, "/nowhere/python"), "utf-8")
    assert "/nowhere/python, which is not there" in doctor(workspace, 1)["service"]["seen"]


def test_another_memd_that_comes_first_on_path_is_told_with_both_paths(workspace: Folder, tmp_path: Path) -> None:
    own = Path(own_command()[0])
    link = tmp_path / "link/memd"
    link.parent.mkdir()
    link.symlink_to(own)
    for search in ("/nowhere", str(own.parent), str(link.parent)):
        assert "program" not in doctor(workspace, 0, PATH=search), search
    stranger = put(tmp_path / "stranger/memd", "#!/bin/sh\nexit 0\n")
    twin = put(tmp_path / "twin/memd", "#!/opt/other/bin/python\nfrom memd.__main__ import main\nmain()\n")
    for other, kind, do in ((stranger, "another program", "put its directory before"), (twin, "another installation", "Remove one")):  # fmt: skip
        other.chmod(0o755)
        row = doctor(workspace, 0, PATH=f"{other.parent}:{own.parent}")["program"]
        assert (row["state"], kind in row["seen"], do in row["do"]) == ("warn", True, True), row
        assert {str(other), str(own)} <= set(re.split(r"[\s,;]+", row["seen"])), row
        assert "program" not in doctor(workspace, 0, PATH=f"{own.parent}:{other.parent}")
    assert "another program" in memd("doctor", cwd=tmp_path, check=False, env={"PATH": str(stranger.parent)}).stdout


def test_a_daemon_of_another_version_is_told(daemon: Daemon) -> None:
    looked = scope(daemon.folder, socket=str(daemon.socket), version="0.0.0-other")
    (row,) = check_daemon(looked)
    assert row.state == "fail"
    assert "this command is version 0.0.0-other" in row.seen


def test_a_check_that_crashes_is_a_row_and_the_others_go_on(workspace: Folder) -> None:
    def crash(_: Scope) -> list[Row]:
        raise KeyError("nobody foresaw this")

    rows = examine(scope(workspace), (("one", crash), ("two", lambda _: [Row("two", OK, "fine")])))
    assert [(row.name, row.state) for row in rows] == [("one", "fail"), ("two", "ok")]
    assert "nobody foresaw this" in rows[0].seen


def test_without_a_workspace_it_says_so_and_looks_at_the_rest(tmp_path: Path) -> None:
    done = memd("doctor", cwd=tmp_path, check=False)
    assert done.returncode == 1
    assert "no memd.toml in" in done.stdout
    assert "libraries" in done.stdout


@pytest.mark.parametrize(
    ("command", "programs"),
    [
        ("memd git-merge %O %A %B", ["memd"]),
        ("'/opt/my tools/memd' git-merge %O", ["/opt/my tools/memd"]),
        ("sh -c 'if command -v memd; then exec \"/opt/my tools/memd\" git-merge; fi' memd %O", ["/opt/my tools/memd"]),
        ("/usr/bin/python3.11 -m memd hook claude", ["/usr/bin/python3.11"]),
        ("git merge-file 'unclosed", []),
    ],
)
def test_the_programs_of_a_command_are_found_in_any_quoting(command: str, programs: list[str]) -> None:
    assert programs_in(command) == programs


def test_a_git_configuration_reads_as_git_reads_it() -> None:
    text = '# c\n[Merge "memd"] name = x ; c\n\tdriver = "a \\"b\\" #c" \\\n  d # e\n[core]\n\tbare\n[merge "\\"q"]\nk = 小\n'
    assert read_git_config(text) == {
        "merge.memd.name": "x", "merge.memd.driver": 'a "b" #c   d', "core.bare": "true", 'merge."q.k': "小",
    }  # fmt: skip
