"""Which letters are written on the event loop: a thread would take longer to come and go."""

from math import prod

from shapley_coop.games import Game
from shapley_coop.state.storage.leases import known_here
from shapley_coop.state.turn import TurnContext

FEW = 8
"""Letters that take an event loop no longer than a thread takes to come and go."""

SMALL = 64
"""Joint actions in all turns of a game, as many as are looked at in a millisecond."""


def are_quick(turn: TurnContext) -> bool:
    """Whether some letters are soon written, and no file or database is read for them.

    In an episode that begins here no letter has an answer yet. What is read is what agents thought,
    noted and were refused, and what is kept in files.
    """
    table, evaluated = turn.table, turn.evaluated
    known = known_here(table["episode"])
    config, offer = evaluated.config, evaluated.offered
    pointed = {*table.get("thoughts", {}), *table.get("notes", {})}.intersection(turn.asked)
    return (
        known is not None
        and known.looked
        and known.begins
        and evaluated.game.quick
        and not turn.asking.heavy
        and len(turn.asked) <= FEW
        and not (pointed or any(turn.draft(agent) for agent in turn.asked))
        and not (config.secrets or config.personas or config.prompts)
        and (
            not offer.clauses
            or _is_small(evaluated.game)
            or evaluated.outlook_is_known(offer, norms=turn.norms)
        )
    )


def _is_small(game: Game) -> bool:
    """Whether what an offer would pay is soon computed, by all that can be played."""
    return game.turns * prod(map(len, game.actions.values())) <= SMALL
