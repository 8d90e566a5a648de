"""A negotiation in an app that is not ours, and an agent of LangChain's that keeps a contract."""

import re
from collections.abc import Mapping
from typing import Any, TypedDict

import pytest
from langchain.agents import create_agent
from langchain_core.language_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, AnyMessage, ToolMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, StateGraph

from shapley_coop import Deal, Outcome, SeatError
from shapley_coop.extensions.hosting import ContractMiddleware, negotiate
from shapley_coop.state.storage.home import home
from shapley_coop.state.storage.owners import OWNER_KEY, NotYours, acting_for
from tests.root import ROOT

PAGE = (ROOT / "docs" / "hosting.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)


class Calls(GenericFakeChatModel):
    """A model that calls the tools it is scripted to call."""

    def bind_tools(self, tools: Any, **_: Any) -> Any:
        return self


def calling(*turns: list[str]) -> Calls:
    """One message for each turn with calls of these tools, and a last word."""
    said = [
        AIMessage("", tool_calls=[{"name": t, "args": {}, "id": f"{n}{t}"} for t in tools])
        for n, tools in enumerate(turns)
    ]
    return Calls(messages=iter([*said, AIMessage("Done.")]))


def test_the_examples_of_the_page_run_as_printed(capsys: pytest.CaptureFixture[str]) -> None:
    for example in EXAMPLES:
        assert len(example.splitlines()) <= 20
        names = {"__name__": "example", "model": calling(["deploy"])}
        exec(compile(example, "docs/hosting.md", "exec"), names)
    told = capsys.readouterr().out.splitlines()
    assert "Ada does work" in "".join(told)
    assert f"# {told[-1]}" in EXAMPLES[-1].splitlines()


# A node


class State(TypedDict, total=False):
    task: str
    outcome: dict[str, Any]
    payoffs: dict[str, float]


def app(node: Any, saver: InMemorySaver | None = None) -> Any:
    graph = StateGraph(State).add_node("agree", node).add_edge(START, "agree")
    return graph.compile(checkpointer=saver)


SHOWN: list[str] = []


def opens(letter: str, facts: Mapping[str, Any]) -> dict[str, Any]:
    SHOWN.append(letter)
    return {"action": "door"}


async def test_a_node_reads_what_it_is_told_to_and_writes_json() -> None:
    SHOWN.clear()
    seats = {"Bob": opens, "*": "embedded:rational"}
    node = negotiate(seats, about="escape_room", read="task", workflow="llm_only")
    done = await app(node).ainvoke({"task": "Be out by noon.", "payoffs": {"Eve": 1.5}})
    assert type(done["outcome"]) is dict
    assert done["outcome"]["seats"]["Bob"].endswith(":opens")
    assert len(SHOWN) == 1
    assert "Be out by noon." in SHOWN[0]
    assert "Eve" not in SHOWN[0]


def test_callables_map_the_state_in_and_out() -> None:
    def write(outcome: Outcome) -> State:
        return {"payoffs": outcome.payoffs}

    node = negotiate(
        {"*": "embedded:rational"},
        about="escape_room",
        read=lambda state: {"seed": int(state["task"])},
        write=write,
        workflow="shapley_coop",
    )
    assert app(node).invoke({"task": "3"})["payoffs"] == {"Alice": 4.5, "Bob": 4.5}


async def test_the_run_of_a_node_belongs_to_the_owner_of_the_graph_that_plays_it() -> None:
    node = negotiate({"*": "embedded:rational"}, about="escape_room", workflow="llm_only")
    place = {"configurable": {"thread_id": "t", OWNER_KEY: "acme"}}
    run = (await app(node, InMemorySaver()).ainvoke({}, place))["outcome"]["run"]
    with acting_for("acme"):
        assert home().run(run).run == run
    with acting_for("other"), pytest.raises((ValueError, NotYours)):
        home().run(run)


async def test_a_stopped_node_goes_on_with_its_run_and_its_letters_are_in_no_checkpoint() -> None:
    asked: list[int] = []
    broken = [True]

    def fails_once(letter: str, facts: Mapping[str, Any]) -> dict[str, Any]:
        if facts["turn"] == 2 and broken:
            broken.clear()
            raise OSError
        asked.append(facts["turn"])
        return {"action": "cooperate", "thoughts": "my own secret"}

    saver = InMemorySaver()
    seats = {"Bob": fails_once, "*": "embedded:rational"}
    about = {"game": "prisoners_dilemma", "params": {"rounds": 3}}
    node = negotiate(seats, about=about["game"], params=about["params"], workflow="llm_only")
    thread = {"configurable": {"thread_id": "one"}}
    with pytest.raises(SeatError):
        await app(node, saver).ainvoke({"task": ""}, thread)
    done = await app(node, saver).ainvoke(None, thread)
    assert asked == [1, 2, 3]
    assert [run.run for run in home().runs.list()] == [done["outcome"]["run"]]
    again = await app(node, saver).ainvoke({"task": ""}, thread)
    assert again["outcome"]["run"] != done["outcome"]["run"], "another task is another run"
    assert {each.config["configurable"]["checkpoint_ns"] for each in saver.list(thread)} == {""}
    assert "my own secret" not in repr(list(saver.list(thread)))


@pytest.mark.parametrize("person", ["human", {"model": "human"}])
def test_a_person_is_refused(person: Any) -> None:
    with pytest.raises(ValueError, match="Ann is a person, for whom this node cannot wait"):
        negotiate({"Ann": person, "Ben": opens}, about="escape_room")


# An agent that keeps its contract


DONE: list[str] = []


def work() -> str:
    """Work."""
    DONE.append("work")
    return "worked"


def idle() -> str:
    """Do nothing."""
    DONE.append("idle")
    return "idled"


def search() -> str:
    """Look something up."""
    DONE.append("search")
    return "found"


def held(clauses: list[dict[str, Any]], *turns: list[str], **how: Any) -> list[ToolMessage]:
    """What the tools told an agent that is held to a contract and calls them."""
    DONE.clear()
    keeps = ContractMiddleware(Deal.model_validate({"clauses": clauses}), "Ann", **how)
    agent = create_agent(calling(*turns), [work, idle, search], middleware=[keeps])
    said: list[AnyMessage] = agent.invoke({"messages": [("user", "Go on.")]})["messages"]
    assert said[-1].content == "Done."
    return [message for message in said if isinstance(message, ToolMessage)]


def clause(kind: str, action: str, agent: str = "Ann", **more: Any) -> dict[str, Any]:
    return {"kind": kind, "agent": agent, "action": action, **more}


def test_what_is_forbidden_is_not_run_and_the_clause_is_quoted() -> None:
    deal = [clause("do", "work", "Ben"), clause("forbid", "idle")]
    refused, found = held(deal, ["idle"], ["search"])
    assert refused.status == "error"
    assert refused.content == (
        "Not done: the contract that Ann signed says: c2. Ann must never do idle."
    )
    assert DONE == ["search"]
    assert found.status == "success"


def test_a_clause_on_turns_counts_the_agents_own_answered_calls() -> None:
    deal = [clause("forbid", "idle", when={"turns": [2, 2]})]
    told = held(deal, ["idle"], ["search"], ["idle"], ["idle"])
    assert [message.status for message in told] == ["success", "success", "error", "error"]
    assert DONE == ["idle", "search"]


def test_a_clause_that_asks_for_an_action_refuses_the_other_actions_alone() -> None:
    told = held([clause("do", "work")], ["idle"], ["search"], actions={"work": "work", "idle": "i"})
    assert [message.status for message in told] == ["error", "success"]
    told = held([clause("do", "work")], ["idle"], ["search"], ["work"])
    assert DONE == ["idle", "search", "work"], "the deal knows of no idling"


def test_what_others_did_is_known_from_a_record() -> None:
    deal = [clause("forbid", "work", when={"last": {"agent": "Ben", "action": "idle"}})]
    idled = [{"turn": 1, "actions": {"Ben": "idle"}, "rewards": {}}]
    assert held(deal, ["work"])[0].status == "success"
    assert held(deal, ["work"], record=lambda state: idled)[0].status == "error"


async def test_calls_that_are_awaited_are_held_too_and_an_outcome_is_a_contract() -> None:
    signed = Outcome(contract={"clauses": [clause("forbid", "idle")]})
    agent = create_agent(calling(["idle"]), [idle], middleware=[ContractMiddleware(signed, "Ann")])
    DONE.clear()
    await agent.ainvoke({"messages": [("user", "Go on.")]})
    assert DONE == []
    for nothing in (Outcome(contract=None), {"text": "Ann keeps idle."}):
        with pytest.raises(ValueError, match="nothing was signed"):
            ContractMiddleware(nothing, "Ann")


def test_what_would_fail_in_the_middle_of_a_graph_is_refused_as_it_is_made() -> None:
    with pytest.raises(ValueError, match="no workflow 'contract'"):
        negotiate({"*": "embedded:rational"}, about="volunteers", workflow="contract")
    with pytest.raises(ValueError, match="no game 'nope'"):
        negotiate({"*": "embedded:rational"}, about="nope")
    with pytest.raises(TypeError, match="Ann's seat"):
        negotiate({"Ann": 42}, about="volunteers")
    node = negotiate({"*": "embedded:rational"}, about="volunteers", read="taks")
    with pytest.raises(ValueError, match="read='taks': the state has no such key; it has task"):
        node.invoke({"task": "x"})


def test_a_contract_that_would_hold_the_agent_to_nothing_is_refused() -> None:
    clause = {"kind": "forbid", "agent": "Ann", "action": "deploy"}
    deal = Deal.model_validate({"clauses": [clause]})
    with pytest.raises(ValueError, match="requires nothing of An: name one of its parties"):
        ContractMiddleware(deal, agent="An")
    with pytest.raises(ValueError, match="no tool takes deploy"):
        ContractMiddleware(deal, agent="Ann", actions={"push": "deplooy"})
