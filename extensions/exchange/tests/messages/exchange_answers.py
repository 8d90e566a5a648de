"""Proposals of tasks as models write them; `snapshots/answers.md` has their verdicts."""

import json

from shapley_coop.extensions.exchange.domain import scenario
from tests.deals.language.sloppy_answers import Written, proposal

TASKS = scenario("paper_cooperative").tasks
SAYS = TASKS.registry.describe
QUOTED = next(m for m in range(1, 63) if '"' in SAYS(m) and '"' not in SAYS(63 ^ m))
ATOMS = [SAYS(1 << bit) for bit in range(6)]
SPLIT = f'{{"Alice": ["{SAYS(QUOTED)}"], "Bob": ["{SAYS(63 ^ QUOTED)}"]}}'

REFUSED_IN_THE_TRIAL = [
    Written(
        "four tasks as a list",
        "exchange",
        proposal(json.dumps({"Alice": ATOMS[:4], "Bob": ATOMS[4:]})),
        "Alice 001111, Bob 110000",
    ),
    Written(
        "quotation marks inside a description",
        "exchange",
        proposal(SPLIT),
        f"Alice {TASKS.bits(QUOTED)}, Bob {TASKS.bits(63 ^ QUOTED)}",
    ),
    Written("yes in words alone", "exchange_answer", "I accept Alice's proposal.", "MPT"),
    Written(
        "accept and propose at once",
        "exchange_answer",
        "<ACCEPT>" + proposal(json.dumps({"Alice": ATOMS[:4], "Bob": ATOMS[4:]})),
        "ACK",
    ),
]
"""What the trial of language models had refused, with what is made of it now."""

EXCHANGED = [
    Written(
        "masks for tasks",
        "exchange",
        proposal('{"Alice": ["111000"], "Bob": ["000111"]}'),
        "Alice 111000, Bob 000111",
    ),
    Written(
        "a description without a list",
        "exchange",
        proposal(json.dumps({"Alice": SAYS(56), "Bob": [SAYS(7)]})),
        "Alice 111000, Bob 000111",
    ),
    Written(
        "a description in another case",
        "exchange",
        proposal(json.dumps({"Alice": [SAYS(56).upper()], "Bob": [SAYS(7)]})),
        "UNK",
    ),
]
"""More ways to write a proposal, with what is made of each."""
