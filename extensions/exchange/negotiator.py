"""Tactics of embedded agents that trade tasks: utility-aware, corner-jumping and classical ones.

===============  ==============================================================================
tactic           proposes
===============  ==============================================================================
utility_aware    a set at its target utility that, by the agent's guess, benefits the others most
corner_jumping   one of its best sets, a new one each turn (the paper's baseline behaviour)
time             a set at its target utility, which falls with time; the exponent makes it
                 Boulware, Linear or Conceder (Faratin et al., 1998)
tit_for_tat      a concession as large as the others' last concession (same source)
micro            its sets from the best down; a new set only after each of the others proposed a
                 new set (MiCRO: de Jonge, 2022)
by_letter        the set of utility_aware if the letter advises this, else of corner_jumping
===============  ==============================================================================

The tactic utility_aware accepts an offer that reaches its target. The other tactics accept an offer
with at least the utility of their next proposal. On the last turn, all tactics but corner_jumping
accept any offer that is better than their present set.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from shapley_coop.extensions.exchange.domain.market import Market
from shapley_coop.extensions.exchange.domain.masks import members
from shapley_coop.extensions.exchange.domain.scenario import Masks
from shapley_coop.seats.embedded.letter_facts import Reader, number
from shapley_coop.seats.embedded.outlook import EPSILON

CORNER = 0.9
"""The least utility that a corner jumper demands, as a fraction of its highest utility."""


@dataclass(frozen=True)
class Negotiator(Reader):
    """An embedded agent that answers a letter of an exchange."""

    @cached_property  # without the cache, each access would read the facts again
    def market(self) -> Market:
        """The market that the facts describe."""
        return Market.of(self.facts)

    def consider(self) -> str:
        """Return the answer of the first turn, a private plan."""
        market = self.market
        wanted = market.mine[0]
        given = market.holds[market.me] & ~wanted
        plan = "exchange" if given else "keep as is"
        thought = {
            "plan": plan,
            "want": market.bits(wanted),
            "could_give": [market.names[i] for i in members(given, market.n)],
        }
        return f"<CONSIDER>{json.dumps(thought)}</CONSIDER>"

    def trade(self) -> str:
        """Return the answer of a later turn: an acceptance or a proposal."""
        market, pending = self.market, self.facts.get("pending")
        mask = self._next()
        wanted = self._target() if self._tactic == "utility_aware" else market.worth(mask)
        if pending and self._accepts(pending, wanted):
            return "<ACCEPT>I agree with this allocation.</ACCEPT>"
        masks = market.allocate(mask)
        guesses = {a: round(market.guess(a, masks[a]), 3) for a in market.others}
        thought = f"<CONSIDER>{json.dumps({'estimates': guesses})}</CONSIDER>"
        answer = "<REJECT>Let's try another allocation.</REJECT>" if pending else ""
        listed = {agent: [market.describe(held)] for agent, held in masks.items()}
        if self.rng.random() < self.self_.sloppiness:
            listed = self._slip(masks, listed)
        return f"{thought}{answer}<PROPOSAL>{json.dumps(listed, ensure_ascii=False)}</PROPOSAL>"

    def _accepts(self, pending: Mapping[str, Any], wanted: float) -> bool:
        """Return whether the pending offer gives me enough; the others' tasks do not matter."""
        mine = self._my_part(pending)
        if mine is None:
            return False
        reservation = self.market.reservation
        if mine >= wanted - EPSILON and mine >= reservation - EPSILON:
            return True
        if not self._last_turn or self._tactic == "corner_jumping":
            return False
        better = mine > reservation + EPSILON
        same = abs(mine - reservation) <= EPSILON
        return better or (same and self.rng.random() < self.self_.yielding)

    def _my_part(self, pending: Mapping[str, Any]) -> float | None:
        market, told = self.market, pending.get("your_utility")
        if told is not None:
            return float(told) / market.unit
        tasks = pending.get("tasks")
        listed = tasks.get(market.me) if isinstance(tasks, dict) else None
        if not isinstance(listed, list) or len(listed) != 1 or not isinstance(listed[0], str):
            return None
        mask = market.mask_of(listed[0])
        return None if mask is None else market.worth(mask)

    def _next(self) -> int:
        """Return the set of tasks that I now propose for myself, as a bit mask."""
        tactics: dict[str, Callable[[], int]] = {
            "utility_aware": self._utility_aware,
            "corner_jumping": self._corner_jumping,
            "time": lambda: self._worth_at_least(self._target()),
            "tit_for_tat": self._tit_for_tat,
            "micro": self._micro,
        }
        return tactics[self._tactic]()

    @property
    def _tactic(self) -> str:
        if self.self_.tactic != "by_letter":
            return self.self_.tactic
        return "utility_aware" if self.facts.get("guidance") else "corner_jumping"

    def _utility_aware(self) -> int:
        market, target = self.market, self._target()
        proposed = {asked.masks[market.me] for asked in market.offered_by(market.me)}
        new = [m for m in market.mine if m not in proposed] or market.mine
        enough = [m for m in new if market.worth(m) >= target - EPSILON] or new[:1]

        def joint(mask: int) -> tuple[float, float, float]:
            """Rank a set by the smallest gain of any agent, then by my utility, then at random."""
            least = min(market.worth(mask) - market.reservation, self._others_gain(mask))
            return round(least, 2), round(market.worth(mask), 2), self.rng.random()

        return max(enough, key=joint)

    def _others_gain(self, mask: int) -> float:
        return self.market.others_gain(self.market.allocate(mask))

    def _corner_jumping(self) -> int:
        market = self.market
        corners = [m for m in market.mine if market.worth(m) >= CORNER * market.best]
        last = [asked.masks[market.me] for asked in market.offered_by(market.me)[-1:]]
        return self.rng.choice([m for m in corners if m not in last] or corners)

    def _tit_for_tat(self) -> int:
        market = self.market
        got = [asked.masks[market.me] for asked in market.offered if asked.by != market.me]
        own = market.offered_by(market.me)
        if not own or len(got) < len(market.others) + 1:
            return market.mine[0]
        step = market.worth(got[-1]) - market.worth(got[-1 - len(market.others)])
        last = market.worth(own[-1].masks[market.me])
        return self._worth_at_least(min(market.best, max(market.reservation, last - step)))

    def _micro(self) -> int:
        market = self.market
        mine = {asked.masks[market.me] for asked in market.offered_by(market.me)}
        theirs = [{a.masks[market.me] for a in market.offered_by(other)} for other in market.others]
        acceptable = [m for m in market.mine if market.worth(m) >= market.reservation - EPSILON]
        new = [m for m in acceptable if m not in mine]
        if new and (not mine or len(mine) <= min(len(seen) for seen in theirs)):
            return new[0]
        return self.rng.choice(sorted(mine)) if mine else market.mine[0]

    def _worth_at_least(self, target: float) -> int:
        """Return my worst set that reaches the target; of equals, the one best for the others."""
        market = self.market
        enough = [m for m in market.mine if market.worth(m) >= target - EPSILON] or market.mine[:1]
        least = market.worth(enough[-1])
        ties = [m for m in enough if market.worth(m) <= least + EPSILON]
        return max(ties, key=self._others_gain)

    def _target(self) -> float:
        """Return my target utility: the reservation value plus my falling share of the gain.

        A utility-aware agent considers only its sets that do not seem to harm the others.
        """
        market = self.market
        best = market.best
        if self._tactic == "utility_aware":
            harmless = [market.worth(m) for m in market.mine if self._others_gain(m) >= 0]
            best = max([market.reservation, *harmless])
        # The first turn is private, so the first turn of talk is the second.
        share = self.self_.share(
            int(number(self.facts, "turn")) - 1, int(number(self.facts, "turns")) - 1
        )
        return market.reservation + share * (best - market.reservation)

    @property
    def _last_turn(self) -> bool:
        return number(self.facts, "turn") >= number(self.facts, "turns")

    def _slip(self, masks: Masks, listed: dict[str, list[str]]) -> dict[str, list[str]]:
        """Return an allocation changed by one of the faults that models make."""
        market, other = self.market, self.rng.choice(self.market.others)
        mine, theirs = masks[market.me], masks[other]
        atoms = [1 << (market.n - 1 - i) for i in members(mine, market.n)]
        slips: list[dict[str, list[str]]] = [
            {other: [market.describe(theirs)[:-2]]},
            {other: [market.describe(theirs | self.rng.choice(atoms))]},
            {market.me: [market.describe(bit) for bit in atoms]},
        ]
        if theirs.bit_count() > 1:
            slips.append({other: [market.describe(theirs & (theirs - 1))]})
        return {**listed, **self.rng.choice(slips)}
