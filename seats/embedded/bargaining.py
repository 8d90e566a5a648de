"""How an embedded agent reasons, offers, answers and acts, from the facts of one letter."""

import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from random import Random
from typing import Any, ClassVar

from shapley_coop.deals import Deal, Share
from shapley_coop.games import Turn
from shapley_coop.games.foresight import Missing, Payoffs
from shapley_coop.games.params import EVERYONE
from shapley_coop.seats.embedded.characters import Character
from shapley_coop.seats.embedded.contracting import Clerk, Party
from shapley_coop.seats.embedded.delegating import Delegator
from shapley_coop.seats.embedded.exchange import Negotiator
from shapley_coop.seats.embedded.letter_facts import (
    clauses_in,
    fact,
    number,
    proposal,
    sound_deal,
)
from shapley_coop.seats.embedded.membership import Member, serves
from shapley_coop.seats.embedded.ordering import orders
from shapley_coop.seats.embedded.outlook import (
    EPSILON,
    Outlook,
    Unforeseeable,
    target_of,
)
from shapley_coop.seats.embedded.prices import prices
from shapley_coop.seats.embedded.strategies import Player
from shapley_coop.seats.embedded.trading import Trader
from shapley_coop.seats.embedded.without_foresight import answer_blindly, owed_now

REASONING = "reasoning"
_NO_SPLIT = "<s>I propose nothing: let what we signed stand.</s><REJECT>"


@dataclass(frozen=True)
class Agent:
    """One embedded agent in front of one letter.

    Attributes:
        facts: the letter's facts.
        record: the turns played, from the letter's history.
        self_: its character.
        rng: its dice, from its seed and the letter.
        talk: the letter's history, a line each, as it was said.
    """

    facts: Mapping[str, Any]
    record: list[Turn]
    self_: Character
    rng: Random
    talk: Sequence[Mapping[str, Any]] = ()

    @cached_property
    def outlook(self) -> Outlook:
        """What the letter's facts imply of the game and of the contract in force."""
        return Outlook.of(self.facts, self.record)

    def answer(self) -> str:
        """The message that answers the letter."""
        acts = self._OF_GOODS if self.facts.get("goods") else self._ACTS
        if (asked := str(self.facts.get("ask"))) not in acts:
            return "<s>I cannot decide: the letter does not say what it asks.</s>"
        try:
            return acts[asked](self)
        except Unforeseeable:
            return answer_blindly(asked, self.facts, self.rng, self.talk)
        except Missing as missing:
            return f"<s>I cannot decide: {missing}.</s>"

    def reason(self) -> str:
        """Short-term Shapley: collective payoff, sign of my externality, price."""
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
        """An offer of my own."""
        o = self.outlook
        clauses: list[Any] = list(o.together if self._priced else o.wish)
        if not clauses:
            return "<s>I propose nothing: let things stand as they do.</s><REJECT>"
        if not self._priced:
            return _offer("I propose that we do this", clauses)
        if self._trusts_norm:
            clauses.append(Share(norm=self.facts["norms"][0]))
            return _offer("I propose that we leave the split to the record", clauses)
        clauses += prices(o, self._target())
        return _offer("I propose transferring what makes this worth it for each", clauses)

    def reply(self) -> str:
        """Accept, or reject with a counter-offer."""
        deal = sound_deal({"clauses": fact(self.facts, "offer", "clauses")})
        o = self.outlook
        mine, alone = o.value(deal)[o.me], o.alone[o.me]
        wanted = self._target(ahead=1)[o.me] if self._priced else alone + 2 * EPSILON * o.asks(deal)
        good = mine >= wanted - EPSILON and serves(self.facts, o.value(deal), o.alone)
        if not good and abs(mine - alone) < EPSILON and self._last_round:
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
        """The action that pays best, given what all are expected to do."""
        legal = list(fact(self.facts, "legal"))
        if self.rng.random() < self.self_.noise:
            return _action(self.rng.choice(legal))
        if self.self_.strategy and "payoffs" in self.facts:
            with suppress(Unforeseeable):  # a table too large for strategies can be looked ahead in
                player = Player(self.facts, self.record, self.rng)
                return _action(player.choose(self.self_.strategy))
        if self.facts.get("mediator"):
            return _action(Delegator(self.facts, self.record).choose())
        world, contract = self.outlook.world, self.facts.get("contract")
        if world.writes or not contract:
            return _action(world.habit(legal))
        deal = Deal(clauses=tuple(clauses_in(contract)))
        owed = owed_now(self.facts, legal)
        weighed = dict.fromkeys([*world.options(legal), *owed])
        worth = {act: self.outlook.value(deal, mine=act)[self.outlook.me] for act in weighed}
        best = max(worth.values())
        for action in owed:
            if worth[action] >= best - EPSILON or self.rng.random() < self.self_.honesty:
                return _action(action)
        return _action(max(weighed, key=lambda action: worth[action]))

    def claim(self) -> str:
        """What part I say was mine: what I make of the record, as no value is computed yet."""
        me, agents = fact(self.facts, "you"), fact(self.facts, "agents")
        part = self._seen(own=1).get(me, Fraction(1, len(agents)))
        own = min(Fraction(1), part * Fraction(self.self_.claim)).limit_denominator(1000)
        return f"<s>{round(100 * own)} % of this was my doing.</s><CLAIM>{own}</CLAIM>"

    def propose_split(self) -> str:
        """Ask for what the record supports; without computed values, for what I make of it.

        What was signed stays where it serves me better.
        """
        signed = number(self.facts, "as_signed", fact(self.facts, "you"))
        due = self._due
        if due is None or not self.facts.get("norms"):
            return self._split_as_seen(signed)
        if signed > due + EPSILON and self.rng.random() >= self.self_.fairness:
            return _NO_SPLIT
        value = fact(self.facts, "computed", "values", fact(self.facts, "you"))
        said = f"By the record my value is {value}; I need no more and no less"
        return _offer(said, [Share(norm=self.facts["norms"][0])])

    def reply_split(self) -> str:
        """Accept what leaves me no worse than what was signed, or what the record supports."""
        me = fact(self.facts, "you")
        mine = number(self.facts, "offer", "payoffs", me)
        signed = number(self.facts, "as_signed", me)
        due = signed if self._due is None else self._due
        concession = self.self_.fairness * max(0.0, signed - due)
        if mine >= signed - concession - EPSILON:
            return "<s>I agree because the record supports it.</s><ACCEPT>"
        return "<s>I disagree because I would be left with less.</s><REJECT>"

    def ratify(self) -> str:
        """Sign what delegates agreed on, leave it, or veto it."""
        try:
            return self._member.ratify(self.outlook)
        except Unforeseeable:
            return self._member.ratify(None)

    @property
    def _member(self) -> Member:
        """Myself where delegates bargain for all."""
        return Member(self.facts, self.rng)

    @property
    def _holder(self) -> Trader:
        """Myself where agents hold goods, whose worths each alone knows."""
        return Trader(self.facts, self.record, self.self_, self.rng, self.talk)

    @property
    def _party(self) -> Party:
        """Myself where contracts are drafted and signed."""
        return Party(self.facts, self.record, self.self_, self.talk)

    @property
    def _clerk(self) -> Clerk:
        """Myself where I am no party to the contract."""
        return Clerk(self.facts, self.record, self.talk)

    @property
    def _trader(self) -> Negotiator:
        """Myself in an exchange of tasks, where offers are allocations and not clauses."""
        return Negotiator(self.facts, self.self_, self.rng)

    _ACTS: ClassVar[Mapping[str, Callable[["Agent"], str]]] = {
        "reason": reason,
        "propose": propose,
        "answer": reply,
        "act": act,
        "claim": claim,
        "propose_split": propose_split,
        "answer_split": reply_split,
        "answer_bounty": reply_split,
        "order": lambda self: orders(self.facts),
        "elect": lambda self: self._member.vote(),
        "ratify": ratify,
        "consider": lambda self: self._trader.consider(),
        "exchange": lambda self: self._trader.talk(),
        "contract_propose": lambda self: self._party.draft(),
        "contract_answer": lambda self: self._party.answer(),
        "contract_sign": lambda self: self._party.sign(),
        "contract_write": lambda self: self._clerk.write(),
        "contract_judge": lambda self: self._clerk.judge(),
    }
    _OF_GOODS: ClassVar[Mapping[str, Callable[["Agent"], str]]] = {
        **_ACTS,
        "reason": lambda self: self._holder.reason(),
        "propose": lambda self: self._holder.propose(),
        "answer": lambda self: self._holder.reply(),
        "act": lambda self: self._holder.act(),
        "contract_propose": lambda self: self._holder.propose(),
        "contract_answer": lambda self: self._holder.answer_draft(),
        "contract_sign": lambda self: self._holder.sign(),
    }

    @property
    def _due(self) -> float | None:
        """What the computed split gives me; None where none was computed."""
        if not self.facts.get("computed"):
            return None
        return number(self.facts, "computed", "payoffs", fact(self.facts, "you"))

    def _seen(self, own: float) -> dict[str, Fraction]:
        """Each agent's part of all that effects credit to agents; empty where nothing was seen.

        Args:
            own: how many times over I count my own.
        """
        amounts = dict.fromkeys(fact(self.facts, "agents"), 0)
        for turn in self.record:
            for effect in turn.get("effects", []):
                if effect.get("agent") in amounts and effect.get("amount", 0) > 0:
                    amounts[effect["agent"]] += int(effect["amount"])
        amounts[fact(self.facts, "you")] = round(own * amounts[fact(self.facts, "you")])
        total = sum(amounts.values())
        return {a: Fraction(x, total) for a, x in amounts.items()} if total else {}

    def _split_as_seen(self, signed: float) -> str:
        """The split by what I saw each agent do, if it gives me more than what was signed."""
        parts = self._seen(own=self.self_.claim)
        mine = parts.get(fact(self.facts, "you"), Fraction(0))
        if mine * number(self.facts, "total") <= signed + EPSILON:
            return _NO_SPLIT
        said = f"I propose a split by what was done; {round(100 * mine)} % was my doing"
        return _offer(said, [Share(fractions=parts)])

    @property
    def _priced(self) -> bool:
        """Whether a letter has had me work out a price."""
        return bool(self.facts.get(REASONING))

    @property
    def _last_round(self) -> bool:
        return int(fact(self.facts, "round")) >= int(fact(self.facts, "rounds"))

    @property
    def _trusts_norm(self) -> bool:
        """Whether a computed norm promises me what haggling would, or more.

        Not knowing how hard the others bargain, I expect haggling to end at an even split of
        the surplus; who asks for much more than that believes it can do better.
        """
        return bool(self.facts.get("norms")) and self.self_.greed < 0.8

    def _target(self, ahead: int = 0) -> Payoffs:
        """What each would get if I had my way."""
        return target_of(self.facts, self.self_, self.outlook.alone, self.outlook.surplus, ahead)


def _offer(speech: str, clauses: list[Any]) -> str:
    return f"<s>{speech}.</s>{proposal(Deal(clauses=tuple(clauses)))}"


def _action(action: str) -> str:
    label, _, _ = action.partition(" {")  # what it carries is not spoken
    return f"<s>I do {label}.</s><ACTION>{action}</ACTION>"
