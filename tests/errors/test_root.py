"""Errors: what they are made of, and what the type checker refuses. It looks at this file: an ignore that nothing needs fails."""

from __future__ import annotations

import copy
import gc
import pickle
import sys
import threading
from collections.abc import Iterator, Sequence
from dataclasses import fields
from typing import Any, get_type_hints

import pytest

from memd import errors
from memd.client.wire import result_of
from memd.errors import (
    DaemonFailedError,
    DaemonMissingError,
    DaemonStaysError,
    Fault,
    InternalError,
    LimitExceededError,
    MemdError,
    MemoryUnknownError,
    RemoteError,
    RoleAmbiguousError,
    RoleFullError,
    RoleUnknownError,
    StorageError,
    StorageFullError,
    WorkspaceMissingError,
    by_code,
)

FAULT = Fault("memd.toml", 3, 1, "gate.keep_from must be a number", "settings.value")
VALUES: dict[Any, Any] = {
    str: "a {brace} and 长安", int: 7, int | str: 8, float: 2.5, Fault: FAULT, Sequence[str]: ("nora", "ada"), tuple[Fault, ...]: (FAULT, FAULT),
}  # fmt: skip


def below(kind: type[MemdError]) -> Iterator[type[MemdError]]:
    for one in kind.__subclasses__():
        yield one
        yield from below(one)


# What a client is answered has no fields of its own situation, and is below.
RAISED = [kind for kind in below(MemdError) if kind is not LimitExceededError and not issubclass(kind, RemoteError)]


def made(kind: type[MemdError]) -> MemdError:
    """Return an error of a kind, with a value of its type in every field."""
    types = get_type_hints(kind)
    named = {name: VALUES[types[name]] for name in parameters(kind)}
    make: Any = kind
    error: MemdError = make(**named)
    return error


def parameters(kind: type[MemdError]) -> list[str]:
    found: dict[str, None] = {}
    for one in reversed(kind.__mro__[: kind.__mro__.index(MemdError)]):
        found.update(dict.fromkeys(vars(one).get("__annotations__", ())))
    return list(found)


@pytest.mark.parametrize("kind", RAISED, ids=lambda kind: kind.__name__)
def test_an_error_writes_its_sentence_from_its_fields_and_survives_being_copied(kind: type[MemdError]) -> None:
    error: Any = made(kind)
    assert [one.name for one in fields(error)] == parameters(kind)
    assert str(error)
    assert error.args == tuple(getattr(error, name) for name in parameters(kind))
    error.hint += " And another thing."
    error.add_note("noted")
    for twin in (copy.copy(error), copy.deepcopy(error), pickle.loads(pickle.dumps(error))):
        assert type(twin) is kind
        assert (str(twin), twin.code, twin.hint, twin.args) == (str(error), error.code, error.hint, error.args)
        assert twin.__notes__ == ["noted"]
        assert twin != error
    assert len({error, made(kind), error}) == 2


@pytest.mark.parametrize("kind", RAISED, ids=lambda kind: kind.__name__)
def test_an_error_says_when_it_is_raised_and_what_to_do(kind: type[MemdError]) -> None:
    assert kind.__doc__
    assert "\n" not in kind.__doc__
    assert "|" not in kind.__doc__, "it stands in a table"
    assert getattr(errors, kind.__name__) is kind, "it is imported from memd.errors"
    assert kind.hint[0].isupper()
    assert kind.hint.endswith(".")
    assert issubclass(kind, by_code()[kind.code]) or kind.code == "settings.bad"


def test_what_a_sentence_names_is_a_field() -> None:
    class MisspeltError(InternalError):
        sentence = "{wyh}"

    with pytest.raises(KeyError, match="wyh"):
        str(MisspeltError("nobody knows"))


def test_a_wrong_call_is_refused() -> None:
    with pytest.raises(TypeError, match="'why'"):
        StorageError("memory.json")  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="were given"):
        StorageFullError("memory.json", "no room", "none at all")  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="'because'"):
        StorageError("memory.json", because="no room")  # type: ignore[call-arg]
    with pytest.raises(TypeError):
        MemdError("what happened?")  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="raise the error that says"):
        raise MemdError
    # Nothing looks at types when memd runs; the checker does.
    StorageError("memory.json", 28)  # type: ignore[arg-type]
    RoleFullError("main", "10 MB", 10)  # type: ignore[arg-type]
    DaemonFailedError("3", "it said nothing", "", 3)  # type: ignore[arg-type]


def test_values_stand_where_their_names_are_however_they_are_given() -> None:
    assert str(StorageError("memory.json", "no room")) == "memory.json: no room"
    assert str(StorageError(why="no room", name="memory.json")) == "memory.json: no room"
    assert StorageError("{why}", "{name}").args == ("{why}", "{name}")
    assert str(StorageError("{why}", "{name}")) == "{why}: {name}", "a brace in a value is a brace"
    assert repr(StorageError("a", "b")) == "StorageError('a', 'b')"


def test_the_cause_stays() -> None:
    def write() -> None:
        try:
            raise OSError(28, "no room")
        except OSError as error:
            raise StorageFullError("memory.json", "no room") from error

    with pytest.raises(StorageError, match=r"memory\.json: no room") as caught:
        write()
    assert isinstance(caught.value.__cause__, OSError)


def test_a_hint_may_be_its_own() -> None:
    assert DaemonFailedError("s", -9, "it said nothing").hint == DaemonFailedError.hint
    assert DaemonFailedError("s", 3, "it said nothing", "Mend it.").hint == "Mend it."
    assert DaemonStaysError("process 7", "stays", "Wait.").hint == "Wait."
    assert MemoryUnknownError("nora", "1f").hint == "Give at least 4 characters of the id; `memd list nora` has them."
    assert "`memd list nora --forgotten`" in MemoryUnknownError("nora", "1f0c2a9b").hint
    assert "ROLE" in MemoryUnknownError.hint


@pytest.mark.parametrize("code", ["memory.unknown", "limit.clients", "role.unknown", "of.tomorrow"])
def test_what_a_daemon_answers_says_what_it_said(code: str) -> None:
    with pytest.raises(RemoteError) as caught:
        result_of({"error": {"code": -32003, "message": "{no}", "data": {"code": code, "hint": "Look."}}}, "/s")
    error = caught.value
    assert isinstance(error, by_code().get(code, RemoteError))
    for one in (error, copy.copy(error)):
        assert (str(one), one.code, one.hint, one.number) == ("{no}", code, "Look.", -32003)
        assert one.args == (-32003, "{no}", code, "Look.")
    assert copy.copy(error) != error
    assert pickle.loads(pickle.dumps(RemoteError(1, "no", code, hint="Look."))).hint == "Look."


def test_sentences_that_no_format_can_write() -> None:
    assert str(RoleUnknownError("Nora", ["nora", "ada"])) == (
        "no role 'Nora'; did you mean 'nora'? Else the roles are: nora, ada"
    )
    assert str(RoleUnknownError("x", [])) == "no role 'x'; the roles are: none"
    assert str(RoleAmbiguousError("n", ("nora", "norbert", "nils"))) == "'n' means two roles, nora and norbert"
    assert str(WorkspaceMissingError("/m")) == "no memd.toml in /m or above"
    assert str(WorkspaceMissingError("/m", "it is a file")) == "it is a file"
    assert str(RoleFullError("directory of role 'main'", 12, 10, "a (9)")) == (
        "directory of role 'main': 12 bytes, limit 10 bytes; largest: a (9)"
    )


def test_who_catches_a_family_catches_what_is_below_it() -> None:
    assert issubclass(DaemonFailedError, DaemonMissingError)
    assert issubclass(RoleAmbiguousError, RoleUnknownError)
    assert by_code()["storage.full"] is StorageFullError
    assert by_code()["daemon.missing"] is DaemonMissingError
    assert "internal" in by_code()


def firsts_raised_together() -> list[str]:
    """Raise the first of 300 kinds in four threads at once, and return what each said."""

    def raised(kinds: list[Any], together: threading.Barrier, seen: list[str]) -> None:
        for kind in kinds:
            together.wait(60)
            seen.append(str(kind("a", "b")))

    own = {"__annotations__": {"one": str, "other": str}, "sentence": "{one} {other}"}
    kinds = [type(f"First{number}Error", (MemdError,), dict(own)) for number in range(300)]
    together, seen = threading.Barrier(4), list[str]()
    threads = [threading.Thread(target=raised, args=(kinds, together, seen)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    return seen


def test_two_threads_may_raise_the_first_of_a_kind() -> None:
    """Each has the whole error, however far the other is in making its class."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        seen = firsts_raised_together()
    finally:
        sys.setswitchinterval(before)
        gc.collect()  # other tests look at every kind of error
    assert seen == ["a b"] * 1200
    assert not [one for one in MemdError.__subclasses__() if one.__name__.startswith("First")]
