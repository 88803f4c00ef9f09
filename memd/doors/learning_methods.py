"""The methods for tasks and for the skills that are learned from them."""

from __future__ import annotations

from typing import Any

from memd.doors import learning_params as p
from memd.errors import BadParamsError
from memd.service.work import drafts, effects, published, publishing, tasks
from memd.verbs.declared import Nothing, Service, Verb


async def _task_open(service: Service, given: p.TaskOpenParams) -> dict[str, Any]:
    request = tasks.TaskRequest(given.title, given.task, given.role, given.asked)
    return await tasks.open_task(service.workspace, request)


async def _task_evidence(service: Service, given: p.TaskEvidenceParams) -> dict[str, Any]:
    return await tasks.add_evidence(service.workspace, given.task, given.content, given.status, given.run)


async def _task_accept(service: Service, given: p.VerdictParams) -> dict[str, Any]:
    return await tasks.accept(service.workspace, tasks.VerdictRequest(given.task, given.words, given.run))


async def _task_revise(service: Service, given: p.VerdictParams) -> dict[str, Any]:
    return await tasks.revise(service.workspace, tasks.VerdictRequest(given.task, given.words, given.run))


async def _task_abandon(service: Service, given: p.VerdictParams) -> dict[str, Any]:
    return await tasks.abandon(service.workspace, tasks.VerdictRequest(given.task, given.words, given.run))


async def _task_get(service: Service, given: p.TaskParams) -> dict[str, Any]:
    return await tasks.get_task(service.workspace, given.task)


async def _task_list(service: Service, given: p.TaskListParams) -> dict[str, Any]:
    return await tasks.list_tasks(service.workspace, given.state)


async def _candidates(service: Service, given: p.CandidatesParams) -> dict[str, Any]:
    return await drafts.candidates(service.workspace, given.state)


async def _synthesize(service: Service, given: p.SynthesizeParams) -> dict[str, Any]:
    return await drafts.synthesize(service.workspace, given.candidate, given.skill, prompt=given.prompt)


async def _draft(service: Service, given: p.DraftParams) -> dict[str, Any]:
    return await drafts.hand_in(service.workspace, given.candidate, given.text, given.made_by)


async def _review(service: Service, given: p.ReviewParams) -> dict[str, Any]:
    if given.decline:
        if not given.skill:
            raise BadParamsError("skill: say which draft is declined")
        return await drafts.decline(service.workspace, given.skill, given.words)
    if given.skill:
        return await drafts.review_one(service.workspace, given.skill)
    return await drafts.review(service.workspace)


async def _publish(service: Service, given: p.PublishParams) -> dict[str, Any]:
    return await publishing.publish(service.workspace, given.skill, given.by, given.words, given.digest)


async def _retire(service: Service, given: p.RetireParams) -> dict[str, Any]:
    return await publishing.retire(service.workspace, given.skill, given.by, given.words)


async def _skill_list(service: Service, _: Nothing) -> dict[str, Any]:
    return await published.list_skills(service.workspace)


async def _skill_get(service: Service, given: p.SkillGetParams) -> dict[str, Any]:
    return await published.get_skill(service.workspace, given.skill, given.version)


async def _effects(service: Service, given: p.EffectsParams) -> dict[str, Any]:
    return await effects.effects(service.workspace, given.skill, recompute=given.recompute)


LEARNING_METHODS: tuple[Verb, ...] = (
    Verb("task.open", p.TaskOpenParams, _task_open, "Open a task.", writes=True),
    Verb("task.evidence", p.TaskEvidenceParams, _task_evidence, "Record a fact that bears on a task.", writes=True),
    Verb("task.accept", p.VerdictParams, _task_accept, "Accept a task's run; a candidate is made.", writes=True),
    Verb("task.revise", p.VerdictParams, _task_revise, "Ask for another run, and say why.", writes=True),
    Verb("task.abandon", p.VerdictParams, _task_abandon, "Give a task up.", writes=True),
    Verb("task.get", p.TaskParams, _task_get, "Return a task with its runs and what was said."),
    Verb("task.list", p.TaskListParams, _task_list, "List tasks."),
    Verb("learning.candidates", p.CandidatesParams, _candidates, "List what skills may be learned from."),
    Verb("learning.synthesize", p.SynthesizeParams, _synthesize, "Make a draft, or a prompt for one.", writes=True),
    Verb("learning.draft", p.DraftParams, _draft, "Hand in a draft that was written elsewhere.", writes=True),
    Verb("learning.review", p.ReviewParams, _review, "Show drafts and how they differ; or decline.", writes=True),
    Verb("learning.publish", p.PublishParams, _publish, "Publish a draft on a person's word.", writes=True),
    Verb("learning.retire", p.RetireParams, _retire, "Take a skill out of use.", writes=True),
    Verb("skill.list", Nothing, _skill_list, "List published skills with how they do."),
    Verb("skill.get", p.SkillGetParams, _skill_get, "Return a skill with its versions and effects."),
    Verb("skill.effects", p.EffectsParams, _effects, "Tell how each version does, from receipts.", writes=True),
)
