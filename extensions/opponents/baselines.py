"""Baselines for negotiations, as seats: arbiters and auctions.

A seat is `python:shapley_coop.extensions.opponents.baselines:NAME`.

If all agents have the same baseline, the run ends with the rule's outcome, through the ordinary
messages, contract and ledger. A baseline offers only the rule's deal and accepts no other. The
baselines read the table of payoffs in the letter, and keep what they sign. The disagreement point d
is each agent's max-min payoff without a deal (`StageGame.disagreement`).

=================  ============================================================================
nash               the joint action with the largest product of gains over d
kalai_smorodinsky  the joint action with the largest minimum of relative gains
fixed_split        the joint action with the best total, and equal shares of the surplus
random_split       the same joint action, with shares drawn by the run's seed
contract_net       the first agent is the manager, all others bid an action and a price, and the
                   manager awards the bid with the largest surplus
second_price       like contract_net, but the price leaves the manager the surplus of the second-
                   best bid (0 if there is none), and is at most the manager's best payoff
=================  ============================================================================

`arbiters` computes the arbiters' splits. The contract net is Smith's (IEEE Transactions on
Computers C-29, 1980), with bids at cost. `second_price` is the Vickrey–Clarke–Groves mechanism for
one buyer of one service. Its price makes bidding at cost a best response. The buyer pays the price,
so the buyer's means are the reserve price. In general, the payments of that mechanism do not sum to
zero and need an outside party (Green and Laffont, 1979); a ledger has no such party.

>>> pull = {("door", "door"): (-1, -1), ("door", "lever"): (10, -1),
...         ("lever", "door"): (-1, 10), ("lever", "lever"): (-1, -1)}
>>> cells = [{"play": dict(zip("AB", p)), "pays": dict(zip("AB", x))} for p, x in pull.items()]
>>> facts = {"agents": ["A", "B"], "actions": dict.fromkeys("AB", ["door", "lever"]), "turns": 1}
>>> print(awarded(StageGame.of({**facts, "payoffs": cells}), arbiters.fixed_split).text())
c1. A does door at every turn.
c2. B does lever at every turn.
c3. A pays B 5.5, once.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from typing import Any

from shapley_coop.deals.analysis.stage import StageGame
from shapley_coop.deals.language.clauses import Do, Pay
from shapley_coop.deals.language.deal import Deal
from shapley_coop.deals.language.faults import Fault
from shapley_coop.deals.language.when import All, Event, Last, Turns, When
from shapley_coop.deals.written.reading import read_words
from shapley_coop.extensions.opponents import arbiters
from shapley_coop.extensions.opponents.arbiters import Point
from shapley_coop.seats.embedded.letter_facts import owed_now, proposal, terms_of
from shapley_coop.seats.embedded.outlook import transfers_to

Facts = Mapping[str, Any]
Rule = Callable[[Sequence[Point], Point], Point]

ACCEPT, REJECT = "<ACCEPT>", "<REJECT>"


def awarded(stage: StageGame, rule: Rule) -> Deal | None:
    """Return the deal that an arbiter's rule awards; None if it awards the disagreement point.

    Args:
        stage: the game.
        rule: a function of `arbiters`; payments in the last turn lead to the rule's payoffs.
    """
    without = stage.disagreement
    points = {tuple(stage.turns * x for x in pays): play for play, pays in stage.pays.items()}
    found = rule(list(points), without)
    if found == without:
        return None
    earned = found if found in points else max(points, key=lambda point: (sum(point), point))
    duties = [
        Do(agent=agent, action=action)
        for agent, action in zip(stage.agents, points[earned], strict=True)
    ]
    paid = transfers_to(_by_agent(stage, found), _by_agent(stage, earned))
    payments = [Pay(payer=a, payee=b, amount=x, when=_after(stage.turns)) for a, b, x in paid]
    return Deal(clauses=(*duties, *payments))


def _after(turns: int, *also: When) -> When:
    """Return the condition "in the last of several turns", joined with the conditions `also`."""
    conditions = [*([Turns(turns=(turns, turns))] if turns > 1 else []), *also]
    if len(conditions) > 1:
        return All(all=tuple(conditions))
    return conditions[0] if conditions else "always"


def _by_agent(stage: StageGame, point: Point) -> dict[str, float]:
    return {agent: float(x) for agent, x in zip(stage.agents, point, strict=True)}


@dataclass(frozen=True)
class Baseline:
    """The factory of a `python:` seat that plays a baseline.

    Attributes:
        talk: a function from the letter's facts, the game and the run's seed to the answer.
    """

    talk: Callable[[Facts, StageGame, int], str]

    def __call__(self, agent: str, seed: int) -> Callable[[dict[str, Any], str], Any]:
        """Return the function that answers letters; the function fails without payoffs."""

        def answer(facts: dict[str, Any], words: str) -> str | dict[str, Any]:
            stage, asked = StageGame.of(facts), facts["ask"].removeprefix("contract_")
            if asked in ("propose", "answer"):
                return self.talk(facts, stage, seed)
            if asked == "act":
                safe = stage.safe[stage.agents.index(agent)]
                return {"action": next(iter(owed_now(facts, facts["legal"])), safe)}
            if asked == "claim":
                return {"percent": str(100 / len(stage.agents))}
            return REJECT if asked.startswith(("propose", "answer", "sign")) else {}

        return answer


def _arbitrated(rule: str, facts: Facts, stage: StageGame, seed: int) -> str:
    """Propose the rule's deal, and accept no other."""
    drawn = {"seed": seed} if rule == "random_split" else {}
    deal = awarded(stage, partial(getattr(arbiters, rule), **drawn))
    offer = facts.get("offer")
    if offer and deal and offer.get("hash") == deal.hash():
        return f"<s>That is what the rule awards.</s>{ACCEPT}"
    rejected = REJECT if offer else ""
    if deal is None or (offer and facts["round"] == facts["rounds"]):
        return f"<s>The rule awards no such deal.</s>{REJECT}"
    return f"{rejected}<s>I propose what the rule awards.</s>{proposal(deal)}"


@dataclass(frozen=True)
class Bid:
    """A contractor's bid to the manager.

    Attributes:
        agent: the contractor.
        action: the action that it offers to play in every turn.
        price: the price for all turns, in the game's unit.
        gain: the manager's gain in all turns, before it pays.
    """

    agent: str
    action: str
    price: Fraction
    gain: Fraction

    @property
    def surplus(self) -> Fraction:
        """The manager's gain after paying the price."""
        return self.gain - self.price

    def deal(self, stage: StageGame) -> Deal:
        """Return the bid as a deal: the manager pays in the last turn if the action was played."""
        duty = Do(agent=self.agent, action=self.action)
        if self.price <= 0:
            return Deal(clauses=(duty,))
        due = _after(stage.turns, Last(last=Event(agent=self.agent, action=self.action)))
        pay = Pay(payer=stage.agents[0], payee=self.agent, amount=self.price, when=due)
        return Deal(clauses=(duty, pay))


def bids_at_cost(stage: StageGame, agent: str) -> dict[str, Bid]:
    """Return action → the bid at cost, assuming that all others play their safe actions."""
    safe = stage.safe
    i, without, turns = stage.agents.index(agent), stage.pays[safe], stage.turns
    found = {}
    for action in stage.actions[agent]:
        pays = stage.pays[(*safe[:i], action, *safe[i + 1 :])]
        cost, gain = max(without[i] - pays[i], Fraction(0)), pays[0] - without[0]
        found[action] = Bid(agent, action, turns * cost, turns * gain)
    return found


def _contracting(second: bool, facts: Facts, stage: StageGame, seed: int) -> str:
    """Answer as the manager if the agent is the first one, else as a bidding contractor."""
    me = facts["you"]
    if me == stage.agents[0]:
        return _managing(second, facts, stage)
    offer, bids = facts.get("offer"), bids_at_cost(stage, me)
    mine = max(bids.values(), key=lambda bid: bid.surplus)
    heard = any(line.get("by") == me and "offers" in line for line in facts["history"])
    if mine.surplus > 0 and not heard:
        return f"{REJECT if offer else ''}<s>I bid.</s>{proposal(mine.deal(stage))}"
    if not offer:
        return f"<s>I have nothing more to bid.</s>{REJECT}"
    clauses = offer["clauses"]
    costs = [bids[c["action"]].price for c in clauses if c.get("agent") == me]
    paid = sum(Fraction(c["amount"]) for c in clauses if c.get("payee") == me)
    return ACCEPT if paid >= sum(costs) else REJECT


def _managing(second: bool, facts: Facts, stage: StageGame) -> str:
    contractors = stage.agents[1:]
    spoken = {line["by"] for line in facts["history"] if "by" in line}
    bids = sorted(_bids(facts, stage), key=lambda bid: -bid.surplus)
    if not spoken.issuperset(contractors) or not bids:
        return f"<s>Who does something for me, and at what price?</s>{REJECT}"
    best, *others = bids
    if second:
        beaten = max((bid.surplus for bid in others), default=Fraction(0))
        reserve = stage.most[stage.agents[0]]
        best = replace(best, price=max(best.price, min(best.gain - beaten, reserve)))
    award, offer = best.deal(stage), facts.get("offer")
    if offer and offer["hash"] == award.hash():
        return f"<s>I award it.</s>{ACCEPT}"
    return f"{REJECT if offer else ''}<s>I award it so.</s>{proposal(award)}"


def _bids(facts: Facts, stage: StageGame) -> list[Bid]:
    """Return each contractor's first bid in the history, if its surplus is positive."""
    found: dict[str, Bid] = {}
    for line in facts["history"]:
        if "offers" not in line or line["by"] in (stage.agents[0], *found):
            continue
        deal = read_words(line["offers"], terms_of(facts))
        clauses = () if isinstance(deal, Fault) else deal.clauses
        asked = [duty for c in clauses if (duty := c.duty) and not duty.forbidden]
        duties = [duty.action for duty in asked if duty.agent == line["by"]]
        pays = [pay for c in clauses if (pay := c.transfer)]
        prices = [pay.amount for pay in pays if pay.payee == line["by"]]
        if len(duties) == 1 and len(duties) + len(prices) == len(clauses):
            at_cost = bids_at_cost(stage, line["by"])[duties[0]]
            found[line["by"]] = replace(at_cost, price=sum(prices, Fraction(0)))
    return [bid for bid in found.values() if bid.surplus > 0]


_RULES = ("nash", "kalai_smorodinsky", "fixed_split", "random_split")

nash, kalai_smorodinsky, fixed_split, random_split = (
    Baseline(partial(_arbitrated, rule)) for rule in _RULES
)
contract_net = Baseline(partial(_contracting, False))
second_price = Baseline(partial(_contracting, True))

SHIPPED: dict[str, Baseline] = {
    **dict(zip(_RULES, (nash, kalai_smorodinsky, fixed_split, random_split), strict=True)),
    "contract_net": contract_net,
    "second_price": second_price,
}
"""The baselines by their names in seats. They are shipped code, so any file may name them."""
