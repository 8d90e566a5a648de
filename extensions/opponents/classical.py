"""Strategies of repeated two-action games, as seats.

A seat is `python:shapley_coop.extensions.opponents.classical:NAME`.

A strategy is a function from both players' histories to the next move. A move is "C" (cooperate) or
"D" (defect), and histories begin with the oldest move. `Strategist` makes a seat of a strategy. The
seat makes no offers, accepts none, and claims an equal share.

>>> tit_for_tat.strategy([], []), tit_for_tat.strategy(["C"], ["D"])
('C', 'D')
>>> letter = {"ask": "act", "you": "Bob", "agents": ["Al", "Bob"], "legal": ["defect", "cooperate"]}
>>> answer = tit_for_tat(agent="Bob", seed=0)
>>> answer({**letter, "history": [{"did": {"Al": "defect", "Bob": "cooperate"}}]}, "")
{'action': 'defect'}
>>> from dataclasses import replace
>>> in_a_stag_hunt = replace(tit_for_tat, cooperate="stag", defect="hare")

Sources: Axelrod, The Evolution of Cooperation (1984), for tit for tat, its variants and Friedman's
grudger; Nowak and Sigmund, Nature 364 (1993), for win-stay lose-shift.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from shapley_coop.seats.asked import without_deals

Moves = Sequence[str]
"""One player's moves, each "C" or "D", the oldest first."""

Strategy = Callable[[Moves, Moves], str]
"""A function from a player's moves and its opponent's moves to its next move, "C" or "D"."""

COOPERATE, DEFECT = "C", "D"
PLAYERS = 2


@dataclass(frozen=True)
class Strategist:
    """The factory of a `python:` seat that plays a strategy.

    Attributes:
        cooperate: the game's action for "C", the same for both players.
        defect: the game's action for "D".
    """

    strategy: Strategy
    cooperate: str = "cooperate"
    defect: str = "defect"

    def check_actions(self, actions: Mapping[str, Sequence[str]]) -> None:
        """Refuse a game that the strategy cannot play, before the play begins.

        Args:
            actions: agent → the actions of the game.

        Raises:
            ValueError: the game does not have two agents, or not the strategy's two actions.
        """
        own = sorted((self.cooperate, self.defect))
        two = actions.values() if len(actions) == PLAYERS else ()
        others = [acts for acts in two if sorted(acts) != own]
        if two and not others:
            return
        has = f"has {', '.join(others[0])}" if others else f"is of {len(actions)}"
        raise ValueError(
            f"it needs a two-agent game with the actions {' and '.join(own)}, and this game "
            f"{has}: adapt it with replace(tit_for_tat, cooperate=…, defect=…)"
        )

    def __call__(self, agent: str, seed: int) -> Callable[[dict[str, Any], str], Mapping[str, Any]]:
        """Return the function that answers an agent's letters.

        The function raises ValueError if the strategy cannot play the game, or if
        the strategy returns neither "C" nor "D".
        """
        return self._answer

    def _answer(self, facts: dict[str, Any], words: str) -> Mapping[str, Any]:
        if facts["ask"] != "act":
            return without_deals(facts)
        actions = {COOPERATE: self.cooperate, DEFECT: self.defect}
        move = self.strategy(*_histories(facts, actions))
        if move not in actions:
            raise ValueError(f"a strategy gave {move!r}: give 'C' or 'D'")
        return {"action": actions[move]}


def _histories(facts: Mapping[str, Any], actions: Mapping[str, str]) -> tuple[Moves, Moves]:
    """Return the agent's and its opponent's moves; a turn without an action counts as "D"."""
    you, agents = facts["you"], facts["agents"]
    mediated = (facts.get("mediator") or {}).get("choose")  # strategies never delegate
    legal = sorted(action for action in facts["legal"] if action != mediated)
    if legal != sorted(actions.values()) or len(agents) != PLAYERS:
        raise ValueError(f"it needs a two-agent game with the actions {sorted(actions.values())}")
    (other,) = (agent for agent in agents if agent != you)
    moves = {action: move for move, action in actions.items()}
    turns = [event["did"] for event in facts["history"] if "did" in event]
    own, others = ([moves.get(turn.get(a), DEFECT) for turn in turns] for a in (you, other))
    return own, others


@Strategist
def cooperator(own: Moves, other: Moves) -> str:
    """Always cooperate."""
    return COOPERATE


@Strategist
def defector(own: Moves, other: Moves) -> str:
    """Always defect."""
    return DEFECT


@Strategist
def tit_for_tat(own: Moves, other: Moves) -> str:
    """Cooperate first, then repeat the other's last move."""
    return other[-1] if other else COOPERATE


@Strategist
def suspicious_tit_for_tat(own: Moves, other: Moves) -> str:
    """Defect first, then repeat the other's last move."""
    return other[-1] if other else DEFECT


@Strategist
def grudger(own: Moves, other: Moves) -> str:
    """Cooperate until the other defects; defect from then on."""
    return DEFECT if DEFECT in other else COOPERATE


@Strategist
def win_stay_lose_shift(own: Moves, other: Moves) -> str:
    """Cooperate first; later cooperate only if both players made the same last move."""
    return COOPERATE if not own or own[-1] == other[-1] else DEFECT


SHIPPED: dict[str, Strategist] = {
    "cooperator": cooperator,
    "defector": defector,
    "tit_for_tat": tit_for_tat,
    "suspicious_tit_for_tat": suspicious_tit_for_tat,
    "grudger": grudger,
    "win_stay_lose_shift": win_stay_lose_shift,
}
"""The strategies by their names in seats. They are shipped code, so any file may name them."""
