"""Verbs over what a model is given: snapshot, context, curated."""

from __future__ import annotations

from typing import Any

import click

from memd.cli.options import asks, given
from memd.cli.reach import ask, json_option, workspace_option
from memd.cli.show import emit, tell, transcript
from memd.cli.verbs import Family
from memd.text.counting import counted


@click.group("snapshot", cls=Family, invoke_without_command=True)
@json_option
@workspace_option
@click.pass_context
def snapshot_command(context: click.Context, as_json: bool, workspace: str) -> None:
    """Freeze MEMORY.md and USER.md as they are, stored once under their digest; or show what was frozen.

    \b
    memd snapshot
    memd snapshot show fb4ea50c
    """
    if context.invoked_subcommand is None:
        _take(as_json=as_json, workspace=workspace)
        return
    given = {"as_json": as_json, "workspace": workspace}  # what stands before the verb counts for it too
    context.default_map = {"take": given, "show": given}


@snapshot_command.command("take")
@json_option
@workspace_option
def take_snapshot(as_json: bool, workspace: str) -> None:
    """Freeze the curated files, and print the snapshot's digest alone.

    \b
    DIGEST=$(memd snapshot take)
    """
    _take(as_json=as_json, workspace=workspace)


def _take(*, as_json: bool, workspace: str) -> None:
    reply = ask(workspace, "snapshot.take")
    emit(reply, as_json, reply["digest"])
    if not as_json:
        chars = sum(len(one["content"]) for one in reply["sections"])
        tell(f"{'stored' if reply['stored'] else 'stored before'}: {reply['file']}, {chars} characters")
        tell(*(f"fault: {one}" for one in reply.get("faults", [])))


@snapshot_command.command("show")
@asks("snapshot.sections", "digest")
@json_option
@workspace_option
def show_snapshot(digest: str, as_json: bool, workspace: str) -> None:
    """Show a snapshot as sections of a prompt; the first characters of DIGEST are enough.

    \b
    memd snapshot show fb4ea50c
    """
    reply = ask(workspace, "snapshot.sections", digest=digest)
    emit(reply, as_json, _sections(reply) or "Nothing stood in the curated files.")


def _sections(reply: dict[str, Any]) -> str:
    return "\n\n".join(f"## {one['title']}\n\n{one['content']}" for one in reply["sections"])


@click.command("context")
@asks(
    "context.render", message=given(metavar="TEXT"), budget_chars=given("--chars"), max_messages=given("--messages"),
    snapshot=given(metavar="DIGEST", words="A stored snapshot; else the run's, else the files."),
    record=given(words="Do not note in the run what was injected."),
)  # fmt: skip
@json_option
@workspace_option
def context_command(as_json: bool, workspace: str, **asked: Any) -> None:
    """Put together what a model is given next: curated memory, the moment, the role's memory, the conversation.

    \b
    memd context --run r20260801-0930-1f0c2a9b
    memd context --role main --message "Tabs or spaces here?" --chars 8000
    """
    reply = ask(workspace, "context.render", **asked)
    parts = [_sections(reply), transcript(reply["messages"])]
    emit(reply, as_json, "\n\n".join(part for part in parts if part))
    if as_json:
        return
    cut = ", older ones were left out" if reply.get("cut") else ""
    tell(
        f"{counted(len(reply['messages']), 'message')}{cut}; {reply['chars']} characters; snapshot {reply['snapshot'][:12]}"
    )
    if reply["dropped_for_room"]:
        tell(f"no room for {len(reply['dropped_for_room'])} of what came to mind")
    if "over_budget" in reply:
        tell(f"warning: {reply['over_budget']} characters over --chars: the newest message always comes whole")


FILE = given(metavar="memory|user", required=True)


@click.group("curated", cls=Family)
def curated_command() -> None:
    """Read and edit MEMORY.md and USER.md entry by entry, within their limits.

    \b
    memd curated read user
    memd curated add memory "The build needs Node 20."
    memd curated replace memory "Node 20" "The build needs Node 22."
    memd curated remove user "简洁"
    """


@curated_command.command("read")
@asks("curated.read", "file", file=given(metavar="memory|user"))
@json_option
@workspace_option
def read_curated(file: str, as_json: bool, workspace: str) -> None:
    """List the entries of MEMORY.md or USER.md, with what is used of its limit.

    \b
    memd curated read user
    """
    reply = ask(workspace, "curated.read", file=file)
    withheld = reply.get("withheld", ())
    marks = {one["n"]: "[withheld] " if one["text"] in withheld else "" for one in reply["entries"]}
    rows = [f"{one['n']:>3}  {marks[one['n']]}" + one["text"].replace("\n", "\n     ") for one in reply["entries"]]
    emit(reply, as_json, "\n".join(rows) or f"{reply['file']} has no entries.")
    if not as_json:
        _tell_usage(reply)


def _tell_usage(reply: dict[str, Any]) -> None:
    tell(f"{reply['file']}: {reply['usage']}")
    tell(*(f"remark: {one}" for one in reply.get("remarks", [])))
    if reply.get("warning"):
        tell(f"warning: {reply['warning']}")


def _edit(workspace: str, as_json: bool, action: str, **params: Any) -> None:
    reply = ask(workspace, f"curated.{action}", **params)
    done = {"add": "added to", "replace": "replaced in", "remove": "removed from"}[action]
    emit(reply, as_json, f"{done} {reply['file']}" if reply["changed"] else f"{reply['file']} says so already")
    if not as_json:
        _tell_usage(reply)


@curated_command.command("add")
@asks("curated.add", "file", "content", without=("digest",), file=FILE, content=given(metavar="TEXT"))
@json_option
@workspace_option
def add_curated(as_json: bool, workspace: str, **asked: Any) -> None:
    """Add an entry.

    \b
    memd curated add user "用户喜欢简洁的回答"
    """
    _edit(workspace, as_json, "add", **asked)


@curated_command.command("replace")
@asks(
    "curated.replace", "file", "old_text", "content", without=("digest",), file=FILE,
    old_text=given(metavar="OLD"), content=given(metavar="NEW"),
)  # fmt: skip
@json_option
@workspace_option
def replace_curated(as_json: bool, workspace: str, **asked: Any) -> None:
    """Put NEW in place of the one entry that has the text OLD.

    \b
    memd curated replace memory "Node 20" "The build needs Node 22."
    """
    _edit(workspace, as_json, "replace", **asked)


@curated_command.command("remove")
@asks("curated.remove", "file", "old_text", without=("digest",), file=FILE, old_text=given(metavar="OLD"))
@json_option
@workspace_option
def remove_curated(as_json: bool, workspace: str, **asked: Any) -> None:
    """Remove the one entry that has the text OLD.

    \b
    memd curated remove memory "Node 20"
    """
    _edit(workspace, as_json, "remove", **asked)
