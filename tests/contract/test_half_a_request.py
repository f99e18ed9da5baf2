"""A host that dies in the middle of a request leaves nothing half stored."""

import socket
from urllib.parse import urlsplit

from service.ports import Ports
from tests.contract.test_http_api import open_


def test_half_a_batch_is_no_batch(url: str, ports: Ports) -> None:
    open_(url)
    address = urlsplit(url)
    head = "POST /v1/sessions/s-1/records?first_seq=0 HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n"
    with socket.create_connection((address.hostname or "", address.port or 0)) as connection:
        connection.sendall(head.encode() + b'{"role": "user", "content": "whole"}\n{"role": "us')
    assert open_(url)["next_seq"] == 0
    with ports.units.read() as unit:
        assert list(unit.records.read("s-1", 0)) == []
