"""The game tree of a repeated stage game under a contract, enumerated and solved exactly.

The memory of a contract's conditions is small (`deals.language.condition`). Histories with equal
memories are merged into one position. Positions are found forwards and valued by backward
induction. Cost: positions × joint actions × agents, a few μs each, plus about 1 μs for each value
in the memories.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import product
from typing import Any

from shapley_coop.deals.analysis.stage import NotFinite, Play, StageGame
from shapley_coop.deals.compiled import (
    Memories,
    after,
    compile_contract,
    duties_at,
    only_once,
    payments_due,
)
from shapley_coop.deals.contract import Contract, split_of
from shapley_coop.deals.enforcement import Enforcement, injured_by
from shapley_coop.deals.language.deal import Deal
from shapley_coop.deals.language.effects import Duty, Transfer, portions
from shapley_coop.deals.monitor import Monitor
from shapley_coop.deals.settlement import earnings
from shapley_coop.games import Turn

MAX_STEPS = 50_000
"""The largest number of positions × joint actions × agents for which a game is enumerated."""

MAX_WORK = 500_000
"""The largest product of positions × joint actions × agents × values in conditions' memories."""

Amounts = tuple[Fraction, ...]
"""One amount for each agent, in the order of the agents."""

NOTHING = Fraction(0)


@dataclass(frozen=True)
class HistoryState:
    """The parts of a history on which the rest of the game depends."""

    memory: Memories
    paid: frozenset[str]
    broken: frozenset[str]


@dataclass
class Position:
    """One position of the game under the contract.

    Attributes:
        turn: the turn to be played.
        owed: clause id → the duty that binds at this turn.
        allowed: agent → its actions that keep the contract at this turn.
        gains: joint action → each agent's gain at this turn, payments included.
        onward: joint action → the state of the next position.
        due: joint action → the ids of the payments that fall due.
        expected: agent → its best allowed actions, judged by this turn's gains alone.
    """

    turn: int
    owed: dict[str, Duty]
    allowed: dict[str, tuple[str, ...]]
    gains: dict[Play, Amounts] = field(default_factory=dict)
    onward: dict[Play, HistoryState] = field(default_factory=dict)
    due: dict[Play, tuple[str, ...]] = field(default_factory=dict)
    expected: dict[str, tuple[str, ...]] = field(default_factory=dict)


Value = Callable[[Play, int], Fraction]


class GameTree:
    """The game tree from the present position on, under a deal.

    Args:
        agreed: a deal in force from turn 1 on, or a contract with its amendments; an empty deal
            gives the game without a contract.
        stage: the stage game.
        enforcement: how the contract is enforced.
        record: the turns played so far.

    Raises:
        NotFinite: the game has too many positions to enumerate, or the contract splits the total
            by a norm, which needs the whole record.
    """

    def __init__(
        self,
        agreed: Deal | Contract,
        stage: StageGame,
        enforcement: Enforcement,
        record: Sequence[Turn] = (),
    ) -> None:
        split = agreed.split if isinstance(agreed, Deal) else split_of(agreed)
        if split and split.norm and enforcement.executes:
            raise NotFinite(f"the norm {split.norm} of the split is computed only after the play")
        self.stage, self.enforcement = stage, enforcement
        self.clauses = compile_contract(agreed)
        self._split = split if enforcement.executes else None
        self._width = sum(max(1, len(term.condition.start)) for term in self.clauses)
        self._judge(Monitor(self.clauses).on(record))
        self._turns = {play: self._turn(play) for play in stage.plays}
        self.layers = self._explore()
        self._values: dict[Valuation, dict[int, dict[HistoryState, Amounts]]] = {}
        self.solved: dict[int, Any] = {}  # other modules cache here what holds for all positions

    def at(self, record: Sequence[Turn]) -> "GameTree | None":
        """Return this tree with a later present position, or None if it was not explored."""
        later = copy(self)
        later._judge(self._monitor.on(record))
        return later if later.start in self.layers.get(later.now, {}) else None

    def _judge(self, monitor: Monitor) -> None:
        """Set the present position: the one after the turns that a monitor has observed."""
        self._monitor, self.now = monitor, len(monitor.turns) + 1
        broken = self._matters(breach.agent for breach in monitor.breaches)
        self.start = HistoryState(monitor.memories, monitor.paid, broken)

    def value(self, worth: "Valuation") -> Amounts:
        """Return each agent's value at the present position: its gain over the turns left."""
        return self.values(worth)[self.now][self.start]

    def course(self, record: Sequence[Turn]) -> list[Turn]:
        """Return the record and the expected turns; the first of equally good actions is taken."""
        turns, past = list(record), self.start
        for number in range(self.now, self.stage.turns + 1):
            layer = self.layers[number]
            play = tuple(layer[past].expected[agent][0] for agent in self.stage.agents)
            turns.append({**self._turns[play], "turn": number})
            past = layer[past].onward[play]
        return turns

    def shifted(self, record: Sequence[Turn]) -> Amounts:
        """Return each agent's gain from dividing past rewards, if the contract splits the total."""
        agents = self.stage.agents
        if not (self._split and self._split.fractions):
            return (NOTHING,) * len(agents)
        had = earnings(record, agents)
        total = sum(had.values(), NOTHING)
        return tuple(total * self._split.fractions[agent] - had[agent] for agent in agents)

    def values(self, worth: "Valuation") -> dict[int, dict[HistoryState, Amounts]]:
        """Return turn → state → each agent's value, by backward induction from the last turn."""
        if worth in self._values:
            return self._values[worth]
        found: dict[int, dict[HistoryState, Amounts]] = {}
        for turn, layer in reversed(self.layers.items()):
            later = found.get(turn + 1, {})
            found[turn] = {past: self._valued(at, later, worth) for past, at in layer.items()}
        self._values[worth] = found  # only when complete, as other threads may read it
        return found

    def _valued(
        self, position: Position, later: Mapping[HistoryState, Amounts], worth: "Valuation"
    ) -> Amounts:
        value = self.worth(position, later)
        return tuple(worth(self, position, i, value) for i in range(len(self.stage.agents)))

    def worth(self, position: Position, later: Mapping[HistoryState, Amounts]) -> "Value":
        """Return (joint action, agent) → the agent's gain now plus its value of later turns."""
        over: Amounts = (NOTHING,) * len(self.stage.agents)
        ahead = {play: later.get(past, over) for play, past in position.onward.items()}
        return lambda play, i: position.gains[play][i] + ahead[play][i]

    def positions(self) -> Iterator[Position]:
        """Return all reachable positions, turn by turn."""
        return (position for layer in self.layers.values() for position in layer.values())

    def _explore(self) -> dict[int, dict[HistoryState, Position]]:
        layers: dict[int, dict[HistoryState, Position]] = {}
        each = len(self.stage.plays) * len(self.stage.agents)
        most = min(MAX_STEPS, MAX_WORK // max(1, self._width))
        frontier = {self.start: None}  # a dict, to keep the order of discovery
        ahead = each * (self.stage.turns - self.now + 1)
        for turn in range(self.now, self.stage.turns + 1):
            ahead += each * (len(frontier) - 1)
            if ahead > most:
                raise NotFinite(f"the game tree has more than {most} steps: too large to enumerate")
            layers[turn] = {past: self._position(past, turn) for past in frontier}
            frontier = dict.fromkeys(
                past for position in layers[turn].values() for past in position.onward.values()
            )
        return layers

    def _position(self, past: HistoryState, turn: int) -> Position:
        asked = duties_at(self.clauses, past.memory, turn)
        allowed = {agent: self._allowed(agent, asked.values()) for agent in self.stage.agents}
        position = Position(turn, asked, allowed)
        for play in self.stage.plays:
            self._step(position, past, play)
        position.expected = {
            agent: self._foreseen(position, i) for i, agent in enumerate(self.stage.agents)
        }
        return position

    def _allowed(self, agent: str, duties: Iterable[Duty]) -> tuple[str, ...]:
        open_ = list(self.stage.actions[agent])
        for duty in duties:
            if duty.binds(agent):
                open_ = [action for action in open_ if duty.keeps(action)]
        return tuple(open_)

    def _step(self, position: Position, past: HistoryState, play: Play) -> None:
        """Add to a position the gains, payments due and next state of one joint action."""
        turn = self._turns[play]
        memory = after(self.clauses, past.memory, turn)
        due = payments_due(self.clauses, memory, position.turn, past.paid)
        breakers = [
            agent
            for agent, action in zip(self.stage.agents, play, strict=True)
            if action not in position.allowed[agent]
        ]
        position.gains[play] = self._gains(play, due.values(), breakers, past.broken)
        position.due[play] = tuple(due)
        position.onward[play] = HistoryState(
            memory=memory,
            paid=past.paid | only_once(due),
            broken=past.broken | self._matters(breakers),
        )

    def _gains(
        self, play: Play, due: Iterable[Transfer], breakers: list[str], broken: frozenset[str]
    ) -> Amounts:
        gained = dict(zip(self.stage.agents, self.stage.pays[play], strict=True))
        held = dict(gained)
        if self._split and self._split.fractions:
            total = sum(gained.values(), NOTHING)
            held = {agent: total * self._split.fractions[agent] for agent in held}
        if self.enforcement.executes:
            for pay in due:
                amount = pay.due(gained.get(pay.payer, NOTHING))
                for agent, part in portions(pay, self.stage.agents).items():
                    held[agent] += part * amount
        if deposit := self.enforcement.held():
            for agent in breakers:
                if agent not in broken:
                    payees = injured_by(agent, broken.union(breakers), self.stage.agents)
                    held[agent] -= deposit
                    for payee in payees:
                        held[payee] += deposit / len(payees)
        return tuple(held.values())

    def _foreseen(self, position: Position, i: int) -> tuple[str, ...]:
        """Return agent i's best allowed actions this turn if the others choose uniformly.

        The others choose among their allowed actions. The result contains all equally good actions,
        and so every weakly dominant action.
        """
        choices = [position.allowed[a] or self.stage.actions[a] for a in self.stage.agents]
        gain: dict[str, Fraction] = dict.fromkeys(choices[i], NOTHING)
        for play in product(*choices):
            gain[play[i]] += position.gains[play][i]
        best = max(gain.values())
        return tuple(action for action, sum_ in gain.items() if sum_ == best)

    def _turn(self, play: Play) -> Turn:
        turn: Any = {
            "turn": 0,
            "actions": dict(zip(self.stage.agents, play, strict=True)),
            "rewards": dict(zip(self.stage.agents, self.stage.pays[play], strict=True)),
        }
        return turn  # type: ignore[no-any-return] # the rewards are exact fractions, not numbers

    def _matters(self, agents: Iterable[str]) -> frozenset[str]:
        """Return the breakers that a state must store: all if there are deposits, else none."""
        return frozenset(agents) if self.enforcement.held() else frozenset()


Valuation = Callable[[GameTree, Position, int, Value], Fraction]
"""A function of (tree, position, agent's index, value of a joint action) to the agent's value."""
