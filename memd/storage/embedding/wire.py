"""What is said over the pipe between memd and the process that embeds: frames of msgpack behind their length.

`n` numbers what is asked; what answers it has the same. A `digest` stands for a stored text (`text_digest`), a `group` is
what is looked through together: a role, its texts numbered. A vector is 32-bit floats as bytes; a `Level` is mean and deviation of cosines.
"""

from __future__ import annotations

import hashlib
from typing import Any, NamedTuple

import msgspec

from memd.errors import EmbeddingsError
from memd.model.scene import Near

CALIBRATING = "the model is being calibrated"
LATE = "the model did not answer in time"
FRAME_BYTES = 16 * 1024 * 1024
LENGTH_BYTES = 4


class Level(NamedTuple):
    """How alike the background is to a text: mean and standard deviation of the cosines."""

    mean: float
    deviation: float


class Levels(NamedTuple):
    """The same in either language of the background."""

    english: Level
    chinese: Level


class Message(msgspec.Struct, array_like=True, tag=True):
    """Whatever is said."""


class Begin(Message):
    """The first that is said: which model. `kind`: packaged, onnx, endpoint; `cache`: a directory of our own, or none.

    `eager`: somebody waits for the texts, so that nothing is spared.
    """

    kind: str
    where: str = ""
    model: str = ""
    digest: str = ""
    cache: str = ""
    eager: bool = False


class Ask(Message):
    """A question to embed, of which its end counts."""

    n: int
    text: str


class Embed(Message):
    """Statements to embed, of which the beginning counts; those without a vector as long as there is time. The first are `told`, of which less counts."""

    n: int
    texts: list[str]
    spend_ms: int
    told: int = 0


class Tell(Message):
    """What a group has: `put` numbers with the digest of each text, and those it has no more; `whole`: nothing else."""

    group: str
    put: dict[int, bytes]
    drop: list[int]
    whole: bool


class Leave(Message):
    """A group that nobody looks through any more."""

    group: str


class Erase(Message):
    """A text was erased: forget every one that no group has, and write the file anew."""


class Text(NamedTuple):
    """A text to embed when there is nothing else to do."""

    digest: bytes
    text: str
    windows: int


class Texts(Message):
    """Texts to embed, in this order."""

    texts: list[Text]


class Look(Message):
    """Which of a group are nearest to a question, and how near those wanted are."""

    n: int
    group: str
    vector: bytes
    levels: Levels
    chinese: bool
    wanted: list[int]
    best: int


class Figures(Message):
    """How the process is."""

    n: int


Said = Begin | Ask | Embed | Tell | Leave | Erase | Texts | Look | Figures


class Ready(Message):
    """The model is loaded. `key` stands for its weights; `chinese`: whether it knows Chinese."""

    key: str
    name: str
    chinese: bool
    calibrated: bool


class Failed(Message):
    """It cannot be loaded; nothing else follows."""

    why: str


class Calibrated(Message):
    """The background is embedded; from now on there are levels."""


class Asked(Message):
    """The vector of a question, and how alike the background's statements are to it."""

    n: int
    vector: bytes
    levels: Levels


class Embedded(Message):
    """The vectors of statements, by their places in what was asked; of those for which there was no time, none.

    `turned`: of those that were told, turned towards what is of one matter with them.
    """

    n: int
    vectors: dict[int, bytes]
    turned: dict[int, bytes]


class Lacking(Message):
    """The digests of a group's texts that have no vector yet."""

    group: str
    digests: list[bytes]


class Took(Message):
    """Texts that have vectors now."""

    digests: list[bytes]


class Left(Message):
    """Texts that could not be embedded, and why."""

    digests: list[bytes]
    why: str


class Found(Message):
    """How near the best are, and those wanted, by their numbers."""

    n: int
    near: dict[int, Near]


class State(Message):
    """How many vectors there are, and how much memory the process takes."""

    n: int
    rows: int
    resident_kb: int


class Refused(Message):
    """What was asked cannot be had."""

    n: int
    why: str


Heard = Ready | Failed | Calibrated | Asked | Embedded | Lacking | Took | Left | Found | State | Refused

_said = msgspec.msgpack.Decoder(Said)
_heard = msgspec.msgpack.Decoder(Heard)
_encoder = msgspec.msgpack.Encoder()


def frame(message: Message) -> bytes:
    """Return a message as it goes over the pipe; EmbeddingsError where it is too long for it."""
    body = _encoder.encode(message)
    if len(body) > FRAME_BYTES:
        raise EmbeddingsError(f"{len(body)} bytes at once, at most {FRAME_BYTES} go over the pipe")
    return len(body).to_bytes(LENGTH_BYTES, "big") + body


def length_of(head: bytes) -> int:
    """Return how many bytes follow; EmbeddingsError where no frame is so long."""
    length = int.from_bytes(head, "big")
    if not 0 < length <= FRAME_BYTES:
        raise EmbeddingsError("what came over the pipe is no frame")
    return length


def said_of(body: bytes) -> Said:
    """Return what memd said, or raise EmbeddingsError."""
    return _decoded(_said, body)  # type: ignore[no-any-return]


def heard_of(body: bytes) -> Heard:
    """Return what the process that embeds answered, or raise EmbeddingsError."""
    return _decoded(_heard, body)  # type: ignore[no-any-return]


def text_digest(text: str, windows: int) -> bytes:
    """Return 16 bytes that stand for a text of which so many windows are embedded."""
    whole = b"%d\0" % windows + text.encode("utf-8", "surrogatepass")
    return hashlib.blake2b(whole, digest_size=16).digest()


def _decoded(decoder: msgspec.msgpack.Decoder[Any], body: bytes) -> Any:
    try:
        return decoder.decode(body)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        raise EmbeddingsError("what came over the pipe is no message") from None
