"""The workflows as drawings: an ablation is a diff of wiring, and every line drawn is real."""

from typing import get_type_hints

import pytest

from shapley_coop import graphs
from shapley_coop.graphs import builder
from shapley_coop.graphs.catalogue import compiled
from shapley_coop.state.table import Result, Table
from tests.brought import brought_by
from tests.served import configuration, paths

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
            ("step", "act", "again"),
            ("step", "act", "play_on"),
            ("step", "settle", "over"),
            ("settle", "__end__", ""),
        },
    )


def bargaining(suffix: str, agreed: str, no_deal: str) -> set[Edge]:
    nodes = ("propose", "validate", "answer", "tally")
    propose, validate, answer, tally = (f"{node}{suffix}" for node in nodes)
    return {
        (propose, validate, ""),
        (validate, propose, "again"),
        (validate, answer, "offer"),
        (validate, tally, "pass"),
        (answer, tally, ""),
        (tally, answer, "again"),
        (tally, answer, "countered"),
        (tally, propose, "talk_on"),
        (tally, agreed, "agreed"),
        (tally, no_deal, "no_deal"),
    }


def waiting(node: str, collect: str, then: str) -> set[Edge]:
    return {
        (node, collect, ""),
        (collect, node, "again"),
        (collect, then, "sound"),
    }


def test_negotiation_adds_bargaining_before_and_between_acts_and_nothing_else() -> None:
    assert added("llm_only", "negotiation") == (
        {"convene", "propose", "validate", "answer", "tally", "summarize"},
        bargaining("", agreed="summarize", no_deal="act")
        | {
            ("open", "propose", ""),
            ("convene", "propose", ""),
            ("summarize", "act", ""),
            ("step", "convene", "due"),
        },
        {("open", "act", "")},
    )


def test_short_term_adds_reasoning_and_the_bargaining_over_the_split_and_nothing_else() -> None:
    assert added("negotiation_priced", "short_term") == (
        {"reason", "collect_reasons", "account", "convene_split", "claim", "collect_claims"}
        | {"propose_split", "validate_split", "answer_split", "tally_split"},
        bargaining("_split", agreed="settle", no_deal="settle")
        | {
            ("open", "reason", ""),
            ("convene", "reason", ""),
            *waiting("reason", "collect_reasons", then="propose"),
            ("step", "account", "over"),
            ("account", "convene_split", ""),
            ("convene_split", "claim", ""),
            *waiting("claim", "collect_claims", then="propose_split"),
        },
        {("open", "propose", ""), ("convene", "propose", ""), ("step", "settle", "over")},
    )
    page = builder("short_term")
    topics = {node: page.askings[node].topic for node in builder("negotiation_priced").askings}
    assert topics == {n: a.topic for n, a in builder("negotiation_priced").askings.items()}


def test_shapley_coop_adds_summary_enforcement_and_what_is_computed_and_nothing_else() -> None:
    assert added("short_term", "shapley_coop") == (
        {"write", "enforce", "enforce_turn", "attribute"},
        {
            ("tally", "write", "agreed"),
            ("write", "write", "again"),
            ("write", "summarize", "written"),
            ("summarize", "enforce", ""),
            ("enforce", "act", ""),
            ("step", "enforce_turn", "played"),
            ("enforce_turn", "act", "play_on"),
            ("enforce_turn", "convene", "due"),
            ("enforce_turn", "account", "over"),
            ("collect_claims", "attribute", "sound"),
            ("attribute", "propose_split", "bargain"),
            ("attribute", "settle", "settled"),
        },
        {
            ("tally", "summarize", "agreed"),
            ("summarize", "act", ""),
            ("step", "act", "play_on"),
            ("step", "convene", "due"),
            ("step", "account", "over"),
            ("collect_claims", "propose_split", "sound"),
        },
    )


# Every page


@pytest.mark.parametrize("name", NAMES)
def test_only_the_edges_that_exist_are_drawn(name: str) -> None:
    _, edges = wiring(name)
    drawn = builder(name).compile(name=name).get_graph().edges
    assert {(e.source, e.target) for e in drawn} == {(source, to) for source, to, _ in edges}


@pytest.mark.parametrize("name", NAMES)
def test_a_workflow_is_compiled_under_its_name_without_a_saver(name: str) -> None:
    graph = compiled(name)
    assert graph.name == name
    assert graph.checkpointer is None
    assert graph.get_graph().draw_mermaid().startswith("---")


@pytest.mark.parametrize("name", NAMES)
def test_a_workflow_returns_its_result_and_its_thread_holds_the_whole_table(name: str) -> None:
    graph = compiled(name)
    assert set(graph.get_output_jsonschema()["properties"]) == set(get_type_hints(Result))
    assert set(get_type_hints(builder(name).state_schema)) <= set(graph.channels)


@pytest.mark.parametrize("name", NAMES)
async def test_a_stream_shows_the_keys_of_the_workflow_alone_and_updates_no_stranger(
    name: str,
) -> None:
    page = builder(name)
    own, seen = set(get_type_hints(page.state_schema)), set[str]()
    app = page.compile(name=name)
    modes = ["values", "updates"]
    async for mode, told in app.astream({}, context=page.context_schema(), stream_mode=modes):
        shown = [told] if mode == "values" else [one for one in told.values() if one]
        seen |= {key for one in shown for key in one}
    assert seen - {"room", "idempotency_key"} <= own
    assert get_type_hints(page.state_schema).keys() - get_type_hints(Table) <= seen


@pytest.mark.parametrize("name", NAMES)
def test_every_node_that_asks_shows_its_retry(name: str) -> None:
    """Refused answers go back to their authors by an edge of the page itself."""
    page, (nodes, edges) = builder(name), wiring(name)
    unchecked = {"speak"} if "validate" not in nodes and "speak" in nodes else set()
    for node in set(page.askings) - unchecked:
        back = [source for source, to, why in edges if to == node and why == "again"]
        assert len(back) == 1, node


@pytest.mark.parametrize("name", NAMES)
def test_no_graph_runs_inside_another(name: str) -> None:
    graph = compiled(name)
    assert list(graph.get_subgraphs()) == []
    assert "subgraph" not in graph.get_graph(xray=True).draw_mermaid()


@brought_by("exchange")
def test_without_the_validator_the_exchange_lacks_its_node_and_nothing_else() -> None:
    """The validator is wiring; the guidance is words, and no node or edge."""
    assert wiring("task_exchange_unguided") == wiring("task_exchange")
    assert wiring("task_exchange_baseline") == wiring("task_exchange_unchecked")
    validated = {("again", "speak"), ("said", "pass_on"), ("error", "settle")}
    assert added("task_exchange_unchecked", "task_exchange") == (
        {"validate"},
        {("speak", "validate", ""), *(("validate", to, why) for why, to in validated)},
        {("speak", "pass_on", "")},
    )


def test_the_server_registers_every_workflow_with_a_line_about_it() -> None:
    registered = configuration()["graphs"]
    assert {name: entry["path"] for name, entry in registered.items()} == paths()
    assert all(entry["description"].strip().endswith(".") for entry in registered.values())
    for name in NAMES:
        assert "\n" not in graphs.summary(name)


def test_an_unknown_workflow_is_answered_with_the_known_ones() -> None:
    known = ", ".join(NAMES)
    with pytest.raises(
        ValueError, match=f"^no workflow 'chess': there are {known}, and what an extension"
    ):
        builder("chess")
