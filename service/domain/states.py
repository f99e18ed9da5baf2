"""The compaction state machine, as one table. `docs/states.md` draws it; a test holds the two together."""

from models.kinds import CompactionState as S

TRANSITIONS: dict[S, dict[S, str]] = {
    S.REQUESTED: {
        S.PREPARING: "a worker takes the lease",
        S.SEALED: "the handoff is needed before a worker came: made on the spot",
        S.FAILED: "no attempts are left",
    },
    S.PREPARING: {
        S.PREPARING: "the lease ran out and another worker takes it over",
        S.REQUESTED: "the attempt failed and another is left",
        S.PREPARED: "ledger and draft handoff are stored",
        S.SEALED: "the handoff is needed before the worker is done: made on the spot, its later write is fenced off",
        S.FAILED: "no attempts are left",
    },
    S.PREPARED: {
        S.SEALED: "the turn ended, or the handoff is claimed",
    },
    S.SEALED: {
        S.SEALED: "records came after the seal: sealed again with a longer tail",
        S.CLAIMED: "one fresh session takes seed and tail",
    },
    S.FAILED: {
        S.SEALED: "the handoff is needed: made on the spot, plainer",
    },
    S.CLAIMED: {},
}
"""From each state the states that may follow, with what makes it so."""

UNSEALED = frozenset({S.REQUESTED, S.PREPARING, S.PREPARED, S.FAILED})


def allowed(current: S, target: S) -> bool:
    return target in TRANSITIONS[current]
