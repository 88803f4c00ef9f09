"""What a run works on, as sections of a prompt: its task, and the skills it uses."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memd.errors import MemdError
from memd.formats.skill_file import load_skill
from memd.model.runs import PromptSection
from memd.service.memory.egress import safe_text
from memd.service.work.learned import skill_text
from memd.service.work.task_files import task_of

if TYPE_CHECKING:
    from memd.model.runs import Running
    from memd.store.store import Store


async def sections_of(store: Store, run: Running) -> list[PromptSection]:
    """Return what a run works on: its task with the words of those who had it revised, and the skills it uses."""
    found: list[PromptSection] = []
    if run.task:
        try:
            task = (await task_of(store, run.task)).task
        except MemdError:
            task = None
        if task is not None:
            words = [one.words for one in task.said if one.words]
            lines = [task.title, *([task.asked] if task.asked else []), *(f"- {one}" for one in words)]
            found.append(PromptSection("task", "Task", "\n".join(lines)))
    for use in run.skills:
        try:
            text = skill_text(store, use.name, use.version).text
        except MemdError:
            continue  # a skill that is the engine's own
        found.append(PromptSection(f"skill {use}", f"Skill: {use.name}", load_skill(text, use.name)[0].body))
    return [one._replace(content=await safe_text(store, one.content)) for one in found]
