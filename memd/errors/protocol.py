"""What goes wrong between a client and the daemon."""

from __future__ import annotations

from memd.errors.root import MemdError


class BadFrameError(MemdError):
    """Bytes that are not one strict JSON object."""

    why: str
    code = "frame.bad"
    hint = "Send one JSON object per line: UTF-8, no duplicate keys, no NaN, no lone surrogates, depth 64 at most."


class FrameTooLargeError(MemdError):
    """A line longer than the frame limit; the connection closes."""

    why: str
    code = "frame.too_large"
    hint = "Send less than the frame limit in one line, and split large work."


class SlowFrameError(MemdError):
    """A frame that was begun and not finished in time; the connection closes."""

    why: str
    code = "frame.slow"
    hint = "Send a whole line at once."


class BadRequestError(MemdError):
    """JSON, but not a JSON-RPC 2.0 request."""

    why: str
    code = "request.bad"
    hint = 'Send {"jsonrpc": "2.0", "id": 1, "method": "ping", "params": {}}.'


class MethodUnknownError(MemdError):
    """No such method."""

    method: str
    code = "method.unknown"
    hint = "Call rpc.discover for the list of methods."
    sentence = "no method {method!r:.82}"


class BadParamsError(MemdError):
    """Parameters that do not fit the method's declaration."""

    why: str
    code = "params.bad"
    hint = "Call rpc.discover for the parameters of each method."


class ProtocolVersionError(MemdError):
    """A client that was written for a newer protocol than the daemon speaks."""

    asked: int
    spoken: int | str
    code = "protocol.version"
    hint = "Restart the daemon (`memd down`, then `memd up --detach`) if it is older than the memd that is installed; else upgrade memd."
    sentence = "protocol {asked} is asked for, and what answers speaks {spoken}"


class BadReplyError(MemdError):
    """What answers at the socket does not speak memd's protocol."""

    path: str
    code = "socket.stranger"
    hint = "Stop what listens there, or set MEMD_SOCKET to another path for memd."
    sentence = "what listens at {path} is not memd"


class DaemonMissingError(MemdError):
    """Nobody answers at the socket."""

    path: str
    code = "daemon.missing"
    hint = "Start one with `memd up`."
    sentence = "no daemon answers at {path}"


class DaemonLostError(DaemonMissingError):
    """The daemon ended while it was asked to change something; the request may have been carried out."""

    hint = "Look whether it was done, and if not run it again: commands work without a daemon, and `memd up --detach` starts one."
    sentence = "the daemon ended while it was asked; whether this was done is not known"


class DaemonFailedError(DaemonMissingError):
    """A daemon that was started in the background and ended before it answered."""

    status: int
    said: str
    hint: str = "Mend what it says; `memd doctor` looks at everything a daemon needs."
    sentence = "the daemon ended with status {status} before it answered: {said}"


class DeadlineError(MemdError):
    """The daemon did not answer in time; the request may have been carried out."""

    method: str
    deadline_s: float
    code = "client.deadline"
    hint = "Look at `memd status`; ask again with a longer deadline."
    sentence = "{method} was not answered within {deadline_s:g} s"


class ClientClosedError(MemdError):
    """A client that was closed, and is asked, or was asked when that happened; the request may have been carried out."""

    code = "client.closed"
    hint = "Make another client; one that was closed stays so."
    sentence = "this client was closed"


class ReplyMisfitError(MemdError):
    """An answer that is not what its method declares here: the daemon is of another version."""

    method: str
    why: str
    code = "protocol.reply"
    hint = "Restart the daemon (`memd down`, then `memd up --detach`), so that it and this program are of one version."
    sentence = "the answer to {method} is not as it is declared here: {why}"


class BadSocketError(MemdError):
    """A socket path that is too long, taken by another file, or in a directory of somebody else."""

    why: str
    code = "socket.bad"
    hint = "Set MEMD_SOCKET or --socket to a short path in a directory of your own."


class RemoteError(MemdError):
    """An error the daemon answered with; number, sentence, code and hint are its own.

    In a client it is of the class of its code as well. What that class would know of the situation is not known here.
    """

    def __init__(self, number: int, message: str, code: str, hint: str) -> None:
        self.number, self.message, self.code, self.hint = number, message, code, hint
        self.args = (number, message, code, hint)

    def __str__(self) -> str:
        return self.message
