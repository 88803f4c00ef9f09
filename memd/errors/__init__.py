"""Every error memd raises on purpose, as one tree: all are MemdError, those of the disk are StorageError.

A module has a family, and what it declares is here by that alone. Doors translate codes into exit statuses and JSON-RPC
numbers; nobody else does.
"""

from memd.errors.protocol import *  # noqa: F403  another list of the names would be kept by hand  # noqa: F403
from memd.errors.remembering import *  # noqa: F403
from memd.errors.root import *  # noqa: F403
from memd.errors.work import *  # noqa: F403
