"""What goes over the pipe: every message comes out as it went in, and nothing else is taken for one."""

from __future__ import annotations

import msgspec
import pytest

from memd.errors import EmbeddingsError
from memd.model.scene import Near
from memd.storage.embedding import wire
from memd.storage.embedding.wire import Level, Levels, Text, frame, heard_of, length_of, said_of, text_digest

LEVELS = Levels(Level(0.8, 0.02), Level(0.7, 0.03))
SAID = [
    wire.Begin("onnx", "/models", "m", "ab", "/cache", eager=True),
    wire.Ask(1, "谁来修暖气？"),
    wire.Embed(2, ["", "a"], 100, 1),
    wire.Tell("main", {1: b"d" * 16}, [2], whole=True),
    wire.Leave("main"),
    wire.Erase(),
    wire.Texts([Text(b"d" * 16, "a text", 4)]),
    wire.Look(3, "main", b"\0" * 8, LEVELS, True, [1, 2], 200),
    wire.Figures(5),
]
HEARD = [
    wire.Ready("key", "name", True, False),
    wire.Failed("why"),
    wire.Calibrated(),
    wire.Asked(1, b"\0" * 8, LEVELS),
    wire.Embedded(2, {0: b"", 1: b"abcd"}, {0: b"ef"}),
    wire.Lacking("main", [b"d" * 16]),
    wire.Took([b"d" * 16]),
    wire.Left([b"d" * 16], "why"),
    wire.Found(3, {1: Near(0.9, 1.5, -2.0, True)}),
    wire.State(4, 10, 70_000),
    wire.Refused(5, "why"),
]


@pytest.mark.parametrize("message", SAID, ids=lambda one: type(one).__name__)
def test_what_is_said_comes_out_as_it_went_in(message: wire.Said) -> None:
    whole = frame(message)
    assert length_of(whole[:4]) == len(whole) - 4
    assert said_of(whole[4:]) == message
    with pytest.raises(EmbeddingsError):
        heard_of(whole[4:])


@pytest.mark.parametrize("message", HEARD, ids=lambda one: type(one).__name__)
def test_what_is_answered_comes_out_as_it_went_in(message: wire.Heard) -> None:
    assert heard_of(frame(message)[4:]) == message


@pytest.mark.parametrize(
    "body",
    [b"", b"\xc1", b"{}", b"\xff" * 40, b"\x93", msgspec.msgpack.encode(["Ask", "1", 2]), b"\x91" * 100_000],
    ids=["nothing", "reserved", "json", "numbers", "cut", "of other kinds", "nested"],
)
def test_what_is_no_message_is_told_apart(body: bytes) -> None:
    for read in (said_of, heard_of):
        with pytest.raises(EmbeddingsError):
            read(body)


@pytest.mark.parametrize("head", [b"\0\0\0\0", b"\xff\xff\xff\xff", b"HTTP"])
def test_a_length_that_no_frame_has_is_refused_before_anything_is_read(head: bytes) -> None:
    with pytest.raises(EmbeddingsError):
        length_of(head)


def test_what_is_too_long_for_the_pipe_is_refused() -> None:
    with pytest.raises(EmbeddingsError, match="at most"):
        frame(wire.Ask(1, "x" * wire.FRAME_BYTES))


def test_a_digest_tells_texts_and_windows_apart() -> None:
    found = {text_digest(text, windows) for text in ("a", "b", "1a", "\ud800", "") for windows in (1, 4, 16, 11)}
    assert len(found) == 20
    assert {len(one) for one in found} == {16}
