"""Templates with `{{name}}` and `{{#if name}}…{{/if}}` and nothing else: no attributes, no code, content untouched."""

from __future__ import annotations

import re
from collections.abc import Mapping

from memd.errors import BadTemplateError

NAMES = ("content", "constantContent", "triggeredContent", "role")
_TAG = re.compile(r"\{\{\s*(#if\s+(?P<test>[^{}]*?)|/if|(?P<name>[^{}#/]*?))\s*\}\}")


def check_template(template: str) -> None:
    """Raise BadTemplateError where a template names something unknown or does not close what it opens."""
    render(template, dict.fromkeys(NAMES, ""))


def render(template: str, values: Mapping[str, str]) -> str:
    """Return the template with the values in their places; one pass, so values are never read as template."""
    pieces: list[str] = []
    shown = [True]
    at = 0
    for tag in _TAG.finditer(template):
        if all(shown):
            pieces.append(template[at : tag.start()])
        at = tag.end()
        if tag["test"] is not None:
            shown.append(bool(_value(values, tag["test"]).strip()))
        elif tag["name"] is not None:
            if all(shown):
                pieces.append(_value(values, tag["name"]))
        elif len(shown) == 1:
            raise BadTemplateError("{{/if}} closes nothing")
        else:
            shown.pop()
    if len(shown) > 1:
        raise BadTemplateError("an {{#if}} is not closed")
    pieces.append(template[at:])
    rest = _TAG.sub("", template)
    if "{{" in rest or "}}" in rest:
        raise BadTemplateError("braces that are no tag")
    return "".join(pieces)


def _value(values: Mapping[str, str], name: str) -> str:
    if name not in values:
        raise BadTemplateError(f"unknown name {name[:40]!r}")
    return values[name]
