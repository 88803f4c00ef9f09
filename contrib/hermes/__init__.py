"""memd as a memory provider of hermes-agent. All it does is in memd.adapters.hermes; here it meets hermes' own class."""

from __future__ import annotations

from typing import Any

from agent.memory_provider import MemoryProvider
from hermes_constants import get_hermes_home

from memd.adapters.hermes import HermesMemory
from memd.client import Client

DEADLINE_S = 5.0


class MemdMemoryProvider(HermesMemory, MemoryProvider):
    """What hermes loads."""


def connect(workspace: str) -> Client:
    """Return a connection to the daemon of a workspace; "" is MEMD_WORKSPACE, or the nearest memd.toml above."""
    return Client.of_workspace(workspace, deadline_s=DEADLINE_S)


def register(ctx: Any) -> None:
    """Give hermes the provider."""
    ctx.register_memory_provider(MemdMemoryProvider(connect, str(get_hermes_home())))
