"""The workflow `consent`: what it plays, and what is recomputed of it."""

import asyncio
from typing import Any

from langgraph.types import Overwrite

from tests.coop_command import Coop
from tests.evals.tampering import failed_checks
from tests.evals.test_verify import on_the_table


def test_another_game_is_refused_in_one_line(coop: Coop) -> None:
    told = coop("run", "escape_room", "--graph", "consent")
    assert told.code == 2
    assert "consent plays" in told.err


def test_a_first_offer_that_is_not_the_counted_split_is_found(coop: Coop) -> None:
    played = ("--graph", "consent", "--name", "r")
    assert not coop("run", "delivered", *played).code
    assert failed_checks(coop) == set()

    def forged(table: dict[str, Any]) -> dict[str, Any]:
        """The same talk, in which the first agent was offered all of it from the beginning."""
        first, *rest = table["talk"]
        parts = {agent: str(int(agent == table["agents"][0])) for agent in table["agents"]}
        clause = {**first["deal"]["clauses"][0], "fractions": parts}
        return {
            "talk": Overwrite([{**first, "deal": {**first["deal"], "clauses": [clause]}}, *rest])
        }

    asyncio.run(on_the_table(forged))
    assert "count" in failed_checks(coop)
