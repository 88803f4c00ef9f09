"""Templates with `{{name}}` and `{{#if name}}…{{/if}}` and nothing else: no attributes, no code, content untouched."""

from __future__ import annotations

import re
from collections.abc import Mapping

from memd.errors import BadTemplateError

NAMES = ("content", "constantContent", "loreContent", "triggeredContent", "role")
_TAG = re.compile(r"\{\{([^{}]*)\}\}")


def check_template(template: str) -> None:
    """Raise BadTemplateError where a template names something unknown or does not close what it opens."""
    render(template, dict.fromkeys(NAMES, ""))


def render(template: str, values: Mapping[str, str]) -> str:
    """Return the template with the values in their places; one pass, so values are never read as template."""
    pieces: list[str] = []
    shown = [True]
    at = 0
    for tag in _TAG.finditer(template):
        pieces.append(_literal(template[at : tag.start()]) if all(shown) else "")
        at = tag.end()
        word = tag[1].strip()
        if word == "/if":
            if len(shown) == 1:
                raise BadTemplateError("{{/if}} closes nothing")
            shown.pop()
        elif word.startswith("#if "):
            shown.append(bool(_value(values, word[4:].strip()).strip()))
        else:
            value = _value(values, word)
            pieces.append(value if all(shown) else "")
    if len(shown) > 1:
        raise BadTemplateError("an {{#if}} is not closed")
    pieces.append(_literal(template[at:]))
    return "".join(pieces)


def printed_times(template: str) -> int:
    """Return how often a template prints one memory at most: `content` has what the parts have."""
    tags = [tag[1].strip() for tag in _TAG.finditer(template)]
    parts = [tags.count(name) for name in ("constantContent", "loreContent", "triggeredContent")]
    return max(1, tags.count("content") + max(parts))


def _literal(text: str) -> str:
    if "{{" in text or "}}" in text:
        raise BadTemplateError("braces that are no tag")
    return text


def _value(values: Mapping[str, str], name: str) -> str:
    if name not in values:
        raise BadTemplateError(f"unknown name {name[:40]!r}")
    return values[name]
