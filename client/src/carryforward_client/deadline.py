"""Sockets with one deadline for the whole exchange.

A socket's own timeout starts anew with every byte, so a peer that sends one byte a second is never late.
"""

import contextlib
import io
import socket
import threading
import time
from typing import Any, cast


class Deadline:
    def __init__(self, seconds: float) -> None:
        self._at = time.monotonic() + seconds

    @property
    def remaining_seconds(self) -> float:
        return max(0.0, self._at - time.monotonic())

    def arm(self, sock: socket.socket) -> None:
        """Let the socket's next operation last no longer than what is left. Raises TimeoutError."""
        remaining = self.remaining_seconds
        if not remaining:
            raise TimeoutError("no answer in time")
        sock.settimeout(remaining)


def connect(host: str, port: int, deadline: Deadline) -> socket.socket:
    """A TCP connection. Raises OSError."""
    error: OSError = TimeoutError("no connection in time")
    for family, kind, protocol, _, address in _resolve(host, port, deadline):
        sock = socket.socket(family, kind, protocol)
        try:
            deadline.arm(sock)
            sock.connect(address)
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        except OSError as refused:
            sock.close()
            error = refused
        else:
            return sock
    raise error


def _resolve(host: str, port: int, deadline: Deadline) -> list[tuple[Any, ...]]:
    """Addresses of a host. Looking a name up takes no timeout, so it is done aside and may be left behind."""
    with contextlib.suppress(socket.gaierror):
        return list(socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_NUMERICHOST))
    found: list[tuple[Any, ...] | OSError] = []

    def look_up() -> None:
        try:
            found.extend(socket.getaddrinfo(host, port, type=socket.SOCK_STREAM))
        except OSError as error:
            found.append(error)

    thread = threading.Thread(target=look_up, name="carryforward-resolve", daemon=True)
    thread.start()
    thread.join(deadline.remaining_seconds)
    if thread.is_alive():
        raise TimeoutError(f"the name {host} was not resolved in time")
    for address in found:
        if isinstance(address, OSError):
            raise address
    return [address for address in found if isinstance(address, tuple)]


class DeadlineSocket:
    """What `http.client` needs of a socket, with every send and receive under the current request's deadline."""

    def __init__(self, sock: socket.socket, deadline: Deadline) -> None:
        self.deadline = deadline
        self._sock = sock
        self._readers = 0
        self._closing = False

    def sendall(self, data: bytes) -> None:
        self.deadline.arm(self._sock)
        self._sock.sendall(data)  # its timeout is for the whole of the data

    def makefile(self, mode: str) -> io.BufferedReader:
        """Only ever asked for "rb"."""
        self._readers += 1
        return io.BufferedReader(cast("io.RawIOBase", _Receiver(self)))

    def receive_into(self, buffer: Any) -> int:
        self.deadline.arm(self._sock)
        return self._sock.recv_into(buffer)

    def close(self) -> None:
        """`http.client` closes before it has read an answer that ends the connection: wait for the reader."""
        self._closing = True
        if not self._readers:
            self._sock.close()

    def reader_closed(self) -> None:
        self._readers -= 1
        if self._closing:
            self.close()


class _Receiver(io.RawIOBase):
    def __init__(self, source: DeadlineSocket) -> None:
        self._source = source

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        return self._source.receive_into(buffer)

    def close(self) -> None:
        if not self.closed:
            super().close()
            self._source.reader_closed()
