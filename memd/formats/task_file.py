"""tasks/<task>.toml: bytes <-> Task, and changes that keep a person's comments, order and own keys."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from memd.errors import BadSettingsError, Fault, RejectedFileError
from memd.formats.settings import line_of, load_table
from memd.formats.toml_writer import dump_table
from memd.model.runs import Acceptance, Evidence, RunState, Said, Task, TaskRun
from memd.model.tasks import TaskState

ABOUT = "A task: its runs, and what a person said of them. docs/learning.md explains the states."


def dump_task(task: Task) -> str:
    """Return the text of a new task."""
    values = {key: getattr(task, key) for key in ("title", "role", "asked") if getattr(task, key)}
    return dump_table(ABOUT, values | {"state": task.state.value, "created_at": task.created_at})


def load_task(text: str, name: str) -> Task:
    """Return what a task's file says, or raise RejectedFileError with the line that cannot be."""
    try:
        _, table = load_table(text.encode("utf-8", "surrogatepass"), name)
    except BadSettingsError as error:
        raise RejectedFileError(error.faults[0]) from None
    stem = name.rpartition("/")[2].removesuffix(".toml")

    def bad(key: str, why: str) -> RejectedFileError:
        return RejectedFileError(Fault(name, line_of(text, "", key), 1, why, "task.value"))

    try:
        state = TaskState(table.get("state", TaskState.OPEN.value))
    except ValueError:
        raise bad("state", f"{table.get('state')!r:.60} is no state of a task: {', '.join(TaskState)}") from None
    runs = tuple(_run(one, number, text, name) for number, one in enumerate(_tables(table, "run")))
    return Task(
        stem, _text(table, "title") or stem, state, _text(table, "role"), _text(table, "asked"),
        _moment(table.get("created_at")), _text(table, "final_accepted_run_id"), runs,
        tuple(Said(_text(a, "verdict"), _moment(a.get("at")), _text(a, "run"), _text(a, "words")) for a in _tables(table, "acceptance")),
        tuple(Evidence(_text(e, "content"), _moment(e.get("at")), _text(e, "status"), _text(e, "run")) for e in _tables(table, "evidence")),
    )  # fmt: skip


def _run(one: Mapping[str, Any], number: int, text: str, name: str) -> TaskRun:
    try:
        return TaskRun(
            _text(one, "id"),
            RunState(_text(one, "state") or RunState.COMPLETED.value),
            Acceptance(_text(one, "acceptance") or Acceptance.PENDING.value),
        )
    except ValueError as error:
        tables = [at for at, line in enumerate(text.splitlines(), 1) if line.strip() == "[[run]]"]
        line = tables[number] if number < len(tables) else line_of(text, "", "run")
        raise RejectedFileError(Fault(name, line, 1, f"a run of this task: {error}", "task.value")) from None


def changed_task(
    text: str,
    *,
    state: TaskState,
    run: TaskRun | None = None,
    said: Said | None = None,
    evidence: Sequence[Evidence] = (),
    final_run: str = "",
) -> str:
    """Return a task's text with a new state and what else is given; everything else keeps its bytes."""
    import tomlkit  # noqa: PLC0415  it takes longer to import than all of this room

    mark = "\ufeff" if text.startswith("\ufeff") else ""
    document = tomlkit.parse(text.removeprefix(mark))
    document["state"] = state.value
    if final_run:
        document["final_accepted_run_id"] = final_run
    if run is not None:
        _put_run(document, run)
    added = [("evidence", one) for one in evidence] + ([("acceptance", said)] if said else [])
    for key, one in added:
        values = {name: value for name, value in asdict(one).items() if value}
        _append(document, key, values)
    return mark + spaced(tomlkit.dumps(document))


_OWN_TABLE = re.compile(
    r"\'\'\'.*?(?:\'\'\'|\Z)|\"\"\".*?(?:\"\"\"|\Z)|(?<=[^\n])\n(?=\[\[(?:run|acceptance|evidence|version|retired)\]\]\n)",
    re.DOTALL,
)


def spaced(text: str) -> str:
    """Return a TOML text with a blank line before each table that memd adds."""
    return _OWN_TABLE.sub(lambda found: "\n\n" if found[0] == "\n" else found[0], text)


def _put_run(document: Any, run: TaskRun) -> None:
    runs = document.get("run", [])
    values = {"id": run.id, "state": run.state.value, "acceptance": run.acceptance.value}
    for one in runs:
        if isinstance(one, dict) and one.get("id") == run.id:
            for key, value in values.items():
                one[key] = value
            return
    _append(document, "run", values)


def _append(document: Any, key: str, values: Mapping[str, Any]) -> None:
    """Add a table to a list, in the form a person gave the list."""
    import tomlkit  # noqa: PLC0415  as above

    found = document.get(key)
    if isinstance(found, tomlkit.items.Array):
        inline = tomlkit.inline_table()
        inline.update(values)
        found.append(inline)
        return
    if not isinstance(found, tomlkit.items.AoT):
        document[key] = tomlkit.aot()
    document[key].append(_table(values))


def _table(values: Mapping[str, Any]) -> Any:
    import tomlkit  # noqa: PLC0415  as above

    table = tomlkit.table()
    for key, value in values.items():
        # A line end right behind the quotes would be lost: not every writer doubles it.
        long = isinstance(value, str) and "\n" in value and not value.startswith(("\n", "\r"))
        table[key] = tomlkit.string(value, multiline=True) if long and "'''" not in value else value
    return table


def _tables(table: Mapping[str, Any], key: str) -> list[dict[str, Any]]:
    found = table.get(key, [])
    return [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []


def _text(table: Mapping[str, Any], key: str) -> str:
    value = table.get(key, "")
    return value if isinstance(value, str) else ""


def _moment(value: Any) -> str:
    return value if isinstance(value, str) else value.isoformat() if hasattr(value, "isoformat") else ""
