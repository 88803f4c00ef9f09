"""What is published: skills by name, their versions, and the record of whose word published each."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from memd.errors import SkillUnknownError
from memd.formats.skill_file import load_record
from memd.model.tasks import Version, is_skill_name
from memd.storage.layout import PUBLISHED, SKILLS, skill_file
from memd.storage.side import identify_side, list_side

if TYPE_CHECKING:
    from memd.store.store import Store


def version_file(skill: str, n: int, edited: int = 0) -> str:
    """Return the text of one version; `edited`: the first, second … text that a person had made of it."""
    more = "" if not edited else "-edited" if edited == 1 else f"-edited-{edited}"
    return f"{PUBLISHED}/{skill}/{n}{more}.md"


def record_file(skill: str) -> str:
    """Return the record of what was published under a name."""
    return f"{PUBLISHED}/{skill}/record.toml"


def versions_of(store: Store, skill: str) -> tuple[Version, ...]:
    """Return the versions of a skill, oldest first; none where nothing was published."""
    text = store.texts.read(store.tree, record_file(skill)) if is_skill_name(skill) else None
    return load_record(text, record_file(skill)) if text is not None else ()


async def last_version(store: Store, skill: str) -> int:
    """Return the number of the last published version, 0 where there is none; a lost record frees no number."""
    if not is_skill_name(skill):
        return 0
    folder = f"{PUBLISHED}/{skill}"
    names = [one.name for one in list_side(store.tree, folder)]
    names += [name.rpartition("/")[2] for name in store.texts.names(folder)]
    stems = (name.removesuffix(".md") for name in names if name.endswith(".md"))
    kept = (int(stem) for stem in stems if stem.isascii() and stem.isdigit())
    return max([0, *kept, *(one.n for one in versions_of(store, skill))])


def published_names(store: Store) -> list[str]:
    """Return the names of the skills that there are, those a person wrote by hand included."""
    found = {one.name for one in list_side(store.tree, SKILLS) if one.is_dir and is_skill_name(one.name)}
    found |= {name.split("/")[1] for name in store.texts.names(SKILLS)}
    held, tree = store.texts.held, store.tree
    there = (name for name in found if skill_file(name) not in held or held[skill_file(name)][1] is not None)
    return sorted(
        name for name in there if skill_file(name) in held or identify_side(tree, skill_file(name)) is not None
    )


class SkillInUse(NamedTuple):
    """The text of a skill, and the versions that were published under its name."""

    file: str
    text: str
    versions: tuple[Version, ...]


def skill_text(store: Store, name: str, version: int) -> SkillInUse:
    """Return a skill's text: the one in use, or where there is none the last; `version`: that one. SkillUnknownError."""
    versions = versions_of(store, name)
    file = version_file(name, version) if version else skill_file(name)
    text = store.texts.read(store.tree, file) if is_skill_name(name) else None
    if text is None and not version and versions:
        file = version_file(name, versions[-1].n)
        text = store.texts.read(store.tree, file)
    if text is None:
        raise SkillUnknownError(f"{name}@{version}" if version else name)
    return SkillInUse(file, text, versions)
