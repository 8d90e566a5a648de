"""Answers to a bounty, as models write them.

They are of the kinds that a model wrote which was given the letters alone;
`bounty_answers.md` shows them with their verdicts.
"""

from typing import Any

from tests.deals.language.sloppy_answers import Written, sent

ASKS = {"kind": "pay", "payer": "Ada", "payee": "Bob", "amount": 25}
PAYS = "Ada pays Bob 25, once."


def countering(**more: Any) -> str:
    return f"<REJECT><s>I reviewed it all.</s>{sent({'clauses': [{**ASKS, **more}]})}"


BOUNTIES = [
    Written("the bounty's currency", "answer_bounty", countering(amount="25 EUR"), PAYS),
    Written("its sign", "answer_bounty", countering(amount="€25"), PAYS),
    Written("another currency", "answer_bounty", countering(amount="$25"), "CLAUSE"),
    Written("a yes in words", "answer_bounty", "I agree to this split.", "ACK"),
    Written("my decision", "answer_bounty", "Fair enough.\nMy decision: accept", "accept"),
]
