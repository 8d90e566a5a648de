"""Task exchange: agents trade tasks and then do them; each agent's utilities are private."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar

from shapley_coop.extensions.exchange.domain.ahead import ExchangeAnalysis
from shapley_coop.extensions.exchange.domain.conduct import KEEPS_ITS_TASKS
from shapley_coop.extensions.exchange.domain.foresight import TradeForesight
from shapley_coop.extensions.exchange.domain.gifts import hand_over_tasks, tasks_left
from shapley_coop.extensions.exchange.domain.hands import hand, read_hand
from shapley_coop.extensions.exchange.domain.market import WAIT
from shapley_coop.extensions.exchange.domain.masks import from_bits, members
from shapley_coop.extensions.exchange.domain.params import TaskExchangeParams
from shapley_coop.extensions.exchange.domain.source import scenario_of
from shapley_coop.extensions.exchange.domain.told import worths
from shapley_coop.extensions.exchange.domain.tools import simulate
from shapley_coop.extensions.exchange.domain.words import facts_of, in_task_words, rules_of
from shapley_coop.extensions.exchange.messages.lines import line_of
from shapley_coop.games.analysis import Analysis
from shapley_coop.games.baseline import Baseline
from shapley_coop.games.game import Game
from shapley_coop.games.goods import GIVEN, Holdings, transfer_words
from shapley_coop.games.params import GameError, Params
from shapley_coop.games.turns import Position, Step, Turn

TOGETHER = 16
"""The most agents that can negotiate one allocation of all tasks together."""


class TaskExchange(Game):
    """Every agent starts with tasks, may trade them, and does the tasks that it then holds.

    The game is the exchange of Kimura et al. An action does one of the agent's own tasks, hands one
    to another agent, or waits. Utilities of work done are paid at the end of the play, so that no
    utility is public while agents still bargain over tasks.
    """

    name = "task_exchange"
    signable = False
    rolls_dice = False
    own_baseline = True
    by_hand: ClassVar[bool] = True
    """Whether agents can hand tasks over by actions."""

    Params: ClassVar[type[Params]] = TaskExchangeParams
    analysed_by: ClassVar[type[Analysis]] = ExchangeAnalysis
    foresight = TradeForesight
    params: TaskExchangeParams

    @property
    def unit(self) -> str:
        """The unit of rewards in words, as in the rules."""
        return "utility"

    def __init__(self, params: Mapping[str, Any] | None = None, seed: int = 0) -> None:
        super().__init__(params, seed)
        self.scenario = scenario_of(self.params, seed)
        if self.params.exact:
            self.scenario = replace(self.scenario, tasks=replace(self.scenario.tasks, exact=True))
        self.tasks = self.scenario.tasks
        if "agents" in self.params.model_fields_set and list(self.agents) != self.tasks.agents:
            raise GameError(
                f"{self.scenario.name} is for {', '.join(self.tasks.agents)}: leave out agents, "
                "or give scenario=generated, which is made for any agents"
            )
        self.agents = tuple(self.tasks.agents)
        self._holders = frozenset(self.agents)
        self._positions = {name: i for i, name in enumerate(self.tasks.names)}
        self.goods = tuple(self.tasks.names)
        work = [*self.tasks.names, WAIT]
        self.actions = dict.fromkeys(self.agents, work)
        if self.by_hand and len(self.agents) <= TOGETHER:
            self.actions = {
                a: [*self.tasks.names, *self._hand_overs(self.tasks.names, a), WAIT]
                for a in self.agents
            }

    def make_ready(self) -> None:
        """Check that the agents can negotiate together, and that all deals leave time to do tasks.

        After a trade in turn 1, an agent may hold all tasks but one for each other agent.

        Raises:
            GameError: the agents are more than `TOGETHER`, or the turns are too few.
        """
        if len(self.agents) > TOGETHER:
            raise GameError(
                f"{len(self.agents)} agents cannot talk about one allocation: at most {TOGETHER} "
                "can"
            )
        if self.turns < (needed := self.tasks.n - len(self.agents) + 2):
            raise GameError(
                f"rounds={self.turns} may be too few for one agent's tasks after a trade: give "
                f"rounds={needed}"
            )

    def start(self) -> Position:
        """Return the position in which agents hold their initial tasks and no task is done."""
        return {
            "turn": 1,
            "holds": {a: self.tasks.bits(mask) for a, mask in self.tasks.initial.items()},
            "done": self.tasks.bits(0),
            "closed": False,
        }

    def holdings(self, position: Position) -> Holdings:
        """Return the tasks that can change hands: those that an agent holds and has not done."""
        return tasks_left(self.tasks, position)

    def private(self, agent: str) -> dict[str, Any]:
        """Return the preferences and the utilities of `agent`, which only its own letters show.

        No position, record or shared state contains this private data.
        """
        return {**self.taste(agent), **worths(self.scenario, agent, self.tasks)}

    def taste(self, agent: str) -> dict[str, Any]:
        """Return an agent's preferences in words, if it has any; only its own letters show them."""
        preference = self.scenario.preferences.get(agent)
        return {"preference": preference} if preference else {}

    def legal(self, position: Position, agent: str) -> list[str]:
        """Return the agent's undone tasks, its hand-overs while trade is open, and waiting.

        An agent keeps its last task, unless it receives another in the same turn (see `check`).
        """
        held = from_bits(position["holds"][agent], self.tasks.n)
        undone = self.undone(position, agent)
        if not undone or self.over(position):
            return []
        own = [self.tasks.names[i] for i in members(undone, self.tasks.n)]
        hands = []
        if not position["closed"] and held.bit_count() > 1 and self.by_hand:
            hands = self._hand_overs(own, agent)
        return [*own, *hands, WAIT]

    def _hand_overs(self, tasks: Sequence[str], giver: str) -> list[str]:
        return [hand(task, to) for task in tasks for to in self.agents if to != giver]

    def handed(self, action: str) -> tuple[str, str] | None:
        """Return the task and the receiver of a hand-over; None for any other action."""
        return (
            None if action in self._positions else read_hand(action, self._positions, self._holders)
        )

    def step(self, position: Position, actions: Mapping[str, str]) -> Step:
        """Do tasks or hand them over; pay the utilities when the game ends.

        A contract's transfers happen at the end of the turn, for tasks that are not done yet. Trade
        closes at the first turn without any hand-over. A task that is done pays whether or not its
        tool call succeeded: the tables price tasks, not results.
        """
        self.check(position, actions)
        holds = {a: from_bits(bits, self.tasks.n) for a, bits in position["holds"].items()}
        done, handed = from_bits(position["done"], self.tasks.n), False
        effects: list[dict[str, Any]] = []
        for agent, action in actions.items():
            if action in self._positions:
                done |= self._bit(action)
                result = self._simulated(action)
                effects.append({"effect": "result", "agent": agent, "task": action, **result})
            elif hands := self.handed(action):
                task, to = hands
                holds[agent] ^= self._bit(task)
                holds[to] |= self._bit(task)
                handed = True
        after: Position = {
            "turn": position["turn"] + 1,
            "holds": {agent: self.tasks.bits(mask) for agent, mask in holds.items()},
            "done": self.tasks.bits(done),
            "closed": position["closed"] or not handed,
        }
        if gifts := position.get(GIVEN):
            effects += hand_over_tasks(self.tasks, after, gifts)
            holds = {a: from_bits(bits, self.tasks.n) for a, bits in after["holds"].items()}
        over = self.over(after)
        rewards = {a: self.scenario.utility(a, holds[a] & done) if over else 0 for a in self.agents}
        return Step(after, rewards, effects=effects)

    def check(self, position: Position, actions: Mapping[str, str]) -> None:
        """Check that actions are legal; an agent may hand over its last task if it receives one.

        Raises:
            GameError: an action is illegal; the error names the agent and its legal actions.
        """
        handed = {agent: self.handed(action) for agent, action in actions.items()}
        takers = {found[1] for found in handed.values() if found}
        able = {
            agent
            for agent, found in handed.items()
            if found and self._can_hand(position, agent, *found, given=agent in takers)
        }
        super().check(position, {a: act for a, act in actions.items() if a not in able})

    def _can_hand(self, position: Position, agent: str, task: str, to: str, given: bool) -> bool:
        """Return whether an agent can hand over a task now and still keep or receive another."""
        if to == agent or agent not in self._holders or position["closed"] or self.over(position):
            return False
        held = from_bits(position["holds"][agent], self.tasks.n)
        left = self.undone(position, agent)
        return bool(left & self._bit(task)) and (held.bit_count() > 1 or given)

    def undone(self, position: Position, agent: str) -> int:
        """Return the mask of the tasks that an agent holds and has not done."""
        held = from_bits(position["holds"][agent], self.tasks.n)
        return held & ~from_bits(position["done"], self.tasks.n)

    def over(self, position: Position) -> bool:
        """Return whether every task is done or the turns are used up."""
        return "0" not in position["done"] or int(position["turn"]) > self.params.rounds

    def default_baseline(self) -> Baseline:
        """Return the baseline: an absent agent keeps its own tasks and does them."""
        return KEEPS_ITS_TASKS

    def happened(self, turn: Turn) -> str:
        """Return transfers and results of tool calls; letters' tables show the tasks done."""
        told = []
        for effect in turn.get("effects", []):
            if effect.get("effect") == GIVEN:
                told.append(transfer_words(effect))
                continue
            result = {k: x for k, x in effect.items() if k not in ("effect", "agent", "task", "ok")}
            how = "" if effect.get("ok", True) else "failed: "
            told.append(f"{effect.get('agent', '')}: {how}{', '.join(map(str, result.values()))}")
        return "; ".join(told)

    def offer_line(self, said: Mapping[str, Any]) -> dict[str, Any]:
        """Return a message of the talk of all agents as a line of the history."""
        return line_of(self.tasks, said)

    def also_called(self, action: str) -> Sequence[str]:
        """Return the words and the exact description of the task that an action does or hands."""
        task, to = self.handed(action) or (action, "")
        if task not in self._positions:
            return super().also_called(action)
        said = self.tasks.atoms[self._positions[task]].says
        words = dict.fromkeys((said, self.tasks.registry.describe(self._bit(task)).rstrip(".")))
        return [hand(one, to) if to else one for one in words]

    def for_people(self, text: str) -> str:
        """Return a letter's text with tasks in words instead of bit masks and names of actions."""
        return in_task_words(self.tasks, text)

    def rules(self) -> str:
        """Return the rules: who holds which tasks, the actions, and when utilities are paid."""
        return rules_of(self.scenario, self.params.rounds)

    def facts(self) -> dict[str, Any]:
        """Return the public facts: the tasks, their first holders, and names of sets of tasks."""
        return {"game": self.name, **facts_of(self.tasks), "turns": self.params.rounds}

    def _simulated(self, name: str) -> dict[str, Any]:
        atom = self.tasks.atoms[self._positions[name]]
        tools, failures = self.scenario.tools, self.params.failures
        call = simulate(tools, atom.tool, atom.arguments, seed=self.seed, failures=failures)
        return dict(call)

    def _bit(self, name: str) -> int:
        return 1 << (self.tasks.n - 1 - self._positions[name])


GAME = TaskExchange
