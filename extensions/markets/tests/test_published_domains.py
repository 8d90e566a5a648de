"""Multi-issue domains of others, with their efficient outcomes, Nash and Kalai–Smorodinsky points.

The domains' licences (GPL) do not let them be part of this repository. Fetch them, and name where
they are:

- COOP_NEGOLOG: the folder `domains` of github.com/aniltrue/NegoLog, whose `specs.json` publish each
  domain's Nash point, and as *Kalai* the outcome with the largest sum.
- COOP_GENIUS: a folder with folders of GENIUS's domains and profiles in XML, such as
  `tests/data/scenarios/anac/y2013` of github.com/yasserfarouk/negmas. NegMAS computes
  the points.
"""

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from shapley_coop.extensions.markets.market import MOST_OPTIONS, Market
from shapley_coop.extensions.markets.points import welfare
from shapley_coop.extensions.markets.unpaid import Payoffs, alone, efficient, nash
from shapley_coop.games.reference_points import parts_of_best
from tests.brought import brought_by

NEGOLOG, GENIUS = os.environ.get("COOP_NEGOLOG", ""), os.environ.get("COOP_GENIUS", "")
AT_LEAST = 8
"""How many domains are compared at least."""

CLOSE = 1e-9

MOST_ENUMERATED = 20_000
"""The most outcomes of a domain of which NegMAS enumerates all."""


def market(worths: Sequence[Sequence[Sequence[Fraction]]], otherwise: Sequence[Fraction]) -> Market:
    """The market of two agents' worths by issue and option; a file's worths have nine decimals."""
    goods = [f"issue {i}" for i in range(len(worths[0]))]
    issues = {
        name: list(map(str, range(len(each)))) for name, each in zip(goods, worths[0], strict=True)
    }
    first = [list(reversed(each)) for each in worths[0]]
    return Market(
        name="a domain",
        about="",
        goods=tuple(goods),
        holds={
            "Ann": {name: len(options) - 1 for name, options in issues.items()},
            "Ben": dict.fromkeys(goods, 0),
        },
        pool=True,
        worths={
            agent: {
                name: {str(n): x for n, x in enumerate(each)}  # type: ignore[misc]
                for name, each in zip(goods, own, strict=True)
            }
            for agent, own in zip(("Ann", "Ben"), (first, worths[1]), strict=True)
        },
        otherwise=dict(zip(("Ann", "Ben"), otherwise, strict=True)),
        issues=issues,
    )


def exact(number: float) -> Fraction:
    return Fraction(str(number)).limit_denominator(10**12)


def profile(folder: Path, name: str) -> list[list[Fraction]]:
    told: Mapping[str, Any] = json.loads((folder / name).read_text(encoding="utf-8"))
    return [
        [exact(told["issueWeights"][issue]) * exact(x) for x in values.values()]
        for issue, values in told["issues"].items()
    ]


@pytest.mark.skipif(not NEGOLOG, reason="COOP_NEGOLOG names no folder of NegoLog's domains")
def test_the_nash_points_of_negolog_are_those_that_it_publishes() -> None:
    compared = 0
    for specs in sorted(Path(NEGOLOG).glob("*/specs.json")):
        told = json.loads(specs.read_text(encoding="utf-8"))
        if max(told["IssueValues"]) > MOST_OPTIONS:
            continue
        worths = [profile(specs.parent, f"profile{x}.json") for x in "AB"]
        found = market(worths, [exact(told[f"ReservationValueProfile{x}"]) for x in "AB"])
        points = efficient(found)
        printed = told["Nash_A"], told["Nash_B"]
        assert any(tuple(map(float, p)) == pytest.approx(printed) for p in points), told["Name"]
        best = nash(points, alone(found))
        assert best is not None
        assert float(prod(best)) == pytest.approx(prod(printed))
        if len([p for p in points if prod(p) == prod(best)]) == 1:
            assert tuple(map(float, best)) == pytest.approx(printed)
        most = welfare(found)
        assert most is not None
        assert float(most) == pytest.approx(told["Kalai_A"] + told["Kalai_B"])
        compared += 1
    assert compared >= AT_LEAST


@pytest.mark.skipif(not GENIUS, reason="COOP_GENIUS names no folder of GENIUS's domains")
@brought_by("opponents")
def test_the_points_of_genius_domains_are_those_of_negmas() -> None:
    """NegMAS says that its Kalai–Smorodinsky point maximises the least relative gain, but takes
    the one with the most equal gains: where these differ, ours has the larger least gain."""
    from shapley_coop.extensions.opponents.arbiters import kalai_smorodinsky

    inout = pytest.importorskip("negmas.inout", reason="negmas is not installed")
    preferences = pytest.importorskip("negmas.preferences", reason="negmas is not installed")
    compared = same = 0
    for folder in sorted({path.parent for path in Path(GENIUS).glob("**/*.xml")}):
        scenario = inout.Scenario.load(folder, ignore_discount=True, ignore_reserved=True)
        if scenario is None or len(scenario.ufuns) != 2 or not _is_additive(scenario):
            continue
        found = _market(scenario)
        points, without = efficient(found), alone(found)
        every = list(scenario.outcome_space.enumerate())
        frontier, _ = preferences.pareto_frontier(scenario.ufuns, every)
        ours, others = _clear(points), _clear(frontier)
        assert len(ours) == len(others), folder
        assert np.allclose(ours, others, atol=1e-6), folder
        best = nash(points, without)
        assert _is_among(best, preferences.nash_points(scenario.ufuns, frontier)), folder
        fair = kalai_smorodinsky(points, without)
        theirs = preferences.ks_points(scenario.ufuns, frontier)
        most = tuple(map(max, zip(*points, strict=True)))
        assert all(
            parts_of_best(fair, without, most)[0]
            >= parts_of_best(tuple(map(exact, one)), without, most)[0] - Fraction(1, 10**6)
            for one, _ in theirs
        ), folder
        compared += 1
        same += _is_among(fair, theirs)
    assert min(compared, same) >= AT_LEAST


def _is_among(point: Payoffs | None, found: Sequence[tuple[tuple[float, ...], int]]) -> bool:
    assert point is not None
    return any(tuple(map(float, point)) == pytest.approx(one, abs=1e-6) for one, _ in found)


def _is_additive(scenario: Any) -> bool:
    space = scenario.outcome_space
    few = all(2 <= issue.cardinality <= MOST_OPTIONS for issue in space.issues)
    return (
        few
        and space.cardinality <= MOST_ENUMERATED
        and all(hasattr(ufun, "weights") for ufun in scenario.ufuns)
    )


def _market(scenario: Any) -> Market:
    worths = [
        [
            [exact(weight * float(value(option))) for option in issue.all]
            for weight, value, issue in zip(
                ufun.weights, ufun.values, scenario.outcome_space.issues, strict=True
            )
        ]
        for ufun in scenario.ufuns
    ]
    # Without reserved values NegMAS takes each agent's worst outcome as the disagreement.
    return market(worths, [sum(map(min, own), Fraction(0)) for own in worths])


def _clear(points: Iterable[Sequence[Any]]) -> list[tuple[float, ...]]:
    """The points that no point dominates up to rounding errors, by the first payoff."""
    kept: list[tuple[float, ...]] = []
    for a, b in sorted((tuple(map(float, point)) for point in points), reverse=True):
        while kept and kept[-1][0] < a + CLOSE and kept[-1][1] < b - CLOSE:
            kept.pop()
        if not kept or b > kept[-1][1] + CLOSE:
            kept.append((a, b))
    return kept
