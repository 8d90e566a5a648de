"""Checks whether recorded effects (events other than rewards) follow their workflow's rule."""

from collections.abc import Iterator, Sequence

from shapley_coop import extension
from shapley_coop.games.game import Game
from shapley_coop.games.turns import Turn


def audit(game: Game, record: Sequence[Turn]) -> Iterator[tuple[str, list[str]]]:
    """Yield the name of each effect of a workflow, with a line for each breach of its rule.

    If neither the game nor an extension knows an effect, a line reports it as not audited.

    Args:
        game: the game played.
        record: the turns played.

    Raises:
        BrokenExtension: an extension cannot be imported.
    """
    brought = extension.offered("audits")
    named = dict.fromkeys(e["effect"] for e in _of_workflows(record))
    for name in [name for name in named if name in brought]:
        yield name, extension.load("audits", name)(game, record)
    if len(named) == sum(name in brought for name in named):
        return
    for turn, after in zip(record, game.analysis.replay(record), strict=True):
        for effect in _of_workflows([turn]):
            if effect not in after.effects and (name := effect["effect"]) not in brought:
                yield name, [f"turn {turn['turn']}: nothing here audits it; an extension may"]


def _of_workflows(record: Sequence[Turn]) -> Iterator[dict[str, str]]:
    """Yield the effects of workflows, which have the fields `effect` and `agent` only."""
    for turn in record:
        yield from (e for e in turn.get("effects", []) if e.keys() == {"effect", "agent"})
