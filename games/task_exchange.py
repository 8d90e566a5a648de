"""Task exchange: tasks are traded and then done; what each is worth to whom is private."""

from collections import Counter
from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Any, ClassVar

from pydantic import Field

from shapley_coop.amounts import MICRO
from shapley_coop.games.baseline import Baseline
from shapley_coop.games.exchange.ahead import ExchangeAhead
from shapley_coop.games.exchange.conduct import KEEPS_ITS_TASKS, recorded_trade
from shapley_coop.games.exchange.foresight import WAIT, TradeForesight, hand
from shapley_coop.games.exchange.front import best_sum
from shapley_coop.games.exchange.hands import handed_over
from shapley_coop.games.exchange.masks import from_bits, members
from shapley_coop.games.exchange.scenario import Masks, Scenario, is_partition
from shapley_coop.games.exchange.solutions import ExchangePoints
from shapley_coop.games.exchange.source import GENERATED, from_taskbench, generated, scenario
from shapley_coop.games.exchange.tools import simulate
from shapley_coop.games.exchange.words import facts_of, rules_of
from shapley_coop.games.game import Game
from shapley_coop.games.params import GameError, Params
from shapley_coop.games.reference_points import ReferencePoints
from shapley_coop.games.replay import Replays
from shapley_coop.games.turns import Position, Step, Turn, realised_total

BEST, LADDER = 32, 32


class TaskExchangeParams(Params):
    """Which tasks, whose tastes, and the protocol's limits."""

    scenario: str = Field(
        default="paper_cooperative",
        description="paper_cooperative, paper_competitive, a scenario file, or 'generated'.",
    )
    variant: int = Field(
        default=0, ge=0, description="Seed of the utilities that the paper does not print."
    )
    records: str = Field(default="", description="A file of TaskBench records to trade over.")
    ids: list[str] = Field(default=[], description="Which records; empty draws them by seed.")
    tools: str = Field(default="", description="A tool catalogue for the records' calls.")
    atoms: int = Field(default=6, ge=2, le=16, description="Generated or drawn: how many tasks.")
    competition: float = Field(
        default=0.5, ge=0, le=1, description="Generated or drawn: how alike the tastes are."
    )
    failures: float = Field(default=0, ge=0, le=1, description="How likely a simulated call fails.")
    talk: int = Field(default=10, ge=2, le=1000, description="Turns of talk, the first private.")
    attempts: int = Field(default=5, ge=1, le=50, description="Invalid proposals that end a run.")
    rounds: int = Field(default=40, ge=1, le=1000, description="Most turns of handing over, work.")


class TaskExchange(Game):
    """Every agent starts with tasks; they may change hands, and whoever holds one does it.

    Utility-aware task exchange (Kimura et al.). An action does one of one's own tasks, hands one
    to another agent, or waits. What the work done is worth to its owner is paid when the play is
    over, so that no utility is public while anybody still bargains over tasks.
    """

    name = "task_exchange"
    signable = False
    rolls_dice = False
    own_baseline = True
    Params: ClassVar[type[Params]] = TaskExchangeParams
    params: TaskExchangeParams

    def __init__(self, params: Mapping[str, Any] | None = None, seed: int = 0) -> None:
        super().__init__(params, seed)
        self.scenario = self._scenario()
        self.tasks = self.scenario.tasks
        if "agents" in self.params.model_fields_set and list(self.agents) != self.tasks.agents:
            raise GameError(
                f"{self.scenario.name} is for {', '.join(self.tasks.agents)}: leave agents out"
            )
        self.agents = tuple(self.tasks.agents)
        self._positions = {name: i for i, name in enumerate(self.tasks.names)}
        self._hands = {hand(t, to): (t, to) for t in self.tasks.names for to in self.agents}
        self.actions = {
            a: [*self.tasks.names, *(act for act, (_, to) in self._hands.items() if to != a), WAIT]
            for a in self.agents
        }
        self._worths = lru_cache(maxsize=1 << 12)(self._tradable)

    def start(self) -> Position:
        """Each agent holds its initial tasks, and nothing is done."""
        return {
            "turn": 1,
            "holds": {a: self.tasks.bits(mask) for a, mask in self.tasks.initial.items()},
            "done": self.tasks.bits(0),
            "closed": False,
        }

    def hands(self, masks: Masks) -> list[dict[str, str]]:
        """The joint actions that turn the initial allocation into another, and close the trade.

        Each agent hands over what others are to have, one task a turn; none does in the last.
        Nobody is left without a task in between: who has one alone waits until it is given another.

        Raises:
            GameError: the masks are not a partition among the agents.
        """
        if set(masks) != set(self.agents) or not is_partition(masks, self.tasks.n):
            raise GameError(f"{masks} is not a partition of the tasks: each task to one agent")
        queues = {
            giver: [
                hand(self.tasks.names[i], taker)
                for taker in self.agents
                if taker != giver
                for i in members(self.tasks.initial[giver] & masks[taker], self.tasks.n)
            ]
            for giver in self.agents
        }
        held = {agent: mask.bit_count() for agent, mask in self.tasks.initial.items()}
        takers = {action: to for action, (_, to) in self._hands.items()}
        return [*handed_over(queues, held, takers), {}]

    def private(self, agent: str) -> dict[str, Any]:
        """What only `agent` is told: its taste and its utilities; for its own letters alone.

        Nothing of it is stored in a position, a record or shared state. Of a registry that letters
        list, every utility is given; of a larger one, the best, then a ladder down to the initial
        one, the agent's own tasks and each atom alone, by falling utility.
        """
        told: dict[str, Any] = {}
        if preference := self.scenario.preferences.get(agent):
            told["preference"] = preference
        every = range(1, 1 << self.tasks.n)
        shown = every if self.tasks.registry.listed else self._selected(agent)
        told["utilities"] = {
            self.tasks.bits(mask): self.scenario.utility(agent, mask) for mask in shown
        }
        return told

    def legal(self, position: Position, agent: str) -> list[str]:
        """Its own tasks that are not done, handing one over while trade is open, waiting.

        An agent keeps its last task, unless it is handed another in the same turn (`hands`).
        """
        held = from_bits(position["holds"][agent], self.tasks.n)
        undone = held & ~from_bits(position["done"], self.tasks.n)
        if not undone or self.over(position):
            return []
        own = [self.tasks.names[i] for i in members(undone, self.tasks.n)]
        hands = []
        if not position["closed"] and held.bit_count() > 1:
            hands = [hand(atom, to) for atom in own for to in self.agents if to != agent]
        return [*own, *hands, WAIT]

    def step(self, position: Position, actions: Mapping[str, str]) -> Step:
        """Tasks are done or change hands; utilities are paid with the last one.

        Trade closes with the first turn in which nothing is handed over. What an agent has done
        pays it whether or not the tool's call succeeded: the tables price tasks, not results.
        A call's result is what `position["results"]` holds for the task, where the workflow has
        called a real tool, else a simulated one.
        """
        self.check(position, actions)
        holds = {a: from_bits(bits, self.tasks.n) for a, bits in position["holds"].items()}
        done, handed = from_bits(position["done"], self.tasks.n), False
        effects: list[dict[str, Any]] = []
        for agent, action in actions.items():
            if action in self._positions:
                done |= self._bit(action)
                result = position.get("results", {}).get(action) or self._simulated(action)
                effects.append({"effect": "result", "agent": agent, "task": action, **result})
            elif action in self._hands:
                task, to = self._hands[action]
                holds[agent] ^= self._bit(task)
                holds[to] |= self._bit(task)
                handed = True
        after: Position = {
            "turn": position["turn"] + 1,
            "holds": {agent: self.tasks.bits(mask) for agent, mask in holds.items()},
            "done": self.tasks.bits(done),
            "closed": position["closed"] or not handed,
        }
        over = self.over(after)
        rewards = {a: self.scenario.utility(a, holds[a] & done) if over else 0 for a in self.agents}
        return Step(after, rewards, effects=effects)

    def check(self, position: Position, actions: Mapping[str, str]) -> None:
        """Refuse what is not legal; a last task may be handed over by who is handed another.

        Raises:
            GameError: names the agent, the action and what would be legal.
        """
        takers = Counter(self._hands[act][1] for act in actions.values() if act in self._hands)
        swapped = {
            agent
            for agent, action in actions.items()
            if takers[agent] and self._hands_its_last(position, agent, action)
        }
        super().check(position, {a: act for a, act in actions.items() if a not in swapped})

    def _hands_its_last(self, position: Position, agent: str, action: str) -> bool:
        """Whether an action hands over the only task of an agent, while trade is open."""
        task, to = self._hands.get(action, ("", agent))
        if to == agent or agent not in self.agents or position["closed"] or self.over(position):
            return False
        held, done = from_bits(position["holds"][agent], self.tasks.n), position["done"]
        return held == self._bit(task) and not held & from_bits(done, self.tasks.n)

    def over(self, position: Position) -> bool:
        """Everything is done, or the turns are used up."""
        return "0" not in position["done"] or int(position["turn"]) > self.params.rounds

    def default_baseline(self) -> Baseline:
        """Who is absent keeps its own tasks and does them."""
        return KEEPS_ITS_TASKS

    def replays(self, record: Sequence[Turn]) -> Replays:
        """An atom moves if all agents in its recorded chain are members; then all do their tasks.

        What was not done in the record is done in no replay, and a play that was stopped before it
        paid pays in none.
        """
        return recorded_trade(self, record)

    def ahead(self) -> ExchangeAhead:
        """Who is asked for nothing does its own tasks."""
        return ExchangeAhead(self)

    def potential(self, record: Sequence[Turn], coalition: frozenset[str]) -> Fraction:
        """v(C): the best that C's members can do by trading their initial tasks among themselves.

        v(N) is the realised total; where nothing was played, every v(C) is 0. Cost: 3^m for m
        tasks and three or more members; kept.
        """
        if not record:
            return Fraction(0)
        if coalition == frozenset(self.agents):
            return realised_total(record)
        return Fraction(self._worths(coalition), MICRO)

    def reference_points(self) -> ReferencePoints:
        """The front of all partitions; a plan is worth the tasks that each agent does in it."""
        return ExchangePoints(self.scenario)

    def happened(self, turn: Turn) -> str:
        """What came of each tool call; the table of turns says which it was."""
        told = []
        for effect in turn.get("effects", []):
            result = {k: x for k, x in effect.items() if k not in ("effect", "agent", "task", "ok")}
            how = "" if effect.get("ok", True) else "failed: "
            told.append(f"{effect.get('agent', '')}: {how}{', '.join(map(str, result.values()))}")
        return "; ".join(told)

    def rules(self) -> str:
        """Who holds what, what can be done, and when it pays."""
        return rules_of(self.tasks, self.params.rounds)

    def facts(self) -> dict[str, Any]:
        """All that is public: the atoms, who starts with what, and how composites are named."""
        return {"game": self.name, **facts_of(self.tasks, self.params.rounds)}

    def _scenario(self) -> Scenario:
        p = self.params
        if p.records:
            return from_taskbench(
                p.records,
                p.agents,
                ids=p.ids,
                atoms=p.atoms,
                competition=p.competition,
                seed=self.seed,
                tools=p.tools,
            )
        if p.scenario == GENERATED:
            return generated(p.agents, p.atoms, p.competition, self.seed)
        return scenario(p.scenario, p.variant)

    def _selected(self, agent: str) -> list[int]:
        """The masks that a compact letter gives utilities for, the best first."""
        table, own = self.scenario.utilities[agent], self.tasks.initial[agent]
        ranked = [int(mask) for mask in (-table).argsort(kind="stable") if mask]
        rest = [mask for mask in ranked[BEST:] if table[mask] >= table[own]]
        ladder = [rest[k * len(rest) // LADDER] for k in range(LADDER)] if rest else []
        atoms = [1 << bit for bit in range(self.tasks.n)]
        shown = {*ranked[:BEST], *ladder, own, *atoms}
        return [mask for mask in ranked if mask in shown]

    def _tradable(self, coalition: frozenset[str]) -> int:
        own = [agent for agent in self.agents if agent in coalition]
        if not own:
            return 0
        held = sum(self.tasks.initial[agent] for agent in own)
        return best_sum([self.scenario.utilities[agent] for agent in own], held)

    def _simulated(self, name: str) -> dict[str, Any]:
        atom = self.tasks.atoms[self._positions[name]]
        tools, failures = self.scenario.tools, self.params.failures
        call = simulate(tools, atom.tool, atom.arguments, seed=self.seed, failures=failures)
        return dict(call)

    def _bit(self, name: str) -> int:
        return 1 << (self.tasks.n - 1 - self._positions[name])


GAME = TaskExchange
FORESIGHT = TradeForesight
