"""How an error of memd's reads on the command line: what was typed is named, not what was sent to the daemon."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import click

from memd.cli.mistakes import Words, see, word_of, words_of_guess
from memd.errors import MemdError

# What a parameter of a method is called on the command line, where a command has it from elsewhere than the declaration.
TYPED = {"id": ("memory_id",), "import_id": ("undo",), "messages": ("file",), "text": ("file",)}
# What a method is as a verb. The others are called alike: session.open is `memd session open`.
VERB_OF = {
    "config.get": "config", "config.set": "config", "context.render": "context", "guard.check": "guard",
    "learning": "skill", "memory.forget": "forget", "memory.get": "show", "memory.link": "link", "memory.list": "list",
    "memory.restore": "restore", "memory.undo": "undo", "memory.update": "edit", "run.get": "run show",
    "session.get": "session show", "snapshot.sections": "snapshot show", "skill.get": "skill show", "task.get": "task show",
    "upkeep.plan": "upkeep --dry-run", "upkeep.run": "upkeep", "review.list": "review",
    "consolidate.run": "consolidate", "consolidate.undo": "consolidate --undo", "consolidate.list": "consolidate --list",
}  # fmt: skip
_METHOD = re.compile(
    r"(?<![\w/.`-])(?:config|context|guard|learning|memory|run|session|snapshot|skill|task|upkeep|review|curated|role|consolidate)\.(?!json|md|toml|yaml)[a-z]+\b(?!\.|/)"
)
_NAMED = re.compile(r"(?P<name>[a-z][a-z_]*)(?:\[(?P<at>\d+|\.\.\.)\][\w.\[\]]*)?: (?P<said>.+)", re.DOTALL)
_QUOTED = re.compile(r"`([a-z][a-z_]*)`")
SENT = ("params", "request", "frame")


class Explained(Exception):  # noqa: N818  an error that was put into words, and not another error
    """An error of memd's, as the verb that met it says it."""

    def __init__(self, error: MemdError, words: Words) -> None:
        super().__init__(words.sentence)
        self.error, self.words = error, words


class Explaining:
    """A verb whose errors are told in the words it was called with."""

    def __init__(self, callback: Callable[..., Any]) -> None:
        self.callback = callback

    def __call__(self, *values: Any, **named: Any) -> Any:
        """Carry the verb out."""
        try:
            return self.callback(*values, **named)
        except MemdError as error:
            raise Explained(error, words_of(error, click.get_current_context(silent=True))) from error


def explaining(command: click.Command) -> click.Command:
    """Have a verb, and those below it, say what went wrong in the words of the command line."""
    if command.callback is not None and not isinstance(command.callback, Explaining):
        command.callback = Explaining(command.callback)
    below: dict[str, click.Command] = getattr(command, "commands", {})
    for one in below.values():
        explaining(one)
    return command


def words_of(error: MemdError, context: click.Context | None) -> Words:
    """Return what went wrong and what to do, in the words of the command line."""
    family = error.code.partition(".")[0]
    if error.code == "method.unknown":
        again = "Stop it with `memd down` and run this again."
        return Words("the daemon that runs is of another version of memd, and does not know this", again)
    if (guess := words_of_guess(context)) and guess.sentence.rpartition(" ")[2] in str(error):  # no role 'list'
        return guess
    said = f"content: it{str(error)[11:]}" if str(error).startswith("the content ") else str(error)  # a memory's
    sentence = _in_verbs(_sentence(said, context) if family in (*SENT, "run", "memory") else said)
    if error.code == "memory.bad" and sentence != str(error):
        return Words(sentence, see(context))
    if (family in SENT and "rpc.discover" in error.hint) or family == "request":
        return Words(sentence, see(context))
    if error.code == "frame.too_large":
        return Words("this is more than can be sent at once", "Give less at once: split the text, or the file.")
    if error.code == "client.deadline":
        return Words("the daemon did not answer in time; whether this was done is not known", "Look with `memd status` whether it is busy, then look whether it was done.")  # fmt: skip
    return Words(sentence, _in_verbs(error.hint))


def _sentence(said: str, context: click.Context | None) -> str:
    """Return a sentence about parameters with the options they were given by."""
    params = {one.name: one for one in context.command.params} if context else {}

    def typed(name: str) -> click.Parameter | None:
        return next((params[one] for one in (name, *TYPED.get(name, ())) if one in params), None)

    if (found := _NAMED.fullmatch(said)) and (param := typed(found["name"])):
        rest = found["said"]
        given = context.params.get(param.name or "") if context else None
        if rest == "it is missing" and given in ("", (), None):
            rest = "it is empty" if given == "" else "it is missing"
        number = f" {int(found['at']) + 1}" if (found["at"] or "").isdigit() and param.nargs == -1 else ""
        return f"{word_of(param)}{number}: {_QUOTED.sub(lambda one: _word(typed(one[1]), one[0]), rest)}"
    return _QUOTED.sub(lambda one: _word(typed(one[1]), one[0]), said)


def _word(param: click.Parameter | None, otherwise: str) -> str:
    return word_of(param) if param else otherwise


def _in_verbs(said: str) -> str:
    """Return a sentence with the verbs that do what the methods in it do."""
    return _METHOD.sub(lambda found: f"`memd {_verb(found[0])}`", said)


def _verb(method: str) -> str:
    family, _, name = method.partition(".")
    return VERB_OF.get(method) or f"{VERB_OF.get(family, family)} {name}"
