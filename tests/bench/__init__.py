"""Measurements. By words alone, unless the environment says where embeddings come from."""

import os

os.environ.setdefault("MEMD_EMBEDDINGS", "none")
