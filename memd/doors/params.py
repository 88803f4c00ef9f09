"""What the parameters of methods begin with that have no verb yet."""

from __future__ import annotations

from memd.verbs.declared import Request

Params = Request
