"""One session, from its first record to the next session's start, against a local service.

python minimal.py [http://127.0.0.1:8377]
"""

import sys
import uuid

from carryforward_client import Carryforward

URL = sys.argv[1] if len(sys.argv) > 1 else None
OLD, FRESH = f"example-{uuid.uuid4()}", f"example-{uuid.uuid4()}"

CONVERSATION = [
    {"role": "user", "content": "Never deploy on Fridays. Restart the queue eu-west-7 and tell me its job count."},
    {
        "role": "assistant",
        "content": [{"type": "tool_use", "id": "toolu_1", "name": "restart", "input": {"queue": "eu-west-7"}}],
    },
    {
        "role": "user",
        "content": [{"type": "tool_result", "tool_use_id": "toolu_1", "content": "restarted, 4182 jobs"}],
    },
    {"role": "assistant", "content": "eu-west-7 is restarted; it holds 4182 jobs."},
]

with Carryforward("example-agent", OLD, url=URL, format="anthropic-messages", window_tokens=200_000) as session:
    for number, message in enumerate(CONVERSATION):
        session.append(message)
        if message["role"] == "assistant":
            verdict = session.usage(f"msg_{number}", usage={"input_tokens": 150_000 + number, "output_tokens": 40})
            print(f"verdict {verdict}, share {verdict.share}, reached {verdict.reached}")
    print("turn ended:", session.turn_ended())

    handoff = session.claim(FRESH)
    if handoff is None:
        print("no handoff, start plain:", session.last_problem)
    else:
        print(f"generation {handoff.next_generation}, degraded {list(handoff.degraded)}")
        print(handoff.seed)
        print(*handoff.kept_tail, sep="\n")
