"""What the server answers: requests of the protocol in, results out, for whatever wire. Knows neither frames nor clients.

Every door asks the same: standard input by our own frames, HTTP by the official SDK.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Any

from memd.doors.mcp.calling import Tools
from memd.doors.mcp.prompts import LISTED, Prompts
from memd.doors.mcp.resources import TEMPLATES, Resources
from memd.doors.mcp.wording import sentence_of, slower
from memd.errors import MemdError

if TYPE_CHECKING:
    from memd.doors.mcp.asking import Desk

INVALID_REQUEST, METHOD_NOT_FOUND, INVALID_PARAMS, INTERNAL_ERROR, PARSE_ERROR = -32600, -32601, -32602, -32603, -32700
NAME, TITLE, ABOUT = "memd", "memd", "The user's long-term memory"

Params = Mapping[str, Any]


class RefusedError(Exception):
    """A request that has no result: the protocol's number, a sentence, and what else is known."""

    def __init__(self, number: int, sentence: str, data: Any = None) -> None:
        super().__init__(sentence)
        self.number, self.data = number, data


class Answers:
    """The methods that are asked of a server, over one desk."""

    def __init__(self, desk: Desk) -> None:
        self.desk = desk
        self.tools, self.resources, self.prompts = Tools(desk), Resources(desk), Prompts(desk)
        self.methods: dict[str, Callable[[Params], Awaitable[dict[str, Any]]]] = {
            "tools/list": self._tools,
            "tools/call": self._call,
            "resources/list": self._resources,
            "resources/templates/list": self._templates,
            "resources/read": self._read,
            "prompts/list": self._prompts,
            "prompts/get": self._prompt,
            "completion/complete": self._completed,
        }

    async def answer(self, method: str, params: Params) -> dict[str, Any]:
        """Return the result of a request, or raise RefusedError."""
        try:
            return await self.methods[method](params)
        except MemdError as error:
            number = INTERNAL_ERROR if error.code == "internal" else INVALID_PARAMS
            about = {"uri": params["uri"]} if method == "resources/read" else {"code": error.code}
            raise RefusedError(
                number, sentence_of(error, self.desk.workspace, trouble=self.desk.trouble), about
            ) from None

    async def _tools(self, _: Params) -> dict[str, Any]:
        return {"tools": self.tools.listed}

    async def _call(self, params: Params) -> dict[str, Any]:
        """Call a tool; what is refused is a result that says so, for the model to read."""
        name, arguments = text_at(params, "name"), object_at(params, "arguments")
        if name not in self.tools.schemas:
            known = ", ".join(self.tools.schemas)
            return refusal(f"no tool {name!r:.60}; the tools are {known}")
        try:
            text, structure = await self.tools.call(name, arguments)
        except MemdError as error:
            return refusal(sentence_of(error, self.desk.workspace, name, self.desk.trouble))
        if self.desk.trouble:
            text = f"{text}\n{slower(self.desk.trouble, self.desk.workspace)}"
        return {"content": [{"type": "text", "text": text}], "structuredContent": structure, "isError": False}

    async def _resources(self, _: Params) -> dict[str, Any]:
        return {"resources": await self.resources.listed()}

    async def _templates(self, _: Params) -> dict[str, Any]:
        return {"resourceTemplates": [*TEMPLATES]}

    async def _read(self, params: Params) -> dict[str, Any]:
        uri = text_at(params, "uri")
        text, kind = await self.resources.read(uri)
        return {"contents": [{"uri": uri, "mimeType": kind, "text": text}]}

    async def _prompts(self, _: Params) -> dict[str, Any]:
        return {"prompts": [*LISTED]}

    async def _prompt(self, params: Params) -> dict[str, Any]:
        return await self.prompts.filled(text_at(params, "name"), object_at(params, "arguments"))

    async def _completed(self, params: Params) -> dict[str, Any]:
        argument = object_at(params, "argument")
        object_at(params, "ref", needed=True)
        return {"completion": await self.prompts.completed(text_at(argument, "name"), text_at(argument, "value"))}


def refusal(sentence: str) -> dict[str, Any]:
    """Return the result of a tool's call that failed, as an agent can act on it."""
    return {"content": [{"type": "text", "text": sentence}], "isError": True}


def text_at(params: Params, name: str) -> str:
    """Return a text that a request must have."""
    if isinstance(value := params.get(name), str):
        return value
    raise RefusedError(INVALID_PARAMS, f"{name}: it must be there, and a text")


def object_at(params: Params, name: str, *, needed: bool = False) -> dict[str, Any]:
    """Return an object that a request may have, empty where it is not there."""
    value = params.get(name)
    if isinstance(value, dict):
        return value
    if value is None and not needed:
        return {}
    raise RefusedError(INVALID_PARAMS, f"{name}: it must be an object")
