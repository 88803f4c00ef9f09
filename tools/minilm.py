"""Make an ONNX model of a MiniLM's safetensors, for measuring the embeddings extra. Needs `pip install onnx`.

    python -m tools.minilm DIR OUT

DIR has model.safetensors, config.json and tokenizer.json (docs/design/retrieval.md#with-a-model says where from); OUT gets
model.onnx and tokenizer.json, and the digest to give memd is printed.
"""

from __future__ import annotations

import hashlib
import json
import math
import shutil
import sys
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper


def tensors(path: Path) -> dict[str, np.ndarray]:
    """The tensors of a safetensors file, as float32."""
    data = path.read_bytes()
    size = int.from_bytes(data[:8], "little")
    head = json.loads(data[8 : 8 + size])
    kinds = {"F32": np.float32, "F16": np.float16, "I64": np.int64}
    found = {}
    for name, about in head.items():
        if name != "__metadata__":
            begin, end = about["data_offsets"]
            raw = np.frombuffer(data[8 + size + begin : 8 + size + end], kinds[about["dtype"]])
            found[name] = (
                raw.reshape(about["shape"]).astype(np.float32)
                if about["dtype"] != "I64"
                else raw.reshape(about["shape"])
            )
    return found


class Graph:
    """Nodes as they are added; names are numbered."""

    def __init__(self) -> None:
        self.nodes: list[Any] = []
        self.constants: list[Any] = []
        self.count = 0

    def add(self, operation: str, *inputs: str, **attributes: Any) -> str:
        """Add a node with one output, and return the output's name."""
        self.count += 1
        out = f"n{self.count}"
        self.nodes.append(helper.make_node(operation, list(inputs), [out], **attributes))
        return out

    def put(self, value: np.ndarray) -> str:
        """Add a constant, and return its name."""
        self.count += 1
        name = f"c{self.count}"
        self.constants.append(numpy_helper.from_array(np.ascontiguousarray(value), name))
        return name

    def linear(self, x: str, weight: np.ndarray, bias: np.ndarray) -> str:
        """x W^T + b."""
        return self.add("Add", self.add("MatMul", x, self.put(weight.T)), self.put(bias))

    def normal(self, x: str, weight: np.ndarray, bias: np.ndarray) -> str:
        """Layer normalization over the last axis."""
        return self.add("LayerNormalization", x, self.put(weight), self.put(bias), axis=-1, epsilon=1e-12)


def build(weights: dict[str, np.ndarray], config: dict[str, Any]) -> Any:
    """The encoder: ids, mask and types in, the last hidden state out."""
    heads, width = config["num_attention_heads"], config["hidden_size"]
    prefix = "" if "embeddings.word_embeddings.weight" in weights else "bert."
    w = {name.removeprefix(prefix): value for name, value in weights.items()}
    g = Graph()
    length = g.add("Shape", "input_ids", start=1, end=2)
    positions = g.add("Slice", g.put(np.arange(512, dtype=np.int64)), g.put(np.array([0], np.int64)), length)
    x = g.add("Add", g.add("Gather", g.put(w["embeddings.word_embeddings.weight"]), "input_ids"),
              g.add("Gather", g.put(w["embeddings.token_type_embeddings.weight"]), "token_type_ids"))  # fmt: skip
    x = g.add("Add", x, g.add("Gather", g.put(w["embeddings.position_embeddings.weight"]), positions))
    x = g.normal(x, w["embeddings.LayerNorm.weight"], w["embeddings.LayerNorm.bias"])
    mask = g.add("Unsqueeze", g.add("Cast", "attention_mask", to=TensorProto.FLOAT), g.put(np.array([1, 2], np.int64)))
    mask = g.add("Mul", g.add("Sub", g.put(np.array(1, np.float32)), mask), g.put(np.array(-1e9, np.float32)))
    split = g.put(np.array([0, 0, heads, width // heads], np.int64))
    for layer in range(config["num_hidden_layers"]):
        p = f"encoder.layer.{layer}."
        parts = []
        for name in ("query", "key", "value"):
            part = g.linear(x, w[f"{p}attention.self.{name}.weight"], w[f"{p}attention.self.{name}.bias"])
            order = [0, 2, 3, 1] if name == "key" else [0, 2, 1, 3]
            parts.append(g.add("Transpose", g.add("Reshape", part, split), perm=order))
        scores = g.add(
            "Mul", g.add("MatMul", parts[0], parts[1]), g.put(np.array(1 / math.sqrt(width // heads), np.float32))
        )
        shares = g.add("Softmax", g.add("Add", scores, mask), axis=-1)
        seen = g.add("Transpose", g.add("MatMul", shares, parts[2]), perm=[0, 2, 1, 3])
        seen = g.add("Reshape", seen, g.put(np.array([0, 0, width], np.int64)))
        seen = g.linear(seen, w[f"{p}attention.output.dense.weight"], w[f"{p}attention.output.dense.bias"])
        x = g.normal(
            g.add("Add", x, seen), w[f"{p}attention.output.LayerNorm.weight"], w[f"{p}attention.output.LayerNorm.bias"]
        )
        wide = g.linear(x, w[f"{p}intermediate.dense.weight"], w[f"{p}intermediate.dense.bias"])
        curve = g.add(
            "Add",
            g.add("Erf", g.add("Mul", wide, g.put(np.array(1 / math.sqrt(2), np.float32)))),
            g.put(np.array(1, np.float32)),
        )
        wide = g.add("Mul", g.add("Mul", wide, curve), g.put(np.array(0.5, np.float32)))
        out = g.linear(wide, w[f"{p}output.dense.weight"], w[f"{p}output.dense.bias"])
        x = g.normal(g.add("Add", x, out), w[f"{p}output.LayerNorm.weight"], w[f"{p}output.LayerNorm.bias"])
    g.nodes.append(helper.make_node("Identity", [x], ["last_hidden_state"]))
    inputs = [
        helper.make_tensor_value_info(name, TensorProto.INT64, ["batch", "length"])
        for name in ("input_ids", "attention_mask", "token_type_ids")
    ]
    output = helper.make_tensor_value_info("last_hidden_state", TensorProto.FLOAT, ["batch", "length", width])
    graph = helper.make_graph(g.nodes, "minilm", inputs, [output], g.constants)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
    model.ir_version = 9
    onnx.checker.check_model(model)
    return model


def main() -> None:
    """Convert."""
    source, out = Path(sys.argv[1]), Path(sys.argv[2])
    out.mkdir(parents=True, exist_ok=True)
    model = build(tensors(source / "model.safetensors"), json.loads((source / "config.json").read_text("utf-8")))
    data = model.SerializeToString()
    (out / "model.onnx").write_bytes(data)
    shutil.copy(source / "tokenizer.json", out / "tokenizer.json")
    print(hashlib.sha256(data).hexdigest())


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main()
