"""What happened is an episode, what holds is a fact."""

from __future__ import annotations

import pytest

from memd.engine.keep.kind import infer_kind
from memd.model.memory import Kind


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Yesterday the heating failed.", Kind.EPISODIC),
        ("We met Nora at the station.", Kind.EPISODIC),
        ("THE PIPE BROKE in the cellar.", Kind.EPISODIC),
        ("昨天暖气坏了。", Kind.EPISODIC),
        ("The heating is a Vaillant.", Kind.SEMANTIC),
        ("用户养了一只猫。", Kind.SEMANTIC),
    ],
)
def test_a_text_without_a_kind_gets_the_one_it_reads_like(text: str, kind: Kind) -> None:
    assert infer_kind(text) is kind
