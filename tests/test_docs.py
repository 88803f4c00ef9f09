"""What is documented is what there is: methods, errors, settings, verbs, the package's contents."""

from __future__ import annotations

import ast
import json
import re
import shlex
import subprocess
import sys
import tarfile
import tokenize
import tomllib
import zipfile
from collections.abc import Iterator
from dataclasses import asdict, replace
from io import StringIO
from pathlib import Path
from tokenize import COMMENT
from urllib.parse import unquote

import click
import pytest

from memd import __version__
from memd.cli.main import STATUSES, memd_command
from memd.cli.verbs import VERBS
from memd.doors.rpc import METHODS, NUMBERS, discover
from memd.engine.work.events import FIELDS
from memd.errors import by_code
from memd.formats.settings import load_settings
from memd.model.sessions import VISIBLE
from memd.model.settings import Settings, declared, tables
from memd.model.tasks import TASK_MOVES, Move, TaskState
from memd.model.trust import PROTECTIONS
from tests.pages import FENCE, Command, Person, commands_of
from tests.support import ROOT, Daemon, memd
from tests.test_layers import PLAN

PROTOCOL = (ROOT / "docs/protocol.md").read_text("utf-8")


def test_the_document_of_discovery_has_every_method_with_what_all_take() -> None:
    for method in discover()["methods"]:
        assert "reader" in {one["name"] for one in method["params"]}
    assert {method["name"] for method in discover()["methods"]} == set(METHODS)
    assert "Every method also takes `reader`" in PROTOCOL


@pytest.mark.parametrize("told", [pytest.param(NUMBERS, id="number"), pytest.param(STATUSES, id="status")])
def test_every_error_or_its_family_has_its(told: dict[str, int]) -> None:
    assert [code for code in by_code() if not {code, code.partition(".")[0]} & set(told)] == []


def test_the_template_has_every_setting_commented_and_at_its_default() -> None:
    text = (ROOT / "workspace-template/memd.toml").read_text("utf-8")
    assert load_settings(text.encode(), "memd.toml") == Settings()
    assert {name: set(keys) for name, keys in tomllib.loads(text).items()} == {
        name: {one.key for one in declared(table)} for name, table, _ in tables()
    }
    silent = [one.key for _, table, _ in tables() for one in declared(table) if not one.words]
    assert silent == ["max_semantic", "max_trait", "max_goal"], "the one above tells them too"


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_has_help_with_an_example(verb: str) -> None:
    result = memd(verb, "--help")
    assert "memd" in result.stdout
    assert len(result.stdout.splitlines()) > 5


def test_the_help_of_memd_names_every_verb() -> None:
    result = memd("--help")
    assert all(f"  {verb} " in result.stdout for verb in VERBS)
    assert memd_command.name == "memd-command" or memd_command.name


def test_discovery_over_the_socket_is_the_declarations(daemon: Daemon) -> None:
    document = daemon.call("rpc.discover")
    assert document["openrpc"].startswith("1.")
    assert json.loads(json.dumps(discover())) == document
    told = {one["data"]["code"] for one in document["components"]["errors"].values()}
    assert told == set(by_code())
    assert {one["name"] for one in document["methods"] if one["x-writes"]} >= {"remember", "memory.forget"}


EXAMPLES = {
    "docs/README.md": ("I prefer tabs to spaces.", "stands", "read-write ['main'", "no memory '0000'"),
    "docs/learning.md": ("## Memory", "Use tabs."),
    "docs/adapters.md": ("kiln log", "福州"),
}


@pytest.mark.parametrize("page", EXAMPLES)
def test_the_examples_with_a_client_run(
    page: str, daemon: Daemon, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    examples = re.findall(r"```python\n(.*?)```", (ROOT / page).read_text("utf-8"), re.DOTALL)
    monkeypatch.setenv("MEMD_SOCKET", str(daemon.socket))
    daemon.call("curated.add", content="Use tabs.")
    for example in (one for one in examples if "memd.client" in one):
        exec(compile(example.replace('"my-memory"', repr(str(daemon.folder.path))), page, "exec"), {})
    said = capsys.readouterr().out
    assert [words for words in EXAMPLES[page] if words not in said] == [], said


def test_every_page_with_a_client_in_it_is_run() -> None:
    pages = {page for page in MARKDOWN if "from memd.client import" in (ROOT / page).read_text("utf-8")}
    assert pages == set(EXAMPLES)


@pytest.mark.slice
def test_wheel_and_sdist_have_the_templates_with_their_hidden_files(tmp_path: Path) -> None:
    built = subprocess.run(
        [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(tmp_path), str(ROOT)],
        capture_output=True,
        text=True,
        check=False,
    )
    if "No module named build" in built.stderr:
        pytest.skip("the oldest libraries are tested without the builder")
    assert built.returncode == 0, built.stderr
    (wheel,) = tmp_path.glob("memdaemon-*.whl")
    (sdist,) = tmp_path.glob("memdaemon-*.tar.gz")
    with zipfile.ZipFile(wheel) as opened:
        names = set(opened.namelist())
    template = {
        "memd.toml",
        "MEMORY.md",
        "USER.md",
        "AGENTS.md",
        ".gitignore",
        ".gitattributes",
        "roles/main/role.toml",
    }
    assert {f"memd/templates/workspace/{name}" for name in template} <= names
    assert {"memd/py.typed", "memd/protocol/memories.py", "memd/client/methods/memories.py"} <= names
    assert {"memd/templates/demo/roles/nora/memory.json", "memd/templates/demo/roles/阿远/memory.json"} <= names
    assert {name.partition("/")[0] for name in names} == {"memd", f"memdaemon-{__version__}.dist-info"}
    with tarfile.open(sdist) as archive:
        inside = {name.partition("/")[2] for name in archive.getnames()}
    assert {
        "Makefile",
        "LICENSE",
        "tests/conftest.py",
        "tools/training/shipped.py",
        "workspace-template/.gitignore",
        "docs/how/zh/stop.md",
    } <= inside


def test_the_table_of_what_weakens_is_the_code() -> None:
    page = (ROOT / "docs/trust.md").read_text("utf-8")
    assert re.findall(r"^\| `([a-z_]+\.[a-z_]+)` \|", page, re.MULTILINE) == [one.key for one in PROTECTIONS]
    assert all(f"| {one.gives_up} |" in page for one in PROTECTIONS)
    settings = asdict(Settings())
    for one in PROTECTIONS:
        table, key = one.key.split(".")
        assert one.held(settings[table][key]) == settings[table][key], "a default weakens nothing"


def test_the_table_of_task_states_is_the_code() -> None:
    rows = {
        cells[0]: cells[1:]
        for line in (ROOT / "docs/learning.md").read_text("utf-8").splitlines()
        if (cells := [one.strip() for one in line.strip("|").split("|")])[0] in set(TaskState)
    }
    assert set(rows) == set(TaskState)
    head = next(line for line in (ROOT / "docs/learning.md").read_text("utf-8").splitlines() if "| state |" in line)
    told = [one.strip() for one in head.strip("|").split("|")][1:]
    order = [Move(one) for one in told]
    assert {state: [TASK_MOVES[TaskState(state)].get(move, "") for move in order] for state in rows} == rows


def test_the_table_of_events_is_the_code() -> None:
    lines = (ROOT / "docs/learning.md").read_text("utf-8").splitlines()
    for kind, (must, may) in FIELDS.items():
        (row,) = [line for line in lines if line.startswith(f"| `{kind.value}` |")]
        fields, visible = row.strip("|").split("|")[1:3]
        assert set(re.findall(r"`(\w+)`\*", fields)) == set(must), kind
        assert set(re.findall(r"`(\w+)`", fields)) == {*must, *may}, kind
        assert (visible.strip() == "yes") is (kind in VISIBLE), kind


# Pages for people. What stands before a page is what its reader has already; what is not run is listed with the reason.

MADE = ("memd init my-memory", "cd my-memory", "git init -q", "memd up --detach")
HOW = ("refused", "correct", "stop", "upgrade", "uninstall", "move")
START = {
    "tutorial": "claude",
    "claude": "claude",
    "codex": "codex",
    "gemini": "gemini",
    "opencode": "opencode",
    "vscode": "vscode",
    "sillytavern": "claude",
    "docker": "claude",
}  # each with the agent that its reader has
BOTH = tuple(f"docs/{room}/{{}}{name}.md" for room, names in (("how", HOW), ("start", START)) for name in names)
LOREBOOK = {
    "eldoria.json": (("Eldoria", "Eldoria is a city on stilts above a salt marsh."),
                     ("guard", "The salt guard wears white and never speaks before noon.")),
    "长安.json": (("长安", "长安城夜里宵禁，鼓响六百下之后街上不许有人。"), ("不良人", "不良人查案，先看鞋底的泥。")),
}  # fmt: skip
NOTES = {
    "bread.md": "# Bread\n\nRye sourdough needs 24 hours at 22 degrees.\n",
    "面包.md": "# 面包\n\n黑麦酸面团在 22 度下发酵 24 小时。\n",
}
BEFORE = {
    "docs/README.md": ("memd demo demo-memory", "cd demo-memory"),
    "docs/how/stop.md": (*MADE, "memd hook install claude"),
    "docs/how/upgrade.md": (*MADE, "memd hook install claude", "memd git install"),
    "docs/how/uninstall.md": (*MADE, "memd hook install claude", "memd git install"),
}
PAGES = (
    "README.md",
    "README.zh.md",
    "docs/README.md",
    *(page.format(language) for page in BOTH for language in ("", "zh/")),
)
# What stands for a command here, which does the same without what is missing.
DOCKER_RUN = (
    'docker run --detach --name memd --restart unless-stopped --network none   --volume "$HOME/memory:$HOME/memory"'
    ' --volume "$HOME/.local/state/memd:$HOME/.local/state/memd"   --env HOME --env MEMD_WORKSPACE="$HOME/memory"'
    ' --env MEMD_SOCKET="$HOME/.local/state/memd/run/memd.sock" memd'
)
INSTEAD = {
    "make run": ("memd demo demo-memory", "what `make run` does when its environment is there"),
    DOCKER_RUN: (
        "memd init ~/memory && memd up --detach --workspace ~/memory --socket ~/.local/state/memd/run/memd.sock",
        "what the image's command does with these variables; tests/contrib/test_docker.py starts that",
    ),
}
NOT_RUN = {
    "pipx install .": "takes libraries from the package index",
    "pipx install --force .": "takes libraries from the package index",
    "pipx uninstall memdaemon": "takes away the program that the tests run",
    "claude mcp add memd -- memd mcp --workspace ~/memory": "the agent's own program; tests/agents runs it where it is",
    "claude mcp remove memd": "the agent's own program; tests/agents runs it where it is",
    'docker build --tag memd --file contrib/docker/Dockerfile --build-arg UID="$(id -u)" .': "tests/contrib/test_docker.py carries the steps out",
    "git pull": "changes the clone that is being tested",
    "git switch --detach ORIG_HEAD": "changes the clone that is being tested",
}


@pytest.fixture
def person(short_dir: Path) -> Iterator[Person]:
    """Somebody who sits at a new machine, with nothing in their home; a socket has room there."""
    reader = Person(short_dir / "p")
    reader.place.mkdir()
    reader.sits_at("old")
    yield reader
    reader.leaves()


def put_files(reader: Person) -> None:
    """Put what a lorebook and notes are needed for into a reader's home."""
    for name, entries in LOREBOOK.items():
        book = {str(uid): {"uid": uid, "key": [key], "content": text} for uid, (key, text) in enumerate(entries)}
        (reader.home / name).write_text(json.dumps({"entries": book}, ensure_ascii=False), "utf-8")
    (reader.home / "notes").mkdir()
    for name, text in NOTES.items():
        (reader.home / "notes" / name).write_text(text, "utf-8")


@pytest.mark.timeout(300)  # a tutorial has three machines
# What is typed is the same in both languages, which is looked at below.
@pytest.mark.parametrize(
    "page", [pytest.param(page, marks=pytest.mark.slice) if "/zh/" in page else page for page in PAGES]
)
def test_a_page_does_what_it_says(page: str, person: Person) -> None:
    if page.startswith("README"):
        put_files(person)
    if page.startswith("docs/start/"):
        person.has(START[Path(page).stem])
    for text in BEFORE.get(page, MADE if page.startswith("docs/how/") else ()):
        status, said = person.types(text)
        assert not status, said
    for command in commands_of(page, (ROOT / page).read_text("utf-8")):
        if command.text.startswith("make "):
            subprocess.run([*command.text.split(), "--dry-run"], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
        elif command.text in NOT_RUN:
            continue
        text, _ = INSTEAD.get(command.text, (command.text, ""))
        fault = person.follows(replace(command, text=text))
        assert not fault, fault


@pytest.mark.slice
def test_what_contributing_tells_to_type_is_there(person: Person) -> None:
    """In the clone itself: make has the target, pytest finds the tests; neither changes a file of it."""
    person.cwd = ROOT
    for command in commands_of("CONTRIBUTING.md", (ROOT / "CONTRIBUTING.md").read_text("utf-8")):
        program = command.text.split()[0]
        assert program in {"make", ".venv/bin/python"}, command.place
        text = f"{command.text} {'--dry-run' if program == 'make' else '--collect-only -p no:cacheprovider'}"
        fault = person.follows(replace(command, text=text))
        assert not fault, fault


@pytest.mark.parametrize("text", [*NOT_RUN, *INSTEAD])
def test_what_is_not_run_stands_in_a_page(text: str) -> None:
    assert any(
        command.text == text for page in PAGES for command in commands_of(page, (ROOT / page).read_text("utf-8"))
    )


@pytest.mark.parametrize(
    ("page", "caught"),
    [
        pytest.param("```sh\nmemd lits main\n```\n", "ended with 2", id="a verb that is not there"),
        pytest.param("```sh\ncd my-memory\nls nothing-here\n```\n", "nothing-here", id="any program that fails"),
        pytest.param("```sh\necho 'a\n```\n", "ended with 2", id="what no shell understands"),
        pytest.param("```console\n$ echo a\nb\n```\n", "the page says\nb", id="another answer"),
        pytest.param("```console\n$ printf 'a\\nb\\n'\na\n```\n", "prints", id="more than is shown"),
        pytest.param("```console\n$ echo a\n…\na\nb\n```\n", "prints", id="less than is shown"),
        pytest.param("```console\n$ echo\nError: gone\n```\n", "ended with 0", id="no error"),
        pytest.param(
            "```console\n$ echo 1f0c2a9b 1f0c2a9b\n2e1d3b4a 3e1d3b4a\n$ echo 2e1d3b4a\n3e1d3b4a 1\n```\n",
            "prints\n1f0c2a9b",
            id="another id",
        ),
    ],
)
def test_a_page_that_is_not_true_is_caught(page: str, caught: str, person: Person) -> None:
    assert caught in "".join(person.follows(command) for command in commands_of("page.md", page))


def test_what_is_said_to_an_agent_reaches_memd_and_what_it_is_told_is_compared(person: Person) -> None:
    person.has("claude")
    said = "```sh\nmemd setup --yes\n```\n```prompt\n> Remember that I am allergic to hazelnuts.\n{}\n```\n"
    saved = "<!-- saved: a.txt -->\n```text\nabc\n```\n```console\n$ cat ~/a.txt\nabc\n```\n"
    for page, faults in (
        (said.format("memd kept, as … hazelnuts” …"), 0),
        (said.format("memd kept nothing"), 1),
        (saved, 0),
    ):
        found = [fault for command in commands_of("page.md", page) if (fault := person.follows(command))]
        assert len(found) == faults, found
        assert all("and the page says\nmemd kept nothing" in one for one in found)


@pytest.mark.parametrize(
    "page",
    [
        pytest.param("```\nmemd up\n```\n", id="a block of no language"),
        pytest.param("```text\n$ memd up\n```\n", id="a talk that is called a text"),
        pytest.param("- one\n  ```sh\n  memd up\n  ```\n", id="a block in a list"),
        pytest.param("```console\nmemd up\n```\n", id="a talk without a command"),
        pytest.param("```sh\nmemd up \\\n```\n", id="half a command"),
        pytest.param("```prompt\nRemember that.\n```\n", id="a word to an agent that nobody says"),
        pytest.param("<!-- saved: a.json -->\n\n```json\n{}\n```\n", id="a file that nobody saves"),
    ],
)
def test_no_command_hides(page: str) -> None:
    with pytest.raises(AssertionError):
        commands_of("page.md", page)


def test_ids_stand_for_those_that_were_printed(person: Person) -> None:
    page = "```console\n$ echo ab12cd34 ab12cd34\n1f0c2a9b 1f0c2a9b\n$ echo '<1f0c2a9b>'\n<1f0c2a9b>\n```\n"
    assert [person.follows(command) for command in commands_of("page.md", page)] == ["", ""]
    assert person.types("echo 1f0c2a9b") == (0, "ab12cd34\n")


@pytest.mark.parametrize("name", BOTH)
def test_the_chinese_pages_say_the_same_to_type(name: str) -> None:
    def typed(page: str) -> list[tuple[str, ...]]:
        commands = commands_of(page, (ROOT / page).read_text("utf-8"))
        return [(command.machine, *skeleton(command)) for command in commands]

    assert typed(name.format("zh/")) == typed(name.format(""))


def skeleton(command: Command) -> list[str]:
    """Return the program, verbs and options of a command, without what they are about; of what is said or saved, only that."""
    if command.conversation or command.saved:
        return [f"said {command.shown is not None}" if command.conversation else "saved"]
    return [word for word in shlex.split(command.text) if re.fullmatch(r"-{0,2}[a-z][a-z-]*", word)]


# What stands in a line of text, or in a block of a page of reference, is not run, but names verbs and options that are there.

MARKDOWN = sorted(
    str(path.relative_to(ROOT))
    for path in (
        *ROOT.glob("*.md"),
        *ROOT.glob("docs/**/*.md"),
        *ROOT.glob("tools/*.md"),
        *ROOT.glob("contrib/**/*.md"),
    )
)


@pytest.mark.parametrize("page", MARKDOWN)
def test_every_command_that_is_named_is_there(page: str) -> None:
    text = (ROOT / page).read_text("utf-8")
    in_blocks = [
        line
        for block in FENCE.finditer(text)
        if block["language"] != "prompt"
        for line in block["inside"].replace("$ ", "").splitlines()
    ]
    for line in [*re.findall(r"`(memd [^`\n]+)`", FENCE.sub("", text)), *in_blocks]:
        for words in re.split(r" (?:&&|\||#) |; ", line):
            if words.startswith("memd "):
                assert not unknown_word(words), (words, unknown_word(words))


def unknown_word(line: str) -> str:
    """Return the first word of a command line that is no verb or option of memd, "" where all are."""
    at: click.Command = memd_command
    for word in line.split()[1:]:
        if isinstance(at, click.Group) and re.fullmatch("[a-z]+", word):
            below = at.get_command(click.Context(at), word)
            if below is None:
                return word
            at = below
        elif word.startswith("--"):
            known = {name for one in at.params for name in (*one.opts, *one.secondary_opts)} | {"--help", "--version"}
            if word.partition("=")[0] not in known:
                return word
    return ""


@pytest.mark.parametrize("page", MARKDOWN)
def test_every_link_leads_somewhere(page: str) -> None:
    text = re.sub(r"`[^`\n]+`", "", FENCE.sub("", (ROOT / page).read_text("utf-8")))
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        name, _, anchor = unquote(target).partition("#")
        if "://" in name:
            continue
        path = (ROOT / page).parent / name if name else ROOT / page
        assert path.exists(), target
        assert not anchor or anchor in anchors(path), target


# Pages for those who work on memd name modules and files: by their path, or by their module.

NAMED = re.compile(
    r"(?<![\w/.-])(?:memd|tests|tools|docs|contrib|requirements|workspace-template|workspace-demo)/[\w./-]*[\w]"
)
DESIGN = sorted(str(path.relative_to(ROOT)) for path in ROOT.glob("docs/design/*.md"))


def strangers_in(text: str) -> list[str]:
    """Return the paths that a text names and that are not there."""
    return [name for name in NAMED.findall(text) if not (ROOT / name).exists() and not (ROOT / f"{name}.py").exists()]


@pytest.mark.parametrize(
    "page",
    ["CONTRIBUTING.md", "SECURITY.md", "docs/architecture.md", "tools/README.md", *DESIGN],
)
def test_every_path_that_is_named_is_there(page: str) -> None:
    assert strangers_in((ROOT / page).read_text("utf-8")) == []


def test_a_path_that_is_not_there_is_caught() -> None:
    assert strangers_in("See `memd/service/nothing.py`, memd/verbs and docs/git.md.") == ["memd/service/nothing.py"]


# What docstrings and comments name as their source is a page of this repository, and the place in it is there.

CITED = re.compile(r"(?<![\w/.-])(docs/[\w./-]+\.md)((?:#[\w-]+(?:(?:, | and )(?=#))?)*)")
DECISION = re.compile(r"\bdecisions? (\d{4})\b")
ELSEWHERE = re.compile(r"\.\./shared|\bDESIGN(?:\.md\b| \d| section)|\bfacts (?:on|pages?)\b|\bfacts/|\bHOUSE\.md\b")
AN_EXAMPLE = ("docs/login.md",)  # a file that an agent changed, in the help of `memd run complete`
SOURCES = sorted(path for room in ("memd", "tests", "tools") for path in (ROOT / room).rglob("*.py"))


def said_in(path: Path) -> str:
    """Return docstrings and comments of a module; of memd and the tools, all of it: their messages name pages as well."""
    text = path.read_text("utf-8")
    if path.is_relative_to(ROOT / "tests"):
        nodes = ast.walk(ast.parse(text))
        kinds = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
        said = [ast.get_docstring(node) or "" for node in nodes if isinstance(node, kinds)]
        said += [token.string for token in tokenize.generate_tokens(StringIO(text).readline) if token.type == COMMENT]
        return "\n".join(said)
    return text


def lost_citations(text: str) -> list[str]:
    """Return what a text cites and this repository does not have."""
    lost = [found[0] for found in ELSEWHERE.finditer(text)]
    for page, places in CITED.findall(text):
        path = ROOT / page
        if not path.exists():
            lost += [page] if page not in AN_EXAMPLE else []
        else:
            lost += [f"{page}#{one}" for one in re.findall(r"#([\w-]+)", places) if one not in anchors(path)]
    known = {path.name[:4] for path in ROOT.glob("docs/decisions/0*.md")}
    return lost + [f"decision {number}" for number in DECISION.findall(text) if number not in known]


def test_every_page_that_a_source_names_is_there() -> None:
    # What is said is part of the text: where all of the text cites well, it need not be taken apart.
    suspects = [path for path in SOURCES if lost_citations(path.read_text("utf-8"))]
    lost = {str(path.relative_to(ROOT)): found for path in suspects if (found := lost_citations(said_in(path)))}
    assert lost == {}


@pytest.mark.parametrize("page", MARKDOWN)
def test_no_page_leans_on_what_is_not_here(page: str) -> None:
    text = (ROOT / page).read_text("utf-8")
    assert [found[0] for found in ELSEWHERE.finditer(text)] == []
    assert lost_citations("\n".join(found[0] for found in DECISION.finditer(text))) == []


@pytest.mark.parametrize(
    ("text", "lost"),
    [
        pytest.param("docs/design/nothing.md, 3", ["docs/design/nothing.md"], id="a page"),
        pytest.param("docs/git.md#nowhere", ["docs/git.md#nowhere"], id="a place in a page"),
        pytest.param("docs/git.md#memd-sync and #nowhere", ["docs/git.md#nowhere"], id="the second place"),
        pytest.param("decision 9999, not decision 0001", ["decision 9999"], id="a decision"),
        pytest.param("facts on git, DESIGN 5", ["facts on", "DESIGN 5"], id="what is not of this repository"),
    ],
)
def test_a_citation_that_leads_nowhere_is_caught(text: str, lost: list[str]) -> None:
    assert lost_citations(text) == lost


def test_every_page_of_design_is_in_its_list() -> None:
    listed = re.findall(r"\]\(([a-z-]+\.md)\)", (ROOT / "docs/design/README.md").read_text("utf-8"))
    assert sorted(listed) == sorted(Path(page).name for page in DESIGN if not page.endswith("README.md"))


def test_the_picture_of_rooms_is_the_plan() -> None:
    """Room for room and floor for floor, as tests/test_layers.py enforces it."""
    picture = (ROOT / "docs/architecture.md").read_text("utf-8").split("```")[1]
    floors = [re.split(r" {2,}", line.strip())[:-1] for line in picture.splitlines()[1:]]
    drawn = [" ".join(cells).split() for cells in floors]
    planned = [line.split() for line in PLAN.split("\n") if line.strip() and line.split() != ["__main__"]]
    assert drawn == planned


def anchors(path: Path) -> set[str]:
    """Return the places in a page that a link may name, as GitHub makes them of headings."""
    headings = re.findall(r"^#+ (.+)$", path.read_text("utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", one.lower()).replace(" ", "-") for one in headings}
