"""What an OpenAI-compatible endpoint is asked and answers, and the statements that a model's answer has.

Whatever comes back is a stranger's: it is bounded, strict JSON or nothing, and of it only texts and numbers of turns are taken. Words
around the JSON, a fence and a model's thinking aloud are passed over.

Errors
    AnswerError says why an answer cannot be read; nothing of the answer is in it.
Source
    The chat completions of https://platform.openai.com/docs/api-reference/chat, as Ollama, llama.cpp, vLLM and LM Studio have them.
"""

from __future__ import annotations

import json
import re
from typing import Any, NamedTuple

from memd.formats.strict_json import StrictError, loads
from memd.protocol.sessions import MOST_TURNS, STATED_CHARS

MOST_STATEMENTS = 200
DEPTH = 16
_THOUGHT = re.compile(r"\A\s*<think>.*?</think>", re.DOTALL)
_FENCE = re.compile(r"```(?:json)?\s*\n(.*?)\n\s*```", re.DOTALL)

FORM: dict[str, Any] = {
    "type": "object",
    "additionalProperties": False,
    "required": ["pack", "statements"],
    "properties": {
        "pack": {"type": "string", "description": "the pack's id, as given"},
        "statements": {
            "type": "array",
            "maxItems": MOST_STATEMENTS,
            "items": {
                "type": "object",
                "additionalProperties": False,
                "required": ["text", "turns"],
                "properties": {
                    "text": {"type": "string", "description": "one fact, in the words of the turns", "maxLength": STATED_CHARS},
                    "turns": {
                        "type": "array", "minItems": 1, "maxItems": MOST_TURNS, "items": {"type": "integer"},
                        "description": "the numbers of the turns that say it",
                    },
                },
            },
        },
    },
}  # fmt: skip


class AnswerError(ValueError):
    """Why an answer cannot be read."""


class Stated(NamedTuple):
    """A statement of a model's, and the numbers of the turns that it names."""

    text: str
    turns: tuple[int, ...]


class Statements(NamedTuple):
    """An answer to a pack; `pack` is "" where the answer does not name it."""

    pack: str
    stated: list[Stated]


def question(model: str, instructions: str, pack: str, *, formed: bool = True) -> bytes:
    """Return the request for an answer to a pack; `formed`: the form of the answer goes with it, which not every server knows."""
    asked: dict[str, Any] = {
        "model": model,
        "messages": [{"role": "system", "content": instructions}, {"role": "user", "content": pack}],
        "temperature": 0,
        "stream": False,
    }
    if formed:
        asked["response_format"] = {
            "type": "json_schema",
            "json_schema": {"name": "statements", "strict": True, "schema": FORM},
        }
    return json.dumps(asked, ensure_ascii=False).encode("utf-8", "replace")


def content_of(data: bytes) -> bytes:
    """Return what a completion says."""
    value = _loads(data)
    try:
        content = value["choices"][0]["message"]["content"]
    except (KeyError, IndexError, TypeError):
        raise AnswerError("it is no chat completion") from None
    if not isinstance(content, str):
        raise AnswerError("it says nothing")
    return content.encode("utf-8", "replace")


def load_statements(data: bytes) -> Statements:
    """Return the statements that a model's answer has; a list alone is one as well."""
    value = _loads(_json_in(data))
    if isinstance(value, list):
        value = {"statements": value}
    listed = value.get("statements") if isinstance(value, dict) else None
    if not isinstance(listed, list):
        raise AnswerError("it has no list of statements")
    if len(listed) > MOST_STATEMENTS:
        raise AnswerError(f"it has {len(listed)} statements, and may have {MOST_STATEMENTS}")
    pack = value.get("pack")
    return Statements(
        pack if isinstance(pack, str) else "", [_stated(number, one) for number, one in enumerate(listed, 1)]
    )


def _stated(number: int, one: Any) -> Stated:
    text = one.get("text") if isinstance(one, dict) else None
    turns = one.get("turns") if isinstance(one, dict) else None
    if not isinstance(text, str) or not text.strip() or len(text) > STATED_CHARS:
        raise AnswerError(f"statement {number} has no text of 1 to {STATED_CHARS} characters")
    if not isinstance(turns, list) or len(turns) > MOST_TURNS or not all(type(turn) is int for turn in turns):
        raise AnswerError(f"statement {number} has no list of at most {MOST_TURNS} turns")
    return Stated(text, tuple(turns))


def _json_in(data: bytes) -> bytes:
    """Return the JSON of an answer, without what stands around it."""
    text = _THOUGHT.sub("", data.decode("utf-8", "replace")).strip()
    if fenced := _FENCE.search(text):
        text = fenced[1].strip()
    if not text.startswith(("{", "[")) and "{" in text:
        text = text[text.index("{") : text.rindex("}") + 1] if text.rfind("}") > text.index("{") else ""
    return text.encode()


def _loads(data: bytes) -> Any:
    try:
        return loads(data, depth=DEPTH)
    except StrictError as error:
        raise AnswerError(f"it is no JSON: {error.why[:120]}") from None
