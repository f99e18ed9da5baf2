"""A told conversation to the endpoint's replies: ids and bills are worked out here, words are not."""

import base64
import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.endpoint import Bill, Reply, say, think, use
from tests.endpoint.reply import Block

NEUTRAL_FOLDER = Path("/srv/harbour-desk")
"""Where the agent works as far as any told path is concerned."""


@dataclass(frozen=True, slots=True)
class Say:
    text: str


@dataclass(frozen=True, slots=True)
class Think:
    text: str


@dataclass(frozen=True, slots=True)
class Call:
    tool: str
    arguments: Mapping[str, object]


Part = Say | Think | Call
Step = Sequence[Part]
"""One response of the model."""


@dataclass(frozen=True, slots=True)
class Turn:
    """What the person asks and how the model gets there. `window_after`: tokens in the window at its last response.
    `weights`: how the turn's growth is shared out among its responses; evenly if empty. `image`: a PNG shown with the
    prompt."""

    prompt: str
    steps: Sequence[Step]
    window_after: int
    weights: Sequence[int] = ()
    image: bytes | None = None


def replies(turns: Sequence[Turn], *, window_before: int, folder: Path) -> list[Reply]:
    """The model's answers in order, paths told as if below `folder`.

    Bills add up as a cached conversation's do: what one response leaves in the window, the next one reads from the
    cache, and what was added in between is written to it.
    """
    answers: list[Reply] = []
    cached, used = 0, window_before
    for number, turn in enumerate(turns, start=1):
        for position, step in enumerate(turn.steps, start=1):
            weights = turn.weights or (1,) * len(turn.steps)
            size = used + (turn.window_after - used) * sum(weights[:position]) // sum(weights)
            name = f"{number}.{position}"
            blocks = tuple(_blocks(step, name))
            output = max(12, sum(len(str(block)) for block in blocks) // 4)
            fresh = 4 + number % 3
            bill = Bill(fresh, cached, size - output - fresh - cached, output)
            answers.append(Reply(f"msg_01{_token(name, 22)}", tuple(_moved(block, folder) for block in blocks), bill))
            cached = size - output - fresh
        used = turn.window_after
    return answers


def _blocks(step: Step, name: str) -> Iterator[Block]:
    for position, part in enumerate(step):
        if isinstance(part, Say):
            yield say(part.text)
        elif isinstance(part, Think):
            signature = base64.b64encode(hashlib.shake_256(part.text.encode()).digest(96)).decode()
            yield think(part.text, signature)
        else:
            yield use(f"toolu_01{_token(f'{name}.{position}', 22)}", part.tool, part.arguments)


def _moved(block: Block, folder: Path) -> Block:
    moved: Block = json.loads(json.dumps(block).replace(str(NEUTRAL_FOLDER), str(folder)))
    return moved


def _token(seed: str, length: int) -> str:
    """As random-looking as the API's ids, and the same in every run."""
    digest = base64.b64encode(hashlib.blake2b(seed.encode()).digest(), altchars=b"xZ").decode()
    return digest[:length]
