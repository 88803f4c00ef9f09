"""Anthropic's memory tool (`memory_20250818`) on a workspace: `/memories` is a folder of pages, like every other page.

    client.beta.messages.tool_runner(model=…, max_tokens=…, messages=…, tools=[WorkspaceMemoryTool("my-memory")])

Answers and errors are those of the SDK's own BetaLocalFilesystemMemoryTool, to the letter, so that a model meets what
it knows. What is stricter (links, hidden names, secrets, sizes, other hands) is told in docs/adapters.md.

Errors
    ToolError for the model, whatever happens; WorkspaceMissingError and BadNameError from the constructor, for a person.
"""

from __future__ import annotations

import asyncio
import os
import posixpath
import stat
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager

from memd.adapters.pages import Pages, check_new, fault_of, in_short, lines_with, numbered
from memd.errors import BadPageNameError, ExtraMissingError, MemdError, WorkspaceMissingError
from memd.model.files import ARCHIVE, EXPECT, LEARNING, ROLES, RUNS, SESSIONS, SETTINGS, SKILLS, TASKS
from memd.storage.itself import placed

try:
    from anthropic.tools import BetaAbstractMemoryTool, BetaAsyncAbstractMemoryTool, ToolError
    from anthropic.types.beta import (
        BetaCacheControlEphemeralParam,
        BetaMemoryTool20250818Command,
        BetaMemoryTool20250818CreateCommand,
        BetaMemoryTool20250818DeleteCommand,
        BetaMemoryTool20250818InsertCommand,
        BetaMemoryTool20250818RenameCommand,
        BetaMemoryTool20250818StrReplaceCommand,
        BetaMemoryTool20250818ViewCommand,
    )
except ImportError as error:
    raise ExtraMissingError("anthropic") from error

ROOT = "/memories"
FOLDER = "memories"
MOST_LINES = 999_999
DEPTH = 2
OWN = frozenset((ARCHIVE, EXPECT, LEARNING, ROLES, RUNS, SESSIONS, SKILLS, TASKS))


class WorkspaceMemoryTool(BetaAbstractMemoryTool):
    """The tool, blocking. It holds no file open between two commands, and may be used by several threads."""

    def __init__(
        self,
        workspace: str | os.PathLike[str],
        *,
        folder: str = FOLDER,
        cache_control: BetaCacheControlEphemeralParam | None = None,
    ) -> None:
        super().__init__(cache_control=cache_control)
        self.workspace, self.folder = os.path.realpath(workspace), folder
        if not os.path.isfile(os.path.join(self.workspace, SETTINGS)):
            raise WorkspaceMissingError(self.workspace)
        check_new(folder)
        if folder.partition("/")[0] in OWN:
            raise BadPageNameError(folder, "memd keeps something else there")
        with closing(Pages(self.workspace)) as pages:
            pages.tree.make_dirs(folder)

    def execute(self, command: BetaMemoryTool20250818Command) -> str:
        """Carry out a command of the model's."""
        if why := fault_of(command):
            raise ToolError(why)
        return str(super().execute(command))

    def view(self, command: BetaMemoryTool20250818ViewCommand) -> str:
        """Return a page with line numbers, or what a folder has, two levels deep."""
        with self._opened(writing=False) as pages:
            name = self._name(command.path)
            found = pages.find(name)
            if found is None:
                raise ToolError(f"The path {command.path} does not exist. Please provide a valid path.")
            if stat.S_ISDIR(found.st_mode):
                head = f"Here're the files and directories up to {DEPTH} levels deep in {command.path}, excluding hidden items:"
                below = [f"{in_short(size)}\t{command.path}/{one}" for size, one in pages.listed(name, DEPTH)]
                return "\n".join([head, f"{in_short(found.st_size)}\t{command.path}", *below])
            lines = pages.text(name).split("\n")
        if len(lines) > MOST_LINES:
            raise ToolError(f"File {command.path} exceeds maximum line limit of 999,999 lines.")
        first, last = 0, len(lines)
        if command.view_range and len(command.view_range) == 2:
            first = max(1, command.view_range[0]) - 1
            last = len(lines) if command.view_range[1] == -1 else command.view_range[1]
        return f"Here's the content of {command.path} with line numbers:\n{numbered(lines[first:last], first + 1)}"

    def create(self, command: BetaMemoryTool20250818CreateCommand) -> str:
        """Make a page that is not there yet."""
        with self._opened() as pages:
            name = self._name(command.path)
            try:
                if pages.find(name) is not None:
                    raise FileExistsError
                pages.create(name, command.file_text)
            except FileExistsError:
                raise ToolError(f"File {command.path} already exists") from None
        return f"File created successfully at: {command.path}"

    def str_replace(self, command: BetaMemoryTool20250818StrReplaceCommand) -> str:
        """Replace a text that stands in a page exactly once."""

        def change(text: str) -> str:
            count, old = text.count(command.old_str), command.old_str
            if count == 1:
                return text.replace(old, command.new_str)
            why = (
                f"Multiple occurrences of old_str `{old}` in lines: {lines_with(text, old)}. Please ensure it is unique"
            )
            if not count:
                raise ToolError(
                    f"No replacement was performed, old_str `{old}` did not appear verbatim in {command.path}."
                )
            raise ToolError(f"No replacement was performed. {why}")

        before, after = self._edit(command.path, change)
        at = before[: before.find(command.old_str)].count("\n")
        lines, first = after.split("\n"), max(0, at - 2)
        said = "The memory file has been edited. Here is the snippet showing the change (with line numbers):"
        return f"{said}\n{numbered(lines[first : at + 3], first + 1)}"

    def insert(self, command: BetaMemoryTool20250818InsertCommand) -> str:
        """Insert a text behind a line; 0 is the top."""

        def change(text: str) -> str:
            lines, line = text.removesuffix("\n").split("\n") if text else [], command.insert_line
            if not 0 <= line <= len(lines):
                raise ToolError(
                    f"Invalid `insert_line` parameter: {line}. It should be within the range [0, {len(lines)}]."
                )
            joined = "\n".join([*lines[:line], command.insert_text.rstrip("\n"), *lines[line:]])
            return joined if joined.endswith("\n") else f"{joined}\n"

        self._edit(command.path, change)
        return f"The file {command.path} has been edited."

    def delete(self, command: BetaMemoryTool20250818DeleteCommand) -> str:
        """Remove a page, or a folder and all below it."""
        with self._opened() as pages:
            name = self._name(command.path)
            if name == self.folder:
                raise ToolError(f"Cannot delete the {ROOT} directory itself")
            try:
                pages.remove(name)
            except FileNotFoundError:
                raise ToolError(f"The path {command.path} does not exist") from None
        return f"Successfully deleted {command.path}"

    def rename(self, command: BetaMemoryTool20250818RenameCommand) -> str:
        """Rename or move a page or a folder."""
        with self._opened() as pages:
            name, new = self._name(command.old_path), self._name(command.new_path)
            if name == self.folder:
                raise ToolError(f"Cannot rename the {ROOT} directory itself")
            try:
                if pages.find(new) is not None:
                    raise FileExistsError
                pages.move(name, new)
            except FileExistsError:
                raise ToolError(f"The destination {command.new_path} already exists") from None
            except FileNotFoundError:
                raise ToolError(f"The path {command.old_path} does not exist") from None
        return f"Successfully renamed {command.old_path} to {command.new_path}"

    def clear_all_memory(self) -> str:
        """Remove all pages of the folder. The model has no command for it."""
        with self._opened() as pages:
            pages.clear(self.folder)
        return "All memory cleared"

    def _edit(self, path: str, change: Callable[[str], str]) -> tuple[str, str]:
        with self._opened() as pages:
            name = self._name(path)
            found = pages.find(name)
            if found is None:
                raise ToolError(f"The path {path} does not exist. Please provide a valid path.")
            if not stat.S_ISREG(found.st_mode):
                raise ToolError(f"The path {path} is not a file.")
            return pages.edit(name, change)

    def _name(self, path: str) -> str:
        """Return the name below the workspace that a path of the model's means."""
        if not path.startswith(ROOT):
            raise ToolError(f"Path must start with {ROOT}, got: {path}")
        whole = posixpath.normpath(f"{ROOT}/{path[len(ROOT) :]}")
        if whole != ROOT and not whole.startswith(f"{ROOT}/"):
            raise ToolError(f"Path {path} would escape {ROOT} directory")
        return self.folder + whole[len(ROOT) :]

    @contextmanager
    def _opened(self, *, writing: bool = True) -> Iterator[Pages]:
        """Yield the workspace's pages, and tell the model what goes wrong in words with a hint."""
        try:
            with closing(Pages(self.workspace)) as pages:
                if not writing:
                    yield pages
                    return
                pages.tree.make_dirs(self.folder)
                with pages.turn(self.folder):
                    yield pages
        except MemdError as error:
            raise ToolError(placed(f"{error}. {error.hint}", self.workspace)) from error
        except OSError as error:
            raise ToolError(f"The file is not there any more, or came meanwhile: {error}. View it again.") from error


class AsyncWorkspaceMemoryTool(BetaAsyncAbstractMemoryTool):
    """The tool for asyncio: each command in a thread."""

    def __init__(
        self,
        workspace: str | os.PathLike[str],
        *,
        folder: str = FOLDER,
        cache_control: BetaCacheControlEphemeralParam | None = None,
    ) -> None:
        super().__init__(cache_control=cache_control)
        self.blocking = WorkspaceMemoryTool(workspace, folder=folder)

    async def execute(self, command: BetaMemoryTool20250818Command) -> str:
        """Carry out a command of the model's."""
        return await asyncio.to_thread(self.blocking.execute, command)

    async def view(self, command: BetaMemoryTool20250818ViewCommand) -> str:
        """As the blocking tool, and so are all below."""
        return await self.execute(command)

    async def create(self, command: BetaMemoryTool20250818CreateCommand) -> str:
        """Make a page."""
        return await self.execute(command)

    async def str_replace(self, command: BetaMemoryTool20250818StrReplaceCommand) -> str:
        """Replace a text."""
        return await self.execute(command)

    async def insert(self, command: BetaMemoryTool20250818InsertCommand) -> str:
        """Insert a text."""
        return await self.execute(command)

    async def delete(self, command: BetaMemoryTool20250818DeleteCommand) -> str:
        """Remove a page or a folder."""
        return await self.execute(command)

    async def rename(self, command: BetaMemoryTool20250818RenameCommand) -> str:
        """Rename a page or a folder."""
        return await self.execute(command)

    async def clear_all_memory(self) -> str:
        """Remove all pages of the folder."""
        return await asyncio.to_thread(self.blocking.clear_all_memory)
