"""demo: memd at work on real text in two languages, from an empty folder to a running daemon and back."""

from __future__ import annotations

import os
import signal
import sys
import time
from typing import Any

import click

from memd.cli.keeping import verdict_text
from memd.cli.recalling import trigger_text
from memd.cli.running import start_detached
from memd.cli.searching import search_text
from memd.cli.show import clean, short
from memd.client import Client, socket_of
from memd.errors import WorkspaceExistsError
from memd.service.care.template import copy_template
from memd.storage.files import Tree

MESSAGES = (
    ("nora", "Tomasz wants to know whether he may fire the kiln on Friday."),
    ("nora", "What do I need to remember before I order gloves for the studio?"),
    ("nora", "The celadon came out grey again, what was it last time?"),
    ("阿远", "帮我订周五去昆明的高铁票。"),
    ("阿远", "沈怀舟到底是什么来历？"),
    ("阿远", "中午点菜，有什么要避开的？"),
)
OFFERS = (
    ("nora", "From now on, always photograph the kiln log before a reduction firing.", "user"),
    ("nora", "Hmm, right now I'm on the train, give me a minute.", "user"),
    ("阿远", "以后第三卷的稿子每周五晚上先发给林霜看一遍。", "user"),
    ("阿远", "哈哈，今天可真冷，你吃了没？", "user"),
)
EDIT = """
import sys
path = sys.argv[1]
text = open(path, encoding="utf-8").read()
changed = text.replace("The van is a Citroen Jumpy", "The van is parked in Lange Strasse behind the bakery. It is a Citroen Jumpy")
open(path, "w", encoding="utf-8").write(changed)
"""
NOTE = """
import sys
text = "---\\ntags: [kiln, 窑]\\n---\\nThe pyrometer of the gas kiln reads 12 degrees high. 煤气窑的测温计偏高十二度。\\n"
open(sys.argv[1], "w", encoding="utf-8").write(text)
"""
SEARCHES = ("kiln pyrometer", "测温计 煤气窑", '"gas kiln" tag:kiln')
STOP_S = 20.0
HEARD_S = 5.0


@click.command("demo")
@click.argument("directory", default="demo-memory")
def demo_command(directory: str) -> None:
    """Make a workspace with two roles in DIRECTORY, show memd at work on it, and leave it to play with.

    \b
    memd demo
    """
    directory = _free(directory)
    _say(f"1. A workspace in {directory}/: the template, and two roles with 60 memories each")
    os.makedirs(directory, exist_ok=True)
    tree = Tree(os.path.realpath(directory))
    names = [*copy_template(tree, "workspace")[0], *copy_template(tree, "demo")[0]]
    tree.close()
    click.echo("\n".join(f"   {name}" for name in names))
    workspace = os.path.realpath(directory)
    _say("2. A daemon takes it")
    pid = start_detached(workspace, socket_of(workspace))
    click.echo(f"   memd {pid} answers at {socket_of(workspace)}")
    try:
        with Client(socket_of(workspace)) as client:
            _show(client, workspace)
    finally:
        _stop(pid)
    _say("7. The daemon has ended; everything is in the files")
    click.echo(
        f"   roles/nora/memory.json, .memory/declarative.md, .memory/audit.jsonl … in {directory}/\n\n"
        f"Go on:  cd {directory}\n"
        "        memd up --detach                      # or work without a daemon: every verb does\n"
        '        memd trigger nora "What does the landlord want?" --explain\n'
        '        memd remember 阿远 "阿远下个月开始学游泳，每周二晚上。" --source user\n'
        "        memd list nora --kind trait\n"
        "        memd search '\"gas kiln\" after:2026-01'\n"
        "        memd check\n"
        "        memd status"
    )


def _show(client: Client, workspace: str) -> None:
    _say("3. What comes to mind")
    for role, message in MESSAGES:
        _ask(f'memd trigger {role} "{message}"', trigger_text(_trigger(client, role, message)))
    _say("4. What is kept, and what is refused")
    for role, text, source in OFFERS:
        reply = client.call("remember", role=role, content=text, source=source)
        _ask(f'memd remember {role} "{text}" --source {source}', verdict_text(reply))
    _say("5. Another process edits roles/nora/memory.json; the next answer knows")
    path = os.path.join(workspace, "roles", "nora", "memory.json")
    child = os.posix_spawn(sys.executable, [sys.executable, "-c", EDIT, path], os.environ)
    os.waitpid(child, 0)
    message = "Where is the van?"
    _ask(f'memd trigger nora "{message}"', trigger_text(_trigger(client, "nora", message)))
    _say("6. Everything is searched, a page that was written a moment ago included")
    os.makedirs(os.path.join(workspace, "notes"), exist_ok=True)
    child = os.posix_spawn(
        sys.executable, [sys.executable, "-c", NOTE, os.path.join(workspace, "notes", "kiln.md")], os.environ
    )
    os.waitpid(child, 0)
    for query in SEARCHES:
        reply = _search(client, query)
        _ask(f"memd search '{query}'", search_text(reply, 0, colour=sys.stdout.isatty()))


def _search(client: Client, query: str) -> dict[str, Any]:
    """Ask until the watcher has heard of the page, which takes some milliseconds."""
    until = time.monotonic() + HEARD_S
    while True:
        reply = client.call("search", query=query, limit=3)
        if any(hit["kind"] == "page" for hit in reply["hits"]) or time.monotonic() > until:
            return reply
        time.sleep(0.02)


def _trigger(client: Client, role: str, message: str) -> dict[str, Any]:
    return client.call("trigger", role=role, message=message)


def _ask(command: str, answer: str) -> None:
    click.echo(click.style(f"\n$ {short(command, 110)}", bold=True))
    click.echo(clean(answer))


def _say(text: str) -> None:
    click.echo(click.style(f"\n== {text}", bold=True))


def _free(directory: str) -> str:
    """Return the directory, or the first of its kind with a number that does not exist yet."""
    if not os.path.exists(directory) or not os.listdir(directory):
        return directory
    for number in range(2, 1000):
        numbered = f"{directory}-{number}"
        if not os.path.exists(numbered):
            return numbered
    raise WorkspaceExistsError(directory)


def _stop(pid: int) -> None:
    os.kill(pid, signal.SIGTERM)
    until = time.monotonic() + STOP_S
    while time.monotonic() < until:
        ended, _ = os.waitpid(pid, os.WNOHANG)
        if ended:
            return
        time.sleep(0.02)
