"""Units for the daemon of one workspace: for systemd a socket that waits and a service that answers it, for launchd an agent.

A unit memd wrote carries the digest of its own text, so that one a person edited is known and left alone.

Source
    systemd.syntax(7), systemd.unit(5) for specifiers, systemd.service(5) for command lines, systemd.exec(5);
    launchd.plist(5). The agent of launchd is untested on macOS.
"""

from __future__ import annotations

import hashlib
import plistlib
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from xml.parsers.expat import ExpatError

from memd.places import is_folder

HEAD = "# Made by `memd service install`; sha256 of what follows: {digest}\n"
HEAD_OF_XML = "<!-- Made by `memd service install`; sha256 of all but this line: {digest} -->\n"
_HEAD = re.compile(r"(?:#|<!--) Made by `memd service install`; sha256 of [a-z ]+: ([0-9a-f]{64})(?: -->)?\n")
SYSTEMD, LAUNCHD = "systemd", "launchd"
_WORD = re.compile(r'"((?:[^"\\]|\\.)*)"|(\S+)')
_GIVEN = 'Environment="'
_ODD = re.compile(r'["\\\x00-\x1f\x7f]')
_ESCAPED = re.compile(r"\\(?:x([0-9a-f]{2})|(.))", re.DOTALL)

SOCKET = """\
[Unit]
Description=Socket of memd for {shown}

[Socket]
ListenStream=%t/memd/{key}.sock
SocketMode=0600
DirectoryMode=0700
Backlog=128
FileDescriptorName=memd
RemoveOnStop=yes

[Install]
WantedBy=sockets.target
"""

# Statuses 2, 65 and 78 (no workspace, bad data, bad settings) are for a person: starting again would not help.
SERVICE = """\
[Unit]
Description=memd for {shown}
Requires={name}.socket
After={name}.socket

[Service]
Type=notify
NotifyAccess=main
ExecStart={command}
{environment}WatchdogSec=30
Restart=on-failure
RestartSec=2
RestartPreventExitStatus=2 65 78
TimeoutStopSec=30
CacheDirectory=memd
CacheDirectoryMode=0700
UMask=0077
NoNewPrivileges=yes
LockPersonality=yes
MemoryDenyWriteExecute={deny_writable_code}
RestrictAddressFamilies={families}
RestrictNamespaces=yes
RestrictRealtime=yes
RestrictSUIDSGID=yes
SystemCallArchitectures=native
SystemCallFilter=@system-service
SystemCallFilter=~@privileged
SystemCallErrorNumber=EPERM
{sandbox}
[Install]
Also={name}.socket
WantedBy=default.target
"""

# What follows needs a mount namespace; a user's own manager can make one only together with a user namespace.
SANDBOX = """\
PrivateUsers=yes
ProtectSystem=strict
ReadWritePaths={writable}
ProtectKernelTunables=yes
ProtectControlGroups=yes
{more}"""
PRIVATE_TMP = "PrivateTmp=yes\n"
PRIVATE_NETWORK = "PrivateNetwork=yes\n"
TEMPORARY = ("/tmp", "/var/tmp")  # noqa: S108  what PrivateTmp hides


@dataclass(frozen=True, slots=True)
class UnitPlan:
    """What units are made of: the workspace, its key, the words that start memd, and what its process is given.

    `sandbox`: this system lets a user's service have a view of the disk of its own. `manager`: who reads the units; launchd is
    told in which file the daemon's diary goes (`log`).
    """

    workspace: str
    key: str
    program: tuple[str, ...]
    environment: Mapping[str, str] = field(default_factory=dict)
    sandbox: bool = True
    spool: str = ""
    manager: str = SYSTEMD
    log: str = ""

    @property
    def name(self) -> str:
        """The units' name without its ending."""
        return f"memd-{self.key}"

    @property
    def sandboxed(self) -> bool:
        """Tell whether the service gets a view of the disk of its own: a path with these signs cannot be excepted."""
        return self.sandbox and not _ODD.search(self.workspace)

    def units(self) -> dict[str, str]:
        """Return the text of each unit by its file name. ValueError where launchd cannot name a path."""
        if self.manager == LAUNCHD:
            return {f"{self.name}.plist": self._agent()}
        return {
            f"{self.name}.socket": signed(SOCKET.format(shown=_shown(self.workspace), key=self.key)),
            f"{self.name}.service": signed(self._service()),
        }

    def _service(self) -> str:
        words = [*self.program[1:], "up", "--workspace", self.workspace]
        given = "".join(f"Environment={_quoted(f'{key}={value}')}\n" for key, value in self.environment.items())
        where = self.environment.get("MEMD_EMBEDDINGS", "")
        remote = where.startswith(("http://", "https://"))
        return SERVICE.format(
            shown=_shown(self.workspace),
            name=self.name,
            command=" ".join([_quoted(self.program[0]), *(_quoted(one, dollars=True) for one in words)]),
            environment=given,
            # A model's runtime may make code as it goes.
            deny_writable_code="no" if is_folder(where) else "yes",
            families="AF_UNIX AF_INET AF_INET6" if remote else "AF_UNIX",
            sandbox=self._sandbox(remote) if self.sandboxed else "",
        )

    def _agent(self) -> str:
        """An agent that runs from login on, and again where it did not end by itself: nobody hands it a socket, so it is not asked for."""
        keys = {
            "Label": self.name,
            "ProgramArguments": [*self.program, "up", "--workspace", self.workspace],
            "EnvironmentVariables": dict(self.environment),
            "RunAtLoad": True,
            "KeepAlive": {"SuccessfulExit": False},
            "ExitTimeOut": 30,
            "ProcessType": "Interactive",  # a person's prompt waits for its answers
            "StandardErrorPath": self.log,
            "Umask": 0o077,
        }
        text = plistlib.dumps(keys, sort_keys=False).decode()
        at = text.index("<plist")  # what XML begins with has to stay before it
        return text[:at] + HEAD_OF_XML.format(digest=_digest(text)) + text[at:]

    def _sandbox(self, remote: bool) -> str:
        spool = f"-{self.spool}" if self.spool and not _ODD.search(self.spool) else ""  # "-": it may not be there yet
        writable = " ".join('"' + path.replace("%", "%%") + '"' for path in (self.workspace, spool) if path)
        needed = (self.workspace, self.program[0], self.environment.get("MEMD_EMBEDDINGS", ""))
        hidden = any(f"{path}/".startswith(f"{top}/") for top in TEMPORARY for path in needed)
        more = ("" if hidden else PRIVATE_TMP) + ("" if remote else PRIVATE_NETWORK)
        return SANDBOX.format(writable=writable, more=more)


def signed(body: str) -> str:
    """Return a unit's text with the line that tells whether somebody edited it."""
    return HEAD.format(digest=_digest(body)) + body


def is_untouched(text: str) -> bool:
    """Tell whether a unit is as memd wrote it, now or in an earlier version."""
    head = _HEAD.search(text)
    return head is not None and head[1] == _digest(text[: head.start()] + text[head.end() :])


def command_of(text: str) -> list[str]:
    """Return the words that a unit starts, without a manager's marks; [] where it starts nothing."""
    if text.startswith("<?xml"):
        return [str(one) for one in _keys_of(text).get("ProgramArguments", [])]
    line = next((one for one in text.splitlines() if one.startswith("ExecStart=")), "").partition("=")[2]
    return [_plain(match[1]) if match[1] is not None else match[2] for match in _WORD.finditer(line)]


def choices_of(text: str) -> tuple[bool, dict[str, str]]:
    """Return what a service's unit was given when it was installed: a view of the disk of its own, and its environment."""
    if text.startswith("<?xml"):
        return False, {str(name): str(value) for name, value in _keys_of(text).get("EnvironmentVariables", {}).items()}
    lines = text.splitlines()
    given = [_plain(one[len(_GIVEN) : -1], dollars=False) for one in lines if one.startswith(_GIVEN)]
    pairs = [one.partition("=") for one in given]
    return "ProtectSystem=strict" in lines, {name: value for name, equals, value in pairs if equals}


def _keys_of(text: str) -> dict[str, Any]:
    """Return what an agent of launchd's says, {} where it says nothing that can be read."""
    try:
        found = plistlib.loads(text.encode("utf-8", "surrogateescape"))
    except (ValueError, ExpatError):
        return {}
    return found if isinstance(found, dict) else {}


def _digest(body: str) -> str:
    return hashlib.sha256(body.encode("utf-8", "surrogateescape")).hexdigest()


def _shown(path: str) -> str:
    """Return a path as a description shows it: nothing in it ends the line or stands for something else."""
    printable = "".join(char if char.isprintable() else f"\\x{ord(char):02x}" for char in path)
    return '"' + printable.replace("%", "%%") + '"'


def _quoted(word: str, *, dollars: bool = False) -> str:
    """Return one word of a command line; behind the program, `$` would begin a variable."""
    text = word.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%")
    text = re.sub(r"[\x00-\x1f\x7f]", lambda match: f"\\x{ord(match[0]):02x}", text)
    return f'"{text.replace("$", "$$") if dollars else text}"'


def _plain(quoted: str, *, dollars: bool = True) -> str:
    text = _ESCAPED.sub(lambda match: chr(int(match[1], 16)) if match[1] else match[2], quoted).replace("%%", "%")
    return text.replace("$$", "$") if dollars else text
