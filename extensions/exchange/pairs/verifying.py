"""The check of `coop verify` for runs in pairs: the pairs drawn, and the tasks traded."""

from collections.abc import Iterator
from itertools import count

from shapley_coop.evals.rechecks import Recheck
from shapley_coop.extensions.exchange.domain.masks import from_bits
from shapley_coop.extensions.exchange.pairs.game import ExchangeInPairs
from shapley_coop.extensions.exchange.pairs.meetings import (
    TOPIC,
    Meeting,
    after,
    drawn,
    pairs_game,
    speaker_of,
    traded,
)
from shapley_coop.state.evaluated import EvaluatedTable
from shapley_coop.state.table import AgentOutput, PublicMessage, Table


def wrongly_swapped(table: Table) -> Iterator[str]:
    """Yield each place where the record differs from the trades that pairs accepted."""
    evaluated = EvaluatedTable(table)
    game, record, position = pairs_game(evaluated), list(table["record"]), evaluated.game.start()
    said = {(s["round"], s["by"]): s for s in table["talk"] if s["topic"] == TOPIC}
    last, began = max((number for number, _ in said), default=0), 1
    for number in range(1, game.params.meetings + 1):
        if began > last:
            return
        pairs = drawn(table["agents"], evaluated.config.seed, number, began)
        met, now = _talked(pairs, game, said)
        held = {a: from_bits(bits, game.tasks.n) for a, bits in position["holds"].items()}
        closing = number == game.params.meetings or now >= last
        for actions in game.hands(traded(game, met, held), held, closing=closing):
            turn = record.pop(0) if record else None
            if turn is None or turn["actions"] != actions:
                yield f"meeting {number} ended otherwise than its pairs accepted"
                return
            position = game.step(position, actions).position
        began = now + 1


def _talked(
    met: list[Meeting], game: ExchangeInPairs, said: dict[tuple[int, str], PublicMessage]
) -> tuple[list[Meeting], int]:
    """Return all pairs after their talk, and its last round; a missing message is a pass."""
    nothing: AgentOutput = {"act": "pass", "text": ""}
    for now in count(met[0]["began"]):
        table: Table = {"round": now}
        met = [
            after(one, now, game.params.talk, said.get((now, speaker_of(one, table)), nothing))
            if one["status"] == "talking"
            else one
            for one in met
        ]
        if all(one["status"] != "talking" for one in met):
            return met, now
    raise AssertionError("a talk has no last turn")


SWAPPED = Recheck(
    "meetings", lambda table: [*wrongly_swapped(table)], "what pairs accepted changed hands"
)
