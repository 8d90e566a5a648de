"""People at the table: one task each, replies in any order, refused ones asked again at once."""

import json
import random
from collections.abc import Mapping
from typing import Any

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END
from langgraph.types import Command

from shapley_coop.graphs.app import App
from shapley_coop.graphs.preparing import prepare
from shapley_coop.graphs.replies import open_questions
from shapley_coop.graphs.running import Waiting, answer, follow
from shapley_coop.graphs.threads import configure, open_workflow, table_of
from shapley_coop.graphs.workflow import WorkflowBuilder
from shapley_coop.nodes.table.step import step
from shapley_coop.questions import act, reason
from shapley_coop.state.run_config import RunConfig
from shapley_coop.state.storage.home import home
from shapley_coop.state.storage.register import Run

ALL = {"*": "human"}
DEAL = {
    "clauses": [
        {"kind": "do", "agent": "Alice", "action": "door"},
        {"kind": "do", "agent": "Bob", "action": "lever"},
        {"kind": "pay", "payer": "Alice", "payee": "Bob", "amount": 5.5},
    ]
}
SAYS = {
    "reason": "<CONSIDER>Collective payoff: 9\nExternality: +\nPrice: 5.5</CONSIDER>",
    "propose": f"<s>Let us share.</s><PROPOSAL>{json.dumps(DEAL)}</PROPOSAL>",
    "answer": "<s>Fine.</s><ACCEPT>",
    "claim": "<s>Half of it.</s><CLAIM>50%</CLAIM>",
    "propose_split": "<REJECT>",
    "answer_split": "<REJECT>",
    "answer_bounty": "<ACCEPT>",
}


def reply(known: Mapping[str, Any]) -> str:
    """What a sensible person answers to the facts of a letter."""
    if known["ask"] == "act":
        return f"<ACTION>{'door' if known['you'] == 'Alice' else 'lever'}</ACTION>"
    return SAYS[known["ask"]]


async def interrupts(run: Run) -> dict[str, str]:
    """Agent → the id of the interrupt that waits for it."""
    async with open_workflow(run.graph) as app:
        state = await app.aget_state(configure(run))
    return {i.value["pointer"]["agent"]: i.id for i in state.interrupts}


def letter_of(episode: str, agent: str) -> str:
    mail = home().journal.mail(episode, agent)
    assert mail is not None
    return mail.letter_text


def facts_of(episode: str, agent: str) -> Mapping[str, Any]:
    mail = home().journal.mail(episode, agent)
    assert mail is not None
    return mail.facts


async def test_each_of_two_people_has_messages_of_its_own() -> None:
    run = prepare("shapley_coop", RunConfig(seats=ALL))
    outcome = await follow(run, person=lambda mail: reply(mail.facts))
    table = await table_of(run)
    ids = [said["id"] for said in table["talk"]]
    assert ids == [f"m{n}" for n in range(1, len(ids) + 1)]
    claims = [said for said in table["talk"] if said["act"] == "claim"]
    assert [said["by"] for said in claims] == ["Alice", "Bob"]
    assert table["claims"] == {"Alice": "0.5", "Bob": "0.5"}
    assert outcome["payoffs"] == {"Alice": 4.5, "Bob": 4.5}


@pytest.mark.parametrize("seed", range(4))
async def test_replies_come_in_any_order_over_restarts(seed: int) -> None:
    """Every reply is given to a process of its own, as far as the run can tell."""
    order, run = random.Random(seed), prepare("shapley_coop", RunConfig(seats=ALL))
    outcome: dict[str, Any] = {}
    while not outcome:
        try:
            outcome = await follow(run)
        except Waiting:
            waiting = list(await interrupts(run))
            episode = (await table_of(run))["episode"]
            agent = order.choice(waiting)
            assert await answer(run, agent, reply(facts_of(episode, agent))) is None
    assert outcome["payoffs"] == {"Alice": 4.5, "Bob": 4.5}
    assert outcome["spending"]["action"]["Alice"]["refused"] == 0


async def test_a_refused_reply_is_asked_for_again_at_once_under_the_same_interrupt() -> None:
    run = prepare("llm_only", RunConfig(seats=ALL))
    with pytest.raises(Waiting):
        await follow(run)
    before, episode = await interrupts(run), (await table_of(run))["episode"]
    fault = await answer(run, "Alice", "I would rather not say.")
    assert fault is not None
    assert fault.label == "MPT"
    assert await interrupts(run) == before
    assert "Your answer has no <ACTION>" in letter_of(episode, "Alice")
    assert "Your last answer" not in letter_of(episode, "Bob")
    for agent in ("Alice", "Bob"):
        assert await answer(run, agent, reply(facts_of(episode, agent))) is None
    outcome = await follow(run)
    assert outcome["rewards"] == {"Alice": 10, "Bob": -1}
    spent = outcome["spending"]["action"]
    assert (spent["Alice"]["calls"], spent["Alice"]["refused"]) == (2, 1)
    assert (spent["Bob"]["calls"], spent["Bob"]["refused"]) == (1, 0)


async def test_a_client_that_resumes_by_itself_is_validated_by_the_node() -> None:
    """Both resume in one go, one of them with nonsense: only that one is asked again."""
    run = prepare("llm_only", RunConfig(seats=ALL))
    with pytest.raises(Waiting):
        await follow(run)
    ids = await interrupts(run)
    async with open_workflow(run.graph) as app:
        given = {ids["Alice"]: "nonsense", ids["Bob"]: "<ACTION>lever</ACTION>"}
        await app.ainvoke(Command(resume=given), configure(run), context={})
        state = await app.aget_state(configure(run))
        assert list(open_questions(run.graph, state.values, state.tasks)) == ["Alice"]
        assert state.values["drafts"]["Bob"]["sound"]
        assert state.values["drafts"]["Alice"]["label"] == "MPT"
        (again,) = state.interrupts
        await app.ainvoke(Command(resume={again.id: "<ACTION>door</ACTION>"}), configure(run))
    assert (await table_of(run))["record"][0]["actions"] == {"Alice": "door", "Bob": "lever"}


async def test_models_beside_a_person_are_asked_once() -> None:
    run = prepare(
        "negotiation",
        RunConfig(game="public_goods", seats={"Bob": "human", "*": "embedded:rational"}),
    )
    given: list[str] = []

    def person(mail: Any) -> str:
        given.append(mail.act)
        known = mail.facts
        return "<REJECT>" if mail.act != "act" else f"<ACTION>{known['legal'][0]}</ACTION>"

    outcome = await follow(run, person=person)
    entries = list(home().journal.entries(outcome["episode"]))
    assert len({(e.agent, e.letter) for e in entries}) == len(entries)
    assert given.count("act") == outcome["turns_played"]


def acting(first: str = "act") -> App:
    """A workflow in which all act; if `first` is "reason", right after all have reasoned."""
    page = WorkflowBuilder()
    page.add_edge("open", first)
    page.asks("reason", reason.QUESTION)
    page.add_edge("reason", "act")
    page.asks("act", act.QUESTION, then=("step", step))
    page.add_edge("step", END)
    return page.compile(name="acting", checkpointer=InMemorySaver())


async def test_a_plain_edge_leads_to_a_task_for_each_person() -> None:
    """In one task, the reply to Alice's letter would be taken for Bob's too."""
    app, config = acting(), {"configurable": {"thread_id": "t"}}
    told = await app.ainvoke({"room": RunConfig(seats=ALL)}, config)
    for agent, action in {"Alice": "lever", "Bob": "door"}.items():
        (asked,) = (i for i in told["__interrupt__"] if i.value["pointer"]["agent"] == agent)
        told = await app.ainvoke(Command(resume={asked.id: f"<ACTION>{action}</ACTION>"}), config)
    assert told["record"][0]["actions"] == {"Alice": "lever", "Bob": "door"}


async def test_several_people_are_never_asked_in_one_task() -> None:
    """The edge between two nodes that ask is taken once all have answered, and so has one task."""
    app, config = acting("reason"), {"configurable": {"thread_id": "t"}}
    told = await app.ainvoke({"room": RunConfig(seats=ALL)}, config)
    replies = {asked.id: SAYS["reason"] for asked in told["__interrupt__"]}
    with pytest.raises(ValueError, match=r"^act asks Alice, Bob in one task, but each"):
        await app.ainvoke(Command(resume=replies), config)
