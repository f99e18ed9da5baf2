"""Sessions made up for tests, of any length, where no recorded ones are at hand."""

import json
from collections.abc import Iterator
from typing import Any


def made_session(turns: int, name: str = "ORD") -> Iterator[dict[str, Any]]:
    """Messages of the Messages API: each turn a request, one call, its wide result, an answer; ids of its own."""
    for turn in range(turns):
        call, order = f"toolu_{name}_{turn:06d}", f"{name}-{turn:06d}"
        rows = [{"row": row, "ref": f"REF-{turn}-{row}", "note": "lorem " * 12} for row in range(40)]
        yield {"role": "user", "content": f"Ship order {order} to dock {turn % 40}, and never change its price."}
        yield {
            "role": "assistant",
            "content": [{"type": "tool_use", "id": call, "name": "ship_order", "input": {"order": order}}],
        }
        yield {"role": "user", "content": [{"type": "tool_result", "tool_use_id": call, "content": json.dumps(rows)}]}
        yield {"role": "assistant", "content": [{"type": "text", "text": f"{order} is shipped."}]}
