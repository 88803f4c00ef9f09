"""The methods of the protocol: one line each in METHODS, from its name to what carries it out."""

from __future__ import annotations

import memd.verbs.collections
import memd.verbs.context
import memd.verbs.corrections
import memd.verbs.curated
import memd.verbs.exchange
import memd.verbs.learning
import memd.verbs.memories
import memd.verbs.recall
import memd.verbs.remembering
import memd.verbs.roles
import memd.verbs.runs
import memd.verbs.searches
import memd.verbs.session_search
import memd.verbs.sessions
import memd.verbs.settings
import memd.verbs.skills
import memd.verbs.status
import memd.verbs.tasks  # noqa: F401  each declares its verbs
from memd.doors.hook_methods import HOOK_METHODS
from memd.doors.keep_methods import KEEP_METHODS
from memd.verbs.declared import VERBS, Verb

METHODS: dict[str, Verb] = VERBS | {
    method.name: method
    for method in (
        *KEEP_METHODS,
        *HOOK_METHODS,
    )
}
