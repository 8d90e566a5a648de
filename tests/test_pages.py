"""The workflows as drawings: an ablation is a diff of wiring, and every line drawn is real."""

import json
from importlib import import_module
from pathlib import Path
from typing import Any, get_type_hints

import pytest
from langgraph.graph.state import CompiledStateGraph

from shapley_coop import graphs
from shapley_coop.graphs import builder
from shapley_coop.state import Opening, Table

ROOT = Path(__file__).parents[1]
NAMES = graphs.names()

Edge = tuple[str, str, str]
"""From, to, and the verdict by which it is taken (empty: always)."""


def wiring(name: str) -> tuple[set[str], set[Edge]]:
    """A page's nodes, and its edges with the verdicts that lead along them."""
    page = builder(name)
    edges: set[Edge] = {(source, to, "") for source, to in page.edges}
    for source, routers in page.branches.items():
        for router in routers.values():
            assert router.ends, f"{name}: the router after {source} has no path map"
            lone = len(router.ends) == 1
            edges |= {(source, to, "" if lone else str(v)) for v, to in router.ends.items()}
    return set(page.nodes), edges


def added(less: str, more: str) -> tuple[set[str], set[Edge], set[Edge]]:
    """What `more` has beyond `less`: its nodes and edges, and the edges it does without."""
    (nodes, edges), (more_nodes, more_edges) = wiring(less), wiring(more)
    assert nodes <= more_nodes, "an ablation takes nothing away"
    return more_nodes - nodes, more_edges - edges, edges - more_edges


# The ablation


def test_llm_only_acts_until_the_game_is_over() -> None:
    assert wiring("llm_only") == (
        {"open", "act", "step", "settle"},
        {
            ("__start__", "open", ""),
            ("open", "act", ""),
            ("act", "step", ""),
            ("step", "act", "play_on"),
            ("step", "settle", "over"),
            ("settle", "__end__", ""),
        },
    )


def bargaining(suffix: str, agreed: str, no_deal: str) -> set[Edge]:
    propose, answer, tally = f"propose{suffix}", f"answer{suffix}", f"tally{suffix}"
    return {
        (propose, answer, "offer"),
        (propose, tally, "pass"),
        (answer, tally, ""),
        (tally, answer, "countered"),
        (tally, propose, "talk_on"),
        (tally, agreed, "agreed"),
        (tally, no_deal, "no_deal"),
    }


def test_negotiation_adds_bargaining_before_and_between_acts_and_nothing_else() -> None:
    assert added("llm_only", "negotiation") == (
        {"convene", "propose", "answer", "tally", "summarize"},
        bargaining("", agreed="summarize", no_deal="act")
        | {
            ("open", "convene", ""),
            ("convene", "propose", ""),
            ("summarize", "act", ""),
            ("step", "convene", "due"),
        },
        {("open", "act", "")},
    )


def test_short_term_adds_reasoning_and_the_bargaining_over_the_split_and_nothing_else() -> None:
    assert added("negotiation", "short_term") == (
        {"reason", "account", "convene_split", "claim"}
        | {"propose_split", "answer_split", "tally_split"},
        bargaining("_split", agreed="settle", no_deal="settle")
        | {
            ("convene", "reason", ""),
            ("reason", "propose", ""),
            ("step", "account", "over"),
            ("account", "convene_split", ""),
            ("convene_split", "claim", ""),
            ("claim", "propose_split", ""),
        },
        {("convene", "propose", ""), ("step", "settle", "over")},
    )


def test_shapley_coop_adds_what_is_reckoned_from_the_record_and_nothing_else() -> None:
    assert added("short_term", "shapley_coop") == (
        {"attribute"},
        {("account", "attribute", ""), ("attribute", "convene_split", "")},
        {("account", "convene_split", "")},
    )


# Every page


@pytest.mark.parametrize("name", NAMES)
def test_only_the_edges_that_exist_are_drawn(name: str) -> None:
    _, edges = wiring(name)
    drawn = builder(name).compile(name=name).get_graph().edges
    assert {(e.source, e.target) for e in drawn} == {(source, to) for source, to, _ in edges}


@pytest.mark.parametrize("name", NAMES)
def test_a_workflow_is_compiled_under_its_name_without_a_saver(name: str) -> None:
    graph = import_module(f"shapley_coop.graphs.{name}").graph
    assert graph.name == name
    assert graph.checkpointer is None
    assert graph.get_graph().draw_mermaid().startswith("---")


@pytest.mark.parametrize("name", NAMES)
def test_every_node_reads_the_table_and_the_first_the_opening(name: str) -> None:
    read = {node: spec.input_schema for node, spec in builder(name).nodes.items()}
    first = {to for source, to, _ in wiring(name)[1] if source == "__start__"}
    assert {node for node, schema in read.items() if schema is Opening} == first
    assert {schema for node, schema in read.items() if node not in first} == {Table}


@pytest.mark.parametrize("name", NAMES)
def test_the_whole_table_is_given_out(name: str) -> None:
    """A narrower output would have the server stream nulls."""
    graph = import_module(f"shapley_coop.graphs.{name}").graph
    assert set(graph.get_output_jsonschema()["properties"]) == set(get_type_hints(Table))


def minds() -> dict[str, CompiledStateGraph[Any, Any, Any, Any]]:
    """Every private graph that a node of some page thinks with."""
    found = {}
    for name in NAMES:
        for node, spec in builder(name).nodes.items():
            call = getattr(spec.runnable, "afunc", None) or getattr(spec.runnable, "func", None)
            for cell in getattr(call, "__closure__", None) or ():
                if isinstance(cell.cell_contents, CompiledStateGraph):
                    found[f"{name}.{node}"] = cell.cell_contents
    return found


MINDS = minds()


def test_the_agents_of_every_workflow_think_in_private() -> None:
    thinking = {name.partition(".")[0] for name in MINDS}
    assert thinking == set(NAMES)
    assert {name.partition(".")[2] for name in MINDS} >= {"reason", "propose", "answer", "act"}


def mind_wiring(name: str) -> tuple[set[str], set[tuple[str, str]]]:
    """A mind's nodes and edges."""
    drawn = MINDS[name].get_graph()
    return set(drawn.nodes), {(e.source, e.target) for e in drawn.edges}


VALIDATED = {
    ("__start__", "ask"),
    ("ask", "validate"),
    ("validate", "ask"),
    ("validate", "__end__"),
}
AS_WRITTEN = {("__start__", "ask"), ("ask", "deliver"), ("deliver", "__end__")}


@pytest.mark.parametrize(
    ("variant", "speaking"),
    [
        ("task_exchange", VALIDATED),
        ("task_exchange_unguided", VALIDATED),
        ("task_exchange_unchecked", AS_WRITTEN),
        ("task_exchange_baseline", AS_WRITTEN),
    ],
)
def test_the_exchanges_differ_in_how_a_traders_mind_is_wired_and_in_nothing_else(
    variant: str, speaking: set[tuple[str, str]]
) -> None:
    """The validator is wiring; the guidance is words, and no node or edge."""
    assert wiring(variant) == wiring("task_exchange")
    assert mind_wiring(f"{variant}.speak")[1] == speaking
    for same in ("consider", "act"):
        assert mind_wiring(f"{variant}.{same}") == mind_wiring(f"task_exchange.{same}")


def test_no_key_of_a_mind_is_a_key_of_the_table() -> None:
    private = {key for mind in MINDS.values() for key in mind.channels}
    private = {key for key in private if not key.startswith(("__", "branch:"))}
    assert private
    assert private & set(get_type_hints(Table)) == set()


def test_minds_inherit_their_saver() -> None:
    """With `True` it would share memory between agents, with `False` lose a person's reply."""
    assert {mind.checkpointer for mind in MINDS.values()} == {None}


def test_the_server_registers_every_workflow_with_a_line_about_it() -> None:
    registered = json.loads((ROOT / "langgraph.json").read_text(encoding="utf-8"))["graphs"]
    assert set(registered) == set(NAMES)
    for name, entry in registered.items():
        assert entry["path"] == f"./graphs/{name}.py:graph"
        assert entry["description"].strip().endswith(".")
        assert "\n" not in graphs.summary(name)


def test_an_unknown_workflow_is_answered_with_the_known_ones() -> None:
    with pytest.raises(ValueError, match=f"^no workflow 'chess': there are {', '.join(NAMES)}$"):
        builder("chess")
