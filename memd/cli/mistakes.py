"""What a person typed that the command line cannot read, in words: the nearest verb, the option, the value, the file.

Source
    The messages of click's usage errors, of click 8.1 to 8.5; one that is not known is passed on as it is.
"""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import click

from memd.cli.verbs import ALIKE, GUESSES, LISTING, OTHER_WORDS, VERBS
from memd.errors import MemdError
from memd.errors.root import meant, nearest

MOST_ROLES = 6  # that are named
SHOWN_CHARS = 80  # of what is proposed to be typed; longer is shown as a form
_UNKNOWN_VERB = re.compile(r"No such command '(.*?)'\.", re.DOTALL)
_TOO_MANY = re.compile(r"Got unexpected extra arguments? \((.*)\)", re.DOTALL)
_NO_VALUE = re.compile(r"Option '(.+)' requires")
_NO_FILE = re.compile(r"'(.*)': (No such file or directory|Is a directory|Permission denied)\.?", re.DOTALL)
_NO_CHOICE = re.compile(r"(?P<value>.*) is not one of .*", re.DOTALL)
_NO_NUMBER = re.compile(r"(?P<value>.*) is not a valid (?P<kind>integer|float)(?: range)?\.?", re.DOTALL)
_NO_RANGE = re.compile(
    r"(?P<value>.*) is not in the range (?:(?P<low>[^<>=x]+)<=)?x(?:(?P<sign><=|>=)(?P<end>.+?))?\.?"
)
_FILE_WORDS = {
    "No such file or directory": "there is no file {0!r}",
    "Is a directory": "{0!r} is a directory, and this takes a file",
    "Permission denied": "{0!r} may not be read",
}


class Words(NamedTuple):
    """What is wrong, and what to do about it."""

    sentence: str
    hint: str


def word_of(param: click.Parameter) -> str:
    """Return a parameter as it is typed: --limit, ROLE."""
    if isinstance(param, click.Option):
        return next((one for one in param.opts if one.startswith("--")), param.opts[0])
    shown = (param.metavar or "").strip("[].")
    return shown if shown and not set(shown) & set("|{}") else (param.name or "").upper()


def see(context: click.Context | None) -> str:
    """Return where a verb is explained."""
    return f"See `{context.command_path if context else 'memd'} --help`."


def _see_called(arguments: Sequence[str]) -> str:
    """Return where the verb is explained that these words began with; click says nothing of it."""
    verb = next((one for one in arguments if not one.startswith("-")), "")
    return f"See `memd {verb} --help`." if verb in VERBS else see(None)


def words_of_usage(error: click.UsageError, arguments: Sequence[str]) -> Words:
    """Return what a person should know of something that was typed wrong."""
    context = error.ctx
    if isinstance(error, click.NoSuchOption):
        return _unknown_option(error, arguments)
    if isinstance(error, click.MissingParameter):
        return _missing(error)
    if isinstance(error, click.BadParameter):
        word = word_of(error.param) if error.param else str(error.param_hint or "").strip("'\"")
        said = _value(error.message, error.param)
        return Words(f"{word}: {said}" if word else said, see(context))
    if unknown := _UNKNOWN_VERB.match(error.message):
        return _unknown_verb(unknown[1], context)
    if too_many := _TOO_MANY.match(error.message):
        more = Words(
            f"{too_many[1]!r} is more than this takes", f"Put a text of several words in quotes. {_usage(context)}"
        )
        return words_of_guess(context, too_many[1], is_one="arguments" not in error.message) or more
    if no_value := _NO_VALUE.match(error.message):
        return Words(f"{no_value[1]} needs a value", see(context) if context else _see_called(arguments))
    return Words(error.message.rstrip("."), see(context))


def _usage(context: click.Context | None) -> str:
    if context is None:
        return see(context)
    return _write(context, " ".join(_pieces(context)))


def _pieces(context: click.Context) -> list[str]:
    return [one for one in context.command.collect_usage_pieces(context) if one != "[OPTIONS]"]


def _write(context: click.Context, form: str) -> str:
    """Return what to type behind a verb, and where the verb is explained."""
    return f"Write `{f'{context.command_path} {form}'.rstrip()}`; {see(context)[:1].lower()}{see(context)[1:]}"


def words_of_guess(context: click.Context | None, extra: str = "", *, is_one: bool = True) -> Words | None:
    """Return what to type where the first word after a verb is one that people guess; None where it is none.

    `extra` is what the verb has no room for: one word, or several with blanks between.
    """
    guesses = GUESSES.get(context.command_path.removeprefix("memd ")) if context else None
    if context is None or guesses is None:
        return None
    arguments = [one for one in context.command.params if isinstance(one, click.Argument)]
    typed = [str(value) for one in arguments if (value := context.params.get(one.name or ""))]
    word, *rest = [*typed, *([extra] if extra and is_one else extra.split())] or [""]
    instead = next((form for words, form in guesses.items() if word.casefold() in words), None)
    if instead is None:
        return None
    fits = is_one and sum(one.required for one in arguments) <= len(rest) and len(shlex.join(rest)) <= SHOWN_CHARS
    form = instead or (shlex.join(rest) if fits else " ".join(_pieces(context)))
    return Words(f"{context.command_path} has no {word!r}", _write(context, form))


def _unknown_verb(word: str, context: click.Context | None) -> Words:
    group = context.command if context else None
    known = group.list_commands(context) if context and isinstance(group, click.Group) else []
    if context is not None and context.parent is not None:
        there = f"`{context.command_path}` has {', '.join(known)}"
        asked = meant(word, known) or _meant_alike(word, known, context)
        return Words(f"{context.command_path} has no {word!r}{asked}", f"Choose one: {there}.")
    others = {other: verb for verb, words in OTHER_WORDS.items() for other in words if verb in known}
    folded = word.casefold()
    found = (
        folded
        if folded in known
        else others.get(folded) or nearest(word, known) or others.get(nearest(word, others), "")
    )
    asked = f"; did you mean `memd {found}`?" if found else ""
    does = (
        f"See `memd {found} --help`, or `memd --help` for all verbs." if found else "See `memd --help` for all verbs."
    )
    return Words(f"memd has no verb {word!r}{asked}", does)


def _meant_alike(word: str, known: Sequence[str], context: click.Context) -> str:
    """Return a question whether a verb was meant that is called so elsewhere; "" where there is none."""
    alike = [one for words in ALIKE if word.casefold() in words for one in words]
    found = next((one for one in known if one in alike), "")
    if not found and "list" in alike and context.info_name in LISTING:
        return f"; did you mean `{context.command_path}`?"
    return f"; did you mean {found!r}?" if found else ""


def _unknown_option(error: click.NoSuchOption, arguments: Sequence[str]) -> Words:
    context, name = error.ctx, error.option_name
    path = context.command_path if context else "memd"
    typed = next(
        (
            one
            for one in arguments
            if one.startswith(name) or (name[:2] != "--" and one.startswith(name[0]) and name[1:] in one)
        ),
        name,
    )
    text = typed.partition("=")[0]
    if not re.fullmatch(r"--?[A-Za-z][A-Za-z0-9-]*", text) or (text[:2] != "--" and len(text) > 2):
        said = f"{typed!r} begins with a dash, and so is taken for an option"
        return Words(said, f"Put `--` before a text that begins with a dash: `{path} … -- {typed.split()[0]}…`.")
    known = [
        opt
        for param in (context.command.params if context else ())
        for opt in param.opts
        if isinstance(param, click.Option)
    ]
    return Words(f"{path} has no option {name}{meant(name, known).replace(chr(39), '')}", see(context))


def _missing(error: click.MissingParameter) -> Words:
    param = error.param
    word = word_of(param) if param else "something"
    choices = (
        f": one of {', '.join(map(str, param.type.choices))}" if param and isinstance(param.type, click.Choice) else ""
    )
    return Words(f"{word} is missing{choices or (_roles(error.ctx) if word == 'ROLE' else '')}", _usage(error.ctx))


def _roles(context: click.Context | None) -> str:
    """Return the roles of the workspace that is meant, as far as it can be told which that is."""
    from memd.cli.reach import roles_in

    try:
        roles = roles_in((context.params.get("workspace") if context else "") or "")
    except (MemdError, OSError):
        return ""  # which workspace is meant is another question
    if len(roles) == 1:
        return f": there is only {roles[0]}"
    return f": one of {', '.join(roles[:MOST_ROLES])}{' …' if len(roles) > MOST_ROLES else ''}" if roles else ""


def _value(message: str, param: click.Parameter | None) -> str:
    """Return what is wrong with a value."""
    if found := _NO_FILE.fullmatch(message):
        return _FILE_WORDS[found[2]].format(found[1])
    if (found := _NO_CHOICE.fullmatch(message)) and param and isinstance(param.type, click.Choice):
        known = [str(one) for one in param.type.choices]
        return f"{found['value']} is none of {', '.join(known)}{meant(found['value'].strip(chr(39)), known)}"
    if found := _NO_NUMBER.fullmatch(message):
        return f"{found['value']} is no {'whole ' if found['kind'] == 'integer' else ''}number"
    if found := _NO_RANGE.fullmatch(message):
        if found["low"] is not None:
            return f"{found['value']} is not from {found['low']} to {found['end']}"
        return f"{found['value']} is too {'small' if found['sign'] == '>=' else 'large'}: at {'least' if found['sign'] == '>=' else 'most'} {found['end']}"
    return message.rstrip(".")


def words_of_system(error: OSError) -> Words:
    """Return what the system refused, with the file it is about."""
    name = os.fsdecode(error.filename) if isinstance(error.filename, (str, bytes)) else ""
    said = {
        FileNotFoundError: "there is no {0!r}",
        FileExistsError: "{0!r} is there already, and is something else",
        IsADirectoryError: "{0!r} is a directory, and this takes a file",
        NotADirectoryError: "{0!r} is a file, or lies below one, and this takes a directory",
        PermissionError: "{0!r} may not be read or written by you",
    }.get(type(error))
    if said and name:
        return Words(said.format(name), "Look at what is there, and name another one if it was a slip.")
    why = (error.strerror or str(error) or type(error).__name__).lower()
    return Words(
        f"the system refused {name!r}: {why}" if name else f"the system refused it: {why}",
        "Look at the disk and its permissions.",
    )


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
        return Words("the daemon did not answer in time; whether this was done is not known", "Check with `memd status` whether it is busy, then check whether it was done.")  # fmt: skip
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
