"""An embedding model in a directory: model.onnx and tokenizer.json, its digest checked. The extra memdaemon[embeddings].

Texts are cut at 256 tokens, token vectors averaged over the text, and brought to length 1.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from memd.errors import EmbeddingsError
from memd.storage.files import Tree

if TYPE_CHECKING:
    from memd.storage.embedding.model import Floats

TOKENS = 256
BATCH = 16
CHINESE = "我想喝杯咖啡，你还记得外婆家门前的小溪吗？服务器又崩溃了，把数据库备份恢复一下。"
UNKNOWN_SHARE = 0.1
MODEL_BYTES = 2_000_000_000


class OnnxModel:
    """A model that is loaded."""

    batch = BATCH

    def __init__(self, directory: str, digest: str) -> None:
        try:
            import numpy  # noqa: PLC0415 - an extra: only who asks for it needs it
            import onnxruntime  # noqa: PLC0415
            import tokenizers  # noqa: PLC0415
        except ImportError as error:
            raise EmbeddingsError(f"{error.name} is not installed: pip install 'memdaemon[embeddings]'") from None
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
            rows = [self._batch(texts[at : at + BATCH]) for at in range(0, max(len(texts), 1), BATCH)]
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
