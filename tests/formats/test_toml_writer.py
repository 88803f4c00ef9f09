"""TOML that memd writes whole: read back as it was told, and edited afterwards without a byte that was not asked for."""

from __future__ import annotations

import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memd.formats.skill_file import dump_candidate, dump_draft, load_candidate, load_draft, with_values
from memd.formats.task_file import changed_task, dump_task, load_task
from memd.formats.toml_writer import dump_profile, dump_table, set_value, without_value
from memd.model.runs import Task
from memd.model.tasks import CandidateState, Draft, LearningCandidate, TaskState

TEXT = st.text(st.characters(codec="utf-8"), max_size=40)


@given(st.dictionaries(TEXT, TEXT | st.integers(-(2**63), 2**63 - 1) | st.booleans() | st.lists(TEXT, max_size=3)))
def test_a_table_is_read_back_as_it_was_told(values: dict[str, object]) -> None:
    text = dump_table("What this is.", values)
    assert text.startswith("# What this is.\n")
    assert tomllib.loads(text) == values


def test_a_new_file_has_a_line_for_each_value_and_keeps_the_script_of_its_reader() -> None:
    task = Task("t", "修好闹钟", TaskState.OPEN, role="阿远", asked="七点半\t响", created_at="2026-11-21T00:00:00Z")
    assert dump_task(task).splitlines()[1:] == [
        'title = "修好闹钟"',
        'role = "阿远"',
        'asked = "七点半\t响"',
        'state = "open"',
        'created_at = "2026-11-21T00:00:00Z"',
    ]
    assert dump_profile("Nora").splitlines()[1:] == ['display_name = "Nora"']


def test_ids_stand_one_a_line_so_that_branches_merge() -> None:
    candidate = LearningCandidate("t", "Bake", CandidateState.OPEN, runs=("r1", "r2"), final_run="r2")
    assert 'runs = [\n    "r1",\n    "r2",\n]\n' in dump_candidate(candidate)


@given(TEXT, TEXT, st.lists(TEXT, max_size=3))
def test_candidates_and_drafts_are_read_as_they_were_dumped(title: str, asked: str, runs: list[str]) -> None:
    candidate = LearningCandidate("t", title or "t", CandidateState.OPEN, asked=asked, runs=tuple(runs))
    assert load_candidate(dump_candidate(candidate), "learning/candidates/t.toml") == candidate
    draft = Draft("s", candidate=title, made_by=asked, made_at="", based_on=len(runs))
    assert load_draft(dump_draft(draft), "learning/drafts/s/draft.toml") == draft


@pytest.mark.parametrize("mine", ["", "# mine\n", 'color = "red"  # mine\n'])
def test_what_was_written_whole_is_edited_without_another_byte(mine: str) -> None:
    candidate = dump_candidate(LearningCandidate("t", "Bake", CandidateState.OPEN, runs=("r1", "r2"))) + mine
    assert with_values(candidate, {"state": "drafted"}) == candidate.replace('"open"', '"drafted"')
    task = dump_task(Task("t", "Fix it", TaskState.OPEN)) + mine
    assert changed_task(task, state=TaskState.REVISING) == task.replace('"open"', '"revising"')
    assert load_task(task, "tasks/t.toml").title == "Fix it"
    profile = dump_profile("Nora") + mine
    assert set_value(profile, "gate", "keep_from", 6) == f"{profile}\n[gate]\nkeep_from = 6\n".replace("\n\n\n", "\n\n")


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("# a\n[t]\nkey = 1\nother = 2\n", "# a\n[t]\nother = 2\n"),
        ("[t]\nother = 2\n  key = 1  # why\n", "[t]\nother = 2\n# why\n"),
        ('[t]\nkey = """\na\nb\n""" # why\n[u]\nkey = 1\n', "[t]\n# why\n[u]\nkey = 1\n"),
        ("\ufefft.key = 1\r\nt.other = 2\r\n", "\ufefft.other = 2\r\n"),
        ("t = {key = 1, other = 2} # both\n", "t = { other = 2} # both\n"),
    ],
)
def test_a_value_is_taken_out_and_comments_stay(text: str, left: str) -> None:
    assert without_value(text, "t", "key") == left
