"""Embeddings: a real endpoint over HTTP, a real model in a directory, and doing without where either fails."""

from __future__ import annotations

import asyncio
import hashlib
import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any, ClassVar

import pytest

from memd.config import EmbeddingPlace, Place
from memd.daemon import local
from memd.errors import EmbeddingsError
from memd.storage.embedding.model import Endpoint, OnnxModel
from tests.support import Folder

ALIKE = [("boiler", "heating"), ("猫", "宠物"), ("car", "vehicle")]


class Answering(BaseHTTPRequestHandler):
    """Gives texts of one meaning one direction; counts what it is asked."""

    asked: ClassVar[list[str]] = []
    broken = ""

    def do_POST(self) -> None:
        wanted = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.asked.extend(wanted["input"])
        rows = [
            {"index": n, "embedding": [0.01, *(3.0 * any(word in text for word in group) for group in ALIKE)]}
            for n, text in enumerate(wanted["input"])
        ]
        body = "{}" if self.broken == "status" else self.broken or json.dumps({"data": rows[::-1]})
        self.send_response(500 if self.broken == "status" else 200)
        self.end_headers()
        self.wfile.write(body.encode())

    def log_message(self, *_: Any) -> None:
        """Say nothing."""


@pytest.fixture
def endpoint() -> Iterator[str]:
    Answering.asked, Answering.broken = [], ""
    server = HTTPServer(("127.0.0.1", 0), Answering)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/v1"
    server.shutdown()
    server.server_close()
    thread.join()


def ask(folder: Folder, cache: Path, given: EmbeddingPlace, *messages: str) -> list[dict[str, Any]]:
    async def run() -> list[dict[str, Any]]:
        place = Place(str(folder.path), "", str(cache), given)
        async with local(place, writes=False) as service:
            return [await service.call("trigger", role="main", message=one) for one in messages]

    return asyncio.run(run())


def test_an_endpoint_brings_what_shares_no_word_and_embeds_each_text_once(
    workspace: Folder, tmp_path: Path, endpoint: str
) -> None:
    workspace.write(
        "main", "The boiler is a Vaillant.", "家里的猫叫二进制。", *(f"Shelf {n} is oak." for n in range(8))
    )
    given = EmbeddingPlace(endpoint, "made-up")
    english, chinese, nothing = ask(workspace, tmp_path, given, "who services the heating?", "宠物吃什么", "hm")
    assert [one["id"] for one in english["activated"]] == ["id-00000"]
    assert "means something alike" in english["activated"][0]["reasons"][0]
    assert [one["id"] for one in chinese["activated"]] == ["id-00001"]
    assert nothing["activated"] == []
    asked = len(Answering.asked)
    ask(workspace, tmp_path, given, "the heating again")
    assert len(Answering.asked) == asked + 1, "vectors are kept by the digest of their text"
    workspace.settings(trigger__embeddings=False)
    assert ask(workspace, tmp_path, given, "who services the heating?")[0]["activated"] == []


@pytest.mark.parametrize(
    "broken", ["status", "{", '{"data": []}', '{"data": [{"embedding": ["x"]}]}', '{"data": [{"embedding": []}]}']
)
def test_a_failing_endpoint_degrades_to_words_with_a_note(
    workspace: Folder, tmp_path: Path, endpoint: str, broken: str
) -> None:
    workspace.write("main", "The boiler is a Vaillant.", keywords=["boiler"])
    Answering.broken = broken
    (reply,) = ask(workspace, tmp_path, EmbeddingPlace(endpoint, "m"), "the boiler")
    assert [one["id"] for one in reply["activated"]] == ["id-00000"]
    assert "found by words alone" in reply["notes"][0]


@pytest.mark.parametrize("where", ["http://127.0.0.1:9/v1", "/nowhere", "ftp://x"])
def test_what_is_not_there_degrades_as_well(workspace: Folder, tmp_path: Path, where: str) -> None:
    workspace.write("main", "The boiler is a Vaillant.", keywords=["boiler"])
    (reply,) = ask(workspace, tmp_path, EmbeddingPlace(where), "the boiler")
    assert [one["id"] for one in reply["activated"]] == ["id-00000"]
    assert reply["notes"]


def test_a_model_in_a_directory_is_checked_by_its_digest(tmp_path: Path) -> None:
    onnx = pytest.importorskip("onnx")
    numpy = pytest.importorskip("numpy")
    pytest.importorskip("onnxruntime")
    tokenizers = pytest.importorskip("tokenizers")
    table = onnx.numpy_helper.from_array(numpy.eye(4, dtype=numpy.float32), "table")
    node = onnx.helper.make_node("Gather", ["table", "input_ids"], ["last_hidden_state"])
    ids = onnx.helper.make_tensor_value_info("input_ids", onnx.TensorProto.INT64, ["b", "l"])
    out = onnx.helper.make_tensor_value_info("last_hidden_state", onnx.TensorProto.FLOAT, ["b", "l", 4])
    graph = onnx.helper.make_graph([node], "g", [ids], [out], [table])
    model = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 17)])
    model.ir_version = 9
    data = model.SerializeToString()
    (tmp_path / "model.onnx").write_bytes(data)
    words = tokenizers.Tokenizer(tokenizers.models.WordLevel({"[UNK]": 0, "heating": 1, "cat": 2}, "[UNK]"))
    words.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    words.save(str(tmp_path / "tokenizer.json"))
    assert not OnnxModel(str(tmp_path), "").chinese, "its vocabulary has no Han"
    found = OnnxModel(str(tmp_path), hashlib.sha256(data).hexdigest())
    warm, heating, cat = found.passages(["heating", "heating heating", "cat"])
    assert warm == pytest.approx(heating)
    assert sum(a * b for a, b in zip(warm, cat, strict=True)) == pytest.approx(0.0)
    for directory, digest in ((tmp_path, "0" * 64), (tmp_path / "nowhere", "")):
        with pytest.raises(EmbeddingsError):
            OnnxModel(str(directory), digest)
    (tmp_path / "model.onnx").write_bytes(b"no model")
    with pytest.raises(EmbeddingsError):
        OnnxModel(str(tmp_path), "")
    with pytest.raises(EmbeddingsError):
        Endpoint("file:///etc/passwd", "m")
