"""The methods of the protocol: all verbs."""

from __future__ import annotations

import memd.verbs.collections
import memd.verbs.context
import memd.verbs.corrections
import memd.verbs.curated
import memd.verbs.exchange
import memd.verbs.hooks
import memd.verbs.learning
import memd.verbs.memories
import memd.verbs.proposals
import memd.verbs.recall
import memd.verbs.remembering
import memd.verbs.reviews
import memd.verbs.roles
import memd.verbs.runs
import memd.verbs.searches
import memd.verbs.session_search
import memd.verbs.sessions
import memd.verbs.settings
import memd.verbs.skills
import memd.verbs.statistics
import memd.verbs.status
import memd.verbs.tasks
import memd.verbs.upkeep  # noqa: F401  each declares its verbs
from memd.verbs.declared import VERBS, Verb

METHODS: dict[str, Verb] = VERBS
