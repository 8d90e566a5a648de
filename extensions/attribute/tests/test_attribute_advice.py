"""Advice: who can go, who can be asked with a cheaper model, what would tell; whole apps."""

import json
from collections.abc import Sequence
from statistics import stdev
from typing import Any, TypedDict

import numpy as np
import pytest
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langgraph.graph import START, MessagesState, StateGraph
from scipy.special import stdtrit

from extensions.attribute.tests.benchmark.apps import known_apps
from extensions.attribute.tests.benchmark.cast import Cast
from extensions.attribute.tests.benchmark.following import MAY_LOSE, PRICES, follow
from extensions.attribute.tests.benchmark.shapes import build
from extensions.attribute.tests.stub_chat import StubChat
from extensions.attribute.tests.test_attribute_tools import ASKED, adds, finds, office, score
from shapley_coop.evals.prices import Price, Prices
from shapley_coop.extensions.attribute import attribute
from shapley_coop.extensions.attribute.advice import Advice
from shapley_coop.extensions.attribute.result import AppCredit
from shapley_coop.extensions.attribute.trials import Loss


def advised(name: str, inputs: int = 20, **more: Any) -> AppCredit:
    """The advice on a constructed app."""
    known = known_apps([name])[0]
    built = build(known, inputs)
    asked = built.inputs * (2 if known.is_certain else 1)
    given = (built.graph, built.agents, built.score, asked)
    settings = {"value": "leave-one-out", "prices": PRICES, "max_calls": 10_000} | more
    return attribute(*given, advise=True, cheaper=[Cast(known, 0).small()], **settings)


def by_agent(credit: AppCredit) -> dict[str, Advice]:
    return {one.agent: one for one in credit.advice}


def test_of_two_that_can_stand_in_for_each_other_one_stays() -> None:
    credit = advised("twins")
    assert credit.leave_one_out["first"] == credit.leave_one_out["second"] == 0
    found = by_agent(credit)
    verdicts = {agent: one.verdict for agent, one in found.items()}
    assert verdicts == {"first": "remove", "second": "downgrade", "other": "keep"}
    assert credit.rows["as advised"]["score"] == credit.rows["as it is"]["score"] == 8
    assert credit.rows["as advised"]["cost"] < credit.rows["as it is"]["cost"]


def test_who_stays_because_another_went_says_so() -> None:
    built = build(known_apps(["twins"])[0])
    given = (built.graph, built.agents, built.score, built.inputs * 2)
    found = by_agent(attribute(*given, advise=True, value="leave-one-out", prices=PRICES))
    assert found["second"].verdict == "keep"
    assert found["second"].loss == 6
    assert found["second"].why.startswith("without it the score loses 6 in each of ")
    assert found["second"].why.endswith(" inputs, now that first can go")


def test_a_saboteur_goes_and_a_cheaper_model_saves_its_price() -> None:
    credit = advised("sabotage")
    found = by_agent(credit)
    assert (found["spoil"].verdict, found["spoil"].loss) == ("remove", -3)
    assert found["spoil"].why.startswith("without it the score gains 3 in each of ")
    draft = found["draft"]
    assert (draft.verdict, draft.model, draft.loss) == ("downgrade", "constructed:small", 0)
    assert draft.saving == pytest.approx(0.9 * (credit.spent["draft"].cost or 0))
    assert draft.error == 0
    assert found["expand"].verdict == "keep"
    assert credit.rows["as advised"]["score"] == 6


def test_a_second_time_no_call_is_made_and_the_advice_is_the_same() -> None:
    plays: list[None] = []
    first = advised("relay", progress=lambda: plays.append(None))
    assert len(plays) <= 2 * 2**8 / 4, "a play is one coalition on one of the two inputs"
    second = advised("relay")
    assert first.calls["made"] > 0
    assert second.calls["made"] == second.calls["other"] == 0
    assert [(one.agent, one.verdict) for one in first.advice] == [
        (one.agent, one.verdict) for one in second.advice
    ]


@pytest.mark.slow
def test_where_inputs_differ_it_says_how_many_more_would_tell_and_what_they_cost() -> None:
    credit = advised("skills")
    unsure = [one for one in credit.advice if one.more]
    assert unsure
    assert all(one.error or one.verdict == "downgrade" for one in unsure)
    assert all(f"about {one.more} more input" in one.why for one in unsure)
    assert all(one.more_cost and one.more_cost > 0 for one in unsure)


def test_one_agent_alone_takes_as_many_tokens_as_the_app() -> None:
    credit = advised("idlers")
    (name,) = [row for row in credit.rows if "alone" in row]
    assert name.startswith("work alone, best of")
    row, whole = credit.rows[name], credit.rows["as it is"]
    assert row["score"] == whole["score"] == 5, "the others add nothing"
    assert 0.5 * whole["tokens"] < row["tokens"] <= whole["tokens"]


@pytest.mark.parametrize("knows", [True, False])
def test_an_agent_that_is_a_tool_is_asked_with_another_model(knows: bool) -> None:
    heard: list[str] = []

    def small(messages: Sequence[BaseMessage]) -> AIMessage:
        heard.append(str(messages[-1].content))
        return (finds if messages[-1].content == "headcount" else adds)(messages)

    def wrong(messages: Sequence[BaseMessage]) -> AIMessage:
        return AIMessage("who knows")

    model = StubChat(rule=small if knows else wrong, model="small")
    prices = Prices({"stub:small": Price(input=1, output=1), "stub:*": Price(input=9, output=9)})
    agents = ["research", "add_up"]
    settings = {"value": "leave-one-out", "advise": True, "cheaper": [model], "prices": prices}
    own = BaseChatModel.invoke
    credit = attribute(office(), agents, score, [ASKED, ASKED], **settings)
    verdicts = {one.verdict for one in credit.advice}
    assert verdicts == ({"downgrade"} if knows else {"keep"})
    if knows:
        assert set(heard) == {"headcount", "67317 and 164000"}, "their own prompts, not the boss's"
        assert all(one.saving and one.saving > 0 for one in credit.advice)
    assert BaseChatModel.invoke is own


def test_a_model_that_is_streamed_or_awaited_is_replaced_too() -> None:
    model = StubChat(rule=lambda messages: AIMessage("long words"), model="large")

    def streams(state: MessagesState) -> dict[str, object]:
        return {"messages": ["".join(part.text for part in model.stream(state["messages"]))]}

    async def awaits(state: MessagesState) -> dict[str, object]:
        return {"messages": [await model.ainvoke(state["messages"])]}

    async def parts(state: MessagesState) -> dict[str, object]:
        found = [part.text async for part in model.astream(state["messages"])]
        return {"messages": ["".join(found)]}

    page = StateGraph(MessagesState)
    page.add_sequence([("a", streams), ("b", awaits), ("c", parts)])
    page.add_edge(START, "a")
    small = StubChat(rule=lambda messages: AIMessage("long words"), model="small")
    settings = {"value": "leave-one-out", "advise": True, "cheaper": [small]}
    words = lambda state: sum("long" in m.text for m in state["messages"])  # noqa: E731
    given = {"messages": ["hello"]}
    credit = attribute(page.compile(), ["a", "b", "c"], words, [given, given], **settings)
    assert [(one.verdict, one.model) for one in credit.advice] == [("downgrade", "stub:small")] * 3


def test_advice_above_the_limit_is_not_played_unless_somebody_says_so() -> None:
    told = []

    def go_on(more: Any) -> bool:
        told.append(more)
        return bool(more.fits)

    first = advised("pipeline", max_calls=20, go_on=go_on)
    assert first.advice == []
    assert told[0].advice
    assert not told[0].fits
    assert advised("pipeline", max_calls=told[0].calls, go_on=go_on).advice


def test_of_a_single_run_nobody_knows_whom_to_keep() -> None:
    built = build(known_apps(["twins"])[0])
    settings = {"value": "leave-one-out", "advise": True}
    credit = attribute(built.graph, built.agents, built.score, built.inputs, **settings)
    assert {one.verdict for one in credit.advice} == {"more"}
    first = credit.advice[0]
    assert first.why == "without it the score loses 0, of one run: more inputs would tell"
    assert "as advised" not in credit.rows


@pytest.mark.parametrize("count", [4, 8])
def test_so_many_more_inputs_as_it_says_do_tell(count: int) -> None:
    """If they vary as the others do, the interval of as many by Student's t is within the gap."""
    rows, tolerance = np.array([0.0, 0.25] * (count // 2)), 0.05
    loss = Loss.of(rows, "")
    assert loss.is_open(tolerance)
    n = count + loss.more(tolerance)
    half = [float(stdtrit(k - 1, 0.975)) * stdev(map(float, rows)) / k**0.5 for k in (n - 1, n)]
    assert half[1] <= loss.mean - tolerance < half[0]


class Facts(TypedDict, total=False):
    facts: str
    said: str


def test_who_cannot_be_removed_is_not_measured_with_the_reason() -> None:
    def reads(state: dict[str, Any]) -> dict[str, Any]:
        return {"said": str(len(state["facts"].split()) // len(state["facts"]))}

    page: Any = StateGraph(Facts)
    page.add_sequence([("find", lambda state: {"facts": "it rains"}), ("read", reads)])
    page.add_edge(START, "find")
    settings = {"value": "leave-one-out", "advise": True}
    credit = attribute(
        page.compile(), ["find", "read"], lambda s: len(s["said"]), [{}, {}], **settings
    )
    find, read = credit.advice
    assert (find.verdict, find.loss) == ("not measured", None)
    assert find.why.startswith("its removal has no score: ZeroDivisionError")
    assert (read.verdict, read.loss) == ("keep", 1)
    assert "NaN" not in json.dumps([vars(one) for one in credit.advice])


def test_each_removal_that_fails_says_its_own_reason() -> None:
    def reads(state: dict[str, Any]) -> dict[str, Any]:
        return {"said": state["facts"].split()[0]}

    page: Any = StateGraph(Facts)
    page.add_sequence([("find", lambda state: {"facts": "it rains"}), ("read", reads)])
    page.add_edge(START, "find")

    def long(state: Any) -> float:
        return 1 / len(state["said"])

    settings = {"value": "leave-one-out", "advise": True}
    credit = attribute(page.compile(), ["find", "read"], long, [{}, {}], **settings)
    why = {one.agent: one.why for one in credit.advice}
    assert why["find"].startswith("its removal has no score: IndexError")
    assert "the absent find" in why["find"]
    assert why["read"].startswith("its removal has no score: the score fails: ZeroDivisionError")


@pytest.mark.slow
def test_the_advice_is_right_on_the_constructed_apps_and_a_second_run_makes_no_call() -> None:
    followed = follow(known_apps())
    wrong = [one.app for one in followed if not one.is_right]
    assert len(followed) == 30
    assert len(wrong) <= 3, wrong
    assert sum(one.again for one in followed) == 0
    assert MAY_LOSE == 0.05
