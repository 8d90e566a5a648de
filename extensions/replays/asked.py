"""The replays of `coop credit RUN --replay asked`, in which coalition members choose again.

Recorded moves do not say what a coalition's members would have done without the other agents. But
embedded agents can be asked again. So each coalition is played from the start, under the
final contract. At every turn its members choose again, knowing who is present; absent agents follow
the baseline. The values are reported in addition to those of the recorded moves, and never change a
settlement.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction
from itertools import compress
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shapley_coop.amounts import exact
from shapley_coop.credit import attribute_by
from shapley_coop.deals.language.faults import Fault
from shapley_coop.deals.language.wire import scan
from shapley_coop.games.baseline import AWAY, RANDOM, absent_action
from shapley_coop.games.replay import Replays, least_for_the_present
from shapley_coop.games.simulation import simulate
from shapley_coop.games.turns import Position, Step, Turn
from shapley_coop.questions.act import QUESTION as ACT
from shapley_coop.seats.models import chat_model
from shapley_coop.seats.records import Answer
from shapley_coop.state.characteristic import by_replays
from shapley_coop.state.evaluated import EvaluatedTable
from shapley_coop.state.judging import take
from shapley_coop.state.letters import write_letter
from shapley_coop.state.private import PrivateView, Refusal, private_views
from shapley_coop.state.table import Table
from shapley_coop.state.turn import TurnContext

MOST_AGENTS = 6
"""The most agents n, because all 2^n coalitions are played with new answers of their members."""


def asked_again(
    evaluated: EvaluatedTable, norm: str, done: Callable[[], Any] = lambda: None
) -> dict[str, Any]:
    """Compute a run's values by replays in which the members of each coalition choose again.

    Args:
        evaluated: the evaluated state of a finished run.
        norm: the norm that computes the values.
        done: a callback, called after each coalition's replay.

    Returns:
        {"values": agent → its value, "improvement": the total reward with all agents present minus
        that with none, "as_recorded": whether the play with all agents pays the recorded rewards}.

    Raises:
        ValueError: a seat is not an embedded agent, replays are impossible, or n > `MOST_AGENTS`.
    """
    _check(evaluated)
    plays = _Plays(evaluated)

    def earned(members: NDArray[np.bool_]) -> NDArray[Any]:
        found = np.empty((len(members), len(evaluated.agents) + 1), dtype=object)
        for k, row in enumerate(members):
            found[k] = plays.earned(frozenset(compress(evaluated.agents, row)), done)
        return found

    replays = Replays(evaluated.agents, earned)
    found = attribute_by(by_replays(replays), norm)
    whole = replays.of(np.ones(len(evaluated.agents), dtype=np.bool_))
    return {
        "values": {agent: float(x) for agent, x in found.values.items()},
        "improvement": float(found.total),
        "as_recorded": whole == evaluated.earned,
    }


def _check(evaluated: EvaluatedTable) -> None:
    game, config = evaluated.game, evaluated.config
    others = [a for a in evaluated.agents if not config.seats[a].simulated]
    if others:
        raise ValueError(f"--replay asked needs embedded agents only: not {', '.join(others)}")
    if game.analysis.credit_rule != "record" or game.own_baseline or game.baseline.kind == RANDOM:
        raise ValueError(
            "--replay asked needs the baseline idle, away, actions or a policy; this run's is: "
            f"{game.baseline.words}"
        )
    if len(evaluated.agents) > MOST_AGENTS:
        raise ValueError(f"--replay asked plays every coalition: at most {MOST_AGENTS} agents")


class _Plays:
    """The replays of one run's coalitions, each played only once."""

    def __init__(self, evaluated: EvaluatedTable) -> None:
        self._own, self._game = evaluated, evaluated.game
        at_start: Table = {**evaluated.table, "accounts": None, "reckoning": None}
        turn = TurnContext(EvaluatedTable(at_start), ACT, evaluated.agents)
        self._views = private_views(turn, {})
        self._known: dict[frozenset[str], list[Fraction]] = {}
        over = self._game.over(evaluated.table["position"])
        self._last = self._game.turns if over else len(evaluated.record)

    def earned(self, present: frozenset[str], done: Callable[[], Any]) -> list[Fraction]:
        """Return each agent's total reward, then the total pot, if only `present` take part."""
        if present not in self._known:
            self._known[present] = self._play(present)
            done()
        return self._known[present]

    def _play(self, present: frozenset[str]) -> list[Fraction]:
        game, record = self._game, list[Turn]()
        absent = [agent for agent in game.agents if agent not in present]
        away = absent if game.baseline.kind == AWAY else []

        def chosen(_: int, position: Position) -> dict[str, str]:
            return self._chosen(present, position, record)

        def least(position: Position, actions: dict[str, str]) -> Step:
            return least_for_the_present(game, position, actions, away)

        turns = range(1, self._last + 1)
        for actions, after in simulate(game, game.start(), turns, chosen, least if away else None):
            turn: Turn = {
                "turn": len(record) + 1,
                "actions": {agent: game.action_label(x) for agent, x in actions.items()},
                "rewards": after.rewards,
                "effects": after.effects,
            }
            record.append({**turn, "pot": after.pot} if after.pot else turn)
        zero = Fraction(0)
        own = [sum((exact(t["rewards"].get(a, 0)) for t in record), zero) for a in game.agents]
        return [*own, sum((exact(turn.get("pot", 0)) for turn in record), zero)]

    def _chosen(
        self, present: frozenset[str], position: Position, record: list[Turn]
    ) -> dict[str, str]:
        game = self._game
        able = [agent for agent in game.agents if game.legal(position, agent)]
        turn = self._context(present, position, record, [a for a in able if a in present])
        chosen: dict[str, str | None] = {}
        for agent in able:
            if agent in present:
                chosen[agent] = self._answer(turn, agent)
            elif game.baseline.kind != AWAY:
                action = absent_action(game, game.baseline, position, agent)
                chosen[agent] = action if action in game.legal(position, agent) else None
        return {agent: action for agent, action in chosen.items() if action is not None}

    def _context(
        self, present: frozenset[str], position: Position, record: list[Turn], asked: list[str]
    ) -> TurnContext:
        """Return the replay's context at a turn; its instructions name the agents present."""
        own = self._own.table
        here = ", ".join(a for a in self._game.agents if a in present)
        told = f"{own['settings']['instructions']}\n\n{_presence(self._own, here)}".strip()
        talk = [
            said for said in own.get("talk", []) if said["topic"] != "split" and said["turn"] == 1
        ]
        table: Table = {
            **own,
            "episode": f"{own['episode']}/asked/{here}",
            "settings": {**own["settings"], "instructions": told},
            "position": position,
            "record": record,
            "talk": talk,
            "accounts": None,
            "reckoning": None,
            "settlement": None,
            "offer": None,
            "drafts": {},
        }
        return TurnContext(EvaluatedTable(table), ACT, tuple(asked))

    def _answer(self, turn: TurnContext, agent: str) -> str | None:
        """Return a member's action, or None if it passes or all its answers are refused."""
        config, view = turn.evaluated.config, self._views[agent]
        model = chat_model(config.seats[agent], agent=agent, seed=config.seed)
        for attempt in range(1, config.tries + 1):
            text = str(model.invoke(_letter(turn, agent, view)).text)
            found = take(turn, agent, Answer(text))
            if not isinstance(found, Fault):
                message = scan(text)
                assert not isinstance(message, Fault), "it was read a moment ago"
                return message.action
            view = replace(view, refusal=Refusal(found, text, attempt, config.tries))
        return None


def _letter(turn: TurnContext, agent: str, view: PrivateView) -> Any:
    return write_letter(turn, agent, view).messages(program=True)


def _presence(evaluated: EvaluatedTable, here: str) -> str:
    words: Mapping[bool, str] = {True: f"Present: {here}", False: "Nobody is present"}
    return (
        f"{words[bool(here)]}. For all others the baseline holds: {evaluated.game.baseline.words}."
    )
