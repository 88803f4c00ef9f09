"""A template puts values in their places, shows what has something to show, and reads no value as template."""

from __future__ import annotations

import pytest

from memd.engine.recall.templates import check_template, printed_times, render
from memd.errors import BadTemplateError

NESTED = "{{#if role}}[{{role}}{{#if content}}: {{content}}{{/if}}]{{/if}}."


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ({"role": "r", "content": "c"}, "[r: c]."),
        ({"role": "r", "content": " "}, "[r]."),
        ({"role": "", "content": "c"}, "."),
        ({"role": "{{content}}", "content": "{{/if}}"}, "[{{content}}: {{/if}}]."),
    ],
)
def test_what_stands_in_two_conditions_is_shown_where_both_hold(values: dict[str, str], expected: str) -> None:
    assert render(NESTED, values) == expected


@pytest.mark.parametrize(
    ("template", "times"),
    [
        ("", 1),
        ("{{content}}", 1),
        ("{{content}} {{ content }}", 2),
        ("{{constantContent}}{{loreContent}}{{triggeredContent}}", 1),
        ("{{content}}{{triggeredContent}}{{triggeredContent}}{{loreContent}}", 3),
    ],
)
def test_how_often_one_memory_may_be_printed_is_known(template: str, times: int) -> None:
    assert printed_times(template) == times


@pytest.mark.parametrize(
    "template", ["{{/if}}", "{{#if role}}", "{{nobody}}", "{{#if nobody}}{{/if}}", "{{ role", "role }}"]
)
def test_a_template_with_a_fault_is_refused_before_it_is_used(template: str) -> None:
    with pytest.raises(BadTemplateError):
        check_template(template)
