"""The LangGraph server, booted for real and driven with langgraph-sdk."""

import json
from collections import defaultdict
from collections.abc import Iterator
from functools import partial
from itertools import chain
from typing import Any

import httpx
import pytest
from jsonschema import Draft202012Validator
from langgraph_sdk.client import SyncLangGraphClient

from extensions.server.tests.server_client import (
    GRAPHS,
    PUBLIC,
    WORKFLOWS,
    Watched,
    play,
    seats,
    together,
    values,
    watch,
)
from shapley_coop.deals.contract import sign
from shapley_coop.deals.language.clauses import Pay
from shapley_coop.deals.language.deal import Deal, accept, put
from shapley_coop.state.storage.facts import Fact
from shapley_coop.state.table import Result
from tests.books import entries_of
from tests.embedded_reply import reply
from tests.server_process import BLOCKING, Server
from tests.stub_faults import Fault
from tests.stub_openai import StubOpenAI

pytestmark = pytest.mark.slow

KEY = "sk-canary-2718281828"
BEHIND = ("Alice", "Bob")
SECRET = "canary-whispered-to-Alice"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("server")
    (folder / "home" / "secrets").mkdir(parents=True)
    (folder / "home" / "secrets" / "whisper.yaml").write_text(f"Alice: {SECRET}\n")
    with Server(folder, OPENAI_API_KEY=KEY) as running:
        yield running


@pytest.fixture
def client(server: Server) -> SyncLangGraphClient:
    return server.client()


@pytest.fixture(autouse=True)
def _nothing_blocks_the_event_loop(
    server: Server, request: pytest.FixtureRequest
) -> Iterator[None]:
    """No test makes the server block, but for the one that shows it would be noticed."""
    since = len(server.log())
    yield
    blocked = "Blocking call" in server.log(since)
    assert blocked == (request.function is test_a_node_that_blocks_would_be_noticed)


@pytest.fixture(scope="module")
def watched(server: Server) -> dict[str, Watched]:
    """One run of each workflow."""
    client = server.client()
    runs = together([partial(watch, client, graph, [*PUBLIC, "debug"]) for graph in WORKFLOWS])
    return dict(zip(WORKFLOWS, runs, strict=True))


@pytest.fixture(scope="module")
def finished(watched: dict[str, Watched]) -> dict[str, str]:
    """The threads of these runs, for tests that only look or fork."""
    return {graph: run.thread for graph, run in watched.items()}


@pytest.fixture
def played(finished: dict[str, str]) -> str:
    return finished["shapley_coop"]


def untimed(table: dict[str, Any]) -> dict[str, Any]:
    agents = {phase: spent["agents"] for phase, spent in table["spent"].items()}
    return {**table, "spent": agents}


def before(client: SyncLangGraphClient, thread: str, node: str) -> Any:
    """The checkpoint from which `node` ran."""
    history = client.threads.get_history(thread, limit=100)
    return next(state["checkpoint"] for state in history if state["next"] == [node])


def books(server: Server, episode: str) -> dict[str, list[Fact]]:
    """Everything posted and every answer kept."""
    return {kind: server.facts(kind, episode) for kind in ("posting", "answer")}


def lines(posted: list[Fact]) -> list[tuple[str, str, int, str]]:
    """The lines of postings."""
    return [tuple(line) for one in posted for line in one.value["lines"]]


def paid(server: Server, table: dict[str, Any]) -> dict[str, int]:
    """What the ledger's lines come to, by account."""
    sums: defaultdict[str, int] = defaultdict(int)
    for debit, credit, amount, _memo in lines(server.facts("posting", table["episode"])):
        assert isinstance(amount, int)
        sums[debit] -= amount
        sums[credit] += amount
    return dict(sums)


# What is served


def test_every_workflow_is_registered_and_described(client: SyncLangGraphClient) -> None:
    found = {a["graph_id"]: a for a in client.assistants.search(limit=100)}
    del found[BLOCKING]
    assert found.keys() == GRAPHS.keys()
    for name, registered in GRAPHS.items():
        assert (found[name]["name"], found[name]["description"]) == (
            name,
            registered["description"],
        )


@pytest.mark.parametrize("graph", WORKFLOWS)
def test_the_form_is_titled_described_and_filled_in(
    client: SyncLangGraphClient, graph: str
) -> None:
    (assistant,) = client.assistants.search(graph_id=graph)
    schemas = client.assistants.get_schemas(assistant["assistant_id"])
    context, opening = schemas["context_schema"], schemas["input_schema"]
    assert context is not None
    assert opening is not None
    shapes = opening["$defs"]
    fields = [titled(f, shapes) for f in (context, opening, shapes["RunConfig"])]
    for field in chain.from_iterable(fields):
        assert field["title"]
        assert field["description"]
        assert "default" in field
        if field.get("type") in ("integer", "number"):
            assert field.keys() >= {"minimum", "maximum"}
        if "pattern" in field and field["default"] == "never":
            assert field["examples"]
    enumerated = {word for field in fields[0] for word in field.get("enum", [])}
    assert {"enforced", "shapley"} <= enumerated
    defaults = {name: field["default"] for name, field in context["properties"].items()}
    # Submitted untouched, as it stands, or half filled in: all three are valid.
    for submitted in ({}, defaults, {"seed": 7}):
        Draft202012Validator(context).validate(submitted)
        Draft202012Validator(opening).validate({"room": submitted})
    for wrong in ({"sed": 7}, {"norm": "loudest"}, {"rounds": 0}, {"seed": "many"}):
        assert not Draft202012Validator(context).is_valid(wrong)
        assert not Draft202012Validator(opening).is_valid({"room": wrong})
    Draft202012Validator(opening).validate({})


@pytest.mark.parametrize("graph", WORKFLOWS)
def test_the_prompt_can_be_edited_at_the_nodes_that_write_letters(
    client: SyncLangGraphClient, graph: str
) -> None:
    (assistant,) = client.assistants.search(graph_id=graph)
    form: Any = client.assistants.get_schemas(assistant["assistant_id"])["context_schema"]
    drawn = client.assistants.get_graph(assistant["assistant_id"])["nodes"]
    prompt = form["properties"]["instructions"]
    assert prompt["langgraph_type"] == "prompt"
    edited = {str(node["id"]) for node in drawn} & {*prompt["langgraph_nodes"]}
    assert edited, "Studio shows a prompt at the nodes it names"


def titled(form: Any, shapes: Any) -> list[dict[str, Any]]:
    """The fields of a form; one that refers to another shape is titled as that one is."""
    fields = form["properties"].values()
    return [shapes.get(f.get("$ref", "").rpartition("/")[2], {}) | f for f in fields]


@pytest.mark.parametrize("graph", WORKFLOWS)
def test_the_shapes_of_state_and_output_are_served(client: SyncLangGraphClient, graph: str) -> None:
    (assistant,) = client.assistants.search(graph_id=graph)
    schemas = client.assistants.get_schemas(assistant["assistant_id"])
    for shape in (schemas["state_schema"], schemas["output_schema"]):
        assert shape is not None
        assert {"episode", "record", "talk", "settlement", "status"} <= shape["properties"].keys()


def test_a_node_that_blocks_would_be_noticed(client: SyncLangGraphClient) -> None:
    ended = client.runs.wait(None, BLOCKING, input={}, raise_error=False)
    assert ended["__error__"]["error"] == "BlockingError"


# Running


@pytest.mark.parametrize("graph", WORKFLOWS)
def test_an_empty_input_plays_to_the_end(
    client: SyncLangGraphClient, server: Server, finished: dict[str, str], graph: str
) -> None:
    table = values(client, finished[graph])
    assert table["status"] in ("agreed", "no_deal")
    assert table["settlement"]["ledger"] == "paid"
    balances = paid(server, table)
    assert sum(balances.values()) == 0
    owed = {agent: amount for agent, amount in table["settlement"]["payoffs"].items() if amount}
    assert {agent: balances[agent] for agent in owed} == owed


def test_no_context_at_all_is_the_default_room(client: SyncLangGraphClient, played: str) -> None:
    table = values(client, play(client, "shapley_coop", context=None))
    assert table["settings"] == values(client, played)["settings"]


def test_the_form_of_the_room_reaches_the_game(client: SyncLangGraphClient) -> None:
    context = {"params": {"prize": 20}, "seed": 5, "seats": {"*": {"model": "embedded:generous"}}}
    table = values(client, play(client, "shapley_coop", context=context))
    assert table["settings"]["seats"]["Bob"]["model"] == "embedded:generous"
    assert table["reckoning"]["total"] == "19"


def test_a_room_in_the_input_goes_before_the_context(client: SyncLangGraphClient) -> None:
    thread = play(client, "llm_only", input={"room": {"seed": 3}}, context={"seed": 4})
    assert values(client, thread)["settings"]["seed"] == 3


def test_a_second_run_on_a_thread_is_another_episode(
    client: SyncLangGraphClient, server: Server
) -> None:
    thread = play(client, "negotiation")
    first = values(client, thread)
    play(client, "negotiation", thread)
    second = values(client, thread)
    assert second["episode"] != first["episode"]
    assert (second["talk"], second["record"]) == (first["talk"], first["record"])
    assert paid(server, second) == paid(server, first)


def test_runs_side_by_side_are_each_paid_once(client: SyncLangGraphClient, server: Server) -> None:
    runs = [partial(play, client, "short_term", context={"seed": n}) for n in range(8)]
    threads = together(runs)
    tables = [values(client, thread) for thread in threads]
    assert len({table["episode"] for table in tables}) == len(threads)
    for table in tables:
        assert len(server.facts("posting", table["episode"])) == 1


def test_what_makes_no_sense_is_refused_by_name(client: SyncLangGraphClient) -> None:
    refusals: list[tuple[dict[str, Any], str]] = [
        ({"context": {"game": "nope"}}, "no game 'nope': there are "),
        ({"context": {"seats": {"Eve": "embedded:rational"}}}, "given to Eve, who does not play"),
        ({"context": {"params": {"price": 1}}}, "price"),
        ({"context": {"seats": {"*": "embedded:nobody"}}}, "'nobody' is not an embedded character"),
        ({"context": {"seats": {"*": "anthropic:x"}}}, "needs ANTHROPIC_API_KEY"),
        ({"context": {"rounds": 0}}, "rounds"),
        # An unknown key of the context is dropped by the server itself; one of the input is not.
        ({"input": {"room": {"sed": 1}}}, "sed"),
    ]

    def refused(given: dict[str, Any]) -> str:
        options: Any = {"input": {}, "context": {}, **given}
        try:
            ended: Any = client.runs.wait(None, "llm_only", raise_error=False, **options)
        except httpx.HTTPStatusError as early:  # the extension `server` looks before a run is made
            return early.response.text
        return str(ended["__error__"]["message"])

    found = together([partial(refused, given) for given, _ in refusals])
    for told, (given, complaint) in zip(found, refusals, strict=True):
        assert complaint in told, given


# Looking


@pytest.mark.parametrize("graph", WORKFLOWS)
def test_streams_state_and_history_tell_the_same_story(
    client: SyncLangGraphClient, watched: dict[str, Watched], graph: str
) -> None:
    thread, parts = watched[graph].thread, watched[graph].parts
    assert "error" not in parts
    nodes = [node for update in parts["updates"] for node in update]
    assert (nodes[0], nodes[-1]) == ("open", "settle")
    state = client.threads.get_state(thread)
    returned = {key: state["values"][key] for key in Result.__annotations__}
    assert (state["next"], returned) == ([], parts["values"][-1])
    history = client.threads.get_history(thread, limit=100)
    ran = [node for past in reversed(history) for node in past["next"] if node != "__start__"]
    assert ran == nodes
    started = [task["name"] for task in parts["tasks"] if "input" in task]
    assert started == nodes
    assert len(parts["checkpoints"]) == len(history)
    assert {"asking", "answered"} <= {told["event"] for told in parts["custom"]}
    assert parts["debug"]


def test_the_stream_of_events_tells_of_every_node(client: SyncLangGraphClient) -> None:
    parts = watch(client, "llm_only", ["events", "updates"]).parts
    nodes = {node for update in parts["updates"] for node in update}
    begun = {one["name"] for one in parts["events"] if one["event"] == "on_chain_start"}
    assert nodes <= begun


def test_public_streams_state_and_log_hold_nothing_private(
    client: SyncLangGraphClient, server: Server
) -> None:
    since, thread = len(server.log()), client.threads.create()["thread_id"]
    context = {"secrets": "whisper"}
    stream = client.runs.stream(
        thread, "shapley_coop", input={}, context=context, stream_mode=PUBLIC
    )
    streamed = [part.data for part in stream]
    seen = {
        "streams": json.dumps(streamed),
        "state": json.dumps(client.threads.get_state(thread)),
        "history": json.dumps(client.threads.get_history(thread, limit=100)),
        "log": server.log(since),
    }
    for place, text in seen.items():
        for private in (SECRET, "CONSIDER", KEY):
            assert private not in text, f"{private} is in the {place}"
    # It was not lost on the way either: Alice was told, and reasoned.
    episode = values(client, thread)["episode"]
    assert any("<CONSIDER>" in x.answer.text for x in entries_of(server.home, episode))


# Forks in time


@pytest.mark.parametrize("graph", WORKFLOWS)
def test_every_workflow_forks_from_before_its_end_and_is_paid_once(
    client: SyncLangGraphClient, server: Server, finished: dict[str, str], graph: str
) -> None:
    thread = finished[graph]
    first = values(client, thread)
    kept = books(server, first["episode"])
    play(client, graph, thread, input=None, checkpoint=before(client, thread, "settle"))
    assert untimed(values(client, thread)) == untimed(first)
    assert books(server, first["episode"]) == kept


@pytest.mark.parametrize("node", ["propose", "act"])
def test_a_fork_runs_again_and_pays_nothing_twice(
    client: SyncLangGraphClient, server: Server, played: str, node: str
) -> None:
    first = values(client, played)
    kept = books(server, first["episode"])
    assert (len(kept["posting"]), len(lines(kept["posting"]))) == (1, 3)
    states = len(client.threads.get_history(played, limit=1000))
    play(client, "shapley_coop", played, input=None, checkpoint=before(client, played, node))
    assert len(client.threads.get_history(played, limit=1000)) > states
    assert untimed(values(client, played)) == untimed(first)
    # Neither a line in the ledger nor a question to anybody's seat.
    assert books(server, first["episode"]) == kept


def another_contract() -> dict[str, Any]:
    deal = Deal(clauses=(Pay(payer="Alice", payee="Bob", amount="9"),))
    offer = accept(put(deal, by="Alice", revision=1), "Bob", 1, deal.hash())
    assert isinstance(offer, dict)
    return json.loads(json.dumps(sign(offer, from_turn=1)))


@pytest.mark.parametrize(
    ("graph", "node", "edit"),
    [
        ("negotiation", "act", {"contract": another_contract()}),
        ("negotiation", "settle", {"contract": another_contract()}),
        ("shapley_coop", "settle", {"offer": None, "contract": another_contract()}),
    ],
    ids=["contract before play", "contract after play", "no redistribution"],
)
def test_a_fork_with_an_edited_state_is_counterfactual_and_unpaid(
    client: SyncLangGraphClient, server: Server, graph: str, node: str, edit: dict[str, Any]
) -> None:
    thread = play(client, graph)
    first = values(client, thread)
    posted = server.facts("posting", first["episode"])
    edited = client.threads.update_state(thread, edit, checkpoint=before(client, thread, node))
    play(client, graph, thread, input=None, checkpoint=edited["checkpoint"])
    second = values(client, thread)
    assert second["episode"] == first["episode"]
    assert second["settlement"]["payoffs"] != first["settlement"]["payoffs"]
    ledgers = (first["settlement"]["ledger"], second["settlement"]["ledger"])
    assert ledgers == ("paid", "counterfactual")
    assert server.facts("posting", first["episode"]) == posted


# Models behind a network


def test_agents_behind_an_endpoint_play_the_same(client: SyncLangGraphClient, played: str) -> None:
    with StubOpenAI(reply) as stub:
        table = values(client, play(client, "shapley_coop", context=seats(stub)))
        # The summariser has no endpoint: code writes the contract down.
        spent = [one["agents"].get(name) for one in table["spent"].values() for name in BEHIND]
        assert stub.calls == sum(one["calls"] for one in spent if one)
    inside = values(client, played)
    for key in ("talk", "record", "settlement"):
        assert table[key] == inside[key]


def test_an_endpoint_that_fails_leaks_neither_key_nor_letter(
    client: SyncLangGraphClient, server: Server
) -> None:
    since = len(server.log())
    with StubOpenAI(reply, faults=[None, Fault.bad_key()]) as stub:
        thread = client.threads.create()["thread_id"]
        given = {"input": {}, "context": seats(stub) | {"secrets": "whisper"}}
        ended = client.runs.wait(thread, "shapley_coop", raise_error=False, **given)
        error = ended["__error__"]
        assert error["error"] == "SeatError"
        assert "did not answer" in error["message"]
        told = json.dumps([ended, client.threads.get_state(thread)]) + server.log(since)
        for private in (KEY, SECRET, "You are **", "Incorrect API key"):
            assert private not in told
        # What is mended goes on where it stopped.
        play(client, "shapley_coop", thread, input=None)
        assert values(client, thread)["status"] == "agreed"
