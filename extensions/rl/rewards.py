"""The rewards of an ended episode, computed from the run's record alone.

All parts but the gain are penalties, so that neither more letters nor more offers earn anything.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from shapley_coop.evals.measures.reference_points import yardstick
from shapley_coop.state.settings import recipe_of
from shapley_coop.state.storage.home import home

WEIGHTS: Mapping[str, float] = {"validity": 0.02, "payability": 0.02, "gain": 1, "breaches": 1}
"""Part of the reward → its weight in the sum."""

UNPAYABLE = "ABLE"
"""The label of a refused offer that its payer could never pay."""


@dataclass(frozen=True)
class Score:
    """The rewards of one agent in one ended episode.

    Attributes:
        parts: part → its value without its weight. `validity`: minus the number of refused answers.
            `payability`: minus the number of these that offered what cannot be paid. `gain`: the
            payoff above the baseline, as a part of the bound's. `breaches`: minus their number.
        payoff: the agent's payoff, in the game's unit.
        baseline: its payoff if all agents act as credit's baselines.
        bound: its payoff if it gained all that the best plan adds to the baselines of all.
    """

    parts: Mapping[str, float]
    payoff: float
    baseline: float
    bound: float

    @property
    def total(self) -> float:
        """The sum of all parts by their weights."""
        return sum(WEIGHTS[part] * value for part, value in self.parts.items())


def score(run: str, agent: str) -> Score:
    """Return an agent's rewards in an ended run.

    Raises:
        ValueError: there is no such run, it has not ended, or its best total is not known.
    """
    known = home().run(run)
    if known.result is None:
        raise ValueError(f"{run} has not ended")
    outcome = known.result
    alone = outcome["credit"]["alone"] or dict.fromkeys(outcome["agents"], 0.0)
    payoff = outcome["payoffs"][agent]
    most = best_total(known.room, known.graph) - sum(alone.values())
    answers = outcome["happened"]["answers"][agent]
    parts = {
        "validity": -answers["unusable"],
        "payability": -answers["labels"].get(UNPAYABLE, 0),
        "gain": (payoff - alone[agent]) / most if most > 0 else 0.0,
        "breaches": -sum(breach["agent"] == agent for breach in outcome["breaches"]),
    }
    return Score(parts, payoff, alone[agent], alone[agent] + most)


def best_total(room: Mapping[str, Any], graph: str) -> float:
    """Return the best total of payoffs under a run's configuration.

    Raises:
        ValueError: it is not known for this game.
    """
    best = yardstick(recipe_of(room), graph).best
    if best is None:
        raise ValueError(f"{room['game']}: rewards need a game whose best total is known")
    return best
