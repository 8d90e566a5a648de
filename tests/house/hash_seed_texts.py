"""What the program tells, printed by a process whose strings are hashed by a seed of its own.

PYTHONHASHSEED=3 python -m tests.house.hash_seed_texts certificates
"""

import json
import random
import sys
from itertools import product
from pathlib import Path

from shapley_coop import games
from shapley_coop.cli import main
from shapley_coop.deals.analysis.certificate import certify
from shapley_coop.deals.analysis.certificate_words import as_record, in_words
from shapley_coop.deals.enforcement import Enforcement
from shapley_coop.extension import installed
from shapley_coop.graphs import names
from tests.deals.made_contracts import ACTIONS, AGENTS, a_deal

DEALS, TURNS = 60, 3
RUNS = {
    "escape": "escape_room --graph shapley_coop",
    "dilemma": "prisoners_dilemma --graph contracts --enforcement escrow",
}
if "raid_battle" in games.names():
    RUNS["raid"] = "raid_battle --graph short_term"
if "call_market" in names():
    RUNS["issues"] = "trade --graph negotiation_priced --set mode=issues"
    RUNS["market"] = "trade --graph call_market"
if "delegates" in names():
    RUNS["delegates"] = 'volunteers --graph delegates --set agents=["Ann","Ben","Cem","Dee"]'
if "mediation" in names():
    RUNS["mediated"] = "prisoners_dilemma --graph mediation"
if "task_exchange" in names():
    RUNS["tasks"] = "task_exchange --graph task_exchange"
    RUNS["pairs"] = "task_exchange --graph pairwise_exchange --set scenario=generated"
COMMANDS = [
    "list",
    *(["list task_exchange"] if "tasks" in RUNS else []),
    "graph contracts",
    *(["graph delegates --mermaid"] if "delegates" in names() else []),
    "contract check deal.json --game prisoners_dilemma",
    "contract check deal.json --game prisoners_dilemma --json",
    "contract audit deal.json record.json --game prisoners_dilemma",
    *(["credit game.json"] if "values" in installed() else []),
    *(f"run {told} --name {name}" for name, told in RUNS.items()),
    *(f"{told} {name}" for name in RUNS for told in ("show", "show --json", "letters", "verify")),
    "credit escape",
    *(["credit tasks --json"] if "tasks" in RUNS else []),
    *(["credit raid --json"] if "raid" in RUNS else []),
    "report dilemma --out dilemma.json",
    *(["report tasks --out tasks.html"] if "tasks" in RUNS else []),
    "sweep suite.yaml --out swept",
    "report swept --out swept.html",
    "export swept --out tables",
    "compare swept:graph=negotiation swept:graph=contracts",
    "compare swept:game=none swept:graph=contracts",
]
FILES = {
    "deal.json": {
        "clauses": [
            {"kind": "do", "agent": "Alice", "action": "cooperate"},
            {"kind": "pay", "payer": "Bob", "payee": "Alice", "amount": 2, "per": "turn"},
        ]
    },
    "record.json": [
        {
            "turn": 1,
            "actions": {"Alice": "defect", "Bob": "cooperate"},
            "rewards": {"Alice": 3, "Bob": 0},
        }
    ],
    "game.json": {
        "agents": ["A", "B", "C"],
        "worth": {"A": 6, "B": 4, "C": 0, "A,B": 12, "A,C": 7, "B,C": 4, "A,B,C": 15},
    },
    "suite.yaml": {
        "base": {"game": "prisoners_dilemma"},
        "vary": {
            "graph": {name: {"graph": name} for name in ("negotiation", "contracts")},
            "seated": {
                "rational": {"seats": {"*": "embedded:rational"}},
                "at random": {"seats": {"*": "embedded:random"}},
            },
        },
        "seeds": "0-1",
        "tables": [{"title": "All", "rows": ["graph"], "columns": ["social_welfare"]}],
    },
}


def certificates() -> None:
    """Certificates of drawn deals, in a game in which many deviations are worth the same."""
    cells = [dict(zip(AGENTS, play, strict=True)) for play in product(*ACTIONS.values())]
    pays = [{a: int(play[a] == "left") for a in AGENTS} for play in cells]
    payoffs = [{"play": play, "pays": paid} for play, paid in zip(cells, pays, strict=True)]
    facts = {"agents": list(AGENTS), "actions": ACTIONS, "turns": TURNS, "payoffs": payoffs}
    rng = random.Random(0)
    for _ in range(DEALS):
        for mode in ("notional", "escrow"):
            found = certify(a_deal(rng, TURNS, most=4), facts, Enforcement(mode))
            print(in_words(found), json.dumps(as_record(found)), sep="\n")


def commands() -> None:
    """Every command of the list, one after the other, in the folder that the process is in."""
    for name, content in FILES.items():
        Path(name).write_text(json.dumps(content), encoding="utf-8")
    for command in COMMANDS:
        print(f"\n$ coop {command}", flush=True)
        sys.argv = ["coop", *command.split()]
        try:
            main()
        except SystemExit as stop:
            print(f"({stop.code or 0})", flush=True)


if __name__ == "__main__":
    {"certificates": certificates, "commands": commands}[sys.argv[1]]()
