"""The outlook computed from simulated plays, for games that cannot be enumerated."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any

from shapley_coop.amounts import from_micro
from shapley_coop.deals.agreement import Agreement
from shapley_coop.deals.analysis.outlook_rows import (
    EVERYBODY,
    NO_DEAL,
    Range,
    Row,
    average,
    breaks,
    told_by_turn,
)
from shapley_coop.deals.analysis.stage import facts_of
from shapley_coop.deals.compiled import compile_contract
from shapley_coop.deals.contract import Contract, split_of
from shapley_coop.deals.enforcement import net
from shapley_coop.deals.language.effects import portions
from shapley_coop.deals.language.when import Earned, When, conditions_in, event_of
from shapley_coop.deals.monitor import Duty, Monitor
from shapley_coop.deals.settlement import earnings, payoffs
from shapley_coop.games import Turn
from shapley_coop.games.ahead import UNASKED, Plan, Played
from shapley_coop.games.goods import Gift
from shapley_coop.games.open_turns import OpenTurns
from shapley_coop.wording import STANDING

if TYPE_CHECKING:
    from shapley_coop.deals.analysis.outlook import Prospect

MOST_OPTIONS = 8
"""An agent with more actions than this is simulated with only two breaches: its usual action, or
no action."""

MOST_BREAKERS = 12
"""If an offer binds more agents than this, no breaches are simulated."""

Ends = list[tuple[Mapping[str, Fraction], int]]


class Simulation:
    """Simulated plays of a game under an offer, and the payoffs in these plays.

    Args:
        of: the offer and the position of the game.
        count: how often each plan is played; 0 for the number that `ahead.count` returns.
        search: the number of plays used to find the best breach; 0 for the same as `count`.
    """

    def __init__(self, of: "Prospect", count: int = 0, search: int = 0) -> None:
        self._of, self._ahead = of, of.game.analysis.ahead
        self._facts = facts_of(of.game)
        self._agreed, self._standing, self._nothing = (
            _Terms(contract, of.record, of.game.open_turns)
            for contract in (of.contract, of.standing, None)
        )
        turns = max(1, of.game.turns - len(of.record))
        sims = 2 + sum(len(self._options(agent)) for agent in self._breakers)
        self.plays = count or self._ahead.count(self._plan(of.contract), sims, turns)
        self._search = search or self.plays

    def rows(self, without: Row | None) -> list[Row]:
        """Return the payoffs in each case: all keep the offer, one agent breaks it, or no deal.

        Args:
            without: the row of no deal, if it is known exactly; else it is simulated.
        """
        found = [self._once(EVERYBODY, self._all_keep_it)]
        rows = (self._broken(agent, alike) for agent, alike in self._breakers.items())
        found += [row for row in rows if row]
        found.append(without or self._once(NO_DEAL, self._without))
        if self._of.standing is None and (declared := self.baseline()):
            found.append(declared)
        return found

    def _once(self, case: str, row: Callable[[], Row]) -> Row:
        """Return the payoffs in a case, which are equal for all readers and computed only once."""
        known = self._of.alike
        if (at := (case, self.plays)) not in known:
            known[at] = row()
        return known[at]

    def _all_keep_it(self) -> Row:
        by = self._ahead.outcome(self.kept[0])
        return Row(EVERYBODY, self._averaged(self._ends(self.kept, self._of.contract)), by=by)

    @cached_property
    def kept(self) -> list[Played]:
        """The simulated plays in which all agents keep the offer."""
        return self._played(self._plan(self._of.contract))

    def baseline(self) -> Row | None:
        """Return the payoffs if every agent plays its baseline, or None if the game has none."""
        baseline = self._of.game.baseline
        if baseline.kind not in ("actions", "policy", "idle") or baseline.warning:
            return None
        if self._ahead.foreseeable != "all":
            return None
        play = self._ahead.idle_play(dict(self._of.position), self._of.record)
        ends = self._ends([play], None)
        by = baseline.words.replace("an absent agent", "everybody", 1)
        return Row(NO_DEAL, average(ends, exact=True), by=by)

    @cached_property
    def _breakers(self) -> dict[str, tuple[str, ...]]:
        """An agent with duties → other agents with equal terms, whose breaches pay the same.

        It is empty if more than MOST_BREAKERS breaches would still have to be simulated.
        """
        bound = [
            agent
            for agent in self._of.game.agents
            if any(duty.binds(agent) for duty in self._agreed.bound)
        ]
        found: dict[str, tuple[str, ...]] = dict.fromkeys(bound, ())
        if len(bound) > MOST_BREAKERS and self._of.game.symmetric:
            found = {one[0]: one[1:] for one in self._agreed.alike(bound)}
        return found if len(found) <= MOST_BREAKERS else {}

    def _options(self, agent: str) -> list[str | None]:
        """Return the actions by which an agent could break its duties; None means no action."""
        if self._ahead.foreseeable == "own" and agent != self._of.viewer:
            return [UNASKED]  # the agent's best breach would reveal its private payoffs
        actions = self._ahead.breaking(agent)
        usual = actions if len(actions) <= MOST_OPTIONS else (UNASKED,)
        return [*self._ahead.ways, *usual, None]  # of equals, the first is told

    def _broken(self, agent: str, alike: tuple[str, ...]) -> Row | None:
        """Return the row of the agent's best breach, or None if the agent has no breach."""
        contract = self._of.contract
        kept = self.kept
        if self._search != self.plays:
            kept = self._played(self._plan(contract), self._search)
        means: dict[str | None, Fraction] = {}
        found: dict[str | None, Ends] = {}
        turns: dict[str | None, set[int]] = {}
        for instead in self._options(agent):
            played = self._played(self._plan(contract, agent, instead), self._search)
            # An agent that cannot act breaches in every plan: count only breaches not in `kept`.
            anyway = self._breaches(kept, agent, instead)
            broken = self._breaches(played, agent, instead)
            if broken.total() > anyway.total():
                turns[instead] = {*(broken - anyway)}
                found[instead] = self._ends(played, contract)
                sums = (ends[agent] * times for ends, times in found[instead])
                means[instead] = sum(sums, Fraction(0))
        if not means:
            return None
        best = max(means, key=lambda instead: means[instead])
        ends = found[best]
        if self._search != self.plays:
            ends = self._ends(self._played(self._plan(contract, agent, best)), contract)
        by = self._broken_by(agent, best, turns[best])
        return Row(breaks(agent), self._averaged(ends), who=agent, by=by, alike=alike)

    def _broken_by(self, agent: str, instead: str | None, turns: set[int]) -> str:
        """Return in words how an agent breaks its duties, with the turns of its breaches."""
        ahead, played = self._ahead, len(self._of.record)
        if instead is None or instead in ahead.ways:
            (play, *_) = self._played(self._plan(self._of.contract, agent, instead), 1)
            if by := ahead.broken_by(agent, play.record, played):
                return by
        by = {UNASKED: ahead.unasked_words, None: "doing nothing"}.get(instead, str(instead))
        return told_by_turn([(t, by) for t in sorted(turns)], played + 1, self._of.game.turns)

    def _without(self) -> Row:
        """Return the payoffs without the offer: all act as usual, or keep the contract in force."""
        standing = self._of.standing
        played = self._played(self._plan(standing))
        unasked = f"everybody: {self._ahead.unasked_words}"
        by = STANDING if standing else unasked
        return Row(NO_DEAL, self._averaged(self._ends(played, standing)), by=by)

    def _plan(
        self, contract: Contract | None, breaker: str = "", instead: str | None = None
    ) -> Plan:
        terms = self._terms(contract)
        monitor = terms.monitor

        def asked(before: Sequence[Turn], turn: int) -> Iterable[Duty]:
            nonlocal monitor
            if not terms.fixed:
                monitor = monitor.on(before)
            return monitor.duties(turn)

        def gifts(before: Sequence[Turn], turn: Turn) -> list[Gift]:
            return [each.gift() for each in terms.monitor.on(before).handing_over(turn)]

        executes = terms.gives and self._of.enforcement.executes
        return Plan(asked, terms.fixed, breaker, instead, gifts if executes else None)

    def _played(self, plan: Plan, count: int = 0) -> list[Played]:
        """Simulate plays of a plan of actions from the present position, and return them."""
        position = dict(self._of.position)
        return self._ahead.plays(position, self._of.record, plan, count or self.plays)

    def _breaches(self, played: Sequence[Played], agent: str, instead: str | None) -> Counter[int]:
        """Return turn → the agent's breaches in all plays, idle ones only if `instead` is None."""
        monitor, now = self._terms(self._of.contract).monitor, len(self._of.record) + 1
        found: Counter[int] = Counter()
        for play in played:
            for breach in monitor.on(play.record).breaches:
                idled = agent not in play.record[breach.turn - 1]["actions"]
                if breach.agent == agent and breach.turn >= now and (instead is None or not idled):
                    found[breach.turn] += play.times
        return found

    def _terms(self, contract: Contract | None) -> "_Terms":
        """Return the compiled terms of this contract, or of play without a contract."""
        if contract is None:
            return self._nothing
        return self._agreed if contract is self._of.contract else self._standing

    def _ends(self, played: Sequence[Played], contract: Contract | None) -> Ends:
        return [(self._settled(play, contract), play.times) for play in played]

    def _settled(self, play: Played, contract: Contract | None) -> Mapping[str, Fraction]:
        """Return each agent's payoff after the settlement of one simulated play."""
        of, terms = self._of, self._terms(contract)
        executes = of.enforcement.executes and contract is not None
        due = terms.monitor.on(play.record).payments if executes else []

        def by_norm(norm: str, total: Fraction) -> dict[str, Fraction]:
            return dict(of.norm_payoffs(play.game or of.game, play.record, norm))

        split = terms.split if executes else None
        held = payoffs(earnings(play.record, of.game.agents), split, due, by_norm)
        if executes and of.enforcement.mode == "escrow":
            open_turns = of.game.open_turns
            agreed = Agreement(contract, play.record, self._facts, of.enforcement, open_turns)
            for agent, moved in net(agreed.postings(over=True), of.game.agents).items():
                held[agent] += from_micro(moved)
        return held

    def _averaged(self, ends: Ends) -> dict[str, Range]:
        return average(ends, not self._of.game.rolls_dice)


class _Terms:
    """The compiled terms of a contract, with its monitor after the turns played."""

    def __init__(
        self, contract: Contract | None, record: Sequence[Turn], open_turns: OpenTurns
    ) -> None:
        clauses = compile_contract(contract)
        self.fixed = not any(term.condition.start for term in clauses if term.duty)
        self._clauses = [term for term in clauses if term.last is None]
        self.bound = [duty for term in self._clauses if (duty := term.duty)]
        self.gives = any(term.gift for term in clauses)
        self.split = split_of(contract)
        self.monitor = Monitor(clauses, open_turns).on(record)

    def alike(self, agents: Sequence[str]) -> Iterable[tuple[str, ...]]:
        """Return the agents in groups, whose members have equal terms under the contract."""
        fractions = (self.split.fractions if self.split else None) or {}
        parts = [portions(pay, agents) for x in self._clauses if (pay := x.transfer)]
        gifts = [gift for x in self._clauses if (gift := x.gift)]
        said = [{*map(_of_whom, conditions_in(x.clause.when))} for x in self._clauses]
        found: dict[Any, tuple[str, ...]] = {}
        for agent in agents:
            asked = tuple(duty.binds(agent) for duty in self.bound)
            paid = tuple(part.get(agent, 0) for part in parts)
            named = tuple(agent in names for names in said)
            trades = tuple((agent == x.giver, agent == x.receiver) for x in gifts)
            kind = asked, paid, named, trades, fractions.get(agent)
            found[kind] = (*found.get(kind, ()), agent)
        return found.values()


def _of_whom(condition: When) -> str:
    """Return the agent that an atomic condition names, or ""."""
    event = event_of(condition)
    return event.agent if event else condition.earned if isinstance(condition, Earned) else ""
