"""An independent search for contingencies: every history of raw joint actions, nothing merged.

It reads the clauses' fields and nothing of the analysis in `deals`, so that the two can disagree.
"""

from functools import cache
from itertools import product

from shapley_coop.deals.language.when import Count, Last, Not, Turns


class Brute:
    """A repeated table game under clauses, over whole histories (tuples of joint actions)."""

    def __init__(self, agents, actions, pays, turns, clauses, mode="enforced", deposit=0):
        self.agents, self.actions, self.pays, self.turns = agents, actions, pays, turns
        self.clauses, self.mode, self.deposit = clauses, mode, deposit
        self.plays = list(product(*(actions[agent] for agent in agents)))
        for name in ("lawful", "predicted", "gains", "keep", "expect", "surprises"):
            setattr(self, name, cache(getattr(self, name)))

    def holds(self, when, history, turn):
        """Whether a condition holds after a history, for a duty or a payment at a turn."""
        if when == "always":
            return True
        if isinstance(when, Turns):
            return when.turns[0] <= turn <= when.turns[1]
        if isinstance(when, Not):
            return not self.holds(when.negated, history, turn)
        if isinstance(when, Last):
            i = self.agents.index(when.last.agent)
            return bool(history) and history[-1][i] == when.last.action
        if isinstance(when, Count):
            i = self.agents.index(when.count.agent)
            return sum(play[i] == when.count.action for play in history) >= when.at_least
        parts = getattr(when, "all", None) or when.any
        return (all if hasattr(when, "all") else any)(
            self.holds(part, history, turn) for part in parts
        )

    def lawful(self, history, agent):
        turn, found = len(history) + 1, self.actions[agent]
        for clause in self.clauses:
            asks = clause.kind in ("do", "forbid") and clause.agent in (agent, "everyone")
            if asks and self.holds(clause.when, history, turn):
                found = [x for x in found if (x == clause.action) == (clause.kind == "do")]
        return tuple(found)

    def breakers(self, history):
        """Who broke a duty at some turn of a history."""
        return {
            agent
            for t, play in enumerate(history)
            for agent, action in zip(self.agents, play, strict=True)
            if action not in self.lawful(history[:t], agent)
        }

    def gains(self, history, play):
        held, own = list(self.pays[play]), self.pays[play]
        if self.mode == "notional":
            return held
        for clause in self.clauses:
            if clause.kind == "share":
                held = [sum(own) * clause.fractions[agent] for agent in self.agents]
        after = (*history, play)
        for clause in self.clauses:
            if clause.kind != "pay" or not self.holds(clause.when, after, len(after)):
                continue
            before = [after[: t + 1] for t in range(len(history))]
            if clause.basis == "once" and any(
                self.holds(clause.when, past, len(past)) for past in before
            ):
                continue
            payer = self.agents.index(clause.payer)
            payees = [j for j, x in enumerate(self.agents) if clause.payee in (x, "others")]
            payees = [j for j in payees if j != payer]
            much = clause.amount * (max(0, own[payer]) if clause.basis == "reward" else 1)
            held[payer] -= much
            for j in payees:
                held[j] += much / len(payees)
        if self.mode == "escrow":
            broken = self.breakers(after)
            for agent in broken - self.breakers(history):
                rest = [x for x in self.agents if x != agent]
                injured = [x for x in rest if x not in broken] or rest
                held[self.agents.index(agent)] -= self.deposit
                for x in injured:
                    held[self.agents.index(x)] += self.deposit / len(injured)
        return held

    def predicted(self, history, agent):
        i, lawful = self.agents.index(agent), [self.lawful(history, x) for x in self.agents]
        total = {
            action: sum(
                self.gains(history, play)[i] for play in product(*lawful) if play[i] == action
            )
            for action in lawful[i]
        }
        return tuple(x for x in total if total[x] == max(total.values()))

    def keep(self, history, i):
        """Agent i's best payoff from here on by keeping it, while the others act as predicted."""
        if len(history) == self.turns:
            return 0
        return max(self.mean(history, i, own) for own in self.lawful(history, self.agents[i]))

    def mean(self, history, i, own):
        acts = [self.predicted(history, x) for x in self.agents]
        acts[i] = (own,)
        plays = list(product(*acts))
        worth = (self.gains(history, p)[i] + self.keep((*history, p), i) for p in plays)
        return sum(worth) / len(plays)

    def expect(self, history, i):
        if len(history) == self.turns:
            return 0
        plays = list(product(*(self.predicted(history, x) for x in self.agents)))
        worth = (self.gains(history, p)[i] + self.expect((*history, p), i) for p in plays)
        return sum(worth) / len(plays)

    def surprises(self, history):
        if not history:
            return 0
        pairs = zip(self.agents, history[-1], strict=True)
        own = sum(x not in self.predicted(history[:-1], agent) for agent, x in pairs)
        return self.surprises(history[:-1]) + own

    def payoffs(self, history, play, i):
        """Each agent's payoff over the whole game, if agent i keeps the contract afterwards."""
        after = (*history, play)
        past = [self.gains(after[:t], after[t]) for t in range(len(after))]
        later = [(self.keep if j == i else self.expect)(after, j) for j in range(len(self.agents))]
        return tuple(map(sum, zip(*past, later, strict=True)))

    def cases(self, i):
        """Yield (is costless, surprises, −gain) of every contingency of agent i."""
        agent = self.agents[i]
        others = [self.actions[x] for x in self.agents if x != agent]
        for turn in range(self.turns):
            for history in product(self.plays, repeat=turn):
                kept = self.lawful(history, agent)
                breaches = [x for x in self.actions[agent] if x not in kept]
                told = list(product(*others))

                def worth(own, rest, history=history):
                    play = (*rest[:i], own, *rest[i:])
                    return self.gains(history, play)[i] + self.keep((*history, play), i)

                def regret(h, told=told, breaches=breaches, worth=worth):
                    lost = [worth(b, o) - worth(h, o) for b in breaches for o in told]
                    return max(0, *lost), -sum(worth(h, o) for o in told)

                if not breaches:
                    continue
                honest = min(kept, key=regret)
                for b in breaches:
                    gains = {o: worth(b, o) - worth(honest, o) for o in told}
                    for o, gain in gains.items():
                        if gain > 0 or all(x == 0 for x in gains.values()):
                            rest = zip((x for x in self.agents if x != agent), o, strict=True)
                            odd = sum(x not in self.predicted(history, who) for who, x in rest)
                            yield (not gain, self.surprises(history) + odd, -gain)

    def alternatives(self):
        """Yield the payoffs of every course of joint actions, without payments."""
        for course in product(self.plays, repeat=self.turns):
            yield tuple(map(sum, zip(*(self.pays[play] for play in course), strict=True)))
