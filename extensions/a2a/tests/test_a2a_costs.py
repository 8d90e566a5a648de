"""A budget goes to an agent elsewhere with each letter, and its costs come back as a tree."""

import json
from typing import Any

import httpx
import pytest
from a2a.client import ClientConfig, ClientFactory
from a2a.helpers import get_message_text, new_message, new_text_part
from a2a.server.tasks import TaskUpdater
from a2a.types import Artifact, Role, SendMessageRequest, Task, TaskState
from google.protobuf.json_format import MessageToDict

from extensions.a2a.tests.a2a_agents import Heard, Manner, a2a_agent, in_words
from extensions.a2a.tests.test_a2a_assessment import agent, results
from extensions.a2a.tests.test_a2a_seat import played
from shapley_coop.extensions.a2a.asking.reply import cost_in
from shapley_coop.extensions.a2a.costs import BUDGET, Cost, sum_of
from shapley_coop.extensions.a2a.serving.agents import ASSESSMENT, LETTERS, Judge, Subject
from shapley_coop.seats.seat import Seat
from shapley_coop.state.storage.home import home
from tests.waiting import HANGS

RATIONAL = Seat(model="embedded:rational")


def returning(usage: Any) -> Manner:
    """An agent that answers in words and reports these costs."""

    async def manner(heard: Heard, updater: TaskUpdater) -> None:
        answer = [new_text_part(heard.answer())]
        await updater.add_artifact(answer, metadata={"usage": usage})
        await updater.complete()

    return manner


async def asked(url: str, text: str, budget: Any = None) -> Task:
    """Send a text with a budget; the task in the end, with its messages' metadata."""
    async with httpx.AsyncClient(timeout=HANGS) as http:
        config = ClientConfig(streaming=False, httpx_client=http)
        client = await ClientFactory(config).create_from_url(url)
        message = new_message([new_text_part(text)], role=Role.ROLE_USER)
        request = SendMessageRequest(message=message)
        if budget is not None:
            request.metadata.update({BUDGET: budget})
        async for event in client.send_message(request):
            return event.task
    raise AssertionError("no answer")


def usage_of(part: Any) -> Any:
    return MessageToDict(part.metadata)["usage"]


def of_bob(outcome: dict[str, Any], count: str) -> int:
    phases = outcome["spending"].values()
    return sum(int(phase["Bob"][count]) for phase in phases if "Bob" in phase)


# The asking side


async def test_the_sum_of_a_tree_is_counted_in_the_run_and_its_price_in_the_journal() -> None:
    asked_by_bob = {"input_tokens": 900, "output_tokens": 5, "usd": 0.25}
    middle = {"input_tokens": 90, "output_tokens": 1, "agents": {"Deep": asked_by_bob}}
    tree = {"input_tokens": 10, "output_tokens": 1, "usd": 0.5, "agents": {"Middle": middle}}
    with a2a_agent(returning(tree)) as bob:
        outcome = await played("escape_room", {"model": f"a2a:{bob.url}"}, "negotiation")
    times = len(bob.heard)
    assert (of_bob(outcome, "input_tokens"), of_bob(outcome, "output_tokens")) == (
        1_000 * times,
        7 * times,
    )
    entries = home().journal.entries(outcome["episode"])
    assert sum(entry.answer.usd for entry in entries) == 0.75 * times


async def test_each_letter_brings_what_is_left_of_the_runs_budget() -> None:
    tree = {"input_tokens": 90, "output_tokens": 10}
    budget = {"agent_calls": 5, "agent_tokens": 1_000, "seconds": 1_000}
    with a2a_agent(returning(tree)) as bob:
        await played("escape_room", {"model": f"a2a:{bob.url}"}, "negotiation", budget=budget)
    told = [heard.budget for heard in bob.heard]
    assert [(one["calls"], one["tokens"]) for one in told] == [
        (5 - n, 1_000 - 100 * n) for n in range(len(told))
    ]
    assert len(told) > 1
    seconds = [one["seconds"] for one in told]
    assert seconds == sorted(seconds, reverse=True)
    assert 0 < seconds[-1] < seconds[0] < 1_000


async def test_agents_asked_together_share_what_is_left() -> None:
    with a2a_agent() as both:
        seats = {"*": {"model": f"a2a:{both.url}"}, "Bob": {"model": f"a2a:{both.url}"}}
        await played("stag_hunt", seats["Bob"], "llm_only", seats=seats, budget={"calls": 9})
    assert [heard.budget["calls"] for heard in both.heard][:2] == [4, 4]


async def test_a_run_without_a_budget_sends_none() -> None:
    with a2a_agent() as bob:
        await played("escape_room", {"model": f"a2a:{bob.url}"}, "llm_only")
    assert [heard.budget for heard in bob.heard] == [{}] * len(bob.heard)


def nested(levels: int) -> dict[str, Any]:
    tree: dict[str, Any] = {"input_tokens": 1, "output_tokens": 1}
    for _ in range(levels):
        tree = {"input_tokens": 1, "output_tokens": 1, "agents": {"B": tree}}
    return tree


HOSTILE = {
    "negative": {"input_tokens": 5, "output_tokens": -1},
    "negative below": {
        "input_tokens": 5,
        "output_tokens": 1,
        "agents": {"B": {"input_tokens": -5, "output_tokens": 1}},
    },
    "huge": {"input_tokens": 1e300, "output_tokens": 1},
    "huge in sum": {
        "input_tokens": 2**31 - 1,
        "output_tokens": 1,
        "agents": {"B": {"input_tokens": 1, "output_tokens": 1}},
    },
    "rich": {"input_tokens": 1, "output_tokens": 1, "usd": 1e300},
    "negative money": {"input_tokens": 1, "output_tokens": 1, "usd": -0.01},
    "money in words": {"input_tokens": 1, "output_tokens": 1, "usd": "0.01"},
    "deep": nested(9),
    "very deep": nested(120),
    "a half": {"input_tokens": 1.5, "output_tokens": 1},
    "true": {"input_tokens": True, "output_tokens": 1},
    "a list": [1, 2],
    "agents in a list": {"input_tokens": 1, "output_tokens": 1, "agents": [1]},
}


@pytest.mark.parametrize("tree", HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_tree_counts_nothing_and_is_noted(tree: Any) -> None:
    artifact = Artifact(artifact_id="a")
    artifact.metadata.update({"usage": tree})
    cost, note = cost_in([artifact])
    assert cost is None
    assert note


@pytest.mark.parametrize("number", [float("nan"), float("inf")])
@pytest.mark.parametrize("key", ["input_tokens", "usd"])
def test_numbers_that_are_none_count_nothing(key: str, number: float) -> None:
    tree = {"input_tokens": 1.0, "output_tokens": 1.0, key: number}
    artifact = Artifact(artifact_id="a")
    artifact.metadata.update({"usage": tree})
    cost, note = cost_in([artifact])
    assert cost is None
    assert note
    with pytest.raises(ValueError, match=key):
        sum_of(tree)


def test_a_tree_as_deep_as_allowed_is_counted() -> None:
    artifact = Artifact(artifact_id="a")
    artifact.metadata.update({"usage": nested(7)})
    assert cost_in([artifact]) == (Cost(8, 8), "")


async def test_a_run_goes_on_as_if_a_hostile_tree_were_none(
    caplog: pytest.LogCaptureFixture,
) -> None:
    found = []
    for manner in (in_words, returning(HOSTILE["negative below"]), returning(nested(9))):
        with a2a_agent(manner) as bob:
            seat = {"model": f"a2a:{bob.url}"}
            outcome = await played("escape_room", seat, "negotiation", budget={"calls": 50})
        found.append((outcome["payoffs"], outcome["usage"]))
    assert found[1:] == found[:1] * 2
    assert "the costs that it reports are ignored: they are nested more" in caplog.text
    assert "input_tokens is not a number of at least 0" in caplog.text


# The serving side


async def test_both_sides_of_our_own_count_the_same() -> None:
    told: list[dict[str, Any]] = []
    subject = Subject(RATIONAL, seed=3)

    class Noted(Subject):
        async def answer(self, context: Any, updater: TaskUpdater) -> None:
            added = updater.add_artifact

            async def add(*given: Any, **more: Any) -> None:
                told.append(more["metadata"]["usage"])
                await added(*given, **more)

            updater.add_artifact = add  # type: ignore[method-assign]
            await subject.answer(context, updater)

    with agent(Noted(RATIONAL), LETTERS) as url:
        outcome = await played("escape_room", {"model": f"a2a:{url}"}, "negotiation")
    assert told
    for count in ("input_tokens", "output_tokens"):
        assert of_bob(outcome, count) == sum(one[count] for one in told) > 0


async def test_a_judge_returns_its_own_costs_and_those_of_its_participants() -> None:
    tree = {"input_tokens": 90, "output_tokens": 10, "usd": 0.5}
    with a2a_agent(returning(tree)) as bob, agent(Judge(), ASSESSMENT) as judge:
        config = {"game": "stag_hunt", "params": {"rounds": 1}, "workflow": "llm_only"}
        task = await asked(judge, json.dumps({"participants": {"Bob": bob.url}, "config": config}))
    (run,) = results(task)["runs"]
    usage, times = usage_of(task.artifacts[0]), len(bob.heard)
    assert usage["agents"] == {
        "Bob": {"input_tokens": 90 * times, "output_tokens": 10 * times, "usd": 0.5 * times}
    }
    ended = home().runs.get(run["run"]).result
    assert ended
    entries = list(home().journal.entries(ended["episode"]))
    whole = sum_of(usage)
    assert whole.input_tokens == sum(entry.answer.input_tokens for entry in entries)
    assert whole.output_tokens == sum(entry.answer.output_tokens for entry in entries)


@pytest.mark.parametrize(
    ("budget", "heard", "why"),
    [
        ({"calls": 1}, 1, "the request's budget of 1 calls is used up"),
        ({"tokens": 100}, 1, "the request's budget of 100 tokens is used up"),
        ({"usd": 0.4}, 0, "the request's budget of 0.4 usd is used up"),
    ],
)
async def test_a_judge_asks_no_more_than_its_budget_allows(
    budget: dict[str, Any], heard: int, why: str
) -> None:
    manner = returning({"input_tokens": 90, "output_tokens": 10, "usd": 0.5})
    with a2a_agent(manner) as both, agent(Judge(), ASSESSMENT) as judge:
        participants = {"Alice": both.url, "Bob": both.url}
        config = {"workflow": "negotiation", "seeds": "0-1"}
        request = json.dumps({"participants": participants, "config": config})
        task = await asked(judge, request, budget)
    first, second = results(task)["runs"]
    assert second["why"] == why
    if heard:  # a run's own budget has no money, so that only the next run is stopped
        assert [one.budget for one in both.heard] == [budget] * heard
        assert first["status"] != "agreed"
    usage = usage_of(task.artifacts[0])["agents"]
    assert sum(one.get("input_tokens", 0) for one in usage.values()) == 90 * len(both.heard)


@pytest.mark.parametrize(
    ("budget", "told"),
    [
        ({"calls": -1}, "budget: calls"),
        ({"tokens": "many"}, "budget: tokens"),
        ({"coins": 1}, "coins"),
        ([1], "budget"),
        ({"calls": 0}, "the request's budget of 0 calls is used up"),
        ({"tokens": 0}, "the request's budget of 0 tokens is used up"),
        ({"usd": 0, "calls": 1}, "the request's budget of 0 usd is used up"),
        ({"seconds": 0}, "the request's budget of 0 seconds is used up"),
    ],
)
async def test_a_budget_that_is_none_or_used_up_asks_no_model(budget: Any, told: str) -> None:
    with agent(Subject(RATIONAL), LETTERS) as url:
        task = await asked(url, "A letter.", budget)
    assert task.status.state == TaskState.TASK_STATE_REJECTED
    assert told in get_message_text(task.status.message)
    assert "\n" not in get_message_text(task.status.message)
