"""The game Trade: goods change hands by a deal or by hand, and their worths are private."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, ClassVar, Literal

from pydantic import Field, ValidationError

from shapley_coop.amounts import plain
from shapley_coop.extensions.markets.ahead import TradeAhead
from shapley_coop.extensions.markets.conduct import KEEPS, recorded_trade
from shapley_coop.extensions.markets.drawn import drawn
from shapley_coop.extensions.markets.foresight import TradeForesight
from shapley_coop.extensions.markets.gifts import left_of
from shapley_coop.extensions.markets.market import Market, read_market
from shapley_coop.extensions.markets.points import TradePoints
from shapley_coop.extensions.markets.words import (
    ACCEPT,
    KEEP,
    REFUSE,
    Group,
    grouped,
    rules_of,
    told_groups,
)
from shapley_coop.games.actions import told_actions
from shapley_coop.games.analysis import Analysis
from shapley_coop.games.baseline import Baseline
from shapley_coop.games.game import Game
from shapley_coop.games.gives import EVERYONE, NOT_GIVING, gives, parse_gift
from shapley_coop.games.goods import GIVEN, Holdings, hand_over, transfer_words
from shapley_coop.games.open_turns import Spans
from shapley_coop.games.params import GameError, Number, Params, one_line
from shapley_coop.games.reference_points import ReferencePoints
from shapley_coop.games.replay import Replays
from shapley_coop.games.turns import Position, Step, Turn
from shapley_coop.many import MANY, OWN

BY_HAND = 12
"""The largest number of units given by hand at once; a deal can give more."""

Mode = Literal["exchange", "price", "ultimatum", "issues", "options"]


class TradeParams(Params):
    """The market to play, and whether agents are asked to reconsider harmful signatures."""

    mode: Mode = Field(
        default="exchange",
        description="A market drawn by seed: exchange, price, ultimatum, issues (several goods are "
        "divided), or options (one option of each issue is agreed on).",
    )
    market: str = Field(default="", description="A market file, in place of a drawn one.")
    protect: bool = Field(
        default=True,
        description="Whether an agent is privately asked to reconsider a signature if the deal "
        "leaves it with less than no deal, or could make it pay more than it has.",
    )


class TradeAnalysis(Analysis):
    """The analysis of Trade: replays of the trades, simulated plays and reference points."""

    game: "Trade"

    def replays(self, record: Sequence[Turn]) -> Replays:
        """Return replays in which goods move among members; a pool needs all its agents."""
        return recorded_trade(self.game, record)

    @property
    def ahead(self) -> TradeAhead:
        """The simulated plays; each agent is shown only its own payoffs."""
        return TradeAhead(self.game)

    @property
    def reference_points(self) -> ReferencePoints:
        """The highest total of worths, and each agent's payoff without a deal."""
        return TradePoints(self.game.market)


class Trade(Game):
    """A game in which agents hold goods and each agent knows only its own worths.

    An agent gives goods by hand (by an action: one kind to one agent a turn) or by a deal's `Give`.
    In a pool the first agent holds all goods. In one more turn the others accept its division; a
    refusal loses all goods. At the end each agent is paid its own worth of the goods that it holds.
    """

    name = "trade"
    rolls_dice = False
    own_baseline = True
    Params: ClassVar[type[Params]] = TradeParams
    analysed_by: ClassVar[type[Analysis]] = TradeAnalysis
    foresight = TradeForesight
    params: TradeParams

    def __init__(self, params: Mapping[str, Any] | None = None, seed: int = 0) -> None:
        super().__init__(params, seed)
        self.market = self._market()
        self.agents = self.market.agents
        self.goods = self.market.goods
        self._groups: tuple[Holdings, list[Group]] = ({}, [])
        most = {good: min(n, BY_HAND) for good, n in self.market.totals.items()}
        closing = (ACCEPT, REFUSE) if self.market.pool else ()
        self.actions = {
            agent: gives(most, self.agents, agent, [KEEP], last)
            for agent, last in zip(self.agents, [(), *[closing] * len(self.agents)], strict=False)
        }

    @property
    def turns(self) -> int:
        """The number of turns: those of trade, plus one of acceptance in a pool."""
        return self.params.rounds + self.market.pool

    def start(self) -> Position:
        """Return the first position, in which each agent holds its endowment."""
        return {"turn": 1, "holds": {a: dict(own) for a, own in self.market.holds.items()}}

    def holdings(self, position: Position) -> Holdings:
        """Return agent → good → how many units it holds."""
        return {agent: dict(own) for agent, own in position["holds"].items()}

    def private(self, agent: str) -> dict[str, Any]:
        """Return an agent's private facts: its worths, its purse, its payoff without a deal."""
        told: dict[str, Any] = {"worth_to_you": dict(self.market.worths[agent])}
        if issues := self.market.issues:
            told["options_worth_to_you"] = {issue: self._options(agent, issue) for issue in issues}
        if (purse := self.purse(agent)) is not None:
            told["you_can_pay_at_most"] = plain(purse)
        return {**told, "you_have_without_a_deal": plain(self.market.alone(agent))}

    def _options(self, agent: str, issue: str) -> dict[str, Any]:
        """Return option → its worth to an agent, for one issue."""
        options, by_count = self.market.issues[issue], self.market.worths[agent][issue]
        assert isinstance(by_count, dict), "an issue is worth something by its option"
        first = agent == self.agents[0]
        counts = [len(options) - 1 - n if first else n for n in range(len(options))]
        return {option: by_count[str(n)] for option, n in zip(options, counts, strict=True)}

    def purse(self, agent: str) -> Fraction | None:
        """Return the largest amount that an agent can pay in all; None for no limit."""
        return self.market.purses.get(agent) if self.params.protect else None

    def reservation(self, position: Position, agent: str) -> Fraction | None:
        """Return the agent's payoff if nothing more is agreed; None if `protect` is off."""
        if not self.params.protect:
            return None
        if self.market.pool:
            return self.market.alone(agent)
        return self.market.worth(agent, position["holds"][agent])

    def view(self, position: Position, agent: str) -> dict[str, Any]:
        """Return the position; with many agents, the reader's holdings and groups of the others."""
        holds = position["holds"]
        if len(holds) <= MANY:
            return dict(position)
        if self._groups[0] is not holds:  # compute the groups once for all readers of a position
            self._groups = holds, grouped(holds)
        groups = told_groups(self._groups[1], self.agents, agent)
        return {"turn": position["turn"], OWN: holds[agent], "groups": groups}

    def legal(self, position: Position, agent: str) -> Sequence[str]:
        """Return `keep` and all gifts; at the last turn of a pool, `accept` and `refuse`.

        A gift by hand leaves enough for the gifts that are due (`GIVEN`), which are made first.
        """
        if self.over(position):
            return []
        if self._closes(position):
            return [] if agent == self.agents[0] else [ACCEPT, REFUSE]
        held = position["holds"][agent]
        left = left_of(held, position.get(GIVEN, []), agent)
        most = {good: min(n, BY_HAND) for good, n in left.items()}
        return gives(most, self.agents, agent, [KEEP])

    def open_turns(self, agent: str, action: str) -> Spans | None:
        """Return the turns in which an action is legal; a pool's last turn is for its answer."""
        if not self.market.pool:
            return None
        last = self.turns
        if action not in (ACCEPT, REFUSE):
            return [(1, last - 1)]
        return [] if agent == self.agents[0] else [(last, last)]

    def step(self, position: Position, actions: Mapping[str, str]) -> Step:
        """Make the contract's gifts, then the gifts by hand; pay the agents after the last turn.

        A gift by hand is limited to the units that the contract's gifts have left.
        """
        self.check({**position, GIVEN: []}, actions)  # without due gifts, which actions may change
        holds, effects = hand_over(position["holds"], position.get(GIVEN, []))
        for agent in self.agents:
            if by_hand := parse_gift(actions.get(agent, "")):
                count, good, to = by_hand
                moved = min(count, holds[agent][good])
                holds[agent][good] -= moved
                holds[to][good] += moved
        after: Position = {"turn": position["turn"] + 1, "holds": holds}
        if not self.over(after):
            return Step(after, dict.fromkeys(self.agents, 0), effects=effects)
        agreed = self.accepted(actions)
        if self.market.pool:
            effects.append({"effect": "accepted" if agreed else "refused"})
        return Step(after, self._paid(holds, agreed), effects=effects)

    def over(self, position: Position) -> bool:
        """Return whether the last turn has been played."""
        return int(position["turn"]) > self.turns

    def default_baseline(self) -> Baseline:
        """Return the baseline, in which an absent agent trades with no agent."""
        return KEEPS

    def also_called(self, action: str) -> Sequence[str]:
        """Return other words for giving nothing."""
        return NOT_GIVING if action == KEEP else ()

    def happened(self, turn: Turn) -> str:
        """Return the contract's gifts of a turn in words, and whether a pool was accepted."""
        told = []
        for effect in turn.get("effects", []):
            if effect.get("effect") == GIVEN:
                told.append(transfer_words(effect))
            else:
                told.append(str(effect.get("effect", "")))
        return "; ".join(told)

    def rules(self) -> str:
        """Return the rules in words: the holdings, the actions and the payoffs."""
        limited = any(self.purse(agent) is not None for agent in self.agents)
        return rules_of(self.market, self.params.rounds, limited)

    def facts(self) -> dict[str, Any]:
        """Return the public facts; with many agents, totals replace each agent's endowment."""
        issues = {name: list(options) for name, options in self.market.issues.items()}
        few = len(self.agents) <= MANY
        began = {agent: dict(own) for agent, own in self.market.holds.items()} if few else {}
        return {
            "game": self.name,
            "agents": list(self.agents),
            "actions": self._told_actions(),
            "goods": list(self.goods),
            **({"endowments": began} if few else {"totals": self.market.totals}),
            "pool": self.market.pool,
            "turns": self.turns,
            **({"issues": issues} if issues else {}),
        }

    def _told_actions(self) -> dict[str, list[str]]:
        """Return agent → actions; many agents share one entry, except a pool's first agent."""
        if len(self.agents) <= MANY:
            return {agent: told_actions(own) for agent, own in self.actions.items()}
        first, second, *_ = self.agents
        told = {EVERYONE: told_actions(self.actions[second])}
        return {**told, first: told_actions(self.actions[first])} if self.market.pool else told

    def receiver(self, action: str) -> str:
        """Return the receiver of a gift by hand, or "" if the action is not a gift."""
        by_hand = parse_gift(action)
        return by_hand[2] if by_hand else ""

    def accepted(self, actions: Mapping[str, str]) -> bool:
        """Return whether goods have a value: in a pool, only if all but the first agent accept."""
        return not self.market.pool or all(actions.get(a) == ACCEPT for a in self.agents[1:])

    def paid(self, holds: Holdings, agreed: bool) -> dict[str, Fraction]:
        """Return each agent's payoff at the end: the worth of its goods.

        Args:
            holds: agent → good → count at the end.
            agreed: whether a pool was accepted.
        """
        market = self.market
        if market.pool and not agreed:
            return {agent: market.alone(agent) for agent in self.agents}
        return {agent: market.worth(agent, holds[agent]) for agent in self.agents}

    def _paid(self, holds: Holdings, agreed: bool) -> dict[str, Number]:
        return {agent: _number(x) for agent, x in self.paid(holds, agreed).items()}

    def _closes(self, position: Position) -> bool:
        return self.market.pool and int(position["turn"]) == self.turns

    def _market(self) -> Market:
        p = self.params
        market = read_market(p.market) if p.market else drawn(p.mode, p.agents, self.seed)
        if p.market and "agents" in p.model_fields_set and list(p.agents) != list(market.agents):
            raise GameError(f"{p.market} is for {', '.join(market.agents)}: leave out agents")
        try:
            Params.model_validate({"agents": list(market.agents)})
        except ValidationError as error:
            raise GameError(one_line(p.market, Params, error)) from None
        return market


def _number(amount: Fraction) -> Number:
    """Return an amount as a number for JSON."""
    return amount.numerator if amount.denominator == 1 else float(amount)
