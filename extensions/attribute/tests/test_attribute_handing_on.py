"""What an agent hands on to the next is its answer, and no steering, unless an edge reads it."""

import json
from typing import Any, Literal, TypedDict

import pytest
from langgraph.graph import END, START, StateGraph
from langgraph.types import Command

from shapley_coop.extensions.attribute import attribute

JOBS = [{"job": " ".join(["paint"] * n)} for n in (1, 2, 3)]


class Offer(TypedDict, total=False):
    job: str
    price: float
    fits: bool
    offer: str
    poem: str


def estimate(state: Offer) -> Offer:
    return {"price": 100.0 * len(state["job"].split())}


def estimate_and_go(state: Offer) -> Command[Literal["writer"]]:
    return Command(goto="writer", update=dict(estimate(state)))


def write(state: Offer) -> Command[Literal["legal"]]:
    return Command(goto="legal", update={"offer": f"We do it for {state['price']:.0f} EUR."})


def office(estimator: Any) -> Any:
    """An estimator, a writer and legal; the estimator goes on by itself or by an edge."""
    page = StateGraph(Offer)
    page.add_node("estimator", estimator)
    page.add_node("writer", write)
    page.add_node("legal", lambda state: {"offer": state["offer"] + " Terms apply."})
    page.add_edge(START, "estimator")
    if estimator is estimate:
        page.add_edge("estimator", "writer")
    page.add_edge("legal", END)
    return page.compile()


def score(state: Offer, given: Offer) -> float:
    price = f"{100 * len(given['job'].split())} EUR"
    return 0.8 * (price in state["offer"]) + 0.2 * ("Terms" in state["offer"])


@pytest.mark.parametrize("estimator", [estimate, estimate_and_go])
def test_what_a_command_hands_on_is_an_answer_as_an_edges_is(estimator: Any) -> None:
    settings = {"value": "leave-one-out", "advise": True}
    agents = ["estimator", "writer", "legal"]
    credit = attribute(office(estimator), agents, score, JOBS, **settings)
    assert credit.leave_one_out == pytest.approx({"estimator": 0.8, "writer": 0.8, "legal": 0.2})
    assert {one.agent: one.verdict for one in credit.advice} == dict.fromkeys(agents, "keep")
    assert not any("steers the run" in note for note in credit.notes)


def checked() -> Any:
    """A checker that says whether an offer fits; an edge reads the price."""
    page = StateGraph(Offer)
    page.add_node("estimator", estimate)
    page.add_node("checker", lambda state: {"fits": state["price"] < 1000})
    page.add_node("writer", lambda s: {"offer": f"{s['price']:.0f} EUR, {s['fits']}, Terms"})
    page.add_edge(START, "estimator")
    page.add_edge("estimator", "checker")
    page.add_conditional_edges(
        "checker", lambda s: END if s["price"] > 1000 else "writer", ["writer", END]
    )
    page.add_edge("writer", END)
    return page.compile()


def test_nobody_is_told_to_remove_an_agent_whose_decisions_were_kept() -> None:
    """A guard or a router that a play keeps costs nothing there, and half the score when gone."""
    settings = {"value": "leave-one-out", "advise": True}
    agents = ["estimator", "checker", "writer"]
    credit = attribute(checked(), agents, score, JOBS, **settings)
    assert not [one.agent for one in credit.advice if one.verdict == "remove"]
    assert "as advised" not in credit.rows
    why = {one.agent: one.why for one in credit.advice if one.verdict == "not measured"}
    assert why == {
        "estimator": "without it the score loses 0 in each of 3 inputs, "
        "its price kept as it wrote it: "
        "--absent estimator=path.py:function measures it",
        "checker": "without it the score loses 0 in each of 3 inputs, "
        "its fits kept as it wrote it: "
        "--absent checker=path.py:function measures it",
    }
    assert "an absent estimator writes price as it did, which steers the run" in json.dumps(
        credit.notes
    )


class Checked(TypedDict, total=False):
    topic: str
    draft: str
    remark: str | None
    review: dict[str, Any]
    tries: int


def revised(edge: Any) -> Any:
    """A writer that is wrong about rain at first, and a critic that sends it back."""

    def write(state: Checked) -> Checked:
        is_right = state["topic"] != "rain" or state.get("remark") or "tries" in state
        return {"draft": "right" if is_right else "wrong", "tries": state.get("tries", 0) + 1}

    def criticise(state: Checked) -> Checked:
        is_right = state["draft"] == "right"
        remark = None if is_right else "read it again"
        return {"remark": remark, "review": {"fine": is_right, "why": "as I see it"}}

    page = StateGraph(Checked)
    page.add_node("writer", write)
    page.add_node("critic", criticise)
    page.add_edge(START, "writer")
    page.add_edge("writer", "critic")
    page.add_conditional_edges(
        "critic", lambda s: "writer" if edge(s) and s["tries"] < 2 else END, ["writer", END]
    )
    return page.compile()


@pytest.mark.parametrize(
    ("edge", "verdict"),
    [
        (lambda s: s["remark"], "keep"),
        (lambda s: (s["remark"] or "") != "", "keep"),
        (lambda s: s["remark"] is not None, "keep"),
        (lambda s: not s["review"]["fine"], "not measured"),
    ],
)
def test_the_decision_of_an_absent_critic_does_not_survive_in_an_emptied_field(
    edge: Any, verdict: str
) -> None:
    settings = {"value": "leave-one-out", "advise": True}
    topics: list[Checked] = [{"topic": "rain"}] * 3
    credit = attribute(
        revised(edge), ["critic"], lambda s: float(s["draft"] == "right"), topics, **settings
    )
    (critic,) = credit.advice
    assert critic.verdict == verdict
    assert critic.loss == (1 if verdict == "keep" else 0)
    if verdict == "not measured":
        assert "its review (not empty) kept as it wrote it: --absent critic=" in critic.why
    else:
        assert not any("remark as it did" in note for note in credit.notes)


def write_nothing(state: Offer) -> Command[Literal["boss"]]:
    return Command(goto="boss", update={"poem": "roses"})


def write_or_stop(state: Offer) -> Command[Literal["boss", "__end__"]]:
    return Command(goto="boss", update={"poem": "roses"})


def write_and_sometimes_go(state: Offer) -> Command[Literal["boss"]]:
    goes = "paint paint" not in state["job"]
    return Command(goto="boss" if goes else (), update={"poem": "roses"})


@pytest.mark.parametrize(
    ("poet", "is_decided"),
    [(write_nothing, False), (write_or_stop, True), (write_and_sometimes_go, True)],
)
def test_to_go_back_to_the_one_declared_node_is_no_decision(poet: Any, is_decided: bool) -> None:
    """A textbook supervisor asks the estimator, then a poet, whose poem nobody reads."""

    def boss(state: Offer) -> Command[Literal["estimator", "poet", "__end__"]]:
        if "price" not in state:
            return Command(goto="estimator")
        return Command(goto=END if "poem" in state else "poet")

    def price(state: Offer) -> Command[Literal["boss"]]:
        return Command(goto="boss", update=dict(estimate(state)))

    page = StateGraph(Offer)
    page.add_node("boss", boss)
    page.add_node("estimator", price)
    page.add_node("poet", poet)
    page.add_edge(START, "boss")
    given = (page.compile(), ["estimator", "poet"], lambda s, i: s["price"] > 0, JOBS)
    credit = attribute(*given, value="leave-one-out", advise=True)
    of_estimator, of_poet = credit.advice
    assert of_estimator.verdict == "keep"
    assert of_poet.verdict == ("not measured" if is_decided else "remove")
    assert ("its goto kept" in of_poet.why) == is_decided
