"""What a table says of each of its keys is what the nodes do: who writes it, and who clears it.

Every workflow is played in every way that leads to another node, and each update is noted.
"""

import ast
import inspect
import re
from collections import defaultdict
from pathlib import Path
from typing import Any, get_type_hints

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Overwrite

from shapley_coop.deals.language.clauses import Do
from shapley_coop.deals.language.deal import Deal
from shapley_coop.deals.language.terms import Terms
from shapley_coop.deals.written.document import compose
from shapley_coop.games.exchange.tools import plug
from shapley_coop.graphs import builder, names
from shapley_coop.seats.seat import Seat
from shapley_coop.state.run_config import RunConfig
from shapley_coop.state.table import Result, Table
from tests.brought import with_all_extensions
from tests.graphs.test_contract_workflow import DILEMMA, fined, proposal
from tests.scripted import Script

TABLES = {Result, Table, *(builder(name).state_schema for name in names())}
FILES = sorted({str(inspect.getsourcefile(kind)) for kind in TABLES})
SOURCES = [Path(file).read_text("utf-8") for file in FILES]
KEYS = {key for kind in TABLES for key in get_type_hints(kind)}
NEVER_STORED = {"asked", "concurrent_agents", "room"}
FOUR_TURNS = Terms(DILEMMA.agents, DILEMMA.actions, 4)
OWN_GAME = ("settlement", "consent", "call_market", "pairwise_exchange")
"""Beside the exchanges, the workflows that play one game alone."""

EVERY_ASKING = "every node that asks or validates"

VERBS = ("Written", "Cleared")
NAMED = re.compile(r"`(\w+)`")

Writers = dict[str, set[str]]


def documented() -> dict[str, str]:
    """Key → what is said of it."""
    classes = {kind.__name__ for kind in TABLES}
    said: dict[str, str] = {}
    for node in (node for source in SOURCES for node in ast.parse(source).body):
        if not isinstance(node, ast.ClassDef) or node.name not in classes:
            continue
        for declared, text in zip(node.body[1::2], node.body[2::2], strict=True):
            assert isinstance(declared, ast.AnnAssign)
            assert isinstance(text, ast.Expr)
            key = ast.unparse(declared.target)
            assert key not in said, f"{key} is declared twice"
            said[key] = " ".join(ast.literal_eval(text.value).split())
    return said


def named(key: str, verb: str) -> set[str]:
    """The nodes, of workflows that are here, of which a key's text says that they do so."""
    told = sentence(key, verb)
    asking = ASKING if told.startswith(EVERY_ASKING) else set()
    return asking | set(NAMED.findall(told)) & NODES


def sentence(key: str, verb: str) -> str:
    """What a key's text says of who does so."""
    found = re.search(rf"\b{verb} by (.*?)(?:[.;]|$)", documented()[key])
    return found.group(1) if found else ""


def plain(node: str) -> str:
    """A verb's name wherever a page wires it twice."""
    return node.removesuffix("_split").removesuffix("_turn")


NODES = {plain(node) for name in names() for node in builder(name).nodes}
"""Of the workflows that are installed; a table's text names those of others, too."""

ASKING = {plain(n) for name in names() for n in builder(name).askings} | {"validate"}


async def played(graph: str, config: RunConfig, written: Writers, cleared: Writers) -> None:
    app = builder(graph).compile(checkpointer=InMemorySaver())
    place: Any = {"configurable": {"thread_id": "t"}, "recursion_limit": 500}
    given = {"room": config.model_dump(mode="json", exclude_unset=True)}
    async for update in app.astream(given, place, context=RunConfig(), stream_mode="updates"):
        for node, keys in update.items():
            for key, value in (keys or {}).items():
                empty = isinstance(value, Overwrite) or value is None
                (cleared if empty else written)[key].add(plain(node))


def veto_then_leave_then_sign(told: dict[str, Any]) -> str:
    """What a member says to each offer of its delegates."""
    told_of = {1: "<s>No.</s><REJECT>", 2: "<ACTION>leave</ACTION>"}
    return told_of.get(told["offer"]["revision"], "<ACCEPT>")


def in_words(script: Script, signs: str) -> None:
    script["Alice", "contract_propose"] = "<s>Let us both cooperate all the time.</s>"
    script["Bob", "contract_answer"] = "<s>Fine.</s><ACCEPT>"
    script["summariser", "contract_write"] = proposal(fined(), compose(fined(), FOUR_TURNS))
    script["Alice", "contract_sign"] = "<ACCEPT>"
    script["Bob", "contract_sign"] = signs


@pytest.fixture
async def notes(script: Script) -> tuple[Writers, Writers]:
    """Who wrote and who cleared each key, over plays that reach every node by every verdict."""
    written: Writers = defaultdict(set)
    cleared: Writers = defaultdict(set)
    dilemma = RunConfig(game="prisoners_dilemma", params={"rounds": 4}, renegotiate="every 2")
    judged = dilemma.model_copy(update={"seats": {"*": Seat(), "judge": Seat()}})
    silent = RunConfig(rounds=1)
    for graph in names():
        own = graph.startswith("task_exchange") or graph in OWN_GAME
        for config in [RunConfig()] if own else [silent, dilemma]:
            await played(graph, config, written, cleared)
    traders = RunConfig(game="trade", params={"agents": ["Ann", "Ben", "Cem"]})
    if "call_market" in names():
        await played("call_market", traders, written, cleared)
    if "delegates" in names():
        four = RunConfig(game="volunteers", params={"agents": ["Ann", "Ben", "Cem", "Dee"]})
        wait = Deal(clauses=[Do(agent=agent, action="wait") for agent in four.params["agents"]])
        for agent in four.params["agents"]:
            script[agent, "propose"], script[agent, "answer"] = proposal(wait), "<ACCEPT>"
            script[agent, "ratify"] = veto_then_leave_then_sign
        await played("delegates", four, written, cleared)
    for signs in ("<ACCEPT>", "<s>No.</s><REJECT>"):
        in_words(script, signs)
        await played("contracts", judged, written, cleared)
    script["summariser", "contract_write"] = "<REJECT>I cannot draft these words.</REJECT>"
    await played("contracts", dilemma, written, cleared)
    for agent in dilemma.resolve().seats:
        script[agent, "contract_propose"] = script[agent, "contract_answer"] = "<REJECT>"
        script[agent, "propose"] = script[agent, "answer"] = "<REJECT>"
    await played("contracts", dilemma, written, cleared)
    await played("negotiation", dilemma, written, cleared)
    for agent in ("Alice", "Bob"):
        script[agent, "exchange"] = "no tags at all"
    plug("book_flight", lambda arguments, key: {"ok": True})
    try:
        await played("task_exchange", RunConfig(), written, cleared)
        script["Alice", "exchange"], script["Bob", "exchange"] = (
            "<PROPOSAL>{}</PROPOSAL>",
            "<ACCEPT>",
        )
        await played("task_exchange_unchecked", RunConfig(), written, cleared)
        del script.lines["Alice", "exchange"], script.lines["Bob", "exchange"]
        await played("task_exchange", RunConfig(), written, cleared)
    finally:
        plug("book_flight", None)
    return written, cleared


def test_every_key_says_what_it_is_and_who_writes_it() -> None:
    assert documented().keys() == KEYS
    for key, text in documented().items():
        assert "Written by" in text or key in NEVER_STORED, key


@with_all_extensions
def test_every_node_that_a_text_names_is_one_of_some_workflow() -> None:
    told = {node for key in KEYS for verb in VERBS for node in NAMED.findall(sentence(key, verb))}
    assert not told - NODES


@pytest.mark.slow
@with_all_extensions
async def test_a_key_is_written_and_cleared_by_whom_its_text_names(
    notes: tuple[Writers, Writers],
) -> None:
    written, cleared = notes
    for key in KEYS - NEVER_STORED:
        assert written[key] == named(key, "Written"), key
        assert cleared[key] - {"open"} == named(key, "Cleared"), key
