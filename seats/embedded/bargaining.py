"""The embedded agent: it reasons, offers, answers and acts from the facts of one letter."""

import json
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from shapley_coop import extension
from shapley_coop.deals.analysis.outlook_rows import EVERYBODY
from shapley_coop.deals.language.clauses import Share
from shapley_coop.deals.language.deal import Deal
from shapley_coop.games.foresight import Missing, Payoffs, check_facts
from shapley_coop.games.gives import legal_in
from shapley_coop.games.params import EVERYONE
from shapley_coop.seats.asked import find_question
from shapley_coop.seats.embedded.letter_facts import (
    Reader,
    choice,
    deal_in,
    fact,
    offer,
    owed_now,
    sound_deal,
    told_payoffs,
)
from shapley_coop.seats.embedded.outlook import (
    EPSILON,
    REASONING,
    Outlook,
    Unforeseeable,
    target_of,
)
from shapley_coop.seats.embedded.prices import prices

STRATEGIST = "shapley_coop.seats.embedded.strategies:Player.choose"
"""The method that chooses an action by a character's strategy."""


@dataclass(frozen=True)
class Agent(Reader):
    """An embedded agent that answers one letter."""

    @cached_property  # without the cache, each call would foresee the game again
    def outlook(self) -> Outlook:
        """The agent's expectations about the game under the contract in force."""
        return Outlook.of(self.facts, self.record)

    def answer(self) -> str:
        """Return the message that answers the letter."""
        name = str(self.facts.get("ask"))
        if (question := find_question(name)) is None:
            return "<s>I cannot decide: the letter does not say what it asks.</s>"
        course = self._course
        try:
            if name in course:
                return course[name]()
            program = question.program
            return self.do(program) if isinstance(program, str) else program(self)
        except Unforeseeable as why:
            from shapley_coop.seats.embedded.without_foresight import answer_blindly

            return answer_blindly(name, self.facts, self.rng, self.talk, str(why))
        except Missing as missing:
            return f"<s>I cannot decide: {missing}.</s>"

    def reason(self) -> str:
        """Return short-term Shapley reasoning: total payoff, sign of my externality, price."""
        o = self.outlook
        plan = Deal(clauses=tuple(o.together))
        others = Deal(clauses=tuple(clause for clause in o.together if clause.agent != o.me))
        of_all = any(clause.agent == EVERYONE for clause in o.together)
        instead = o.world.habit(list(fact(self.facts, "legal"))) if of_all else None
        with_me, without = o.value(plan), o.value(others, instead)
        gain = sum(with_me[a] - without[a] for a in o.agents if a != o.me)
        thought = {
            "collective_payoff": sum(with_me.values()),
            "plan": plan.text(),
            "externality": "+" if gain > EPSILON else "-" if gain < -EPSILON else "0",
            "price": round(self._target()[o.me] - with_me[o.me], 2),
        }
        return f"<CONSIDER>{json.dumps(thought)}</CONSIDER>"

    def propose(self) -> str:
        """Return my offer, or a message that I propose nothing if no clause benefits me."""
        o = self.outlook
        clauses: list[Any] = list(o.together if self._priced else o.wish)
        if not clauses:
            return "<s>I propose nothing: let things stand as they do.</s><REJECT>"
        if not self._priced:
            return f"<s>I propose that we do this.</s>{o.wished}"
        if self._trusts_norm:
            clauses.append(Share(norm=self.facts["norms"][0]))
            return offer("I propose that we leave the split to the record", clauses)
        clauses += prices(o, self._target())
        return offer("I propose transferring what makes this worth it for each", clauses)

    def reply(self) -> str:
        """Return an acceptance, or a rejection with a counter-offer if a round is left."""
        deal = sound_deal({"clauses": fact(self.facts, "offer", "clauses")})
        o = self.outlook
        mine, had = o.value(deal)[o.me], o.without[o.me]
        wanted = self._target(ahead=1)[o.me] if self._priced else had + 2 * EPSILON * o.asks(deal)
        if self._by_norm is not None:
            mine, wanted = self._by_norm, min(wanted, self._least)
        good = mine >= wanted - EPSILON and self._serves(deal)
        if not good and abs(mine - had) < EPSILON and self._last_round:
            good = self.rng.random() < self.self_.yielding
        if good:
            return "<s>I agree because it is worth it for me.</s><ACCEPT>"
        if self._last_round:
            return "<s>I disagree because I would gain too little.</s><REJECT>"
        counter = self.propose()
        if "<PROPOSAL>" not in counter:
            return "<s>I disagree because I would gain too little.</s><REJECT>"
        return "<REJECT>" + counter.replace("<s>I propose", "<s>I counter-propose")

    def act(self) -> str:
        """Return the action that my character chooses; by default the action that pays me best."""
        check_facts(self.facts, "legal")
        legal = list(legal_in(self.facts))
        if self.rng.random() < self.self_.noise:
            return choice(self.rng.choice(legal))
        if self.self_.strategy and "payoffs" in self.facts:
            with suppress(Unforeseeable):  # the letter has no payoff table: choose as below
                return choice(self.do(STRATEGIST, self.self_.strategy))
        for name in extension.offered("moves"):
            if self.facts.get(name):
                return choice(extension.load("moves", name)(self.facts, self.record))
        world, contract = self.outlook.world, self.facts.get("contract")
        if world.writes or not contract:
            return choice(world.habit(legal))
        deal = deal_in(contract)
        owed = owed_now(self.facts, legal)
        weighed = dict.fromkeys([*world.options(legal), *owed])
        worth = {act: self.outlook.value(deal, mine=act)[self.outlook.me] for act in weighed}
        best = max(worth.values())
        for action in owed:
            if worth[action] >= best - EPSILON or self.rng.random() < self.self_.honesty:
                return choice(action)
        return choice(max(weighed, key=lambda action: worth[action]))

    def do(self, place: str, *given: str) -> str:
        """Return the answer of the method of a `Reader` that is named as `module:Class.method`."""
        kind, _, method = place.rpartition(".")
        part: type[Reader] = extension.import_place(kind)
        return str(getattr(part.of(self), method)(*given))

    @property
    def _course(self) -> Mapping[str, Callable[[], str]]:
        """Question name → the extension's function that replaces the usual answer."""
        for name in extension.offered("courses"):
            if self.facts.get(name):
                course: Mapping[str, Callable[[], str]] = extension.load("courses", name)(self)
                return course
        return {}

    def _serves(self, deal: Deal) -> bool:
        """Return whether a deal gives each agent that I represent at least what no deal would."""
        o = self.outlook
        within = o.value(deal)
        return all(within[a] >= o.without[a] - EPSILON for a in self.facts.get("represents", []))

    @property
    def _priced(self) -> bool:
        """Whether an earlier letter asked me to reason about a price."""
        return bool(self.facts.get(REASONING))

    @property
    def _last_round(self) -> bool:
        return int(fact(self.facts, "round")) >= int(fact(self.facts, "rounds"))

    @property
    def _trusts_norm(self) -> bool:
        """Whether I expect a computed norm to give me as much as bargaining would.

        I expect bargaining to end at an even split of the surplus, as I do not know how hard the
        others bargain. A greedy agent expects more from bargaining than that.
        """
        if self._by_norm is not None and self._by_norm < self._least - EPSILON:
            return False
        return bool(self.facts.get("norms")) and self.self_.greed < 0.8

    @property
    def _by_norm(self) -> float | None:
        """My payoff if the offer's norm splits the total, as the letter states it, else None."""
        offer = self.facts.get("offer", {})
        if not any(clause.get("norm") for clause in offer.get("clauses", [])):
            return None
        return next(iter(told_payoffs(self.facts, EVERYBODY)), None)

    @property
    def _least(self) -> float:
        """My target payoff in the last round, which is the least payoff that I accept."""
        left = int(fact(self.facts, "rounds")) - int(fact(self.facts, "round"))
        return self._target(ahead=left)[self.outlook.me]

    def _target(self, ahead: int = 0) -> Payoffs:
        """Return all agents' payoffs that I aim for `ahead` rounds from now."""
        return target_of(self.facts, self.self_, self.outlook.without, self.outlook.surplus, ahead)
