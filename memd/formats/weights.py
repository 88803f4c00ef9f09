"""Weights of a linear model as text: a comment, then a line for each feature with its weight and its name.

# importance of a statement; made by python -m tools.training
-1.25	*
2.31	allergic
"""

from __future__ import annotations

from collections.abc import Mapping

from memd.errors import StorageError

BIAS = "*"
LEAST = 0.02  # a weight that says less than this says nothing


def load_weights(data: bytes, name: str) -> tuple[float, dict[str, float]]:
    """Return the bias and the weights by feature; StorageError where the text is none of ours."""
    weights: dict[str, float] = {}
    try:
        for line in data.decode("utf-8").split("\n"):
            if line and not line.startswith("#"):
                value, _, feature = line.partition("\t")
                weights[feature] = float(value)
    except ValueError as error:
        raise StorageError(name, f"it is damaged: {error}") from error
    return weights.pop(BIAS, 0.0), weights


def dump_weights(bias: float, weights: Mapping[str, float], title: str) -> bytes:
    """Return the text of weights, sorted by name, at two decimals; those below LEAST are left out."""
    rows = sorted((name, value) for name, value in weights.items() if abs(value) >= 0.005)
    lines = [f"# {title}", f"{bias:.3f}\t{BIAS}", *(f"{value:.2f}\t{name}" for name, value in rows)]
    return ("\n".join(lines) + "\n").encode()
