"""In whose memory a text is kept that comes from a project: judged once where it would lie, so that nothing refused makes a role."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from memd.engine.scope.whose import is_of_the_person
from memd.model.projects import MARK, is_project
from memd.service.judging.offers import RememberRequest, as_meant, look_at, must_wait
from memd.service.judging.vectors import vectors_of
from memd.service.memory.remember import come_in, judged
from memd.store.reading.discovery import own_role, role_of_project

if TYPE_CHECKING:
    from memd.store.store import Store


async def at_home(store: Store, request: RememberRequest) -> RememberRequest:
    """Return a request with the role that it is kept in: of a project's address the person's own for what tells of them, else the project's.

    The project's role is made here where there is none and the text is worth keeping, or has to be seen by a person first.
    """
    project = request.role.removeprefix(MARK)
    if not request.role.startswith(MARK) or not is_project(project):
        return request
    store.in_force.look()
    await store.roles.look()
    own = own_role(store.roles, store.settings.hooks.role).name
    if is_of_the_person(request.content) or not store.settings.scopes.projects:
        return replace(request, role=own)
    role = role_of_project(store.roles.values(), project)
    if role is None and await _is_worth_it(store, replace(request, role=own)):
        from memd.service.scope.making import role_made_for  # noqa: PLC0415  only a project's first memory makes a role

        role = await role_made_for(store, project)
    return replace(request, role=role.name if role else own)


async def _is_worth_it(store: Store, request: RememberRequest) -> bool:
    """Tell whether a text would be kept, or wait for a person, if the person's own role were asked."""
    offer, role = await come_in(store, request)
    vectors = await vectors_of(store, role, look_at(store, role, offer))
    async with role.turn:
        await store.refresh(role)
        offer = as_meant(role, look_at(store, role, offer))
        return must_wait(store, offer) or judged(store, role, offer, vectors, store.ports.now()).verdict.keep
