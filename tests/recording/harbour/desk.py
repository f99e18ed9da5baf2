"""The desk's own tools, as an in-process MCP server. What they do is real: their state is a file in the folder."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from claude_agent_sdk import McpSdkServerConfig, SdkMcpTool, create_sdk_mcp_server, tool

from tests.recording.harbour.slots import slot_id

Answer = dict[str, Any]
_OPENING: dict[str, Any] = {
    "vessels": {
        "9811000": {"name": "MV Aurora Baltica", "flag": "EE", "loa_m": 199.8, "teu": 1742, "agent": "CUS-4471"},
        "9456123": {"name": "MV Sakura Maru", "flag": "JP", "loa_m": 184.9, "teu": 1296, "agent": "CUS-5120"},
        "9340427": {"name": "MV Vänern", "flag": "SE", "loa_m": 99.9, "teu": 508, "agent": "CUS-3308"},
    },
    "bookings": {
        "BK-20917": {"imo": "9340427", "berth": 4, "from": "2026-12-03T05:00Z", "to": "2026-12-03T15:00Z"},
        "BK-20925": {"imo": "9456123", "berth": 2, "from": "2026-11-21T07:00Z", "to": "2026-11-21T18:00Z"},
    },
    "invoices": {
        "INV-2026-0409": {"customer": "CUS-4471", "amount": "4120.00", "currency": "EUR", "status": "draft"},
    },
    "notices": {},
    "next": {"booking": 20931, "invoice": 417, "notice": 88213},
}


class _Book:
    """The desk's state, written through to its file."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.state: dict[str, Any] = json.loads(json.dumps(_OPENING))
        self._write()

    def put(self, table: str, key: str, row: object) -> None:
        self.state.setdefault(table, {})[key] = row
        self._write()

    def number(self, kind: str) -> int:
        number: int = self.state["next"][kind]
        self.state["next"][kind] = number + 1
        return number

    def _write(self) -> None:
        self._path.write_text(json.dumps(self.state, ensure_ascii=False, indent=1), encoding="utf-8")


def desk_server(folder: Path) -> McpSdkServerConfig:
    """Server "desk" over `folder`/desk.json, which is written if it is not there."""
    book = _Book(folder / "desk.json")
    return create_sdk_mcp_server("desk", tools=[*_lookups(book), *_bookings(book), *_papers(book)])


def _lookups(book: _Book) -> list[SdkMcpTool[Any]]:
    @tool("get_vessel", "A vessel by IMO number.", {"imo": str})
    async def get_vessel(given: Mapping[str, Any]) -> Answer:
        return _found(book.state["vessels"].get(given["imo"]), f"no vessel {given['imo']}")

    @tool("list_bookings", "Bookings of a vessel.", {"imo": str})
    async def list_bookings(given: Mapping[str, Any]) -> Answer:
        return _answer({key: row for key, row in book.state["bookings"].items() if row["imo"] == given["imo"]})

    @tool("berth_calendar", "Bookings of a berth.", {"berth": int})
    async def berth_calendar(given: Mapping[str, Any]) -> Answer:
        return _answer({key: row for key, row in book.state["bookings"].items() if row["berth"] == given["berth"]})

    @tool("get_booking", "A booking by id.", {"booking_id": str})
    async def get_booking(given: Mapping[str, Any]) -> Answer:
        return _found(book.state["bookings"].get(given["booking_id"]), f"no booking {given['booking_id']}")

    return [get_vessel, list_bookings, berth_calendar, get_booking]


def _bookings(book: _Book) -> list[SdkMcpTool[Any]]:
    @tool("create_booking", "Book a berth.", {"imo": str, "berth": int, "from": str, "to": str, "note": str})
    async def create_booking(given: Mapping[str, Any]) -> Answer:
        for key, row in book.state["bookings"].items():
            if row["berth"] == given["berth"] and row["from"] < given["to"] and given["from"] < row["to"]:
                return _refusal(f"409 berth_taken: berth {row['berth']} is held by {key} {row['from']} - {row['to']}")
        key = f"BK-{book.number('booking')}"
        book.put("bookings", key, dict(given))
        return _answer({"booking_id": key, "status": "confirmed", **given})

    @tool("reserve_slot", "Reserve a crane for a booking.", {"booking_id": str, "crane": str})
    async def reserve_slot(given: Mapping[str, Any]) -> Answer:
        slot = slot_id(given["booking_id"], given["crane"])
        book.put("slots", slot, dict(given))
        return _answer({"slot_id": slot, **given})

    @tool("format_sheet", "Set a number format; values stay.", {"sheet_id": str, "range": str, "format": str})
    async def format_sheet(given: Mapping[str, Any]) -> Answer:
        book.put("formats", given["sheet_id"], dict(given))
        return _answer({"updated_cells": 180, **given})

    return [create_booking, reserve_slot, format_sheet]


def _papers(book: _Book) -> list[SdkMcpTool[Any]]:
    @tool("create_invoice", "Draft an invoice.", {"booking_id": str, "customer": str, "amount": str, "currency": str})
    async def create_invoice(given: Mapping[str, Any]) -> Answer:
        key = f"INV-2026-{book.number('invoice'):04d}"
        book.put("invoices", key, {**given, "status": "draft"})
        return _answer({"invoice_id": key, "status": "draft", **given})

    @tool("send_invoice", "Send an invoice by mail.", {"invoice_id": str, "to": str})
    async def send_invoice(given: Mapping[str, Any]) -> Answer:
        invoice = book.state["invoices"].get(given["invoice_id"])
        if invoice is None:
            return _refusal(f"404 no invoice {given['invoice_id']}")
        book.put("invoices", given["invoice_id"], {**invoice, "status": "sent", "to": given["to"]})
        return _answer({"status": "sent", **given})

    @tool("send_notice", "Send a berth-time notice.", {"to": str, "booking_id": str, "text": str})
    async def send_notice(given: Mapping[str, Any]) -> Answer:
        key = f"NTC-{book.number('notice')}"
        book.put("notices", key, dict(given))
        return _answer({"notice_id": key, "status": "sent", "to": given["to"]})

    return [create_invoice, send_invoice, send_notice]


def _answer(value: object) -> Answer:
    return {"content": [{"type": "text", "text": json.dumps(value, ensure_ascii=False)}]}


def _found(row: object, missing: str) -> Answer:
    return _refusal(f"404 {missing}") if row is None else _answer(row)


def _refusal(text: str) -> Answer:
    return {**_answer(None), "content": [{"type": "text", "text": text}], "is_error": True}
