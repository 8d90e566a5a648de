"""How an embedded agent reasons, offers, answers and acts, from the facts of one letter."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from random import Random
from typing import Any

from deals import Deal, Do, Event, Last, Pay, Share, plain
from games import Turn
from seats.embedded.characters import Character
from seats.embedded.outlook import Missing, Outlook, Payoffs, transfers_to

EPSILON = 1e-9
REASONING = "reasoning"


@dataclass(frozen=True)
class Agent:
    """One embedded agent in front of one letter.

    Attributes:
        facts: the letter's facts.
        record: the turns played, from the letter's history.
        self_: its character.
        rng: its dice, from its seed and the letter.
    """

    facts: Mapping[str, Any]
    record: list[Turn]
    self_: Character
    rng: Random

    @cached_property
    def outlook(self) -> Outlook:
        """What the letter's payoffs imply."""
        return Outlook.of(self.facts, self.record)

    def answer(self) -> str:
        """The message that answers the letter."""
        acts = {
            "reason": self.reason,
            "propose": self.propose,
            "answer": self.reply,
            "act": self.act,
            "propose_split": self.propose_split,
            "answer_split": self.reply_split,
        }
        if (asked := self.facts.get("ask")) not in acts:
            return "<s>I cannot decide: the letter does not say what it asks.</s>"
        try:
            return acts[asked]()
        except Missing as missing:
            return f"<s>I cannot decide: {missing}.</s>"

    def reason(self) -> str:
        """Short-term Shapley: collective payoff, sign of my externality, price."""
        o = self.outlook
        plan, alone = o.best_for_all, o.default
        without = o.payoff({**plan, o.me: alone[o.me]})
        gain = sum(o.payoff(plan)[a] - without[a] for a in o.agents if a != o.me)
        thought = {
            "collective_payoff": o.total(plan),
            "plan": plan,
            "externality": "+" if gain > 0 else "-" if gain < 0 else "0",
            "price": round(self._target()[o.me] - o.payoff(plan)[o.me], 2),
        }
        return f"<CONSIDER>{json.dumps(thought)}</CONSIDER>"

    def propose(self) -> str:
        """An offer of my own."""
        o = self.outlook
        if not self._priced:
            plan = o.best_for(o.me)
            return _offer(
                "I propose that we do this", [Do(agent=a, action=x) for a, x in plan.items()]
            )
        clauses: list[Any] = [Do(agent=a, action=x) for a, x in o.best_for_all.items()]
        if self._trusts_norm:
            clauses.append(Share(norm=self.facts["norms"][0]))
            return _offer("I propose that we leave the split to the record", clauses)
        clauses += self._prices()
        return _offer("I propose transferring what makes this worth it for each", clauses)

    def reply(self) -> str:
        """Accept, or reject with a counter-offer."""
        deal = Deal.model_validate({"clauses": self._fact("offer", "clauses")})
        mine, alone = self.outlook.value(deal)[self.outlook.me], self.outlook.alone[self.outlook.me]
        wanted = self._demand(ahead=1) if self._priced else alone + 2 * EPSILON
        good = mine >= wanted - EPSILON
        if not good and abs(mine - alone) < EPSILON and self._last_round:
            good = self.rng.random() < self.self_.yielding
        if good:
            return "<s>I agree because it is worth it for me.</s><ACCEPT>"
        if self._last_round:
            return "<s>I disagree because I would gain too little.</s><REJECT>"
        return "<REJECT>" + self.propose().replace("<s>I propose", "<s>I counter-propose")

    def act(self) -> str:
        """The action that pays best, given what everybody is expected to do."""
        legal = list(self._fact("legal"))
        if self.rng.random() < self.self_.noise:
            return _action(self.rng.choice(legal))
        o, contract = self.outlook, self.facts.get("contract")
        if not contract:
            return _action(max(legal, key=lambda action: o.expected(o.me, action)))
        deal = Deal.model_validate({"clauses": contract["clauses"]})
        worth = {action: o.value(deal, mine=action)[o.me] for action in legal}
        owed = {d["action"] for d in self.facts.get("duties", []) if not d["forbidden"]} & set(
            legal
        )
        best = max(worth.values())
        for action in owed:
            if worth[action] >= best - EPSILON or self.rng.random() < self.self_.honesty:
                return _action(action)
        return _action(max(legal, key=lambda action: worth[action]))

    def propose_split(self) -> str:
        """Claim what the record supports; leave the signed split where it serves me better."""
        me = self._fact("you")
        signed = self._fact("as_signed", me)
        if not self.facts.get("computed") or not self.facts.get("norms"):
            return "<s>I propose nothing: let what we signed stand.</s><REJECT>"
        value = self._fact("computed", "values", me)
        undue = float(signed) - float(value)
        if undue > EPSILON and self.rng.random() >= self.self_.fairness:
            return "<s>I propose nothing: let what we signed stand.</s><REJECT>"
        said = f"By the record my value is {value}; I need no more and no less"
        return _offer(said, [Share(norm=self.facts["norms"][0])])

    def reply_split(self) -> str:
        """Accept what leaves me no worse than what was signed, or what the record supports."""
        me = self._fact("you")
        mine = float(self._fact("offer", "payoffs", me))
        signed = float(self._fact("as_signed", me))
        known = self.facts.get("computed")
        value = float(self._fact("computed", "values", me)) if known else signed
        concession = self.self_.fairness * max(0.0, signed - value)
        if mine >= signed - concession - EPSILON:
            return "<s>I agree because the record supports it.</s><ACCEPT>"
        return "<s>I disagree because I would be left with less.</s><REJECT>"

    @property
    def _priced(self) -> bool:
        """Whether a letter has had me work out a price."""
        return bool(self.facts.get(REASONING))

    @property
    def _last_round(self) -> bool:
        return int(self._fact("round")) >= int(self._fact("rounds"))

    @property
    def _trusts_norm(self) -> bool:
        """Whether a computed norm promises me what haggling would, or more.

        Not knowing how hard the others bargain, I expect haggling to end at an even split of
        the surplus; who asks for much more than that believes it can do better.
        """
        return bool(self.facts.get("norms")) and self.self_.greed < 0.8

    def _demand(self, ahead: int = 0) -> float:
        """The payoff I hold out for: time-dependent concession from greed to floor."""
        o, rounds = self.outlook, int(self._fact("rounds"))
        at = min(1.0, (int(self._fact("round")) - 1 + ahead) / max(1, rounds - 1))
        share = self.self_.greed - (self.self_.greed - self.self_.floor) * at**self.self_.patience
        return float(o.alone[o.me] + share * o.surplus)

    def _target(self) -> Payoffs:
        """What everybody would get if I had my way: my demand, the rest evenly."""
        o, mine = self.outlook, self._demand()
        rest = (o.surplus - (mine - o.alone[o.me])) / (len(o.agents) - 1)
        return {a: mine if a == o.me else o.alone[a] + rest for a in o.agents}

    def _prices(self) -> list[Pay]:
        o = self.outlook
        left = o.turns - o.turn + 1
        earned = {a: left * float(x) for a, x in o.payoff(o.best_for_all).items()}
        return [
            Pay(
                payer=payer,
                payee=payee,
                amount=plain(amount),
                when=Last(last=Event(agent=payee, action=o.best_for_all[payee])),
            )
            for payer, payee, amount in transfers_to(self._target(), earned)
        ]

    def _fact(self, *path: str) -> Any:
        found: Any = self.facts
        for name in path:
            found = found.get(name) if isinstance(found, Mapping) else None
        if found is None:
            raise Missing(f"the letter does not say: {'.'.join(path)}")
        return found


def _offer(speech: str, clauses: list[Any]) -> str:
    deal = Deal(clauses=tuple(clauses))
    brief = deal.model_dump(mode="json", exclude_defaults=False, exclude_none=True)
    return f"<s>{speech}.</s><PROPOSAL>{json.dumps(brief)}</PROPOSAL>"


def _action(action: str) -> str:
    return f"<s>I do {action}.</s><ACTION>{action}</ACTION>"
