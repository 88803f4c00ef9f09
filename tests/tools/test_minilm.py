"""The graph that is made of a model's tensors computes what the encoder's equations say."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

pytest.importorskip("onnx")

import onnxruntime

from tools.minilm import build, tensors

WIDTH, INNER, HEADS, LAYERS, WORDS, LENGTH = 8, 16, 2, 2, 11, 5
Weights = dict[str, npt.NDArray[np.float32]]


@pytest.fixture
def weights() -> Weights:
    """Small tensors of a BERT, by their names."""
    chance = np.random.default_rng(7)

    def some(*shape: int) -> npt.NDArray[np.float32]:
        return chance.normal(size=shape).astype(np.float32)

    found = {
        "embeddings.word_embeddings.weight": some(WORDS, WIDTH),
        "embeddings.token_type_embeddings.weight": some(2, WIDTH),
        "embeddings.position_embeddings.weight": some(512, WIDTH),
    }
    shapes = {"intermediate.dense": (INNER, WIDTH), "output.dense": (WIDTH, INNER)}
    shapes |= {f"attention.{one}": (WIDTH, WIDTH) for one in ("self.query", "self.key", "self.value", "output.dense")}
    for layer in range(LAYERS):
        for name, shape in shapes.items():
            found[f"encoder.layer.{layer}.{name}.weight"] = some(*shape)
            found[f"encoder.layer.{layer}.{name}.bias"] = some(shape[0])
        for name in ("attention.output", "output"):
            found[f"encoder.layer.{layer}.{name}.LayerNorm.weight"] = some(WIDTH)
            found[f"encoder.layer.{layer}.{name}.LayerNorm.bias"] = some(WIDTH)
    return found | {"embeddings.LayerNorm.weight": some(WIDTH), "embeddings.LayerNorm.bias": some(WIDTH)}


def encoded(w: Weights, ids: list[int], mask: list[int]) -> npt.NDArray[np.float64]:
    """The encoder, one position and one head after another."""

    def normal(x: Any, name: str) -> Any:
        middle, spread = x.mean(-1, keepdims=True), x.var(-1, keepdims=True)
        return (x - middle) / np.sqrt(spread + 1e-12) * w[f"{name}.weight"] + w[f"{name}.bias"]

    def linear(x: Any, name: str) -> Any:
        return x @ w[f"{name}.weight"].T + w[f"{name}.bias"]

    x = w["embeddings.word_embeddings.weight"][ids] + w["embeddings.token_type_embeddings.weight"][0]
    x = normal((x + w["embeddings.position_embeddings.weight"][: len(ids)]).astype(float), "embeddings.LayerNorm")
    size = WIDTH // HEADS
    for layer in range(LAYERS):
        p = f"encoder.layer.{layer}."
        asked, keys, values = (linear(x, f"{p}attention.self.{one}") for one in ("query", "key", "value"))
        seen = np.zeros_like(x)
        for head in range(HEADS):
            part = slice(head * size, (head + 1) * size)
            for at in range(len(ids)):
                powers = np.exp(keys[:, part] @ asked[at, part] / math.sqrt(size)) * mask
                seen[at, part] = powers / powers.sum() @ values[:, part]
        x = normal(x + linear(seen, f"{p}attention.output.dense"), f"{p}attention.output.LayerNorm")
        wide = linear(x, f"{p}intermediate.dense")
        wide = wide * (1 + np.vectorize(math.erf)(wide / math.sqrt(2))) / 2
        x = normal(x + linear(wide, f"{p}output.dense"), f"{p}output.LayerNorm")
    return np.asarray(x)


@pytest.mark.parametrize("prefix", ["", "bert."])
def test_the_graph_is_the_encoder(weights: Weights, prefix: str) -> None:
    named = {prefix + name: value for name, value in weights.items()}
    model = build(named, {"num_attention_heads": HEADS, "hidden_size": WIDTH, "num_hidden_layers": LAYERS})
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    ids, mask = [3, 1, 4, 1, 5], [1, 1, 1, 1, 0]
    fed = {"input_ids": [ids], "attention_mask": [mask], "token_type_ids": [[0] * LENGTH]}
    (found,) = session.run(None, {name: np.array(value, dtype=np.int64) for name, value in fed.items()})
    assert found.shape == (1, LENGTH, WIDTH)
    assert np.abs(found[0] - encoded(weights, ids, mask)).max() < 1e-4


def test_tensors_are_read_from_their_file(tmp_path: Path) -> None:
    stored: dict[str, Any] = {
        "a": np.arange(6, dtype=np.float32).reshape(2, 3),
        "b": np.array([1.5, -2], dtype=np.float16),
    }
    head: dict[str, Any] = {}
    data = b""
    for name, kind in (("a", "F32"), ("b", "F16")):
        raw = stored[name].tobytes()
        head[name] = {
            "dtype": kind,
            "shape": list(stored[name].shape),
            "data_offsets": [len(data), len(data) + len(raw)],
        }
        data += raw
    text = json.dumps(head).encode()
    (tmp_path / "model.safetensors").write_bytes(len(text).to_bytes(8, "little") + text + data)
    found = tensors(tmp_path / "model.safetensors")
    assert {name: value.tolist() for name, value in found.items()} == {
        name: value.tolist() for name, value in stored.items()
    }
