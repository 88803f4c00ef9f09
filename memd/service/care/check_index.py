"""check --index: prove that the full-text index and the files agree, document by document. Reads only."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from memd.errors import BadIndexError, Fault, RejectedFileError, StorageError
from memd.formats.documents import digest_of, documents_of, is_searched, limit_of
from memd.model.files import Purpose, purpose_of
from memd.model.progress import Told, untold
from memd.storage.files import Tree
from memd.storage.index import Reader, open_reader
from memd.storage.listing import walk

if TYPE_CHECKING:
    from memd.formats.derived import Manifest

TOLD = 1000  # differences are told one by one up to here


def check_index(tree: Tree, cache_dir: str, role_bytes: int, told: Told = untold) -> tuple[list[Fault], int]:
    """Return where index and files differ, and how many documents were compared; `told` hears of files."""
    try:
        cache = Tree(cache_dir)
        try:
            manifest, reader = open_reader(cache)
        finally:
            cache.close()
    except (BadIndexError, StorageError, OSError) as error:
        return [Fault(".", 1, 1, str(error), "index.unusable")], 0
    try:
        wanted = _documents(tree, role_bytes, manifest, told)
        faults = list(_differences(wanted, reader))
    finally:
        reader.close()
    return faults[:TOLD], len(wanted)


def _documents(tree: Tree, role_bytes: int, manifest: Manifest, told: Told) -> dict[str, tuple[str, int, bytes]]:
    """Return name, line and digest of every document by its key, as the files are now.

    Of a file that cannot be read, what the index has stands.
    """
    found: dict[str, tuple[str, int, bytes]] = {}
    names = [name for name in walk(tree).files if is_searched(name)]
    for number, name in enumerate(names):
        told(number, len(names), "comparing")
        try:
            data = tree.read(name, role_bytes if purpose_of(name) is Purpose.MEMORY else limit_of(name))[0]
            documents = documents_of(name, data).documents
        except (RejectedFileError, StorageError, FileNotFoundError):
            held = manifest.files.get(name)
            found.update({key: (name, 1, digest) for key, digest in (held.documents if held else {}).items()})
            continue
        found.update({one.key: (name, one.line, digest_of(one)) for one in documents})
    return found


def _differences(wanted: dict[str, tuple[str, int, bytes]], reader: Reader) -> Iterator[Fault]:
    left = dict(wanted)
    for found in reader.read(reader.everything()):
        document = found.document
        name, line, digest = left.pop(document.key, ("", 1, b""))
        if not name:
            twice = document.key in wanted
            why = f"the index has {document.key} {'twice' if twice else 'and no file has it'}"
            yield Fault(document.name, document.line, 1, why, "index.extra")
        elif digest != found.digest or digest_of(document) != found.digest:
            yield Fault(name, line, 1, f"the index has another state of {document.key}", "index.differs")
    for key, (name, line, _) in left.items():
        yield Fault(name, line, 1, f"the index does not have {key}", "index.missing")
