"""Whether the text of a file is what its name promises, as far as a merge could have broken it."""

from __future__ import annotations

from memd.errors import BadSettingsError
from memd.formats.front_matter import split
from memd.formats.settings import load_table


def is_good(name: str, text: str) -> bool:
    """Tell whether a text can be read as its name says: TOML, or Markdown whose header, if any, is whole."""
    if name.endswith(".toml"):
        try:
            load_table(text.encode("utf-8", "surrogatepass"), name)
        except BadSettingsError:
            return False
        return True
    return not name.endswith(".md") or not split(text, name).faults
