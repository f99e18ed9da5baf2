"""`engine.json`: where the running embedded engine of a data directory can be reached, readable by its owner alone."""

import json
import os
import socket
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Self


@dataclass(frozen=True, slots=True)
class Announcement:
    """`unix_socket` is None where the path is too long for one. `pid` is the server's guard."""

    data_dir: str
    port: int
    password: str
    pid: int
    unix_socket: str | None = None

    @property
    def redis_url(self) -> str:
        if self.unix_socket is None:
            return self.broker_url
        return f"unix://:{self.password}@{self.unix_socket}?db=0"

    @property
    def broker_url(self) -> str:
        """Over TCP: Celery's transport wants host and port."""
        return f"redis://:{self.password}@127.0.0.1:{self.port}/0"

    @classmethod
    def path(cls, data_dir: Path) -> Path:
        return data_dir / "engine.json"

    @classmethod
    def read(cls, data_dir: Path) -> Self | None:
        """What was last announced, alive or not; None if nothing readable is there."""
        try:
            return cls(**json.loads(cls.path(data_dir).read_bytes()))
        except (OSError, ValueError, TypeError):
            return None

    def write(self, data_dir: Path) -> None:
        path = self.path(data_dir)
        draft = path.with_suffix(".json.new")
        draft.unlink(missing_ok=True)
        descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w") as file:
            json.dump(asdict(self), file)
        draft.replace(path)

    def answers(self, timeout: float = 1.0) -> bool:
        """Whether the announced server takes the announced password and answers PING.

        Spoken by hand: redis-py takes longer to import than the engine to start. The password proves that the port was
        not taken over by another server meanwhile.
        """
        try:
            with self._connect(timeout) as connection:
                connection.sendall(f"AUTH {self.password}\r\nPING\r\n".encode())
                answer = b""
                while answer.count(b"\r\n") < 2:
                    received = connection.recv(256)
                    if not received:
                        return False
                    answer += received
        except OSError:
            return False
        return answer == b"+OK\r\n+PONG\r\n"

    def _connect(self, timeout: float) -> socket.socket:
        if self.unix_socket is None:
            return socket.create_connection(("127.0.0.1", self.port), timeout=timeout)
        connection = socket.socket(socket.AF_UNIX)
        try:
            connection.settimeout(timeout)
            connection.connect(self.unix_socket)
        except BaseException:
            connection.close()
            raise
        return connection
