"""Expressions compiled when they are first used: what they answer, that a start compiles few, and that all of memd's can be."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

from memd.text import expressions

STARTED = """
import gc, memd.daemon
from memd.text.expressions import Expression
used = Expression.search.__get__
def is_compiled(one):
    try:
        return bool(used(one))
    except AttributeError:
        return False
every = [one for one in gc.get_objects() if isinstance(one, Expression)]
print(len(every), sum(map(is_compiled, every)), sum(one.groups >= 0 for one in every))
"""


def test_it_answers_as_what_is_compiled_at_once() -> None:
    text = "One a1, two b22 and three."
    ours, theirs = (make(r"(?P<letter>[a-z])(\d+)", re.IGNORECASE) for make in (expressions.compile, re.compile))
    assert ours.pattern == theirs.pattern
    assert [one.span() for one in ours.finditer(text, 2, 20)] == [one.span() for one in theirs.finditer(text, 2, 20)]
    for method in ("search", "match", "fullmatch"):
        for said in (text, "a1", "x"):
            found, true = (getattr(one, method)(said) for one in (ours, theirs))
            assert (found and (found.span(), found.groupdict())) == (true and (true.span(), true.groupdict()))
    assert ours.findall(text) == theirs.findall(text)
    assert ours.split(text) == theirs.split(text)
    assert ours.sub(r"\2", text) == theirs.sub(r"\2", text)
    assert ours.subn("", text) == theirs.subn("", text)
    assert (ours.flags, ours.groups, dict(ours.groupindex)) == (theirs.flags, theirs.groups, dict(theirs.groupindex))


def test_a_fault_is_told_when_it_is_used() -> None:
    faulty = expressions.compile("(")
    for _ in range(2):
        with pytest.raises(re.error, match="unterminated subpattern"):
            faulty.search("(")


def test_a_start_compiles_few_and_all_can_be_compiled() -> None:
    told = subprocess.run([sys.executable, "-c", STARTED], capture_output=True, text=True, check=True).stdout.split()
    every, used, compiled = map(int, told)
    assert every > 500
    assert used < 10
    assert compiled == every


@pytest.mark.parametrize("goes_back", [True] if expressions.GOES_BACK else [False, True])
@pytest.mark.parametrize(
    ("source", "text", "end"),
    [("(?:.(?!D))++", "ABCDE", 2), ("(?:ab?c)*+", "aca", 2), ("(?:ab?c)?+", "a", 0), ("(?:ab?c){1,3}+", "aca", 2),
     ("x(?P<of>(?:ab?c)++)y?", "xacay", 3), ("(?i:(?:AB?c)++)", "aca", 2), ("[ab]++c", "abc", 3)],
)  # fmt: skip
def test_what_a_possessive_group_has_taken_it_keeps(source: str, text: str, end: int, goes_back: bool) -> None:
    found = expressions.compiled_as_meant(source, goes_back=goes_back).match(text)
    assert found is not None
    assert found.end() == end
