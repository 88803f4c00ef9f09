"""A program called memd that starts at once: it has the server of tests/forking.py run memd.__main__ with its words and handles.

Whatever starts it sees one process that lives, is signalled and ends as memd does. Python runs this file without its site and
anything heavy, for 15 ms. The server listens at `s` beside the file.
"""

from __future__ import annotations

import _socket
import marshal
import os
import signal
import sys

PASSED_ON = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGUSR1)


def main() -> None:
    """Ask the server for a process, wait for it, and end as it did."""
    asked: dict[str, object] = {
        "arguments": sys.argv[1:],
        "called": sys.argv[0],
        "cwd": os.getcwd(),
        "env": dict(os.environ),
    }
    asked["leads"] = os.getsid(0) == os.getpid()  # who was started in a session of its own
    server = _socket.socket(_socket.AF_UNIX, _socket.SOCK_SEQPACKET)
    server.connect(os.path.join(os.path.dirname(os.path.realpath(sys.argv[0])), "s"))
    handles = b"".join(handle.to_bytes(4, sys.byteorder) for handle in (0, 1, 2))
    server.sendmsg([marshal.dumps(asked)], [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, handles)])
    pid = int(server.recv(64))
    for number in PASSED_ON:
        signal.signal(number, lambda told, _: os.kill(pid, told))
    status = int(server.recv(64) or -signal.SIGKILL)  # the server is gone, and what it started with it
    if status < 0:
        if -status in PASSED_ON:
            signal.signal(-status, signal.SIG_DFL)
        os.kill(os.getpid(), -status)
    os._exit(status)


if __name__ == "__main__":
    main()
