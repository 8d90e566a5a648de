"""A certificate's questions, answered over whole histories and by the definitions alone."""

from fractions import Fraction
from itertools import product

from shapley_coop.deals import breaches, duties, earned, payments, payoffs
from shapley_coop.deals.enforcement import deposits, net, releases
from tests.made_contracts import ACTIONS, AGENTS

MILLION = 1_000_000


def settled(deal, facts, terms, record):
    """Everybody's payoff, by the definitions alone: settlement, and what deposits became of."""
    agents = facts["agents"]
    if not terms.executes:
        return earned(record, agents)
    due = payoffs(record, agents, deal.share, payments(deal, record), lambda name, total: {})
    micro = int(terms.held() * MILLION)
    released = releases(agents, micro, breaches(deal, record), over=True)
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
