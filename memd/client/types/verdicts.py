"""Made from the declarations by `make docs`: change those, not this."""

from __future__ import annotations

from memd.client.types.plain.declared import Reply
from memd.client.types.plain.remembering import Remembered


class DecidedReview(Reply, kw_only=True):
    """What became of it: of a text, what `remember` answered; of a memory, its role and its text."""

    id: str
    role: str | None = None
    verdict: str
    remember: Remembered | None = None
    content: str | None = None
