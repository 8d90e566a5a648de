"""A trained policy as a `python:` seat in a Gymnasium or PettingZoo environment.

A policy is a function from an observation and an action mask to an action's index. Learning
libraries train such functions. The seat of a `Policy` makes no offers and accepts none.

    # bots.py
    from shapley_coop.extensions.pettingzoo.policies import Policy
    model = PPO.load("tictactoe")
    trained = Policy(lambda observation, mask: model.predict(observation, action_masks=mask)[0])

    coop run pettingzoo:pettingzoo.classic.tictactoe_v3:env --agent player_1=python:bots:trained

>>> first_free = Policy(lambda observation, mask: mask.argmax())
>>> letter = {"ask": "act", "you": "b", "actions": {"b": ["0", "1", "2"]}, "legal": ["1", "2"]}
>>> first_free(agent="b", seed=0)({**letter, "position": {"observation": [0.5, 1.0]}}, "")
{'action': '1'}
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, SupportsInt

import numpy as np
from numpy.typing import NDArray

from shapley_coop.seats.asked import without_deals

Acting = Callable[[Any, NDArray[np.int8]], SupportsInt]
"""A function from the observation (an array of float32, or a mapping of arrays) and the mask (1 for
each legal action, in the environment's order) to an action's index."""


@dataclass(frozen=True)
class Policy:
    """The factory of a `python:` seat that plays a policy.

    Attributes:
        acts: the policy, called once each turn. If the policy keeps a memory, a resumed run does
            not restore it.
    """

    acts: Acting

    def check_opening(self, shown: Mapping[str, Any]) -> None:
        """Refuse a game without observations for the policy, before the play begins.

        Args:
            shown: the agent's view of the game before the first turn.

        Raises:
            ValueError: there is no observation, or it is too long for a letter.
        """
        try:
            _observed(shown.get("observation"))
        except ValueError:
            raise ValueError(
                "a policy needs a pettingzoo: environment whose letters show the observation as "
                "numbers, and this game shows none: seat embedded agents, models or people, or a "
                "python: callable that reads the letter's facts"
            ) from None

    def __call__(self, agent: str, seed: int) -> Callable[[dict[str, Any], str], Mapping[str, Any]]:
        """Return the function that answers an agent's letters.

        The function raises ValueError if the letter's observation is missing or too long for a
        letter, or if the policy returns an invalid index.
        """
        return self._answer

    def _answer(self, facts: dict[str, Any], words: str) -> Mapping[str, Any]:
        if facts["ask"] != "act":
            return without_deals(facts)
        actions, legal = facts["actions"][facts["you"]], facts["legal"]
        mask = np.array([action in legal for action in actions], np.int8)
        chosen = int(self.acts(_observed(facts["position"].get("observation")), mask))
        if not 0 <= chosen < len(actions):
            raise ValueError(f"the policy returned {chosen}: return an index below {len(actions)}")
        return {"action": actions[chosen]}


def _observed(told: Any) -> Any:
    """Return an observation as arrays, without its `action_mask`."""
    if isinstance(told, Mapping):
        inner = {key: _observed(part) for key, part in told.items() if key != "action_mask"}
        return inner["observation"] if inner.keys() == {"observation"} else inner
    if told is None or isinstance(told, str):
        raise ValueError("the letter shows no observation as numbers")
    return np.asarray(told, np.float32)
