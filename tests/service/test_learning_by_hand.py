"""What a person, a full disk or a kill may do to the files of learning, and that it costs nothing else."""

from __future__ import annotations

import asyncio
import errno
import os

import pytest

from memd.config import Place
from memd.daemon import Local, service_of
from memd.errors import RejectedFileError
from memd.storage.system import System
from memd.store.opening import open_workspace
from tests.service.test_interrupted import die
from tests.service.test_learning import accepted, files, published, ran, skill
from tests.service.test_verbs import work
from tests.support import Folder


def learned(folder: Folder, name: str, task: str) -> None:
    work(folder, lambda service: published(service, task, skill(name)))


def test_a_person_may_write_a_draft_and_have_it_published(workspace: Folder) -> None:
    path = workspace.path / "learning/drafts/mine/SKILL.md"
    path.parent.mkdir(parents=True)
    path.write_text(skill("mine"), "utf-8")

    async def steps(service: Local) -> None:
        assert [one["skill"] for one in (await service.call("learning.review"))["drafts"]] == ["mine"]
        assert (await service.call("learning.publish", skill="mine", by="Nora"))["version"] == 1

    work(workspace, steps)
    assert files(workspace, "skills")["mine/SKILL.md"].endswith("Run `make deploy`.\n")


def test_line_ends_of_a_draft_stay(workspace: Folder) -> None:
    work(workspace, lambda service: published(service, "t", skill().replace("\n", "\r\n")))
    data = (workspace.path / "skills/deploy/SKILL.md").read_bytes()
    assert data.count(b"\r\n") == data.count(b"\n") > 5


def test_a_broken_candidate_is_told_and_the_others_serve(workspace: Folder) -> None:
    work(workspace, accepted)
    (workspace.path / "learning/candidates/bad.toml").write_text('state = "odd"\n', "utf-8")

    async def steps(service: Local) -> None:
        told = await service.call("learning.candidates")
        assert [one["candidate"] for one in told["candidates"]] == ["t"]
        assert "learning/candidates/bad.toml:1:" in told["faults"][0]
        with pytest.raises(RejectedFileError):
            await service.call("learning.synthesize", candidate="bad")

    work(workspace, steps)


def test_comments_and_keys_of_a_persons_own_stay_in_a_candidate(workspace: Folder) -> None:
    work(workspace, accepted)
    path = workspace.path / "learning/candidates/t.toml"
    path.write_text("# Mine.\n" + path.read_text("utf-8") + 'mine = "yes"  # too\n', "utf-8")

    async def steps(service: Local) -> None:
        await service.call("learning.draft", candidate="t", text=skill())

    work(workspace, steps)
    text = path.read_text("utf-8")
    assert text.startswith("# Mine.\n")
    assert 'mine = "yes"  # too\n' in text
    assert 'state = "drafted"' in text


@pytest.mark.parametrize("broken", ["skills/deploy/SKILL.md", "learning/published/deploy/record.toml"])
def test_a_broken_skill_costs_no_other(workspace: Folder, broken: str) -> None:
    learned(workspace, "deploy", "one")
    learned(workspace, "other", "two")
    (workspace.path / broken).write_bytes(b"\xff = [")

    async def steps(service: Local) -> None:
        assert "other" in [one["skill"] for one in (await service.call("skill.list"))["skills"]]

    work(workspace, steps)


@pytest.mark.parametrize("method", ["learning.synthesize", "learning.draft"])
def test_what_a_person_wrote_into_a_draft_stays_somewhere(workspace: Folder, method: str) -> None:
    more = {"text": skill()} if method == "learning.draft" else {"skill": "deploy"}

    async def steps(service: Local) -> None:
        await service.call(method, candidate="t", **more)

    work(workspace, accepted)
    work(workspace, steps)
    path = workspace.path / "learning/drafts/deploy/SKILL.md"
    path.write_text(path.read_text("utf-8") + "\nAn hour of my work.\n", "utf-8")
    work(workspace, steps)
    assert any("An hour of my work." in text for text in files(workspace, "learning").values())


def test_each_text_that_a_person_made_of_a_version_is_kept(workspace: Folder) -> None:
    learned(workspace, "deploy", "one")
    path = workspace.path / "skills/deploy/SKILL.md"
    text = path.read_text("utf-8")
    path.write_text(f"{text}\nFirst edit.\n", "utf-8")
    work(workspace, lambda service: service.call("learning.retire", skill="deploy", by="Nora"))
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"{text}\nSecond edit.\n", "utf-8")
    learned(workspace, "deploy", "two")
    kept = files(workspace, "learning/published/deploy").values()
    assert any("Second edit." in one for one in kept)
    assert any("First edit." in one for one in kept)


def test_a_lost_record_does_not_give_a_number_twice(workspace: Folder) -> None:
    learned(workspace, "deploy", "one")
    (workspace.path / "learning/published/deploy/record.toml").unlink()

    async def steps(service: Local) -> None:
        reply = await published(service, "two", skill(body="# Deploy\n\nOtherwise.\n"))
        assert reply["version"] == 2
        assert "Otherwise." in (await service.call("skill.get", skill="deploy", version=2))["text"]

    work(workspace, steps)


def test_a_draft_whose_candidate_is_gone_can_be_declined(workspace: Folder) -> None:
    async def draft(service: Local) -> None:
        await accepted(service)
        await service.call("learning.draft", candidate="t", text=skill())

    work(workspace, draft)
    (workspace.path / "learning/candidates/t.toml").unlink()

    async def steps(service: Local) -> None:
        assert (await service.call("learning.review", skill="deploy", decline=True))["declined"]

    work(workspace, steps)


# The running figures are a copy; where it could not be kept, the receipts say what they are.


async def judged(service: Local, task: str) -> None:
    await service.call("task.open", title="x", task=task)
    await ran(service, task, uses=["a@1"])
    await service.call("task.accept", task=task)


async def figures_agree(service: Local) -> None:
    told = (await service.call("skill.effects"))["effects"]
    assert (await service.call("skill.effects", recompute=True))["effects"] == told


def test_after_a_kill_the_figures_are_what_the_receipts_say(workspace: Folder) -> None:
    work(workspace, lambda service: judged(service, "one"))
    die(workspace, lambda service: judged(service, "two"))
    work(workspace, figures_agree)


class FullForFigures(System):
    """A disk that has no room for the figures."""

    def open(self, name: str, flags: int, mode: int = 0o600, *, at: int | None = None) -> int:
        if "effects.json" in name and flags & os.O_CREAT:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), name)
        return super().open(name, flags, mode, at=at)


def test_after_a_full_disk_the_figures_are_what_the_receipts_say(workspace: Folder) -> None:
    work(workspace, lambda service: judged(service, "one"))

    async def full() -> None:
        place = Place(str(workspace.path), "", "")
        opened = await open_workspace(place.workspace, holder={"pid": 1, "what": "test"}, system=FullForFigures())
        try:
            await judged(Local(opened, service_of(opened, place)), "two")
        finally:
            await opened.close()

    asyncio.run(full())
    work(workspace, figures_agree)
