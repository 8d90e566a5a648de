"""The reading of docs/verify-format.md goes on: whole millionths, transfers and deposits."""

from fractions import Fraction as F
from math import floor
from typing import Any


def rounded(quotas: list[F], total: int) -> list[int]:
    down = [floor(x) for x in quotas]
    order = sorted(range(len(quotas)), key=lambda i: down[i] - quotas[i])
    return [x + (i in order[: total - sum(down)]) for i, x in enumerate(down)]


def limited(rule: str, before: list[int], due: list[int]) -> list[int]:
    """The payoffs after one constraint."""
    name, _, text = rule.partition("=")
    gains = [max(0, b - a) for a, b in zip(before, due, strict=True)]
    if name == "tax":
        levies = [round(F(text) * x) for x in gains[:-1]]
        return [x - y for x, y in zip(due, [*levies, -sum(levies)], strict=True)]
    free = F(1) - F(text) if name == "non_transferable" else F(1)
    most = [round(F(text) * 10**6) if name == "cap" else floor(free * max(0, x)) for x in before]
    paying = [min(max(0, a - b), x) for a, b, x in zip(before, due, most, strict=True)]
    pot = sum(paying)
    got = rounded([F(pot * x, sum(gains)) for x in gains], pot) if pot else [0] * len(gains)
    return [a - x + y for a, x, y in zip(before, paying, got, strict=True)]


def transfers(names: list[str], before: list[int], after: list[int], basis: str) -> list[Any]:
    debts = [(a - b, name) for name, a, b in zip(names, before, after, strict=True) if a > b]
    claims = [(b - a, name) for name, a, b in zip(names, before, after, strict=True) if b > a]
    debts, claims = (sorted(x, key=lambda one: (-one[0], one[1])) for x in (debts, claims))
    made = []
    while debts:
        (debt, payer), (claim, payee) = debts.pop(0), claims.pop(0)
        much = min(debt, claim)
        made.append({"payer": payer, "payee": payee, "amount": str(much), "reason": basis})
        debts[:0] = [(debt - much, payer)] * (debt > much)
        claims[:0] = [(claim - much, payee)] * (claim > much)
    return made


def deposits(told: Any, broken: list[Any], signed: bool) -> list[int]:
    agents, s = told["agents"], told["settings"]
    gain = dict.fromkeys(agents, 0)
    first: dict[str, int] = {}
    for breach in broken:
        first.setdefault(breach["agent"], breach["turn"])
    amount = round(F(s["deposit"] or 0) * 10**6) if signed and s["enforcement"] == "escrow" else 0
    for agent, turn in first.items():
        others = [a for a in agents if a != agent]
        heirs = [a for a in others if first.get(a, turn + 1) > turn] or others
        gain[agent] -= amount
        for a, x in zip(heirs, rounded([F(amount, len(heirs))] * len(heirs), amount), strict=True):
            gain[a] += x
    return list(gain.values())
