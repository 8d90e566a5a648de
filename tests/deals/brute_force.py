"""What monitor and certificate compute, by the definitions alone and over whole histories."""

from fractions import Fraction
from itertools import product

from shapley_coop.deals.enforcement import deposits, net, releases
from shapley_coop.deals.language.clauses import Pay
from shapley_coop.deals.language.when import All, AnyOf, Count, Earned, Every, Last, Not, Turns
from shapley_coop.deals.monitor import Monitor, duties, payments
from shapley_coop.deals.settlement import earnings, payoffs
from tests.deals.made_contracts import ACTIONS, AGENTS

MILLION = 1_000_000


def holds(when, turn, record):
    """Whether a condition holds at `turn`, by its definition: the whole record is read.

    An obligation of turn t is asked with the record of the turns before t; a payment for turn t
    with the record up to and including t.
    """
    match when:
        case Turns(turns=(first, last)):
            return first <= turn <= last
        case Every(every=step, start=start):
            return turn >= start and (turn - start) % step == 0
        case Last(last=event):
            this_turn = [t for t in record[-1:] if t["turn"] == turn]
            acts = (t["actions"] for t in this_turn or reversed(record))
            done = (act[event.agent] for act in acts if event.agent in act)
            return next(done, None) == event.action
        case Count(count=event, at_least=least):
            return sum(t["actions"].get(event.agent) == event.action for t in record) >= least
        case Earned(earned=agent, at_least=least):
            return _earned(agent, record) >= least
        case All(all=parts):
            return all(holds(part, turn, record) for part in parts)
        case AnyOf(any=parts):
            return any(holds(part, turn, record) for part in parts)
        case Not(negated=part):
            return not holds(part, turn, record)
        case _:
            return True


def _earned(agent, record):
    if agent == "everyone":
        amounts = [x for t in record for x in [*t["rewards"].values(), t.get("pot", 0)]]
    else:
        amounts = [t["rewards"].get(agent, 0) for t in record]
    return sum((Fraction(str(x)) for x in amounts), start=Fraction(0))


def asked(deal, before, turn):
    """(clause id, duty) for each duty that binds at a turn, by a scan of all turns before it."""
    return [(cid, duty) for cid, duty in deal.duties.items() if holds(duty.when, turn, before)]


def broken(deal, record):
    """(clause, agent, turn) of every duty that was not kept."""
    return [
        (cid, duty.agent, turn["turn"])
        for n, turn in enumerate(record)
        for cid, duty in asked(deal, record[:n], turn["turn"])
        if (turn["actions"].get(duty.agent) == duty.action) == (duty.kind == "forbid")
    ]


def fell_due(deal, record):
    """(clause, turn, amount) of every payment, by turn."""
    found = []
    for cid, pay in deal.pays.items():
        at = [t for n, t in enumerate(record, 1) if holds(pay.when, t["turn"], record[:n])]
        for turn in at[:1] if pay.basis == "once" else at:
            reward = Fraction(str(turn["rewards"].get(pay.payer, 0)))
            amount = pay.amount * (max(0, reward) if pay.basis == "reward" else 1)
            found.append((cid, turn["turn"], amount))
    return sorted((each for each in found if each[2]), key=lambda each: each[1])


def verdicts(deal, record, turns):
    """Each clause's verdict, from `holds` and every continuation."""
    violated = {cid for cid, _, _ in broken(deal, record)}
    found = {}
    for cid, clause in deal.ids().items():
        ends = range(1, len(record) + 1)
        done = isinstance(clause, Pay) and any(holds(clause.when, n, record[:n]) for n in ends)
        over = done and clause.basis == "once"
        still_open = not over and can_still_bind(clause, record, turns)
        found[cid] = "violated" if cid in violated else "pending" if still_open else "satisfied"
    return found


def can_still_bind(clause, record, turns):
    """By the definition alone: does any continuation make the clause ask for something again?"""
    number = len(record) + 1
    if number > turns:
        return False
    after = isinstance(clause, Pay)
    if not after and holds(clause.when, number, record):
        return True
    for turn in _turns_to_come(clause, record, number):
        longer = [*record, turn]
        if after and holds(clause.when, number, longer):
            return True
        if can_still_bind(clause, longer, turns):
            return True
    return False


def _turns_to_come(clause, record, number):
    """Every turn that could come next, as far as the conditions of this file can tell."""
    spoken = str(clause.when)
    ways = [[*ACTIONS[a], None] if f"agent='{a}'" in spoken else [None] for a in AGENTS]
    earners = [who for who in (*AGENTS, "everyone") if f"earned='{who}'" in spoken]
    paid = {a: sum(t["rewards"][a] for t in record) for a in AGENTS}
    total = sum(paid.values()) + sum(t.get("pot", 0) for t in record)
    for acts in product(*ways):
        for reached in product([-9, 0, 1, 2], repeat=len(earners)):
            sums = dict(zip(earners, reached, strict=True))
            rewards = {a: sums.get(a, paid[a]) - paid[a] for a in AGENTS}
            yield {
                "turn": number,
                "actions": {a: x for a, x in zip(AGENTS, acts, strict=True) if x},
                "rewards": rewards,
                "pot": sums.get("everyone", total) - total - sum(rewards.values()),
            }


def settled(deal, facts, terms, record):
    """Everybody's payoff, by the definitions alone: settlement, and what deposits became of."""
    agents = facts["agents"]
    if not terms.executes:
        return earnings(record, agents)
    due = payoffs(
        earnings(record, agents), deal.split, payments(deal, record), lambda name, total: {}
    )
    micro = int(terms.held() * MILLION)
    released = releases(agents, micro, Monitor(deal).on(record).breaches, over=True)
    moved = net([*deposits(agents, micro), *released], agents)
    return {agent: due[agent] + Fraction(moved[agent], MILLION) for agent in agents}


class BruteForce:
    """The same questions as a certificate's, over full histories and with nothing shared."""

    def __init__(self, deal, facts, terms):
        self.deal, self.facts, self.terms = deal, facts, terms
        pays = {tuple(c["play"].values()): c["pays"] for c in facts["payoffs"]}
        self.pays, self.plays = pays, list(pays)
        self.settled = {}

    def longer(self, record, play):
        actions = dict(zip(AGENTS, play, strict=True))
        return [*record, {"turn": len(record) + 1, "actions": actions, "rewards": self.pays[play]}]

    def gain(self, record, play, agent):
        return self.payoff(self.longer(record, play))[agent] - self.payoff(record)[agent]

    def payoff(self, record):
        key = str([turn["actions"] for turn in record])
        if key not in self.settled:
            self.settled[key] = settled(self.deal, self.facts, self.terms, record)
        return self.settled[key]

    def allowed(self, record, agent):
        open_ = list(ACTIONS[agent])
        for duty in duties(self.deal, record, len(record) + 1):
            if duty.agent == agent:
                open_ = [x for x in open_ if (x == duty.action) != duty.forbidden]
        return open_ or list(ACTIONS[agent])

    def foreseen(self, record, agent):
        i = AGENTS.index(agent)
        within = list(product(*(self.allowed(record, a) for a in AGENTS)))
        sums = {
            x: sum(self.gain(record, p, agent) for p in within if p[i] == x)
            for x in self.allowed(record, agent)
        }
        return [x for x, total in sums.items() if total == max(sums.values())]

    def value(self, how, agent, record=()):
        record = list(record)
        if len(record) == self.facts["turns"]:
            return Fraction(0)
        i, (me, other) = AGENTS.index(agent), (agent, AGENTS[agent == AGENTS[0]])
        worth = {
            p: self.gain(record, p, me) + self.value(how, me, self.longer(record, p))
            for p in self.plays
        }
        mine, theirs = self.allowed(record, me), self.allowed(record, other)
        likely = self.foreseen(record, other)

        def at(x, y):
            return worth[(x, y) if i == 0 else (y, x)]

        def mean(x):
            return sum(at(x, y) for y in likely) / Fraction(len(likely))

        match how:
            case "worst":
                return max(min(at(x, y) for y in theirs) for x in mine)
            case "best":
                return max(at(x, y) for x in mine for y in theirs)
            case "guaranteed":
                return max(min(at(x, y) for y in ACTIONS[other]) for x in mine)
            case "expected":
                own = self.foreseen(record, me)
                return sum(mean(x) for x in own) / len(own)
            case "keeping":
                return max(mean(x) for x in mine)
            case _:
                return max(mean(x) for x in ACTIONS[me])
