"""Random conditions, deals and histories for tests; everything follows from the generator given."""

from itertools import product

from shapley_coop.deals.language.clauses import Do, Forbid, Pay
from shapley_coop.deals.language.deal import Deal
from shapley_coop.deals.language.when import (
    All,
    AnyOf,
    Count,
    Earned,
    Event,
    Every,
    Last,
    Not,
    Turns,
)

AGENTS = ("Ann", "Ben")
ACTIONS = {"Ann": ["left", "right"], "Ben": ["left", "right", "up"]}


def a_condition(rng, turns, depth=2):
    """Any condition of the language that a game of so many turns can be asked."""
    kinds = ["always", "turns", "every", "last", "count", "earned"]
    kind = rng.choice(kinds + (["all", "any", "not"] if depth else []))
    agent = rng.choice(AGENTS)
    event = Event(agent=agent, action=rng.choice(ACTIONS[agent]))
    match kind:
        case "turns":
            return Turns(turns=sorted(rng.choices(range(1, turns + 1), k=2)))
        case "every":
            return Every(every=rng.randint(1, 3), start=rng.randint(1, turns))
        case "last":
            return Last(last=event)
        case "count":
            return Count(count=event, at_least=rng.randint(1, 3))
        case "earned":
            return Earned(earned=rng.choice([*AGENTS, "everyone"]), at_least=rng.randint(0, 2))
        case "all" | "any":
            parts = tuple(a_condition(rng, turns, depth - 1) for _ in range(rng.randint(1, 2)))
            return All(all=parts) if kind == "all" else AnyOf(any=parts)
        case "not":
            return Not(negated=a_condition(rng, turns, depth - 1))
        case _:
            return "always"


def a_clause(rng, turns):
    """A duty or a payment."""
    agent, when = rng.choice(AGENTS), a_condition(rng, turns)
    match rng.choice(["do", "do", "forbid", "pay"]):
        case "do":
            return Do(agent=agent, action=rng.choice(ACTIONS[agent]), when=when)
        case "forbid":
            return Forbid(agent=agent, action=rng.choice(ACTIONS[agent]), when=when)
        case _:
            payee = AGENTS[agent == AGENTS[0]]
            basis = rng.choice(["once", "turn", "reward"])
            return Pay(payer=agent, payee=payee, amount="1/2", basis=basis, when=when)


def a_deal(rng, turns, most=3):
    """A deal of a few clauses, sensible or not."""
    return Deal(clauses=tuple(a_clause(rng, turns) for _ in range(rng.randint(1, most))))


def a_turn(rng, number):
    """A turn in which now and then somebody does nothing."""
    acts = {a: rng.choice([*ACTIONS[a], None]) for a in AGENTS}
    return {
        "turn": number,
        "actions": {a: x for a, x in acts.items() if x},
        "rewards": {a: rng.choice([-1, 0, 1, 1.5]) for a in AGENTS},
    }


def a_game(rng, turns=2):
    """A random game of two agents, as facts."""
    cells = [
        {
            "play": {"Ann": a, "Ben": b},
            "pays": {"Ann": rng.choice([-2, -1, 0, 1, 2.5, 3]), "Ben": rng.randint(-2, 3)},
        }
        for a, b in product(ACTIONS["Ann"], ACTIONS["Ben"])
    ]
    return {"agents": list(AGENTS), "actions": ACTIONS, "payoffs": cells, "turns": turns}


def a_sound_deal(rng, facts):
    """A deal that nothing forbids: at most one duty at a time, and payments that can be made."""
    turns, agents = facts["turns"], facts["agents"]
    clauses = []
    for agent in agents:
        clauses += _keepable(rng, agent, facts["actions"][agent], turns)
    for _ in range(rng.randint(0, 2)):
        payer, payee = rng.sample(agents, 2)
        i = max(cell["pays"][payer] for cell in facts["payoffs"])
        basis = rng.choice(["once", "turn", "reward"])
        amount = rng.choice(["1/4", "0.5", "30%"]) if basis == "reward" else max(1, i) / 2
        if basis != "reward" and i <= 0:
            continue
        when = a_condition_on(rng, facts, turns)
        clauses.append(
            {"kind": "pay", "payer": payer, "payee": payee, "amount": amount, "basis": basis}
            | ({"when": when} if when else {})
        )
    if rng.random() < 0.3:
        parts = [rng.randint(0, 4) for _ in agents]
        whole = sum(parts) or 1
        parts[0] += whole - sum(parts)
        clauses.append(
            {
                "kind": "share",
                "fractions": {a: f"{x}/{whole}" for a, x in zip(agents, parts, strict=True)},
            }
        )
    rng.shuffle(clauses)
    return {"clauses": clauses or [{"kind": "do", "agent": agents[0], "action": "left"}]}


def a_condition_on(rng, facts, turns):
    """A condition as JSON over the game's own agents and actions; empty for always."""
    agent = rng.choice(facts["agents"])
    event = {"agent": agent, "action": rng.choice(facts["actions"][agent])}
    return rng.choice(
        [
            {},
            {"turns": sorted([rng.randint(1, turns), rng.randint(1, turns)])},
            {"every": rng.randint(1, 3), "start": rng.randint(1, turns)},
            {"last": event},
            {"not": {"last": event}},
            {"count": event, "at_least": rng.randint(1, turns)},
            {"earned": rng.choice([agent, "everyone"]), "at_least": rng.randint(0, 3)},
            {"all": [{"last": event}, {"turns": [1, turns]}]},
            {"any": [{"last": event}, {"every": 2}]},
        ]
    )


def _keepable(rng, agent, actions, turns):
    """Duties of one agent that never fall together."""
    one, other = rng.sample(actions, 2)
    do = {"kind": "do", "agent": agent}
    split = rng.randint(1, turns)
    halves = [{**do, "action": one, "when": {"turns": [1, split]}}]
    if split < turns:
        halves.append({**do, "action": other, "when": {"turns": [split + 1, turns]}})
    event = {"last": {"agent": agent, "action": one}}
    return rng.choice(
        [
            [],
            [{**do, "action": one}],
            [{"kind": "forbid", "agent": agent, "action": other}],
            [{**do, "action": one}, {"kind": "forbid", "agent": agent, "action": other}],
            halves,
            [{**do, "action": one, "when": event}, {**do, "action": other, "when": {"not": event}}],
        ]
    )


def poisoned(rng, deal, facts):
    """The deal with one thing in it that must never be signed, and what that is."""
    kind = rng.choice(sorted(POISONS))
    return kind, POISONS[kind](rng, deal, facts)


def _with(deal, *clauses):
    return {"clauses": [*deal["clauses"], *clauses]}


def _pay(facts, **changes):
    a, b = facts["agents"][:2]
    return {"kind": "pay", "payer": a, "payee": b, "amount": 1} | changes


def _shares(facts, *parts):
    return {"kind": "share", "fractions": dict(zip(facts["agents"], parts, strict=False))}


def _contradiction(rng, deal, facts):
    agent = rng.choice(facts["agents"])
    one, other = rng.sample(facts["actions"][agent], 2)
    when = rng.choice([{"turns": [1, 1]}, {"every": 1}, {"not": {"turns": [2, 2]}}])
    do = {"kind": "do", "agent": agent, "action": one, "when": when}
    clash = rng.choice(
        [
            [{"kind": "do", "agent": agent, "action": other}],
            [{"kind": "forbid", "agent": agent, "action": one}],
            [{"kind": "forbid", "agent": agent, "action": x} for x in facts["actions"][agent]],
        ]
    )
    return _with(deal, do, *clash)


POISONS = {
    "not zero-sum": lambda rng, d, f: _with(
        {"clauses": [c for c in d["clauses"] if c["kind"] != "share"]},
        _shares(f, *rng.choice([("1/2", "2/3"), ("0.3", "0.3"), ("1.5", "-0.5"), ("1",)])),
    ),
    "split twice": lambda rng, d, f: _with(d, _shares(f, "1/2", "1/2"), _shares(f, "1", "0")),
    "negative": lambda rng, d, f: _with(d, _pay(f, amount=rng.choice([-1, "-1/2", "-5%", 0, "0"]))),
    "unbounded": lambda rng, d, f: _with(
        d, _pay(f, amount=rng.choice([10**30, "1e400", 10**6, "9" * 60, "inf", 10**9]))
    ),
    "more than all": lambda rng, d, f: _with(d, *[_pay(f, amount="0.6", basis="reward")] * 2),
    "self-referential": lambda rng, d, f: _with(
        d,
        rng.choice(
            [
                _pay(f, payee=f["agents"][0]),
                _pay(f, when={"clause": "c1"}),
                _pay(f, when={"not": {"breach": "c1"}}),
                _pay(f, amount="c1"),
                {"kind": "do", "agent": f["agents"][0], "action": "this contract"},
            ]
        ),
    ),
    "contradictory": _contradiction,
    "outsider": lambda rng, d, f: _with(
        d,
        rng.choice(
            [
                _pay(f, payee="Eve"),
                _pay(f, when={"last": {"agent": "Eve", "action": "left"}}),
                _pay(f, when={"earned": "Eve", "at_least": 1}),
                {"kind": "do", "agent": "Eve", "action": "left"},
                {"kind": "forbid", "agent": "somebody", "action": "left"},
            ]
        ),
    ),
    "not a number": lambda rng, d, f: _with(
        d, _pay(f, amount=rng.choice([float("nan"), "NaN", float("inf"), None, True, [], "1/0"]))
    ),
    "duplicate agents": lambda rng, d, f: _with(
        d,
        rng.choice(
            [
                _pay(f, payer=f["agents"]),
                _pay(f, payee=[f["agents"][0], f["agents"][0]]),
                {"kind": "share", "fractions": [[a, "1/2"] for a in [f["agents"][0]] * 2]},
            ]
        ),
    ),
    "rules changed": lambda rng, d, f: rng.choice(
        [
            _with(d, {"kind": "do", "agent": f["agents"][0], "action": "teleport"}),
            _with(d, _pay(f, when={"turns": [1, f["turns"] + 1]})),
            _with(d, _pay(f, when={"turns": [0, 1]})),
            _with(d, _pay(f, when={"every": 1, "start": f["turns"] + 5})),
            _with(d, {"kind": "rules", "rounds": 20}),
            {**d, "rounds": 20},
            {**d, "drops": ["c1"]},
            _with(d, {**_pay(f), "next_game": True}),
        ]
    ),
    "rewards created": lambda rng, d, f: rng.choice(
        [
            _with(d, _pay(f, payer="world")),
            _with(d, _pay(f, payer="pot")),
            _with(d, _pay(f, payer="escrow")),
            _with(d, {"kind": "reward", "agent": f["agents"][0], "amount": 5}),
            _with(d, {"kind": "share", "norm": "print_money"}),
            _with(d, _pay(f, basis="new_reward")),
        ]
    ),
    "nonsense": lambda rng, d, f: rng.choice(
        [None, [], "deal", {"clauses": None}, {"clauses": []}, {"clauses": [{}] * 300}, {}]
    ),
}
