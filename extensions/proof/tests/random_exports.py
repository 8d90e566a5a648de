"""Exports of random games, deals and plays, and lies in them, for several implementations."""

import json
from collections.abc import Mapping
from random import Random
from typing import Any, NamedTuple

from shapley_coop.canonical import canonical, digest
from shapley_coop.deals.contract import in_force
from shapley_coop.deals.language.deal import Deal
from shapley_coop.deals.language.wire import PROTOCOL
from shapley_coop.extensions.proof.acceptance import binding, sign_binding
from shapley_coop.extensions.proof.envelope import as_bytes
from shapley_coop.extensions.proof.keys import PrivateKey, PublicKey
from shapley_coop.extensions.proof.parties import OPERATOR
from shapley_coop.extensions.proof.rebuilding import chain_of, table_at
from shapley_coop.extensions.proof.recomputable import recomputable
from shapley_coop.extensions.proof.signed_settings import settings_digest
from shapley_coop.extensions.proof.statement import (
    PLAN,
    SETTLEMENT,
    STATEMENT,
    Predicate,
    envelope_signed,
    settlement_in,
    subjects,
)
from shapley_coop.games.game import Game
from shapley_coop.state.evaluated import EvaluatedTable
from shapley_coop.state.run_config import RunConfig
from shapley_coop.state.settings import game_of, recipe_of
from shapley_coop.state.settlement import decide

NAMES = (
    *("Alice", "Zoë", "Çağrı", "Алиса", "Борис", "李雷", "はな", "نور", "שרה", "अनिता", "Ὀρέστης"),
    *("Łukasz Żak", "김민수", "constructor", "toString", "O'Neill & <b>Sons</b>"),
)
ACTIONS = ("gib", "keep", "давать", "給", "خذ", "go home", "x", "hasOwnProperty")
AMOUNTS = (*range(-4, 9), 0.1, 2.75, -0.5, 1e-05, 1234.000001, "1/4", "-5/2")
SHARES = (["1/3", "2/3"], ["0.5", "0.5"], ["1/7", "6/7"], ["0.1234", "0.8766"], ["0", "1"])


class Export(NamedTuple):
    """A signed statement, with the keys that its checker knows."""

    statement: dict[str, Any]
    operator: PrivateKey
    keys: Mapping[str, PublicKey]

    @property
    def content(self) -> bytes:
        """The file."""
        return as_bytes(envelope_signed(self.statement, [self.operator]))


OPERATORS = [PrivateKey.new("Ed25519"), PrivateKey.new("ES256")]
PARTIES = [PrivateKey.new("ES256" if n % 3 == 2 else "Ed25519") for n in range(6)]


def random_export(chance: Random) -> Export:
    """A statement that is right, of a random play under random agreements."""
    config = RunConfig.model_validate(_settings(chance))
    game = game_of(config.model_dump(mode="json"))
    agents = list(game.agents)
    record = _record(chance, game)
    recipe = recipe_of(config.model_dump(mode="json"))
    signers = {a: PARTIES[n] for n, a in enumerate(agents) if chance.random() < 0.4}
    told = {
        "protocol": PROTOCOL,
        "code": {"name": "shapley-coop", "version": "0.1.0"},
        "episode": f"e{chance.randrange(10**6)}",
        "workflow": "shapley_coop",
        "begun": "2026-11-22T12:00:00+00:00",
        "salt": "5a17" if signers else "",
        "agents": agents,
        "keys": {
            a: {"keyid": key.public.keyid, "public": key.public.pem} for a, key in signers.items()
        },
        "mandates": {},
        "settings": {**recipe, "require_signed": chance.random() < 0.2},
        "agreements": _agreements(chance, game, len(record)),
        "reckoned": chance.random() < 0.7,
        "record": record,
        "ledger": "paid",
    }
    _sign(chance, told, signers)
    statement = followed(told)
    operator = chance.choice(OPERATORS)
    known = {a: key.public for a, key in signers.items() if _all_signed(told, a)}
    keys = {OPERATOR: operator.public} | {a: k for a, k in known.items() if chance.random() < 0.5}
    return Export(statement, operator, keys)


def followed(told: dict[str, Any]) -> dict[str, Any]:
    """The statement in which everything follows from the agreements and the record."""
    empty = {"clauses": [], "breaches": [], "values": {}, "basis": "", "transfers": []}
    sums: dict[str, Any] = {"rewards": {}, "forfeits": {}, "payoffs": {}}
    plain = json.loads(canonical({**empty, **sums, **told}))
    known = Predicate.model_validate(plain)
    chain = chain_of(known)
    for one, made in zip(
        [a for a in plain["agreements"] if a["topic"] == PLAN], chain, strict=True
    ):
        one["contract"] = made["hash"]
    plain["clauses"] = chain[-1]["text"].splitlines() if chain else []
    evaluated = EvaluatedTable(table_at(known, chain))
    plain |= json.loads(canonical(settlement_in(decide(evaluated)) | recomputable(evaluated)))
    return {
        "_type": STATEMENT,
        "subject": subjects(chain[-1] if chain else None, plain),
        "predicateType": SETTLEMENT,
        "predicate": plain,
    }


def _settings(chance: Random) -> dict[str, Any]:
    game, absent = _game(chance)
    constraints = ["limited_liability", "cap=1.5", "non_transferable=0.25", "tax=0.1"]
    return {
        "game": game,
        "params": {},
        "seed": chance.randrange(100),
        "absent": absent,
        "norm": chance.choice(["shapley", "shapley", "leave_one_out", "equal", "proportional"]),
        "disagreement": chance.choice(["signed", "norm"]),
        "constraints": chance.sample(constraints, chance.choice([0, 0, 0, 1, 2])),
        "enforcement": chance.choice(["enforced", "enforced", "notional", "escrow"]),
        "deposit": chance.choice(["1", "2.5", "0.333333"]),
    }


def _game(chance: Random) -> tuple[Any, str]:
    if chance.random() < 0.15:
        return chance.choice(["escape_room", "volunteers", "public_goods"]), ""
    agents = chance.sample(NAMES, chance.choice([2, 2, 3, 3, 4]))
    same = chance.sample(ACTIONS, 2)
    actions = {a: same if chance.random() < 0.6 else chance.sample(ACTIONS, 3) for a in agents}
    plays: list[list[str]] = [[]]
    for agent in agents:
        plays = [[*play, action] for play in plays for action in actions[agent]]
    cells = [{"play": p, "pays": [chance.choice(AMOUNTS) for _ in agents]} for p in plays]
    each = ", ".join(f"{a}={chance.choice(actions[a])}" for a in agents)
    return {
        "name": "A game",
        "agents": agents,
        "actions": actions,
        "payoffs": cells,
        "rounds": chance.randrange(1, 7),
    }, chance.choice(["", "away", "idle", each, each])


def _record(chance: Random, game: Game) -> list[dict[str, Any]]:
    position, record = game.start(), []
    for turn in range(1, min(game.turns, 6) + 1):
        actions = {a: chance.choice(game.actions[a]) for a in game.agents if chance.random() < 0.93}
        after = game.step(position, actions)
        position = after.position
        played = {"turn": turn, "actions": actions, "rewards": after.rewards}
        record.append({**played, **({"effects": after.effects} if after.effects else {})})
        if chance.random() < 0.05:
            break
    return record


def _agreements(chance: Random, game: Game, turns: int) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    for number, turn in enumerate(
        sorted(chance.choices(range(1, turns + 1), k=chance.choice([0, 1, 1, 2, 3])))
    ):
        lasting = [
            cid
            for cid, clause in in_force(_chain(game, found)).items()
            if clause.lasts and chance.random() < 0.3
        ]
        found.append(_agreement(chance, game, PLAN, turn, number + 1, lasting))
    if chance.random() < 0.2:
        found.append(_agreement(chance, game, "split", turns + 1, 1, []))
    return found


def _chain(game: Game, agreements: list[dict[str, Any]]) -> Any:
    from shapley_coop.deals.contract import rebuilt
    from shapley_coop.deals.language.deal import put

    offers = [(put(Deal.of(one["deal"]), one["by"], 1), one["turn"]) for one in agreements]
    return (rebuilt(offers) or [None])[-1]


def _agreement(
    chance: Random, game: Game, topic: str, turn: int, revision: int, drops: list[str]
) -> dict[str, Any]:
    kinds = [_pay, _pay] if topic == "split" else [_do, _do, _pay, _pay]
    clauses = [chance.choice(kinds)(chance, game) for _ in range(chance.randrange(1, 5))]
    if chance.random() < 0.3:
        clauses.insert(chance.randrange(len(clauses) + 1), _share(chance, game))
    deal = Deal.model_validate({"clauses": clauses, "drops": drops})
    by = chance.choice(game.agents)
    return {
        "topic": topic,
        "turn": turn,
        "revision": revision,
        "by": by,
        "deal": deal.record(),
        "hash": deal.hash(),
        "contract": None,
        "signatures": {},
    }


def _do(chance: Random, game: Game) -> dict[str, Any]:
    agent = chance.choice(game.agents)
    bound = "everyone" if chance.random() < 0.3 else agent
    kind = chance.choice(["do", "do", "forbid"])
    action = chance.choice(game.actions[agent])
    return {"kind": kind, "agent": bound, "action": action, "when": _when(chance, game)}


def _pay(chance: Random, game: Game) -> dict[str, Any]:
    payer, payee = chance.sample([*game.agents], 2)
    if (others := chance.random()) < 0.2:
        payer, payee = ("others", payee) if others < 0.1 else (payer, "others")
    basis = chance.choice(["once", "turn", "reward"])
    amount = chance.choice(
        ["1/3", "0.25", "0.5", "1/7"] + (["3", "1.000001"] * 2) * (basis != "reward")
    )
    parties = {"payer": payer, "payee": payee, "amount": amount, "basis": basis}
    return {"kind": "pay", **parties, "when": _when(chance, game)}


def _share(chance: Random, game: Game) -> dict[str, Any]:
    if chance.random() < 0.4:
        norm = chance.choice(["shapley", "equal", "leave_one_out", "proportional"])
        return {"kind": "share", "norm": norm}
    parts = [*chance.choice(SHARES), *["0"] * (len(game.agents) - 2)]
    chance.shuffle(parts)
    return {"kind": "share", "fractions": dict(zip(game.agents, parts, strict=True))}


def _when(chance: Random, game: Game, depth: int = 0) -> Any:
    agent = chance.choice(game.agents)
    event = {"agent": agent, "action": chance.choice(game.actions[agent])}
    first = chance.randrange(1, 6)
    simple = [
        "always",
        "always",
        {"turns": [first, chance.randrange(first, 7)]},
        {"every": chance.randrange(1, 4), "start": chance.randrange(1, 4)},
        {"last": event},
        {"count": event, "at_least": chance.randrange(1, 4)},
        {
            "earned": chance.choice([*game.agents, "everyone"]),
            "at_least": chance.choice(["2", "7/3", "-1", "0.5"]),
        },
        {"any": [{"turns": [1, 1]}, {"turns": [3, first + 3]}]},
    ]
    if depth > 1 or chance.random() < 0.75:
        return chance.choice(simple)
    inside = [_when(chance, game, depth + 1) for _ in range(chance.randrange(1, 4))]
    return chance.choice([{"all": inside}, {"any": inside}, {"not": inside[0]}])


def _sign(chance: Random, told: dict[str, Any], signers: Mapping[str, PrivateKey]) -> None:
    settings = settings_digest(
        workflow=told["workflow"],
        salt=told["salt"],
        agents=told["agents"],
        keys={agent: key.public.keyid for agent, key in signers.items()},
        mandates={},
        settings=digest(told["settings"]),
    )
    for one in told["agreements"]:
        for agent, key in signers.items():
            if told["settings"]["require_signed"] or chance.random() < 0.8:
                bound = binding(
                    agent=agent,
                    episode=told["episode"],
                    settings=settings,
                    topic=one["topic"],
                    turn=one["turn"],
                    revision=one["revision"],
                    accepts=one["hash"],
                )
                one["signatures"][agent] = dict(sign_binding(key, bound))


def _all_signed(told: Mapping[str, Any], agent: str) -> bool:
    agreed = told["agreements"]
    return bool(agreed) and all(agent in one["signatures"] for one in agreed)
