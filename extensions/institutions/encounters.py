"""Encounters: a dilemma with a new partner each turn, whose past conduct is public.

An agent's action against one partner is its reputation with the next (Nowak and Sigmund, Nature
393, 1998). The schedule is a round robin: agents meet again only after meeting all others.

>>> game = Encounters()
>>> [game.partner("Alice", turn) for turn in (1, 2, 3, 4)]
['Dave', 'Bob', 'Carol', 'Dave']
"""

from collections.abc import Mapping
from typing import Any, ClassVar

from pydantic import Field, model_validator

from shapley_coop.games.analysis import Analysis
from shapley_coop.games.foresight import Asked, Foreseen, Foresight, Part
from shapley_coop.games.game import Game
from shapley_coop.games.params import Names, Number, Params
from shapley_coop.games.reference_points import ReferencePoints
from shapley_coop.games.turns import Position, Step, Turn

COOPERATE, DEFECT = "cooperate", "defect"


class EncountersParams(Params):
    """The agents, the turns, and the payoffs: by default those of a Prisoner's Dilemma."""

    agents: Names = Field(default=["Alice", "Bob", "Carol", "Dave"], min_length=2)
    rounds: int = Field(default=10, ge=1, le=200, description="The number of turns.")
    reward: Number = Field(default=1, description="The payoff of each, if both cooperate.")
    temptation: Number = Field(
        default=2, description="The payoff of an agent that defects while the other cooperates."
    )
    sucker: Number = Field(
        default=-1, description="The payoff of an agent that cooperates while the other defects."
    )
    punishment: Number = Field(default=0, description="The payoff of each, if both defect.")

    @model_validator(mode="after")
    def _paired(self) -> "EncountersParams":
        if len(self.agents) % 2:
            raise ValueError(f"agents meet in pairs: give an even number, not {len(self.agents)}")
        return self


class EncountersAnalysis(Analysis):
    """The analysis of encounters, each of which is a two-agent table of payoffs."""

    @property
    def reference_points(self) -> ReferencePoints:
        """The best total: the best joint payoff of a pair, summed over all encounters."""
        p, game = self.game.params, self.game
        best = max(2 * p.reward, p.temptation + p.sucker, 2 * p.punishment)
        return ReferencePoints(lambda: float(best * len(game.agents) * game.turns / 2))


class EncountersForesight(Foresight):
    """Foresight: agents keep duties; without a duty, they play best against a random partner."""

    FACTS = ("actions", "encounter", "partners", "turns")
    sure_of_habits = False

    def read(self, facts: Mapping[str, Any]) -> None:
        """Read the payoffs of an encounter and the schedule of partners."""
        self.turns, self.partners = int(facts["turns"]), facts["partners"]
        self.choices = list(facts["actions"][self.me])
        self.pays = {(x["own"], x["other"]): float(x["pays"]) for x in facts["encounter"]}

    def foresee(self, asked: Asked, mine: str | None = None) -> Foreseen:
        """Predict the remaining turns, in which agents keep the duties asked of them."""
        record: list[Turn] = list(self.record)
        for turn in range(self.turn, self.turns + 1):
            did = dict.fromkeys(self.agents, self.habit(self.choices))
            for duty in asked(record, turn):
                others = [x for x in self.choices if x != duty.action]
                if not duty.forbidden or did[duty.agent] == duty.action:
                    did[duty.agent] = self.habit(others) if duty.forbidden else duty.action
            if mine is not None and turn == self.turn:
                did[self.me] = mine
            met = {a: self.partners[a][(turn - 1) % len(self.partners[a])] for a in self.agents}
            earned = {a: self.pays[did[a], did[met[a]]] for a in self.agents}
            record.append({"turn": turn, "actions": did, "rewards": earned})
        holds = {a: float(sum(t["rewards"].get(a, 0) for t in record)) for a in self.agents}
        return Foreseen(record, holds)

    def together(self) -> list[Part]:
        """Return a plan for all agents: the action that pays most if both partners take it."""
        best = max(self.choices, key=lambda action: self.pays[action, action])
        return [Part(agent, best) for agent in self.agents]

    def wish(self) -> list[Part]:
        """Return a plan: the action for me and the one for all others that together pay me most."""
        own, other = max(self.pays, key=lambda did: self.pays[did])
        return [Part(agent, own if agent == self.me else other) for agent in self.agents]

    def habit(self, legal: list[str]) -> str:
        """Return my best response to a uniformly random partner."""
        return max(legal, key=lambda own: sum(self.pays[own, other] for other in self.choices))


class Encounters(Game):
    """Each turn every agent meets a new partner, and knows the partner's past actions."""

    name = "encounters"
    rolls_dice = False
    needs_seed = False
    Params: ClassVar[type[Params]] = EncountersParams
    analysed_by: ClassVar[type[Analysis]] = EncountersAnalysis
    foresight = EncountersForesight
    params: EncountersParams

    def __init__(self, params: Mapping[str, Any] | None = None, seed: int = 0) -> None:
        super().__init__(params, seed)
        p = self.params
        self.actions = {agent: [DEFECT, COOPERATE] for agent in self.agents}
        self._pays = {
            (DEFECT, DEFECT): p.punishment,
            (DEFECT, COOPERATE): p.temptation,
            (COOPERATE, DEFECT): p.sucker,
            (COOPERATE, COOPERATE): p.reward,
        }

    def partner(self, agent: str, turn: int) -> str:
        """Return an agent's partner at a turn, by the circle method of round robins."""
        first, *others = self.agents
        moved = (turn - 1) % len(others)
        circle = [first, *others[moved:], *others[:moved]]
        return circle[len(circle) - 1 - circle.index(agent)]

    def start(self) -> Position:
        """Return the position before the first turn."""
        return {"turn": 1}

    def view(self, position: Position, agent: str) -> dict[str, Any]:
        """Return the turn and the agent's partner."""
        met = {} if self.over(position) else {"partner": self.partner(agent, position["turn"])}
        return {**position, **met}

    def legal(self, position: Position, agent: str) -> list[str]:
        """Return both actions, to cooperate and to defect; none after the last turn."""
        return [] if self.over(position) else list(self.actions[agent])

    def step(self, position: Position, actions: Mapping[str, str]) -> Step:
        """Return the step with the payoffs of each pair; an agent that took no action defects."""
        self.check(position, actions)
        turn = int(position["turn"])
        did = {agent: actions.get(agent, DEFECT) for agent in self.agents}
        pays = {a: self._pays[did[a], did[self.partner(a, turn)]] for a in self.agents}
        return Step({"turn": turn + 1}, pays)

    def over(self, position: Position) -> bool:
        """Return whether the last turn has been played."""
        return int(position["turn"]) > self.turns

    def rules(self) -> str:
        """Return the payoffs of an encounter and the schedule of partners."""
        rows = [f"| {own} | {other} | {pays} |" for (own, other), pays in self._pays.items()]
        meetings = [
            f"- {agent}: {', '.join(self.partner(agent, t) for t in range(1, self._cycle + 1))}"
            for agent in self.agents
        ]
        return "\n".join(
            [
                "**Encounters**. In each turn you meet one of the others, and each of you does "
                f"`{COOPERATE}` or `{DEFECT}`, at the same time. Who does nothing defects. What "
                "everybody has done to whom is known to all.",
                "",
                "| you | your partner | you get |",
                "|---|---|---|",
                *rows,
                "",
                "Whom each meets, turn by turn, and then from the beginning again:",
                "",
                *meetings,
            ]
        )

    def facts(self) -> dict[str, Any]:
        """Return the payoffs of an encounter and the schedule of partners, as JSON facts."""
        cells = [{"own": a, "other": b, "pays": x} for (a, b), x in self._pays.items()]
        cycle = range(1, self._cycle + 1)
        return {
            "game": self.name,
            "agents": list(self.agents),
            "actions": self.actions,
            "encounter": cells,
            "partners": {a: [self.partner(a, turn) for turn in cycle] for a in self.agents},
            "turns": self.turns,
        }

    @property
    def _cycle(self) -> int:
        """The number of turns until all agents have met one another; at most all turns."""
        return min(self.turns, len(self.agents) - 1)


GAME = Encounters
