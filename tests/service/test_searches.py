"""What `search` narrows by, and which roles it is asked of."""

from __future__ import annotations

from typing import Any

from memd.daemon import Local
from tests.service.test_verbs import work
from tests.support import Folder


async def seen(service: Local, **asked: Any) -> set[str]:
    return {one["role"] for one in (await service.call("search", **asked))["hits"]}


def test_times_in_a_query_and_beside_it_narrow_it_together(workspace: Folder) -> None:
    workspace.write("main", "The kiln is red.", timestamp=1_777_593_600_000)  # 2026-05-01
    workspace.write("nora", "The kiln is blue.", timestamp=1_772_323_200_000)  # 2026-03-01

    async def steps(service: Local) -> None:
        async def roles(query: str, **given: Any) -> set[str]:
            return {one["role"] for one in (await service.call("search", query=query, **given))["hits"]}

        assert await roles("kiln") == {"main", "nora"}
        for early, late in (("2026-01-01", "2026-04-01"), ("2026-04-01", "2026-01-01")):
            assert await roles(f"kiln after:{early}", after=late) == {"main"}
            assert await roles(f"kiln before:{early}", before=late) == set()

    work(workspace, steps)


def test_a_role_that_is_left_out_stays_out_also_of_what_another_sees(workspace: Folder) -> None:
    for role in ("main", "nora", "otto"):
        workspace.write(role, f"The kiln of {role} is red.")
    (workspace.file("main").parent / "role.toml").write_text('[[link]]\nrole = "nora"\n', "utf-8")

    async def steps(service: Local) -> None:
        assert await seen(service, query="kiln") == {"main", "nora", "otto"}
        assert await seen(service, query="kiln", seen_by="main") == {"main", "nora"}
        assert await seen(service, query="kiln -role:nora", seen_by="main") == {"main"}

    work(workspace, steps)
