"""The evaluated table: the facts that follow from a table, each computed at most once.

A node builds an evaluated table and passes it on. Letters, checks, evaluators and the viewer read
facts from the evaluated table and compute nothing themselves.

>>> from shapley_coop.state.evaluated import EvaluatedTable
>>> from shapley_coop.state.run_config import RunConfig
>>> settings = RunConfig(game="escape_room").resolve().model_dump(mode="json")
>>> turn = {"turn": 1, "actions": {"Alice": "lever", "Bob": "door"},
...         "rewards": {"Alice": -1, "Bob": 10}}
>>> evaluated = EvaluatedTable({"episode": "e", "settings": settings, "record": [turn]})
>>> {agent: str(x) for agent, x in evaluated.payoffs_by("shapley").items()}
{'Alice': '9/2', 'Bob': '9/2'}
"""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any

from shapley_coop.amounts import exact, plain
from shapley_coop.canonical import cache_key
from shapley_coop.credit.attribution import attribute_by
from shapley_coop.credit.characteristic import Attribution, Characteristic
from shapley_coop.deals.agreement import Agreement
from shapley_coop.deals.analysis.ability_to_pay import means_of
from shapley_coop.deals.analysis.outlook import DealOutlook
from shapley_coop.deals.analysis.outlook_rows import EVERYBODY, NO_DEAL, Row, certain
from shapley_coop.deals.analysis.reservation import short_of
from shapley_coop.deals.analysis.stage import facts_of
from shapley_coop.deals.contract import Contract, in_force, split_of
from shapley_coop.deals.enforcement import Enforcement
from shapley_coop.deals.language.clauses import Clause
from shapley_coop.deals.language.deal import Deal, Offer
from shapley_coop.deals.language.effects import Split
from shapley_coop.deals.language.faults import Fault
from shapley_coop.deals.language.when import conditions_in, event_of
from shapley_coop.deals.monitor import Duty, Payment, payments
from shapley_coop.deals.parties import MOST_TOLD, by_agent
from shapley_coop.deals.settlement import apply_payments, earnings, payoffs
from shapley_coop.games import Game, Turn
from shapley_coop.games.goods import Gift, with_gifts
from shapley_coop.games.replay import own_rewards
from shapley_coop.remembered import Bounded
from shapley_coop.state.budget import SPENT_UP, UNLIMITED, BudgetTracker
from shapley_coop.state.characteristic import characteristic
from shapley_coop.state.outlook import outlook_of
from shapley_coop.state.run_config import RunConfig
from shapley_coop.state.settings import config_of, game_of
from shapley_coop.state.table import Table


class EvaluatedTable:
    """A table with its game, its configuration, and all facts that its contract and record imply.

    Args:
        table: the node's input state; it must not change while the evaluated table is in use.
    """

    def __init__(self, table: Table) -> None:
        self.table = table
        self.config: RunConfig
        self.game: Game
        self.config, self.game = _resolve(table)
        self.agents = self.game.agents
        self.record: Sequence[Turn] = table.get("record", [])
        self.turn = len(self.record) + 1
        self.contract: Contract | None = table.get("contract")
        self.offer: Offer | None = table.get("offer")
        self._attributions: dict[str, Attribution] = {}

    @cached_property
    def signed(self) -> Agreement:
        """The `Agreement`, which compares the record with the signed contract, if there is one."""
        facts = {**facts_of(self.game), **self.means}
        open_turns = self.game.open_turns
        return Agreement(self.contract, self.record, facts, self.enforcement, open_turns)

    @cached_property
    def enforcement(self) -> Enforcement:
        """How contracts are enforced in this run."""
        return Enforcement.of(self.table["settings"])

    @cached_property
    def stands(self) -> bytes:
        """The game's position, the record and the signed contract as JSON, as a cache key."""
        return cache_key([self.table["position"], [*self.record], self.contract])

    @cached_property
    def offered(self) -> Deal:
        """The deal of the current offer, or an empty deal if there is no offer."""
        return Deal.of(self.offer["deal"]) if self.offer else Deal()

    @cached_property
    def means(self) -> dict[str, Any]:
        """The most that each agent and all together can earn, to check that amounts can be paid."""
        return means_of(self.game)

    @property
    def over(self) -> bool:
        """Whether the game is over at this position."""
        return self.game.over(self.table["position"])

    @property
    def budget_spent(self) -> bool:
        """Whether the run's budget is used up, so that no more letters are sent."""
        if self.config.budget == UNLIMITED:
            return False
        return self._budget.empty or self.cut_short

    @property
    def cut_short(self) -> bool:
        """Whether the run's budget ran out before all agents were asked for this turn's actions.

        If only one agent's own limit is used up, that agent passes and the turn is still played.
        """
        return any(
            said.get("label") == SPENT_UP and not self._budget.has_used_its_part(agent)
            for agent, said in (self.table.get("sealed") or {}).items()
        )

    @property
    def _budget(self) -> BudgetTracker:
        return BudgetTracker(self.config.budget, self.table.get("spent", {}))

    def legal(self, agent: str) -> Sequence[str]:
        """Return an agent's legal actions after the gifts that are certain to be made this turn."""
        return self.game.legal(self._after_gifts(agent), agent)

    def objection(self, agent: str, action: str) -> str:
        """Return why an agent cannot take an action after these gifts, or "" if it can."""
        return self.game.objection(self._after_gifts(agent), agent, action)

    def _after_gifts(self, agent: str) -> dict[str, Any]:
        return with_gifts(self.table["position"], self._gifts_due.get(agent, []))

    @cached_property
    def _gifts_due(self) -> dict[str, list[Gift]]:
        """Agent → the gifts, by or to it, that are due this turn whatever the agents do."""
        found: dict[str, list[Gift]] = {}
        for gift in self.signed.gifts({}) if self.game.goods else ():
            when = self.clauses[gift["clause"]].when
            if not any(map(event_of, conditions_in(when))):
                for agent in (gift["giver"], gift["receiver"]):
                    found.setdefault(agent, []).append(gift)
        return found

    @cached_property
    def clauses(self) -> dict[str, Clause]:
        """The contract's clauses in force, by id; empty if there is no contract."""
        return in_force(self.contract)

    def told_clauses(self, agent: str) -> dict[str, Clause]:
        """Return the clauses of the contract that an agent's letter shows.

        A letter shows only the agent's clauses of a large contract; outsiders see all clauses.
        """
        if len(self.clauses) <= MOST_TOLD:
            return self.clauses
        return self._clauses_by_agent.get(agent, self.clauses)

    @cached_property
    def _clauses_by_agent(self) -> dict[str, dict[str, Clause]]:
        return by_agent(self.clauses, self.agents)

    @cached_property
    def duties(self) -> list[Duty]:
        """The actions that the contract demands or forbids this turn, for all agents."""
        return self.signed.monitor.duties()

    @cached_property
    def earned(self) -> dict[str, Fraction]:
        """Each agent's earnings in play, in the game's unit."""
        return earnings(self.record, self.agents)

    @cached_property
    def own_rewards(self) -> dict[str, str]:
        """Each agent's own rewards without its part of the pot, as exact decimals."""
        own = own_rewards(self.record, self.agents)
        return {agent: plain(x) for agent, x in own.items()}

    @cached_property
    def total(self) -> Fraction:
        """The total R(N, τ) that all agents earned (Shapley-Coop, Eq. 7)."""
        return sum(self.earned.values(), start=Fraction(0))

    @cached_property
    def as_signed(self) -> dict[str, Fraction]:
        """Each agent's payoff under the contract, even if the run does not enforce contracts."""
        return self._payoffs(split_of(self.contract), self.signed.monitor.payments)

    def without_more(self) -> dict[str, Fraction]:
        """Return each agent's payoff if the agents agree on nothing more after this.

        If the contract is enforced, it determines the payoffs; otherwise each keeps its earnings.
        """
        return self.as_signed if self.signed.enforcement.executes else self._payoffs(None, [])

    def payoffs_under(self, deal: Deal) -> dict[str, Fraction]:
        """Return each agent's payoff if a deal after the play redistributes the earnings.

        A deal with a split divides the total anew. Any other deal adds payments to `without_more`.
        """
        due = payments(deal, self.record)
        if deal.split:
            return self._payoffs(deal.split, due)
        return apply_payments(self.without_more(), due)

    def outlook(
        self, deal: Deal | None, viewer: str = "", norms: Sequence[str] = ()
    ) -> dict[str, Any]:
        """Return the payoffs if all keep an offer, if one agent breaks it, and without it.

        The result is plain JSON with exact amounts as text. If payoffs cannot be computed, there
        are no `rows`, and `why_not` is the reason. After the end of the game, the payoffs are
        certain, and no agent can break the offer.

        Args:
            deal: the offer; None for play under the contract in force or, without one, no deal.
            viewer: the reader. If agents know only their own payoffs, only the reader's are in the
                result; "" for no reader.
            norms: the norms whose payoffs are added for comparison.
        """
        if self.over:
            kept = Row(EVERYBODY, certain(self.payoffs_under(deal or Deal())))
            without = Row(
                NO_DEAL, certain(self.without_more()), by="what was signed or earned stands"
            )
            return DealOutlook(rows=(kept, without)).record()
        return outlook_of(self.game, self.enforcement, self.stands, deal, norms, viewer)

    def below(
        self, deal: Deal, agent: str, least: Fraction, norms: Sequence[str] = ()
    ) -> Fault | None:
        """Return the fault RESERVE if an agent gets less than `least` when all keep a deal.

        If payoffs are private, the check computes only this agent's payoff.
        """
        if self.game.analysis.ahead.foreseeable == "own":
            return short_of(least, self.kept(deal, agent, norms))
        return self.signed.below_reservation(deal, agent, least, norms)

    def kept(self, deal: Deal, agent: str, norms: Sequence[str] = ()) -> Fraction | None:
        """Return an agent's mean payoff if all keep a deal, or None if this cannot be computed."""
        rows = self.outlook(deal, agent, norms)["rows"]
        found: dict[str, Any] = next((x["payoffs"] for x in rows if x["if"] == EVERYBODY), {})
        return exact(found[agent]["mean"]) if agent in found else None

    def payoffs_by(self, norm: str) -> dict[str, Fraction]:
        """Return each agent's payoff if a norm divides the total."""
        return self.attribution(norm).payoffs(self.total)

    def attribution(self, norm: str) -> Attribution:
        """Return the total, the marginal contributions and the values under a norm.

        Raises:
            ValueError: the norm is not computable for this number of agents.
        """
        if norm not in self._attributions:
            self._attributions[norm] = attribute_by(self.characteristic, norm)
        return self._attributions[norm]

    @cached_property
    def characteristic(self) -> Characteristic:
        """The characteristic function v of the record."""
        return characteristic(self.game, self.record)

    def _payoffs(self, split: Split | None, due: Sequence[Payment]) -> dict[str, Fraction]:
        return payoffs(self.earned, split, due, lambda norm, _: self.payoffs_by(norm))


_resolved = Bounded[str, tuple[Mapping[str, Any], RunConfig, Game]]()


def _resolve(table: Table) -> tuple[RunConfig, Game]:
    """Return an episode's configuration and game, cached until its settings change."""
    episode, settings = table.get("episode", ""), table["settings"]
    known = _resolved.get(episode)
    if known is None or known[0] is not settings:
        equal = known is not None and known[0] == settings
        made = known[1:] if known and equal else (config_of(settings), game_of(settings))
        known = _resolved[episode] = settings, *made
    return known[1], known[2]
