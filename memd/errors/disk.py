"""What goes wrong on the disk: with files, and with the index that is made of them."""

from __future__ import annotations

from memd.errors.general import MemdError


class StorageError(MemdError):
    """The system refused a file operation on a name, and why. The old file stands."""

    code = "storage.failed"
    hint = "Look at the disk and its messages; memd retries what it has acknowledged."
    sentence = "{0}: {1}"


class StorageFullError(StorageError):
    """No space left."""

    code = "storage.full"
    hint = "Free some space; nothing was lost, and memd goes on by itself."


class StorageReadOnlyError(StorageError):
    """The workspace cannot be written."""

    code = "storage.read_only"
    hint = "Make the workspace writable; until then memd only reads."


class StorageHandlesError(StorageError):
    """The system has no file handles left."""

    code = "storage.handles"
    hint = "Try again, or raise the limit of open files."


class NotRegularError(StorageError):
    """A symbolic link, a FIFO, a device: never followed, never opened."""

    code = "storage.not_regular"
    hint = "Put a regular file or directory in its place."


class TooLargeError(StorageError):
    """A file larger than memd reads."""

    code = "storage.too_large"
    hint = "Split the file."


class TrustStateError(StorageError):
    """Where this machine keeps what it grants to a workspace cannot be believed, or not be written. Nothing is granted."""

    code = "trust.state"
    hint = "Make the directory yours, no link, writable by nobody else; then grant again with `memd trust`."


class BadIndexError(MemdError):
    """The full-text index cannot be used. It is thrown away and built again from the files."""

    code = "index.bad"
    hint = "Run `memd rebuild`; nothing but time is lost."
    sentence = "the full-text index cannot be used: {0}"
