"""A role is the same at every door by whatever address; an address of nobody or of two is an error, and never every role."""

from __future__ import annotations

import asyncio
import json
import shutil
from collections.abc import Awaitable, Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from memd.cli.carrying import export_command, import_command
from memd.cli.mistakes import Explained
from memd.cli.recalling import list_command
from memd.daemon import Local
from memd.doors.mcp.answers import Tools
from memd.doors.mcp.asking import Desk
from memd.doors.mcp.resources import Resources
from memd.errors import MemdError, NameTakenError, RoleAmbiguousError, RoleUnknownError
from tests.service.test_verbs import work as work_in
from tests.support import Daemon, Folder

MAYA, YUAN = "47eaa099-2cb6-416d-86dc-283cf0480ff9", "f82b08ea-79e1-4c25-ad03-75b49fbc5e01"
OF = {
    "maya": ("maya", "Maya Fields", "mf", "uuid-of-maya", MAYA),
    "阿远": ("阿远", "远哥", "老远", "uuid-of-yuan", YUAN),
}
SAYS = {"maya": "The kiln of the first is cone 6.", "阿远": "The kiln of the second is cone 10."}


@pytest.fixture
def two(tmp_path: Path) -> Folder:
    folder = Folder.make(tmp_path / "memory", demo=False)
    for role, (_, display, alias, uuid, file_uuid) in OF.items():
        folder.write(role, SAYS[role], keywords=["kiln"])
        path = folder.file(role)
        path.write_text(
            path.read_text("utf-8").replace(f'"characterUuid": "{role}"', f'"characterUuid": "{file_uuid}"')
        )
        path.with_name("role.toml").write_text(
            f'display_name = "{display}"\naliases = ["{alias}"]\nuuid = "{uuid}"\n', "utf-8"
        )
    return folder


def work(folder: Folder, steps: Callable[[Local], Coroutine[Any, Any, Any]]) -> None:
    """Carry out steps in this process; nobody follows the files, so a search waits for nobody."""

    async def loaded(service: Local) -> None:
        service.store.library.loaded.set()
        await steps(service)

    work_in(folder, loaded)


class Asker:
    """What the MCP server asks: this process."""

    def __init__(self, service: Local) -> None:
        self.service = service

    async def call(self, method: str, **params: Any) -> dict[str, Any]:
        return await self.service.call(method, **params)


def tools(service: Local) -> Any:
    asker: Any = Asker(service)
    return Tools(Desk(asker))


async def resource(service: Local, uri: str) -> str:
    asker: Any = Asker(service)
    return (await Resources(Desk(asker)).read(uri))[0]


def shown(reply: Any) -> str:
    """Everything a model gets of an answer."""
    return json.dumps(reply, ensure_ascii=False, default=lambda one: one.model_dump(mode="json")).replace("**", "")


async def tool(service: Local, name: str, **given: Any) -> str:
    return shown(await tools(service).call(name, given))


async def call(service: Local, method: str, **params: Any) -> str:
    return shown(await service.call(method, **params))


Door = Callable[[Local, str], Awaitable[str]]
# Each answers with something that only the role meant has: its text, or its name.
DOORS: dict[str, Door] = {
    "trigger": lambda s, a: call(s, "trigger", role=a, message="the kiln"),
    "remember": lambda s, a: call(s, "remember", role=a, content=f"The glaze shop {a} closes at noon.", explicit=True),
    "score": lambda s, a: call(s, "score", role=a, content="The kiln is cone 6."),
    "propose": lambda s, a: call(s, "propose", role=a, messages=[{"content": "hm"}]),
    "memory.list": lambda s, a: call(s, "memory.list", role=a),
    "memory.get": lambda s, a: call(s, "memory.get", role=a, id="id-00000"),
    "memory.verify": lambda s, a: call(s, "memory.verify", role=a, id="id-00000"),
    "memory.update": lambda s, a: call(s, "memory.update", role=a, id="id-00000", priority=60),
    "role.get": lambda s, a: call(s, "role.get", role=a),
    "search": lambda s, a: call(s, "search", query="kiln", role=a),
    "search by filter": lambda s, a: call(s, "search", query=f'kiln role:"{a}"'),
    "search seen by": lambda s, a: call(s, "search", query="kiln", seen_by=a),
    "stats": lambda s, a: call(s, "stats", role=a),
    "upkeep.plan": lambda s, a: call(s, "upkeep.plan", role=a),
    "review of a memory": lambda s, a: call(s, "review.decide", id="id-00000", role=a, verdict="approve"),
    "export": lambda s, a: call(s, "export", role=a),
    "import": lambda s, a: call(s, "import", import_id="i", role=a, memories=[], dry_run=True),
    "traits": lambda s, a: call(s, "traits.update", role=a, explicit=True, traits=[{"name": "calm", "value": "Stays calm."}]),
    "session.open": lambda s, a: call(s, "session.open", role=a),
    "task.open": lambda s, a: call(s, "task.open", title="Fire it", role=a),
    "run.start": lambda s, a: call(s, "run.start", role=a),
    "context.render": lambda s, a: call(s, "context.render", role=a),
    "guard.check": lambda s, a: call(s, "guard.check", role=a, message="Remember that I fire at cone 6."),
    "MCP trigger": lambda s, a: tool(s, "memory_trigger", message="the kiln", role=a),
    "MCP search": lambda s, a: tool(s, "memory_search", query="kiln", role=a),
    "MCP get": lambda s, a: tool(s, "memory_get", id="id-00000", role=a),
    "MCP remember": lambda s, a: tool(s, "memory_remember", content="The glaze shop is shut on Sundays.", role=a),
    "MCP role": lambda s, a: resource(s, f"memd://roles/{a}"),
    "MCP memories": lambda s, a: resource(s, f"memd://roles/{a}/memories"),
}  # fmt: skip


SILENT = (
    "score",
    "remember",
)  # one tells no role; the other none where it knew the text already, and is looked at below


def test_every_address_means_its_role_at_every_door(two: Folder) -> None:
    async def steps(service: Local) -> None:
        for door, ask in DOORS.items():
            for role, addresses in OF.items():
                other = next(one for one in OF if one != role)
                for address in addresses:
                    said = await ask(service, address)
                    own = SAYS[role] in said or f'"{role}"' in said or f"roles/{role}/" in said
                    assert own or door in SILENT, (door, address)
                    assert SAYS[other] not in said, (door, address)
        for role in OF:
            texts = [one["content"] for one in (await service.call("memory.list", role=role))["memories"]]
            assert any("glaze shop" in one for one in texts)
            assert not any(
                f"glaze shop {address}" in one
                for one in texts
                for other in OF
                for address in OF[other]
                if other != role
            )

    work(two, steps)


def test_an_address_of_nobody_is_an_error_at_every_door(two: Folder) -> None:
    async def steps(service: Local) -> None:
        for door, ask in DOORS.items():
            for address in ("nobody", "无人", MAYA.upper(), "*maya", "maya 阿远"):
                with pytest.raises(Exception, match="no role") as caught:
                    await ask(service, address)
                assert isinstance(caught.value, RoleUnknownError) or door in ("MCP role", "MCP memories"), door

    work(two, steps)


def test_an_address_of_two_roles_is_an_error_that_names_both_and_a_directory_means_itself(two: Folder) -> None:
    shutil.copytree(two.path / "roles/maya", two.path / "roles/maya-copy")

    async def steps(service: Local) -> None:
        for door, ask in DOORS.items():
            for address in OF["maya"][1:]:
                with pytest.raises(Exception, match="two roles, maya and maya-copy") as caught:
                    await ask(service, address)
                assert isinstance(caught.value, RoleAmbiguousError) or door in ("MCP role", "MCP memories"), door
            assert await ask(service, "maya-copy")

    work(two, steps)


def test_an_address_means_one_role_again_when_the_copy_is_gone(two: Folder) -> None:
    shutil.copytree(two.path / "roles/maya", two.path / "roles/maya-copy")

    async def steps(service: Local) -> None:
        with pytest.raises(RoleAmbiguousError):
            await service.call("role.get", role=MAYA)
        shutil.rmtree(two.path / "roles/maya-copy")
        assert (await service.call("role.get", role=MAYA))["name"] == "maya"

    work(two, steps)


def test_what_a_role_links_to_by_any_address_is_seen_and_nothing_else(two: Folder) -> None:
    two.write("third", "The kiln of the third is cold.", keywords=["kiln"])
    profile = two.path / "roles/maya/role.toml"
    for address in ("阿远", "老远", YUAN):
        profile.write_text(f'[[link]]\nrole = "{address}"\n', "utf-8")

        async def steps(service: Local) -> None:
            said = await tool(service, "memory_search", query="kiln", role="maya")
            assert all(one in said for one in SAYS.values())
            assert "the third" not in said

        work(two, steps)


def test_a_search_without_an_unknown_role_is_an_error_too(two: Folder) -> None:
    async def steps(service: Local) -> None:
        assert SAYS["maya"] not in await call(service, "search", query="kiln -role:mf")
        with pytest.raises(RoleUnknownError):
            await service.call("search", query="kiln -role:nobody")

    work(two, steps)


def test_a_new_role_takes_no_name_that_means_another(two: Folder) -> None:
    async def steps(service: Local) -> None:
        with pytest.raises(NameTakenError):
            await service.call("role.create", name="mf")

    work(two, steps)


def cli(folder: Folder, command: Any, *arguments: str) -> str:
    done = CliRunner().invoke(command, [*arguments, "-w", str(folder.path)])
    if isinstance(done.exception, Explained):  # where this process has asked by the command line before
        raise done.exception.error
    if isinstance(done.exception, MemdError):
        raise done.exception
    return str(done.stdout)


def test_the_command_line_and_the_export_know_a_role_by_its_files_uuid_and_keep_it(two: Folder, tmp_path: Path) -> None:
    assert SAYS["maya"] in cli(two, list_command, MAYA)
    whole = cli(two, export_command, YUAN)
    assert json.loads(whole)["characterUuid"] == YUAN
    taken = tmp_path / "anywhere.json"
    taken.write_text(whole, "utf-8")
    assert json.loads(cli(two, import_command, str(taken), "--json"))["files"][0]["role"] == "阿远"

    there = Folder.make(tmp_path / "there", demo=False)
    there.write("fresh")
    there.write("used", "A fact of its own.")
    for role, kept in (("fresh", YUAN), ("used", "used")):
        cli(there, import_command, str(taken), "--role", role)
        assert (there.load(role)["characterUuid"], SAYS["阿远"] in there.contents(role)) == (kept, True)
        exported = json.loads(cli(there, export_command, role))
        assert exported["characterUuid"] == kept


def test_an_import_makes_no_two_roles_of_one_address(two: Folder, tmp_path: Path) -> None:
    taken = tmp_path / "taken.json"
    taken.write_text(cli(two, export_command, "maya"), "utf-8")
    two.write("fresh")
    cli(two, import_command, str(taken), "--role", "fresh")
    assert two.load("fresh")["characterUuid"] == "fresh"
    assert SAYS["maya"] in two.contents("fresh")


def test_an_export_keeps_what_else_the_file_says(two: Folder) -> None:
    path = two.file("maya")
    document = {"version": "", "characterUuid": MAYA, **json.loads(path.read_text("utf-8")), "extra": {"a": [1]}}
    path.write_text(json.dumps(document), "utf-8")
    exported = json.loads(cli(two, export_command, "maya"))
    assert (exported["characterUuid"], exported["extra"], exported["version"]) == (MAYA, {"a": [1]}, "")


def test_a_subscription_by_any_address_hears_of_its_role_alone(two: Folder, short_dir: Path) -> None:
    daemon = Daemon(two, short_dir / "s")
    daemon.start()
    try:
        for role, addresses in OF.items():
            for address in addresses:
                assert daemon.call("subscribe", roles=[address])["roles"] == [role]
        said = daemon.call("hook.event", agent="claude", event="prompt", session="s", role=YUAN, message="the kiln?")
        assert SAYS["阿远"] in json.dumps(said, ensure_ascii=False)
    finally:
        daemon.stop()


def test_pipelined_requests_to_one_role_by_two_addresses_are_answered_in_order(two: Folder, short_dir: Path) -> None:
    daemon = Daemon(two, short_dir / "s")
    daemon.start()

    async def ask() -> list[int]:
        reader, writer = await asyncio.open_unix_connection(str(daemon.socket))
        for number in range(40):
            slow = number % 2 == 0
            params = {"role": "maya" if slow else MAYA, **({"query": "kiln*"} if slow else {})}
            frame = {"jsonrpc": "2.0", "id": number, "method": "search" if slow else "memory.list", "params": params}
            writer.write(json.dumps(frame).encode() + b"\n")
        answers = [json.loads(await reader.readline())["id"] for _ in range(40)]
        writer.close()
        return answers

    try:
        assert asyncio.run(ask()) == list(range(40))
    finally:
        daemon.stop()
