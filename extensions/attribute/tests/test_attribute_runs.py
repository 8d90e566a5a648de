"""What `attribute` does when plays fail, never end, are noisy, or would cost too much."""

import random
import re
from collections.abc import Callable
from itertools import count
from operator import add
from typing import Annotated, Any, TypedDict

import pytest
from langgraph.graph import END, START, StateGraph

from extensions.attribute.tests.attributed_apps import pipeline, side_by_side
from shapley_coop.extensions.attribute import attribute
from shapley_coop.extensions.attribute.stage import CallsSpent


class Sum(TypedDict, total=False):
    start: int
    parts: Annotated[list[str], add]
    total: Annotated[float, add]


Act = Callable[[Sum], Sum]


def chain(**agents: Act) -> Any:
    """Agents one after the other."""
    page = StateGraph(Sum)
    before = START
    for name, act in agents.items():
        page.add_node(name, act)
        page.add_edge(before, name)
        before = name
    return page.compile()


def adds(name: str, worth: float = 1) -> Act:
    return lambda state: {"parts": [name], "total": worth}


def total(state: Sum) -> float:
    return state.get("total", 0.0)


@pytest.mark.slow
def test_noise_has_an_error_and_who_does_nothing_is_within_two_of_zero() -> None:
    dice = random.Random(5)
    app = chain(
        a=lambda state: {"parts": ["a"], "total": 5 + dice.gauss(0, 1)},
        idle=lambda state: {"parts": [str(dice.random())]},
        b=lambda state: {"parts": ["b"], "total": dice.gauss(0, 1) * ("a" in state["parts"])},
    )
    few = attribute(app, ["a", "idle", "b"], total, {}, samples=5, max_calls=1000)
    many = attribute(app, ["a", "idle", "b"], total, {}, samples=40, max_calls=1000)
    assert many.values is not None
    assert many.standard_error is not None
    assert few.standard_error is not None
    assert abs(many.values["idle"]) <= 2 * many.standard_error["idle"] + 1e-12
    assert abs(many.values["a"] - 5) <= 4 * many.standard_error["a"]
    assert 0.05 < many.standard_error["a"] < 0.5
    # The first five samples were kept, and are part of the forty.
    assert many.calls["made"] == 7 * len(range(35))


def test_one_run_of_one_input_has_no_error_and_says_so() -> None:
    credit = attribute(chain(a=adds("a")), ["a"], total, {})
    assert credit.standard_error is None
    assert "one run of one input: the values are of that run" in credit.notes


def test_several_inputs_have_means_and_intervals() -> None:
    app = chain(a=lambda state: {"total": state["start"]}, b=adds("b", 1))
    credit = attribute(app, ["a", "b"], total, [{"start": n} for n in (1, 2, 6)])
    assert credit.values == pytest.approx({"a": 3.0, "b": 1.0})
    assert credit.interval is not None
    assert credit.standard_error == pytest.approx({"a": (7 / 3) ** 0.5, "b": 0.0})
    low, high = credit.interval["a"]
    assert low < 1, "three inputs tell little"
    assert high > 6


def test_an_input_that_is_given_twice_is_asked_twice() -> None:
    numbers = count(1)
    app = chain(a=lambda state: {"total": next(numbers)})
    credit = attribute(app, ["a"], total, [{"start": 1}, {"start": 1}])
    assert credit.values == {"a": 1.5}
    assert credit.standard_error == {"a": 0.5}


def looping() -> Any:
    """It ends when the text is long enough; nobody but the writer makes it longer."""
    page = StateGraph(Sum)
    page.add_node("write", lambda state: {"parts": ["word"], "total": 1})
    page.add_node("check", lambda state: {})
    page.add_edge(START, "write")
    page.add_edge("write", "check")
    enough = {True: END, False: "write"}
    page.add_conditional_edges("check", lambda state: len(state["parts"]) > 2, enough)
    return page.compile()


def test_a_coalition_that_never_ends_is_listed_and_not_scored_zero() -> None:
    credit = attribute(looping(), ["write", "check"], total, {"parts": []}, max_steps=12)
    assert [f.coalition for f in credit.failures] == ["", "check"]
    assert all("did not end within 12 steps" in f.reason for f in credit.failures)
    assert "" not in credit.worth
    assert credit.values is None
    assert "no values: the play of nobody has no score" in credit.notes


def test_a_state_that_grows_is_stopped() -> None:
    page = StateGraph(Sum)
    page.add_node("grow", lambda state: {"parts": state["parts"] * 2 or ["x" * 100]})
    page.add_node("stop", lambda state: {"total": 1})
    page.add_edge(START, "grow")
    route = {"grow": "grow", "stop": "stop"}
    page.add_conditional_edges("grow", lambda state: "grow", route)
    with pytest.raises(ValueError, match=r"the state that grow is given has .* characters"):
        attribute(page.compile(), ["grow"], total, {"parts": []}, max_state=5_000)


def test_few_failures_are_filled_in_and_listed() -> None:
    def last(state: Sum) -> Sum:
        if state["parts"] == ["b", "c"]:
            raise KeyError("a")
        return {"parts": ["d"], "total": 4}

    app = chain(a=adds("a", 1), b=adds("b", 2), c=adds("c", 3), d=last)
    credit = attribute(app, ["a", "b", "c", "d"], total, {})
    assert [(f.coalition, f.played) for f in credit.failures] == [("b,c,d", True)]
    assert "KeyError" in credit.failures[0].reason
    assert "b,c,d" not in credit.worth
    assert credit.values == pytest.approx({"a": 1, "b": 2, "c": 3, "d": 4}, abs=1e-9)
    assert any("filled in" in note for note in credit.notes)


def test_a_score_that_is_no_number_is_a_failure() -> None:
    app = side_by_side()

    def score(state: Any) -> float:
        return float("nan") if state["parts"] == ["a"] else len(state["parts"])

    credit = attribute(app.graph, app.agents, score, app.given)
    assert [f.coalition for f in credit.failures] == ["a"]
    assert credit.failures[0].reason == "the score returned nan: a score returns a finite number"
    assert credit.values is None


def missing(state: Any) -> float:
    return float(state["answer"])


@pytest.mark.parametrize(
    ("score", "said"),
    [
        (
            lambda state: "good",
            "the score returned the text 'good': a score returns a finite number",
        ),
        (lambda state: "1.0", "the score returned the text '1.0': a score returns a finite number"),
        (lambda state: None, "the score returned None: a score returns a finite number"),
        (lambda state: {"a": 1, "b": [2]}, "returned [2] for b: a score returns a finite number"),
        (lambda state: {}, "the score returned no number: a score returns a finite number"),
        (missing, "the score fails: KeyError: 'answer'; the final state has parts, total"),
    ],
)
def test_what_is_wrong_with_a_score_is_said_and_nothing_else(score: Any, said: str) -> None:
    app = chain(a=adds("a"))
    with pytest.raises(ValueError, match=f"{re.escape(said)}$"):
        attribute(app, ["a"], score, {"parts": []})


def test_the_app_must_work_with_all_its_agents() -> None:
    app = chain(a=lambda state: {"total": 1 / state["start"]})
    with pytest.raises(ValueError, match="the app with all its agents, input 2: ZeroDivision"):
        attribute(app, ["a"], total, [{"start": 1}, {"start": 0}])


def test_a_forecast_above_the_limit_stops_before_the_coalitions_are_played(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("shapley_coop.extensions.attribute.settings.PLAIN_CALLS", 1)
    app = pipeline()
    with pytest.raises(
        ValueError, match=r"5 calls were made .* forecast is 10 more: max_calls is 8"
    ):
        attribute(app.graph, app.agents, app.score, app.given, max_calls=8)


def test_the_limit_stops_a_run_and_the_next_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every coalition sees another state than the forecast can know."""
    monkeypatch.setattr("shapley_coop.extensions.attribute.settings.PLAIN_CALLS", 1)
    numbers = count()

    def counts(state: Sum) -> Sum:
        return {"parts": [f"{next(numbers)}"], "total": 1}

    page = StateGraph(Sum)
    page.add_node("clock", counts)  # no agent, and its answer is kept as any other
    page.add_node("a", adds("a"))
    page.add_node("b", lambda state: {"total": len(state["parts"]), "parts": ["b"] * 1})
    page.add_edge(START, "clock")
    page.add_edge("clock", "a")
    page.add_conditional_edges(
        "a", lambda state: "b" if len(state["parts"]) < 4 else END, {"b": "b", END: END}
    )
    page.add_edge("b", "a")
    app = page.compile()
    given = (app, ["a", "b"], total, {"parts": []})
    whole = attribute(*given, max_calls=100, version="whole")
    made = whole.calls["made"]
    with pytest.raises(CallsSpent, match="calls that ask no model are made"):
        attribute(*given, max_calls=made - 2, version="halved")
    rest = attribute(*given, max_calls=100, version="halved")
    assert 0 < rest.calls["made"] < made
    assert rest.worth == whole.worth


def test_what_two_coalitions_ask_alike_is_asked_once() -> None:
    asked: list[str] = []

    def alone(name: str) -> Act:
        def act(state: Sum) -> Sum:
            asked.append(name)
            return {"parts": [name], "total": 1}

        return act

    page = StateGraph(Sum)
    for name in "abcde":
        page.add_node(name, alone(name))
        page.add_edge(START, name)
    credit = attribute(page.compile(), list("abcde"), total, {"parts": []}, at_once=8)
    assert sorted(asked) == list("abcde")
    assert credit.calls["made"] == 5
    assert credit.calls["without_cache"] == 5 * 2**4


@pytest.mark.parametrize(
    ("agents", "settings", "message"),
    [
        (["nobody"], {}, "'nobody' is not a node of the app: its nodes are a, b, c"),
        ([], {}, "no agents"),
        (["a"], {"absent": "away"}, "absent is 'away': give blank, silent"),
        (["a"], {"absent": {"z": "blank"}}, "absent: 'z' is not an agent"),
        (["a"], {"value": "fair"}, "no norm 'fair'"),
        (["a"], {"sample": 2}, "there is no setting 'sample'"),
        (["a"], {"fresh": "some"}, "fresh is 'some': give toolless, all, none"),
        (["a", "b", "c"], {"exact_up_to": 2, "value": "equal"}, "needs all 8 coalitions"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(
    agents: list[str], settings: dict[str, Any], message: str
) -> None:
    app = side_by_side()
    with pytest.raises(ValueError, match=message) as refused:
        attribute(app.graph, agents, app.score, app.given, **settings)
    assert "\n" not in str(refused.value)
