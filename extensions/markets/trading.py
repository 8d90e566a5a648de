"""The bargaining of an embedded agent over goods, by its own worths and its guesses."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import prod
from typing import Any

from shapley_coop.amounts import plain
from shapley_coop.deals.language.clauses import Do, Pay
from shapley_coop.deals.language.deal import Deal
from shapley_coop.deals.language.effects import portions
from shapley_coop.deals.language.faults import Fault
from shapley_coop.deals.language.when import Turns
from shapley_coop.extensions.markets.foresight import Guess
from shapley_coop.extensions.markets.gifts import Gift, after, by_hand, can_be_made, gives, in_turn
from shapley_coop.games.foresight import check_facts
from shapley_coop.games.gives import actions_in, give, legal_in
from shapley_coop.seats.embedded.letter_facts import Reader, choice, owed_now, proposal
from shapley_coop.seats.embedded.offered import offered_deal

EPSILON = Fraction(1, 10**6)
MOST_PARTNERS = 32
"""The largest number of sellers in one offer, so that its text stays within a deal's limit."""

MOST_DIVISIONS = 5_000


@dataclass(frozen=True)
class Trader(Reader):
    """An embedded agent that answers one letter of a game with goods.

    The agent knows its own worths, and guesses the others' worths (`Guess`). It never signs a deal
    that leaves it with less than it has, or that costs more than it can pay.
    """

    @property
    def market(self) -> Guess:
        """The holdings, the agent's own worths, and the guessed worths of other agents."""
        check_facts(self.facts, "you", "agents", "goods", "pool")
        return Guess(self.facts)

    def reason(self) -> str:
        """Return a `<CONSIDER>`: collective payoff, plan, sign of the externality, and price."""
        gifts, market = self._gifts(1), self.market
        after = self._after(gifts)
        payments = self._payments(gifts, 1)
        parts = [p.amount * portions(p, market.agents)[market.me] for p in payments]
        thought = {
            "collective_payoff": float(sum(market.worth(a, own) for a, own in after.items())),
            "plan": Deal(clauses=tuple(gives(gifts))).text(),
            "externality": "+" if gifts else "0",
            "price": round(float(sum(parts)), 2),
        }
        return f"<CONSIDER>{json.dumps(thought)}</CONSIDER>"

    def propose(self) -> str:
        """Return a proposal that moves goods to their highest guessed worth and shares the gain."""
        now = self._round
        gifts = self._gifts(now)
        clauses = self._clauses(gifts, now)
        if not clauses:
            return "<s>I propose nothing: I keep what I have.</s><REJECT>"
        return f"<s>I propose this trade.</s>{proposal(Deal(clauses=tuple(clauses)))}"

    def reply(self) -> str:
        """Return an acceptance of a good offer, or a rejection, perhaps with a counter-offer."""
        if self._good(ahead=1):
            return "<s>I agree because it is worth it for me.</s><ACCEPT>"
        counter = "" if self._last_round else self.propose()
        if "<PROPOSAL>" not in counter:
            return "<s>I disagree because I would gain too little.</s><REJECT>"
        return "<REJECT>" + counter.replace("<s>I propose", "<s>I counter-propose")

    def answer_draft(self) -> str:
        """Return an acceptance of a good draft, or a proposal that replaces the draft."""
        fixed = not self.facts.get("can_redraft", True)
        return self.reply() if fixed or self._good(ahead=1) else self.propose()

    def sign(self) -> str:
        """Return a signature if the deal leaves the agent with a gain, else a rejection."""
        gain = self._gain()
        if gain is not None and gain > 0:
            return "<s>I sign.</s><ACCEPT>"
        return "<s>I do not sign what leaves me no better.</s><REJECT>"

    def act(self) -> str:
        """Return an owed action with probability `honesty`, else `keep` or a gift from a pool."""
        check_facts(self.facts, "legal")
        legal = legal_in(self.facts)
        if self.rng.random() < self.self_.noise:
            return choice(self.rng.choice(legal))
        for action in owed_now(self.facts, legal):
            if self.rng.random() < self.self_.honesty:
                return choice(action)
        market = self.market
        if "accept" in legal:
            better = market.mine(market.holds[market.me]) > market.alone
            return choice("accept" if better else "refuse")
        return choice(self._by_hand(legal) or "keep")

    def _by_hand(self, legal: Sequence[str]) -> str:
        """Return an action that gives another agent its part of a pool; "" if a contract exists."""
        if not self.market.pool or self.facts.get("contract"):
            return ""
        for _, receiver, good, count in self._division(1):
            if (action := give(count, good, receiver)) in legal:
                return action
        return ""

    def _good(self, ahead: int) -> bool:
        """Return whether the offer gives the gain that the agent will demand `ahead` rounds on."""
        gain = self._gain()
        if gain is None:
            return False
        if gain >= max(self._wanted(self._round + ahead), EPSILON):
            return True
        if not self._last_round:
            return False
        same = abs(gain) < EPSILON and self.rng.random() < self.self_.yielding
        return gain >= EPSILON or same

    def _wanted(self, at: int) -> Fraction:
        """Return the gain that the agent demands at a round of talk."""
        gifts = self._gifts(at)
        market, after = self.market, self._after(gifts)
        if market.pool:
            return market.mine(after[market.me]) - market.alone
        gains = (market.worth(a, after[a]) - market.worth(a, market.holds[a]) for a in after)
        return self._share(at) * sum(gains, Fraction(0))

    def _gain(self) -> Fraction | None:
        """Return the agent's gain by the offer; None if it is unknown or the purse is too small."""
        deal, market = offered_deal(self.facts, self.talk), self.market
        if isinstance(deal, Fault) or deal.split:
            return None
        pays = [pay for c in deal.clauses if (pay := c.transfer)]
        if any(pay.basis == "reward" for pay in pays):
            return None
        gifts = [(g.giver, g.receiver, g.good, g.quantity) for c in deal.clauses if (g := c.gift)]
        duties = [duty for c in deal.clauses if (duty := c.duty) and not duty.forbidden]
        gifts += [gift for duty in duties if (gift := by_hand(duty))]
        paid = Fraction(0)
        for pay in pays:
            times = int(self.facts.get("turns", 1)) if pay.basis == "turn" else 1
            part = portions(pay, market.agents).get(market.me, 0)
            paid += part * pay.amount * times
        if market.purse is not None and -paid > market.purse:
            return None
        after = self._after(gifts)[market.me]
        return market.mine(after) + paid - market.alone

    def _after(self, gifts: Sequence[Gift]) -> dict[str, dict[str, int]]:
        return after(self.market.holds, gifts, self.market.agents)

    def _can_give(self, gifts: Sequence[Gift]) -> bool:
        """Return whether the gifts can be made: by clauses, or else by hand in the turns left."""
        left = int(self.facts["turns"]) - self.market.pool - self._turn + 1
        return self._pays or can_be_made(gifts, left, actions_in(self.facts))

    def _gifts(self, at: int) -> list[Gift]:
        """Return the gifts that the agent would propose at a round of talk."""
        if self.market.pool:
            return self._division(at)
        return self._trades() if self._pays else self._swap(at)

    def _trades(self) -> list[Gift]:
        """Return gifts to or from the agent that move units to the highest guessed worth."""
        market, me = self.market, self.market.me
        others, found = [a for a in market.holds if a != me], list[Gift]()
        for good in market.goods:
            own = market.holds[me].get(good, 0)
            dearest, buyer = max((market.each(a, good), a) for a in others)
            sold = [n for n in range(1, own + 1) if self._unit(good, n) < dearest]
            if sold:
                found.append((me, buyer, good, len(sold)))
                continue
            for other in others:
                there = range(own + 1, own + 1 + market.holds[other].get(good, 0))
                bought = [n for n in there if self._unit(good, n) > market.each(other, good)]
                if bought and len(found) < MOST_PARTNERS:
                    found.append((other, me, good, len(bought)))
        return found

    def _swap(self, at: int) -> list[Gift]:
        """Return the best swap of one good for another agent's good, for talk without payments."""
        market, me, share = self.market, self.market.me, self._share(at)
        best, found = Fraction(0), list[Gift]()
        for other, mine, theirs in product(market.holds, market.goods, market.goods):
            if other == me or mine == theirs:
                continue
            most = market.holds[me].get(mine, 0), market.holds[other].get(theirs, 0)
            for mine_out, theirs_in in product(range(1, most[0] + 1), range(1, most[1] + 1)):
                gifts = [(me, other, mine, mine_out), (other, me, theirs, theirs_in)]
                gain = market.mine(self._after(gifts)[me]) - market.mine(market.holds[me])
                gives = market.each(other, mine) * mine_out
                gives -= market.each(other, theirs) * theirs_in
                joint = share * gain + (1 - share) * gives
                if gain > 0 and gives > 0 and joint > best and self._can_give(gifts):
                    best, found = joint, gifts
        return found

    def _division(self, at: int) -> list[Gift]:
        """Return the pool's division that meets the agent's demand and is best for the others."""
        market, me = self.market, self.market.me
        pool = market.holds.get(market.holder, {})
        takers = [a for a in market.agents if a != market.holder]
        ways = [range(pool.get(good, 0) // len(takers) + 1) for good in market.goods]
        if prod(map(len, ways)) > MOST_DIVISIONS:
            ways = [range(0, len(way), max(1, len(way) // 3)) for way in ways]
        wanted = max(market.alone, self._share(at) * market.mine(pool))
        best, found = Fraction(-1), list[Gift]()
        for counts in product(*ways):
            parts = zip(market.goods, counts, strict=True)
            gifts = [(market.holder, a, g, n) for g, n in parts if n for a in takers]
            if not self._can_give(gifts):
                continue
            after = self._after(gifts)
            others = min(market.worth(a, own) for a, own in after.items() if a != me)
            if market.mine(after[me]) >= wanted and others > best:
                best, found = others, gifts
        return found

    def _clauses(self, gifts: list[Gift], at: int) -> list[Any]:
        """Return the trade as clauses: gifts and payments, or duties by hand without payments."""
        clauses: list[Any] = [*gives(gifts), *self._payments(gifts, at)]
        if not self._pays:
            clauses = [*in_turn(gifts, self._turn)]
        if self.market.pool and gifts:
            takers = dict.fromkeys(receiver for _, receiver, _, _ in gifts)
            clauses += [Do(agent=taker, action="accept", when=self._closing) for taker in takers]
        return clauses

    def _payments(self, gifts: list[Gift], at: int) -> list[Pay]:
        """Return payments that divide a trade's gain: the agent's share, the rest to partners."""
        market, me = self.market, self.market.me
        partners = sorted({a for gift in gifts for a in gift[:2]} - {me})
        if market.pool or not self._pays or not partners:
            return []
        after = self._after(gifts)
        gains = {a: market.worth(a, after[a]) - market.worth(a, market.holds[a]) for a in after}
        rest = (1 - self._share(at)) * sum(gains.values()) / len(partners)
        found = []
        for partner in partners:
            price = Fraction(round((gains[partner] - rest) * 100), 100)
            payer, payee = (partner, me) if price > 0 else (me, partner)
            if market.purse is not None and payer == me:
                price = min(abs(price), market.purse)
            if price:
                found.append(Pay(payer=payer, payee=payee, amount=plain(abs(price))))
        return found

    def _unit(self, good: str, n: int) -> Fraction:
        """Return what the n-th unit of a good is worth to the agent."""
        return self.market.mine({good: n}) - self.market.mine({good: n - 1})

    @property
    def _pays(self) -> bool:
        return bool(self.facts.get("payments", True))

    @property
    def _closing(self) -> Turns:
        last = int(self.facts["turns"])
        return Turns(turns=(last, last))

    @property
    def _turn(self) -> int:
        return int(self.facts.get("turn", 1))

    @property
    def _round(self) -> int:
        return int(self.facts.get("round", 1))

    @property
    def _last_round(self) -> bool:
        return self._round >= int(self.facts.get("rounds", 1))

    def _share(self, at: int) -> Fraction:
        """Return the fraction of a trade's gain that the agent demands at a round of talk."""
        rounds = int(self.facts.get("rounds", 1))
        return Fraction(self.self_.share(at, rounds)).limit_denominator(1000)
