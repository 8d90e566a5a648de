"""The second half of the reading of docs/verify-format.md: play, values and settlement."""

from fractions import Fraction as F
from itertools import product
from math import factorial
from typing import Any

from extensions.proof.tests.third_money import deposits, limited, rounded, transfers
from extensions.proof.tests.third_reading import holds, short

KNOWN = {"agents", "rounds", "absent", "worth", "name", "about", "currency", "actions", "payoffs"}

AWAY = """an absent agent is away: it earns 0, and each turn the absent leave those present least \
(own consumption and threats never carried out count as contribution)"""
OPEN = """the game declares no baseline, and strict dominance leaves more than one: confirm it \
with --absent before a norm can be signed"""


class Game:
    """A table of payoffs, the baseline of absent agents, and values from a record."""

    def __init__(self, told: Any) -> None:
        s = told["settings"]
        other = {"absent": ""} if s["params"].keys() & {"actions", "payoffs"} else {}
        assert not (told.get("table") and isinstance(s["game"], dict)), "two tables"
        table = told.get("table") or {**s["game"], **other, **s["params"]}
        self.agents, self.acts = told["agents"], table["actions"]
        assert table.keys() <= KNOWN, "other fields"
        assert table["agents"] == self.agents
        self.pays = {tuple(x["play"]): [F(p) for p in x["pays"]] for x in table["payoffs"]}
        assert len(self.pays) == len(table["payoffs"])
        self.rounds = int(table.get("rounds", 1))
        assert table.get("worth", "record") == "record", "another rule of worths"
        absent: Any = s["absent"] or table.get("absent", "")
        if "=" in absent:
            pairs = [pair.split("=") for pair in absent.split(",")]
            absent = {a.strip(): x.strip() for a, x in pairs}
        self.kind, self.act, self.said, self.warning = "actions", absent, "", ""
        if isinstance(absent, str) and absent and all(absent in self.acts[a] for a in self.agents):
            self.act = dict.fromkeys(self.agents, absent)
        elif absent in ("idle", "away"):
            self.kind, self.act = absent, {}
        elif absent == "":
            left = self.surviving()
            self.act = {a: x[0] for a, x in left.items()}
            self.said = " (the only profile that survives strict dominance)"
            if any(len(x) > 1 for x in left.values()):
                self.kind, self.act, self.warning = "away", {}, OPEN

    def surviving(self) -> dict[str, list[str]]:
        left = {a: [*self.acts[a]] for a in self.agents}
        for _ in range(sum(map(len, left.values()))):
            for i, a in enumerate(self.agents):
                rest = [*product(*(x for b, x in left.items() if b != a))]
                pay = {x: [self.pays[*r[:i], x, *r[i:]][i] for r in rest] for x in left[a]}
                beaten = [x for x in pay if any(all(map(F.__gt__, pay[y], pay[x])) for y in pay)]
                left[a] = [x for x in left[a] if x not in beaten]
        return left

    def rewards(self, did: Any) -> list[F]:
        plays = product(*([did[a]] if did.get(a) else self.acts[a] for a in self.agents))
        return [min(column) for column in zip(*(self.pays[p] for p in plays), strict=True)]

    def earned(self, record: Any, inside: list[str]) -> list[F]:
        """What each agent earns if only those inside do as recorded."""
        total = [F(0)] * len(self.agents)
        for turn in record:
            did = {a: x for a, x in turn["actions"].items() if a in inside}
            out = [a for a in self.agents if a not in inside]
            rows = [self.rewards({**did, **{a: self.act.get(a) for a in out}})]
            if self.kind == "away":
                joint = product(*(self.acts[a] for a in out))
                rows = [self.rewards({**did, **dict(zip(out, x, strict=True))}) for x in joint]
                rows = [
                    [F(a in inside) * x for a, x in zip(self.agents, row, strict=True)]
                    for row in rows
                ]
            total = [x + y for x, y in zip(total, min(rows, key=sum), strict=True)]
        return total

    def credit(self, record: Any) -> None:
        n = len(self.agents)
        groups = [[a for i, a in enumerate(self.agents) if m >> i & 1] for m in range(1 << n)]
        self.alone = self.earned(record, [])
        self.v = [sum(self.earned(record, x)) - sum(self.alone) for x in groups]
        v, full = self.v, (1 << n) - 1
        weight = [F(factorial(k) * factorial(n - k - 1), factorial(n)) for k in range(n)]
        self.norms = {
            "leave_one_out": [v[full] - v[full & ~(1 << i)] for i in range(n)],
            "equal": [v[full] / n] * n,
            "proportional": normalised(v[full], [v[1 << i] for i in range(n)]),
            "shapley": [
                sum(
                    weight[m.bit_count()] * (v[m | 1 << i] - v[m])
                    for m in range(1 << n)
                    if not m >> i & 1
                )
                for i in range(n)
            ],
        }

    def values(self) -> Any:
        def named(xs: list[F]) -> Any:
            return dict(zip(self.agents, map(short, xs), strict=True))

        total, phi = self.v[-1], self.norms["shapley"]
        found = {
            "rule": "record",
            "method": "exact",
            "total": short(total),
            "marginal": named(self.norms["leave_one_out"]),
            "shapley": named(phi),
            "shares": named([x / total for x in normalised(total, phi)]) if total > 0 else None,
            "standard_error": None,
            "alone": named(self.alone),
        }
        same = len(set(self.act.values())) == 1
        does = (
            f"plays {self.act[self.agents[0]]}"
            if same
            else "plays as follows: " + ", ".join(f"{a} {self.act.get(a)}" for a in self.agents)
        )
        said = {"away": AWAY, "idle": "an absent agent stands idle"}
        found["baseline"] = {
            "kind": self.kind,
            "words": said.get(self.kind, f"an absent agent {does}{self.said}"),
            "actions": self.act,
            "warning": self.warning,
        }
        return found

    def by(self, norm: str, held: list[F]) -> list[F]:
        gained = normalised(sum(held) - sum(self.alone), self.norms[norm])
        return [x + y for x, y in zip(self.alone, gained, strict=True)]


def normalised(total: F, values: list[F]) -> list[F]:
    gap, weight = total - sum(values), sum(map(abs, values))
    if not weight:
        return [total / len(values)] * len(values) if gap else values
    return [x + gap * abs(x) / weight for x in values]


def judged(terms: Any, record: Any) -> tuple[list[Any], list[Any]]:
    """The breaches, and the payments due: payer, payee and amount."""
    broken, due, once = [], [], set()
    for k, turn in enumerate(record):
        n, did = turn["turn"], turn["actions"]
        excused = [e["agent"] for e in turn.get("effects", []) if e.get("excused") is True]
        for cid, c, first, last in terms:
            stands = first <= n and (last is None or n <= last)
            paying = c["kind"] == "pay"
            if (
                c["kind"] == "share"
                or not stands
                or not holds(c["when"], n, record[: k + paying], paying)
            ):
                continue
            if paying and cid not in once:
                once |= {cid} if c["basis"] == "once" else set()
                much = (
                    max(F(0), F(turn["rewards"].get(c["payer"], 0)))
                    if c["basis"] == "reward"
                    else 1
                )
                due.append((c["payer"], c["payee"], F(c["amount"]) * much))
            for a in (
                []
                if paying
                else sorted(turn["rewards"])
                if c["agent"] == "everyone"
                else [c["agent"]]
            ):
                if (did.get(a) == c["action"]) != (c["kind"] == "do") and a not in excused:
                    owed = c["action"] if c["kind"] == "do" else f"not {c['action']}"
                    said = f"turn {n}: {a} did {did.get(a, 'nothing')}, owed {owed}"
                    broken.append({"clause": cid, "agent": a, "turn": n, "evidence": said})
    return broken, due


def paid(agents: Any, held: list[F], due: Any) -> list[F]:
    have = dict(zip(agents, held, strict=True))
    for payer, payee, amount in due:
        others = [a for a in agents if a not in (payer, payee)]
        for who, sign in ((payer, -1), (payee, 1)):
            named = others if who == "others" else [who]
            for a in named:
                have[a] += sign * amount / len(named)
    return [have[a] for a in agents]


def settled(told: Any, terms: Any) -> dict[str, Any]:
    """Everything in a predicate that follows from the rest of it."""
    agents, s, record = told["agents"], told["settings"], told["record"]
    game = Game(told)
    assert [t["turn"] for t in record] == [*range(1, len(record) + 1)][: game.rounds]
    for t in record:
        assert t["actions"].keys() <= set(agents), "a stranger acts"
        assert not t.get("pot"), "a pot"
        assert t.keys() <= {"turn", "actions", "rewards", "pot", "effects"}, "other fields"
        assert all(x in game.acts[a] for a, x in t["actions"].items()), "an unknown action"
        pays = dict(zip(agents, game.rewards(t["actions"]), strict=True))
        assert not {str} & {*map(type, t["rewards"].values())}, "a reward that is no number"
        assert {a: F(x) for a, x in t["rewards"].items()} == pays, "rewards"
        named = [e for e in t.get("effects", []) if e.keys() == {"effect", "agent"}]
        assert all(e["effect"] == "idle" for e in named), "an effect"
        assert {e["agent"] for e in named} <= {*agents} - t["actions"].keys(), "one that acted"
    game.credit(record)
    assert s["norm"] in game.norms, "a norm that is not known here"
    held = [sum((F(t["rewards"][a]) for t in record), F(0)) for a in agents]
    broken, due = judged(terms, record)

    def divided(clauses: Any, due: Any) -> list[F]:
        share = next((c for c in clauses if c["kind"] == "share"), None)
        if share is None:
            return paid(agents, held, due)
        if share["norm"]:
            return paid(agents, game.by(share["norm"], held), due)
        return paid(agents, [sum(held) * F(share["fractions"][a]) for a in agents], due)

    now = [c for _, c, _, last in terms if last is None]
    basis = "contract" if told["agreements"] and terms else "none"
    payoffs = held if s["enforcement"] == "notional" else divided(now, due)
    last = [x["deal"]["clauses"] for x in told["agreements"] if x["topic"] != "plan"][-1:]
    if last:
        more = judged([(f"c{i}", c, 1, None) for i, c in enumerate(last[0], 1)], record)[1]
        shares = any(c["kind"] == "share" for c in last[0])
        basis, payoffs = (
            "redistribution",
            divided(last[0], more) if shares else paid(agents, payoffs, more),
        )
    elif told["reckoned"] and s["disagreement"] == "norm":
        basis, payoffs = "norm", game.by(s["norm"], held)
    total = round(sum(held) * 10**6)
    taxed = [0] * any(x.startswith("tax=") for x in s["constraints"])
    before = [*rounded([x * 10**6 for x in held], total), *taxed]
    after = [*rounded([x * 10**6 for x in payoffs], total), *taxed]
    for rule in s["constraints"]:
        after = limited(rule, before, after)
    lost = deposits(told, broken, bool(terms))
    order = sorted(broken, key=lambda x: (x["turn"], int(x["clause"][1:]), x["agent"]))

    def named(amounts: list[int]) -> dict[str, str]:
        return dict(zip(agents, map(str, amounts[: len(agents)]), strict=True))

    return {
        "breaches": order,
        "values": game.values(),
        "basis": basis,
        "rewards": named(before),
        "transfers": transfers([*agents, "treasury"][: len(before)], before, after, basis),
        "forfeits": named(lost),
        "payoffs": named([x + y for x, y in zip(after[: len(agents)], lost, strict=True)]),
        **({"worths": [short(x) for x in game.v]} if "worths" in told else {}),
    }
