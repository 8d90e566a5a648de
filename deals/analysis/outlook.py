"""The outlook of an offer: payoffs if all keep the offer, if one agent breaks it, and without it.

The payoffs are exact if the game can be enumerated, and otherwise come from simulated plays. All
payoffs depend only on the record, the offer and the seed, so that anybody can recompute them.

>>> from shapley_coop.deals.language.clauses import Do, Pay
>>> from shapley_coop.deals.language.deal import Deal
>>> from shapley_coop.deals.language.when import Event, Last
>>> from shapley_coop.games import load
>>> room = load("escape_room")
>>> deal = Deal(clauses=[
...     Do(agent="Alice", action="door"), Do(agent="Bob", action="lever"),
...     Pay(payer="Alice", payee="Bob", amount=5,
...         when=Last(last=Event(agent="Bob", action="lever")))])
>>> for row in outlook(Prospect(room, room.start(), [], None, deal)).rows:
...     print(row.condition, row.by, {agent: str(x.mean) for agent, x in row.payoffs.items()})
all keep it  {'Alice': '5', 'Bob': '4'}
Alice breaks it lever {'Alice': '-6', 'Bob': '4'}
Bob breaks it door {'Alice': '-1', 'Bob': '-1'}
no deal what each can be sure of {'Alice': '-1', 'Bob': '-1'}
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

from shapley_coop.amounts import from_micro
from shapley_coop.deals.agreement import Agreement
from shapley_coop.deals.analysis.exact_outlook import exact_rows, tree_of
from shapley_coop.deals.analysis.outlook_rows import EVERYBODY, NO_DEAL, Range, Row, average
from shapley_coop.deals.analysis.simulated_outlook import Simulation
from shapley_coop.deals.analysis.stage import NotFinite, StageGame, facts_of
from shapley_coop.deals.compiled import compile_contract
from shapley_coop.deals.contract import Contract, agreed_from, in_force, split_of
from shapley_coop.deals.enforcement import Enforcement, net
from shapley_coop.deals.language.deal import Deal
from shapley_coop.deals.language.when import EVERYONE, Earned, conditions_in
from shapley_coop.deals.monitor import Monitor
from shapley_coop.deals.settlement import apply_payments, earnings
from shapley_coop.games import Game, Turn
from shapley_coop.games.ahead import Played

NORM_PLAYS, NORM_SEARCH = 8, 2
"""The numbers of plays for payoffs by a norm, and for finding an agent's best breach in a game with
dice. They are small because a norm replays all coalitions for each play."""

MOST_VALUED, MOST_VALUED_BY_CHANCE = 12, 6
"""The largest numbers of agents for which a norm is computed in advance: without dice, and with
dice. The first limit does not apply if symmetric agents are counted as classes."""

IN_TREE = (
    "who is asked for nothing does what pays it best in a turn, payments included, if the others "
    "are equally likely to do anything that the deal allows"
)

KeptPlays = Callable[[], Sequence[Played]]
"""A function to the plays in which all keep the offer."""

NormPayoffs = Callable[[Game, Sequence[Turn], str], Mapping[str, Fraction]]
"""A function of (the game with a play's dice, the play's record, a norm) to all payoffs."""


def _no_norms(game: Game, record: Sequence[Turn], norm: str) -> Mapping[str, Fraction]:
    raise NotFinite(f"values by the norm {norm} are not computed by this analysis")


@dataclass(frozen=True, eq=False)
class Prospect:
    """An offer in a certain position of a game.

    Attributes:
        position: the present position of the game.
        record: the turns played.
        standing: the contract that the offer would amend, or None.
        deal: the deal of the offer; None for the contract in force as it stands.
        enforcement: how contracts are enforced.
        norm_payoffs: computes the payoffs under a norm.
        norms: the norms to show. `by_norm` uses the first, unless the offer's split names a norm.
        viewer: the agent that reads the outlook, if agents know only their own payoffs; else "".
        alike: a cache of rows that are equal for all viewers; the key is the case and the number
            of plays.
    """

    game: Game
    position: Mapping[str, Any]
    record: Sequence[Turn]
    standing: Contract | None
    deal: Deal | None
    enforcement: Enforcement = field(default_factory=Enforcement)
    norm_payoffs: NormPayoffs = _no_norms
    norms: tuple[str, ...] = ()
    viewer: str = ""
    alike: dict[tuple[str, int], Row] = field(default_factory=dict)

    @cached_property
    def contract(self) -> Contract:
        """The contract that would be in force if all agents signed the offer now."""
        if self.deal is None and self.standing is not None:
            return self.standing
        agreed = agreed_from(self.deal or Deal(), self.standing, now=len(self.record) + 1)
        return {**agreed, "signatures": {agent: {} for agent in self.game.agents}}

    @cached_property
    def stage(self) -> StageGame | None:
        """The game as a table of payoffs, or None if there is no table or it is too large."""
        try:
            return StageGame.of(facts_of(self.game))
        except NotFinite:
            return None


@dataclass(frozen=True)
class DealOutlook:
    """The outlook of an offer.

    Attributes:
        exact: whether the amounts are certain, given the agents' actions.
        plays: the number of plays behind each mean and range; 0 if the amounts are exact.
        rows: the agents' payoffs over the whole game, one row for each case.
        assumes: the assumption about agents that owe no action, in words; "" if there are none.
        norm: the norm of `by_norm`, or "".
        by_norm: agent → its payoff by `norm` if all keep the offer, or None.
        why_not: the reason why there are no rows, or "".
    """

    exact: bool = True
    plays: int = 0
    rows: tuple[Row, ...] = ()
    assumes: str = ""
    norm: str = ""
    by_norm: Mapping[str, Range] | None = None
    why_not: str = ""

    def record(self) -> dict[str, Any]:
        """Return the outlook as plain JSON, with amounts as exact strings."""
        found: dict[str, Any] = {
            "exact": self.exact,
            "plays": self.plays,
            "rows": [row.record() for row in self.rows],
        }
        if self.assumes:
            found["assumes"] = self.assumes
        if self.by_norm is not None:
            told = {agent: x.record() for agent, x in self.by_norm.items()}
            found["norm"] = {"name": self.norm, "payoffs": told}
        if self.why_not:
            found["why_not"] = self.why_not
        return found


def outlook(of: Prospect) -> DealOutlook:
    """Return the outlook of an offer: payoffs over the whole game, in the game's unit.

    "X breaks it" is the best breach by X while the others keep the offer. In an enumerated game, X
    plays its best strategy with a breach; in simulated plays, all its breaches are one action.
    "No deal" is what each agent can secure, or what simulated plays without a deal pay.

    Cost: a few ms for small games. An enumerated game costs as much as its tree (`game_tree`); any
    other game costs a few simulated plays for each agent and action (`games.ahead`).
    """
    foreseeable = of.game.analysis.ahead.foreseeable
    own = foreseeable == "own"
    if not (foreseeable == "all" or of.stage or (own and of.viewer)):
        return DealOutlook(why_not="what will be done in this game cannot be computed in advance")
    if own and (why := _tells_of_others(of)):
        return DealOutlook(why_not=why)
    try:
        found, kept = _exactly(of) or _by_plays(of)
    except NotFinite as reason:
        return DealOutlook(why_not=str(reason))
    try:
        return _with_norm(of, found, kept) if not own else found
    except NotFinite:
        return found


def _exactly(of: Prospect) -> tuple[DealOutlook, KeptPlays] | None:
    """Return the outlook by the game tree, or None if the game cannot be enumerated."""
    stage, terms = of.stage, of.enforcement
    if stage is None:
        return None
    standing = of.standing or Deal()
    without_terms = terms if of.standing else Enforcement("notional")
    try:
        terms = _with_deposit(of)
        within = tree_of(of.game, of.contract, stage, terms, of.record)
        without = tree_of(of.game, standing, stage, without_terms, of.record)
    except NotFinite:
        return None
    rows = exact_rows(within, without, _holdings(of), of.record)
    if of.standing is None and (declared := Simulation(of, count=1).baseline()):
        rows = [*rows, declared]
    return DealOutlook(rows=tuple(rows), assumes=_assumed(of, IN_TREE)), lambda: [
        Played(within.course(of.record))
    ]


def _with_deposit(of: Prospect) -> Enforcement:
    """Return the enforcement with the deposit that each party would pay under the offer."""
    if of.enforcement.mode != "escrow" or of.enforcement.deposit is not None:
        return of.enforcement
    return replace(of.enforcement, deposit=_agreement(of, of.contract).deposit)


def _agreement(of: Prospect, contract: Contract | None) -> Agreement:
    facts, open_turns = facts_of(of.game), of.game.open_turns
    return Agreement(contract, of.record, facts, of.enforcement, open_turns)


def _holdings(of: Prospect) -> dict[str, Fraction]:
    """Return each agent's earnings so far, after the current contract's payments and deposits."""
    held = earnings(of.record, of.game.agents)
    if of.standing is None or not of.enforcement.executes:
        return held
    signed = _agreement(of, of.standing)
    held = apply_payments(held, signed.monitor.payments)
    forfeited = net(signed.postings(over=True), of.game.agents)
    return {agent: amount + from_micro(forfeited[agent]) for agent, amount in held.items()}


def _by_plays(of: Prospect) -> tuple[DealOutlook, KeptPlays]:
    """Return the outlook by simulated plays."""
    of_chance, split = of.game.rolls_dice, split_of(of.contract)
    named = bool(split and split.norm and of.enforcement.executes)
    if named and not _valued_in_advance(of):
        raise NotFinite("a split by a norm is computed only from the whole record, after the play")
    costly = named and of_chance
    simulation = Simulation(
        of, count=NORM_PLAYS if costly else 0, search=NORM_SEARCH if costly else 0
    )
    rows = simulation.rows()
    if of.game.analysis.ahead.foreseeable == "own":
        rows = [replace(row, payoffs={of.viewer: row.payoffs[of.viewer]}) for row in rows]
    found = DealOutlook(
        exact=not of_chance,
        plays=simulation.plays if of_chance else 0,
        rows=tuple(rows),
        assumes=_assumed(of, of.game.analysis.ahead.words),
    )
    return found, lambda: Simulation(of, count=NORM_PLAYS).kept


def _assumed(of: Prospect, words: str) -> str:
    """Return `words`, which say what free agents do; "" if each owes an action at every turn."""
    clauses = compile_contract(of.contract)
    if any(term.condition.start for term in clauses if term.duty):
        return words  # whether an action is owed depends on earlier actions
    monitor = Monitor(clauses, of.game.open_turns)
    for turn in range(len(of.record) + 1, of.game.turns + 1):
        asked = {duty.agent for duty in monitor.duties(turn) if not duty.forbidden}
        if not (EVERYONE in asked or asked >= {*of.game.agents}):
            return words
    return ""


def _with_norm(of: Prospect, found: DealOutlook, kept: KeptPlays) -> DealOutlook:
    """Return the outlook with payoffs by a norm, for the case that all keep the offer."""
    split = split_of(of.contract)
    named = [split.norm] if split and split.norm else []
    names = [*named, *of.norms]
    if not names or not _valued_in_advance(of):
        return found
    ends = [(of.norm_payoffs(x.game or of.game, x.record, names[0]), x.times) for x in kept()]
    return replace(found, norm=names[0], by_norm=average(ends, not of.game.rolls_dice))


def _valued_in_advance(of: Prospect) -> bool:
    """Return whether payoffs by a norm can be computed from simulated plays.

    A norm replays the whole record with the play's dice. Once turns have been played, the replay
    needs the dice of the real game, which would reveal the game's future.
    """
    if of.game.rolls_dice:
        return not of.record and len(of.game.agents) <= MOST_VALUED_BY_CHANCE
    if len(of.game.agents) <= MOST_VALUED:
        return True
    # More agents are valued if coalitions can be counted by class of equal agents.
    (play, *_) = Simulation(of, count=1).kept
    return of.game.analysis.replays(play.record).classes is not None


def _tells_of_others(of: Prospect) -> str:
    """Return in words how the viewer's payoff would reveal others' private payoffs, else ""."""
    clauses = in_force(of.contract).values()
    if split_of(of.contract):
        return "a split of the total depends on what the others' tasks are worth to them"
    for clause in clauses:
        sums = {part.earned for part in conditions_in(clause.when) if isinstance(part, Earned)}
        if (pay := clause.transfer) and pay.basis == "reward":
            sums.add(pay.payer)
        if sums - {of.viewer}:
            return "what falls due depends on what the others' tasks are worth to them"
    return ""


__all__ = ["EVERYBODY", "NO_DEAL", "DealOutlook", "Prospect", "Range", "Row", "outlook"]
