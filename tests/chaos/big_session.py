"""A session so long that its preparation takes seconds: time enough to kill its worker in the middle."""

import json
from collections.abc import Iterator


def big_session(turns: int) -> Iterator[bytes]:
    """Messages with one call each; every turn brings its own ids and a wide result."""
    for turn in range(turns):
        call = f"toolu_{turn:06d}"
        order, rows = (
            f"ORD-{turn:06d}",
            [{"row": row, "ref": f"REF-{turn}-{row}", "note": "lorem " * 12} for row in range(40)],
        )
        for message in (
            {"role": "user", "content": f"Ship order {order} to dock {turn % 40}, and never change its price."},
            {
                "role": "assistant",
                "content": [{"type": "tool_use", "id": call, "name": "ship_order", "input": {"order": order}}],
            },
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": call, "content": json.dumps(rows)}]},
            {"role": "assistant", "content": [{"type": "text", "text": f"{order} is shipped."}]},
        ):
            yield json.dumps(message).encode()
