"""Whom the page's server answers, byte by byte: a browser of this machine, on this page, with the secret of its session."""

from __future__ import annotations

import contextlib
import html
import http.client
import json
import os
import re
import signal
import socket
import stat
import subprocess
import sys
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

import pytest

pytest.importorskip("jinja2", reason="the extra memdaemon[ui] is not installed")
pytest.importorskip("starlette", reason="the extra memdaemon[ui] is not installed")
pytest.importorskip("uvicorn", reason="the extra memdaemon[ui] is not installed")

from memd.doors.web.app import BODY_BYTES, screens
from memd.doors.web.live import LIVE
from memd.storage.itself import own_line
from tests import forking
from tests.browser.serving import Served
from tests.support import ROOT, Daemon, Folder, own_places, until

VENDORED = ROOT / "memd/doors/web/static/vendor"


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    path = tmp_path_factory.mktemp("page")
    with own_places(path):
        running = Daemon(Folder.make(path / "w"), path / "s")
        running.start()
        yield running
        running.stop()


@pytest.fixture(scope="module")
def served(daemon: Daemon) -> Iterator[Served]:
    with Served.of(daemon) as running:
        yield running.enter()


def test_who_has_the_token_is_answered_and_sees_the_screen(served: Served) -> None:
    answer = served.send("GET", "/screen/now")
    assert answer.status == 200
    assert "<h1>Now</h1>" in answer.text


@pytest.mark.parametrize("language", ["en", "zh"])
def test_what_a_person_is_to_run_runs_in_any_terminal(served: Served, daemon: Daemon, language: str) -> None:
    body = json.dumps({"role": "nora", "id": "beef0000"}).encode()
    answer = served.send("POST", "/do/now/memory.undo", {"Accept-Language": language}, body)
    assert answer.status == 422
    assert f"{own_line('list')} " in html.unescape(answer.text)
    assert f" --workspace {daemon.folder.path}`" in html.unescape(answer.text)


def test_the_first_screen_is_begun_with_its_frame_and_given_once_in_its_language(
    served: Served, daemon: Daemon
) -> None:
    opened = {"Origin": "", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document", "X-Memd-Session": ""}
    for language, head in (("en", "<h1>Now</h1>"), ("zh", "<h1>此刻</h1>")):
        asks = {"Accept-Language": language}
        assert served.send("GET", "/", {**opened, **asks}).status == 200
        assert served.send("GET", "/screen/now", {**asks, "X-Memd-Session": "x" * 43}).status == 401
        first, said = (
            served.send("GET", "/screen/now", asks),
            f"The barge is moored at lock {len(language)} {language}.",
        )
        daemon.call("remember", role="main", content=said, explicit=True, source="user")
        again = served.send("GET", "/screen/now", asks)
        assert [head in one.text for one in (first, again)] == [True, True]
        assert [said in one.text for one in (first, again)] == [False, True]
    assert served.send("GET", "/", {**opened, "Accept-Language": "zh"}).status == 200
    assert "<h1>Now</h1>" in served.send("GET", "/screen/now", {"Accept-Language": "en"}).text


def test_a_token_opens_once(daemon: Daemon) -> None:
    with Served.of(daemon) as fresh:
        token = {"X-Memd-Session": fresh.token}
        for wrong in ("x" * 43, "", fresh.token[:-1], f"{fresh.token}x"):
            assert fresh.send("GET", "/screen/now", {"X-Memd-Session": wrong}).status == 401
        refused = [{"Origin": "http://evil.example"}, {"Host": "evil.example"}, {"Sec-Fetch-Site": "cross-site"}]
        assert {fresh.send("GET", "/screen/now", {**token, **one}).status for one in refused} == {403}
        assert fresh.send("POST", "/do/now/memory.undo", token, b"{}").status == 401
        fresh.enter()
        assert fresh.secret not in ("", fresh.token)
        again = fresh.send("GET", "/screen/now", token)
        assert again.status == 401
        assert "x-memd-session" not in again.headers
        known = fresh.send("GET", "/screen/now")
        assert known.status == 200
        assert "x-memd-session" not in known.headers


def test_what_never_changes_is_kept_by_its_digest_and_asked_for_by_no_other(served: Served) -> None:
    named = re.findall(r"/static/[\w.]+\?[0-9a-f]{64}", served.send("GET", "/now").text)
    assert [one.partition("?")[0] for one in named] == ["/static/first.js", "/static/all.css", "/static/all.js"]
    for one in named:
        assert "immutable" in served.send("GET", one).headers["cache-control"]
        assert served.send("GET", one.partition("?")[0]).headers["cache-control"] == "no-cache"
        assert served.send("GET", f"{one}0").headers["cache-control"] == "no-cache"


@pytest.mark.parametrize("path", ["/screen/now", "/live", "/do/now/memory.undo", "/nothing"])
@pytest.mark.parametrize("secret", ["", "x" * 43, "é"])
def test_without_the_secret_nothing_is_told(served: Served, path: str, secret: str) -> None:
    method = "POST" if path.startswith("/do") else "GET"
    answer = served.send(method, path, {"X-Memd-Session": secret}, b"{}" if method == "POST" else b"")
    assert answer.status == 401
    assert "main" not in answer.text


@pytest.mark.parametrize(
    "headers",
    [
        pytest.param({"Host": "evil.example"}, id="a name that was bent to this machine"),
        pytest.param({"Host": "127.0.0.1"}, id="without the port"),
        pytest.param({"Host": "127.0.0.1:1"}, id="another port"),
        pytest.param({"Origin": "http://evil.example"}, id="another page"),
        pytest.param({"Origin": "null"}, id="a page that hides where it is from"),
        pytest.param({"Origin": "http://127.0.0.1:1"}, id="a page of another server here"),
        pytest.param({"Sec-Fetch-Site": "cross-site"}, id="a browser says another site asks"),
        pytest.param({"Sec-Fetch-Site": "same-site"}, id="a browser says another port asks"),
        pytest.param({"Sec-Fetch-Site": "none"}, id="nobody's own question"),
    ],
)
@pytest.mark.parametrize("path", ["/screen/now", "/live", "/static/first.js", "/do/now/memory.undo"])
def test_a_hostile_asker_is_refused_even_with_the_secret(served: Served, path: str, headers: dict[str, str]) -> None:
    method = "POST" if path == "/do/now/memory.undo" else "GET"
    assert served.send(method, path, headers, b"{}" if method == "POST" else b"").status == 403


def test_a_write_without_an_origin_is_refused(served: Served) -> None:
    assert served.send("POST", "/do/now/memory.undo", {"Origin": ""}, b"{}").status == 403


def test_the_frame_is_opened_from_elsewhere_in_a_window_of_its_own_and_in_nothing_else(served: Served) -> None:
    opened = {"Origin": "", "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}
    assert served.send("GET", "/now", {**opened, "X-Memd-Session": ""}).status == 200
    assert served.send("GET", "/now", {**opened, "Sec-Fetch-Dest": "iframe"}).status == 403
    assert served.send("GET", "/now", {**opened, "Sec-Fetch-Mode": "no-cors"}).status == 403
    assert served.send("GET", "/screen/now", opened).status == 403


def test_the_frame_says_nothing_of_the_memory(served: Served, daemon: Daemon) -> None:
    frame = served.send("GET", "/now", {"X-Memd-Session": ""}).text
    assert str(daemon.folder.path) not in frame
    assert "nora" not in frame


@pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH", "OPTIONS", "HEAD", "TRACE", "CONNECT"])
def test_other_methods_are_refused(served: Served, method: str) -> None:
    assert served.send(method, "/screen/now").status in (400, 405)


def test_a_button_is_not_pressed_by_get_nor_beyond_its_screen(served: Served) -> None:
    assert served.send("GET", "/do/now/memory.undo").status == 405
    assert served.post("/do/now/config.set", key="limits.memory_chars", value=1).status == 404
    assert served.post("/do/nowhere/memory.undo").status == 404
    assert served.send("GET", "/screen/nowhere").status == 404
    assert served.send("GET", "/screen/now/nothing").status == 404
    assert served.send("GET", "/static/../trust.py").status == 404
    assert served.send("GET", "/static/%2e%2e/trust.py").status == 404


def test_a_button_can_do_no_more_than_the_command_line() -> None:
    asked = "\n".join(path.read_text("utf-8") for path in (ROOT / "memd/cli").rglob("*.py"))
    assert [name for screen in screens().values() for name in screen.does if f'"{name}"' not in asked] == []


@pytest.mark.parametrize(
    "kind", ["", "text/plain", "application/x-www-form-urlencoded", "multipart/form-data", "application/jsonp"]
)
def test_what_is_written_is_json(served: Served, kind: str) -> None:
    assert served.send("POST", "/do/now/memory.undo", {"Content-Type": kind}, b'{"role": "nora"}').status == 415


@pytest.mark.parametrize("body", [b"[]", b"{", b'{"a": 1, "a": 2}', b'{"a": NaN}', b"\xff", b"[" * 5000])
def test_what_is_no_object_is_refused(served: Served, body: bytes) -> None:
    assert served.send("POST", "/do/now/memory.undo", body=body).status == 400


def test_a_body_of_a_megabyte_is_refused_before_it_is_read(served: Served) -> None:
    large = json.dumps({"role": "x" * (1 << 20)}).encode()
    assert (
        served.send(
            "POST", "/do/now/memory.undo", {"Content-Type": "application/json", "Content-Length": str(len(large))}
        ).status
        == 413
    )
    assert served.send("POST", "/do/now/memory.undo", body=b'{"role": "' + b"x" * BODY_BYTES + b'"}').status == 413


def test_a_body_in_pieces_is_bounded_too(served: Served) -> None:
    host, port = served.host.split(":")
    own = f"Host: {served.host}\r\nOrigin: {served.origin}\r\nX-Memd-Session: {served.secret}"
    head = f"POST /do/now/memory.undo HTTP/1.1\r\n{own}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
    with socket.create_connection((host, int(port)), timeout=20) as talk:
        talk.sendall(head.encode())
        piece = b"10000\r\n" + b" " * 0x10000 + b"\r\n"
        try:
            for _ in range(64):
                talk.sendall(piece)
        except OSError:
            pass  # it answered, and reads no further
        assert talk.recv(100).startswith(b"HTTP/1.1 413")


def test_a_header_that_comes_twice_or_an_address_of_a_mile_is_refused(served: Served) -> None:
    host, port = served.host.split(":")
    with socket.create_connection((host, int(port)), timeout=20) as talk:
        talk.sendall(f"GET /screen/now HTTP/1.1\r\nHost: {served.host}\r\nHost: evil.example\r\n\r\n".encode())
        assert talk.recv(100).startswith(b"HTTP/1.1 400")
    with socket.create_connection((host, int(port)), timeout=20) as talk:
        twice = f"X-Memd-Session: {served.secret}\r\nX-Memd-Session: {served.secret}\r\n"
        talk.sendall(f"GET /screen/now HTTP/1.1\r\nHost: {served.host}\r\n{twice}\r\n".encode())
        assert talk.recv(100).startswith(b"HTTP/1.1 400")
    assert served.send("GET", f"/screen/now?q={'x' * 9000}").status == 414


@pytest.mark.parametrize("path", ["/now", "/screen/now", "/static/first.js", "/screen/nowhere"])
def test_every_answer_forbids_what_the_page_does_not_need(served: Served, path: str) -> None:
    answer = served.send("GET", path)
    policy = dict(one.split(" ", 1) for one in answer.headers["content-security-policy"].split("; "))
    assert policy["default-src"] == policy["frame-ancestors"] == policy["base-uri"] == policy["form-action"] == "'none'"
    assert policy["script-src"] == policy["style-src"] == policy["connect-src"] == policy["img-src"] == "'self'"
    assert "unsafe" not in answer.headers["content-security-policy"]
    assert answer.headers["x-frame-options"] == "DENY"
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["referrer-policy"] == "no-referrer"
    assert answer.headers["cross-origin-resource-policy"] == "same-origin"
    assert not [name for name in answer.headers if name.startswith("access-control")]
    assert "server" not in answer.headers


@contextlib.contextmanager
def listening(served: Served) -> Iterator[http.client.HTTPResponse]:
    """A window that is told of changes."""
    connection = http.client.HTTPConnection(served.host, timeout=20)
    own = {"Host": served.host, "Sec-Fetch-Site": "same-origin", "X-Memd-Session": served.secret}
    connection.request("GET", "/live", headers=own)
    with contextlib.closing(connection), connection.getresponse() as answer:
        yield answer


def test_changes_are_told_as_lines_to_so_many_windows_and_one_that_is_closed_makes_room(
    daemon: Daemon, served: Served
) -> None:
    with contextlib.ExitStack() as left:
        windows = [left.enter_context(listening(served)) for _ in range(LIVE)]
        assert {one.status for one in windows} == {200}
        assert json.loads(windows[-1].readline())["topic"] == "subscribed"
        assert served.send("GET", "/live").status == 429
        daemon.call("remember", role="main", content="Our staging database listens on port 5433.", explicit=True)
        assert json.loads(windows[-1].readline())["topic"] in ("memory", "verdicts")

    def is_told() -> bool:
        with listening(served) as again:
            return again.status == 200

    until(is_told, 20, "there is room again")


def test_a_server_that_ends_lets_its_windows_go_and_has_nothing_to_complain_of(daemon: Daemon, tmp_path: Path) -> None:
    with (tmp_path / "said").open("w+b") as said:
        with Served.of(daemon, stderr=said) as own:
            own.enter()
            with listening(own) as window:
                assert json.loads(window.readline())["topic"] == "subscribed"
                own.process.send_signal(signal.SIGTERM)
                assert b"Traceback" not in window.read()
                assert own.process.wait(20) == 0
        said.seek(0)
        assert said.read() == b""


def test_it_listens_on_this_machine_alone(served: Served) -> None:
    assert served.origin.startswith("http://127.0.0.1:")
    port = f"{int(served.host.partition(':')[2]):04X}"
    listening = [
        line.split()[1] for line in Path("/proc/net/tcp").read_text().splitlines()[1:] if line.split()[3] == "0A"
    ]
    assert [one for one in listening if one.endswith(f":{port}")] == [f"0100007F:{port}"]
    assert not [
        one for one in Path("/proc/net/tcp6").read_text().splitlines() if f":{port} " in one.partition(" 0A ")[0]
    ]


def test_a_port_that_is_taken_is_told(daemon: Daemon, served: Served) -> None:
    port = served.host.partition(":")[2]
    env = {**os.environ, "MEMD_SOCKET": str(daemon.socket)}
    ended = forking.run("ui", "-w", str(daemon.folder.path), "--port", port, env=env)
    assert ended.returncode == 73
    assert port in ended.stderr.decode()


def test_the_browser_is_handed_the_address_in_a_file_that_only_its_user_reads(daemon: Daemon, tmp_path: Path) -> None:
    told = tmp_path / "told"
    browser = tmp_path / "browser"
    browser.write_text(
        f'#!/bin/sh\nf="${{1#file://}}"; stat -c %a "$f" > {told}.new; echo "$@" >> {told}.new; cat "$f" >> {told}.new; mv {told}.new {told}\n'
    )
    browser.chmod(0o700)
    environment = os.environ.get("BROWSER")
    os.environ["BROWSER"] = f"{browser} %s"
    try:
        with Served.of(daemon, "--open") as opened:
            until(told.exists, 20, "the browser is opened")
            mode, arguments, page = told.read_text().split("\n", 2)
            assert mode == "600"
            assert opened.token not in arguments
            assert opened.address in page
            path = Path(arguments.removeprefix("file://"))
            assert stat.S_IMODE(path.stat().st_mode) == 0o600
    finally:
        os.environ.pop("BROWSER")
        if environment is not None:
            os.environ["BROWSER"] = environment
    assert not path.exists()


WITHOUT = "import sys; sys.modules[{!r}] = None; sys.argv = ['memd', 'ui', '-w', {!r}]; from memd.__main__ import main; main()"


@pytest.mark.parametrize("module", ["starlette", "uvicorn", "jinja2"])
def test_without_the_extra_it_says_what_to_install(daemon: Daemon, module: str) -> None:
    words = [sys.executable, "-c", WITHOUT.format(module, str(daemon.folder.path))]
    env = {**os.environ, "MEMD_SOCKET": str(daemon.socket)}
    ended = subprocess.run(words, capture_output=True, text=True, cwd=ROOT, env=env, timeout=60, check=False)
    assert ended.returncode == 73, ended.stderr
    assert "extra `ui`" in ended.stderr
    assert "pipx install --force" in ended.stderr


def test_nobody_else_loads_what_the_page_needs() -> None:
    others = "memd.daemon, memd.cli.main, memd.cli.serving, memd.doors.hooks.entry, memd.cli.mcp_entry, memd.doors.rpc"
    told = (
        f"import sys, {others}; print(*{{'jinja2', 'starlette', 'uvicorn', 'memd.doors.web.app'}} & set(sys.modules))"
    )
    ended = subprocess.run(
        [sys.executable, "-c", told], capture_output=True, text=True, cwd=ROOT, timeout=60, check=True
    )
    assert ended.stdout.strip() == ""


def test_what_others_wrote_is_as_they_published_it() -> None:
    listed = json.loads((VENDORED / "list.json").read_text("utf-8"))
    there = {
        path.name: sha256(path.read_bytes()).hexdigest() for path in VENDORED.iterdir() if path.name != "list.json"
    }
    assert {name: digest for one in listed for name, digest in one["sha256"].items()} == there
    for one in listed:
        assert re.fullmatch(r"[\w.]+", one["package"])
        assert re.fullmatch(r"\d+\.\d+\.\d+", one["version"])
        assert one["license"] in ("0BSD", "MIT")
        assert any(name.endswith(".LICENSE") for name in one["sha256"])


def test_no_script_or_style_stands_in_a_page_and_nothing_comes_from_elsewhere() -> None:
    templates = sorted((ROOT / "memd/doors/web/templates").rglob("*.html"))
    assert templates
    for path in templates:
        text = path.read_text("utf-8")
        assert not re.search(
            r"<script(?![^>]* src=\"/static/)|<style|\sstyle=|\son\w+=|hx-on|javascript:|js:|\|\s*safe\b|autoescape false",
            text,
        ), path
        assert not re.search(r"(?:src|href)=\"(?:https?:)?//", text), path
    own = [path.read_bytes() for path in sorted(VENDORED.parent.iterdir()) if path.is_file()]
    assert own
    assert all(
        b"http://" not in body.replace(b"http://www.w3.org/2000/svg", b"") and b"https://" not in body for body in own
    )
    assert all(b"innerHTML =" not in body and b"eval(" not in body and b"document.write" not in body for body in own)


def test_every_screen_has_its_words_in_both_languages() -> None:
    for path in sorted((ROOT / "memd/doors/web/words").glob("*.json")):
        for key, word in json.loads(path.read_text("utf-8")).items():
            assert set(word) == {"en", "zh"}, f"{path.name}: {key}"
            places = [
                sorted(set(re.findall(r"\{(\w+)\}", said)))
                for one in word.values()
                for said in ([one] if isinstance(one, str) else one)
            ]
            assert all(one == places[0] for one in places), f"{path.name}: {key}"
            assert re.search("[\u4e00-\u9fff\uff00-\uffef]", str(word["zh"])) or word["zh"] == word["en"], (
                f"{path.name}: {key}"
            )
    for name in screens():
        assert (ROOT / f"memd/doors/web/words/{name}.json").exists()
        for method in screens()[name].does:
            assert f"done.{method}" in json.loads((ROOT / f"memd/doors/web/words/{name}.json").read_text("utf-8"))


def test_every_word_that_a_template_names_is_there() -> None:
    folder = ROOT / "memd/doors/web"
    common = json.loads((folder / "words/shell.json").read_text("utf-8"))
    for path in sorted((folder / "templates").rglob("*.html")):
        own = folder / f"words/{path.relative_to(folder / 'templates').parts[0].removesuffix('.html')}.json"
        known = {**common, **(json.loads(own.read_text("utf-8")) if own.exists() else {})}
        named = set(
            re.findall(
                r"\bt\(['\"]([^'\"]+)['\"](?!\s*[~+])", re.sub(r"{#.*?#}", "", path.read_text("utf-8"), flags=re.DOTALL)
            )
        )
        assert named <= set(known), f"{path.name}: {named - set(known)}"
