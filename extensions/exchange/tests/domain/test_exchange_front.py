"""The exact front and what bargaining theory recommends on it."""

from itertools import product
from math import prod

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shapley_coop.extensions.exchange.domain import scenario, score, solutions
from shapley_coop.extensions.exchange.domain.front import best_sum, pareto_front
from shapley_coop.extensions.exchange.domain.masks import Micros, full
from shapley_coop.extensions.exchange.domain.source import generate_scenario

Tables = list[Micros]


@st.composite
def tables(draw: st.DrawFn) -> Tables:
    """Two to four agents' utilities over three to five atoms, few enough values to tie."""
    agents = draw(st.integers(2, 4))
    n = draw(st.integers(agents, 5))
    values = st.lists(st.integers(0, 6), min_size=2**n, max_size=2**n)
    return [np.array(draw(values), dtype=np.int64) for _ in range(agents)]


def partitions(agents: int, n: int) -> list[tuple[int, ...]]:
    """Every way to give each atom to one agent and each agent something, by brute force."""
    found = []
    for owners in product(range(agents), repeat=n):
        masks = [0] * agents
        for atom, owner in enumerate(owners):
            masks[owner] |= 1 << atom
        if all(masks):
            found.append(tuple(masks))
    return found


@given(tables())
@settings(max_examples=60)
def test_the_front_is_what_brute_force_finds(utilities: Tables) -> None:
    n = len(utilities[0]).bit_length() - 1
    points = {
        tuple(int(u[m]) for u, m in zip(utilities, masks, strict=True))
        for masks in partitions(len(utilities), n)
    }
    efficient = {
        p
        for p in points
        if not any(q != p and all(x >= y for x, y in zip(q, p, strict=True)) for q in points)
    }
    front = pareto_front(utilities)
    assert {tuple(map(int, p)) for p in front.points} == efficient
    assert len(front.points) == len(efficient)
    for point, masks in zip(front.points, front.masks, strict=True):
        assert [int(u[m]) for u, m in zip(utilities, masks, strict=True)] == point.tolist()
        assert sum(masks) == full(n)


@given(tables())
@settings(max_examples=60)
def test_the_best_sum_is_what_brute_force_finds(utilities: Tables) -> None:
    n = len(utilities[0]).bit_length() - 1
    sums = [
        sum(int(u[m]) for u, m in zip(utilities, masks, strict=True))
        for masks in partitions(len(utilities), n)
    ]
    assert best_sum(utilities, full(n)) == max(sums)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("competition", [0.0, 0.6])
def test_solutions_maximise_what_they_say_among_all_fair_partitions(
    competition: float, seed: int
) -> None:
    made = generate_scenario(["Ann", "Ben", "Cat"], 6, competition, seed)
    agents, start = made.tasks.agents, made.micro(made.tasks.initial)
    every = [dict(zip(agents, masks, strict=True)) for masks in partitions(3, 6)]
    points = [made.micro(masks) for masks in every]
    fair = [p for p in points if all(u >= d for u, d in zip(p, start, strict=True))]
    gains = [[u - d for u, d in zip(p, start, strict=True)] for p in fair]
    found = solutions(made)
    best = {name: [u - d for u, d in zip(s.point, start, strict=True)] for name, s in found.items()}
    assert prod(best["nash"]) == max(map(prod, gains))
    assert min(best["egalitarian"]) == max(map(min, gains))
    assert sum(found["utilitarian"].point) == max(map(sum, points))
    ideal = [max(g[i] for g in gains) for i in range(3)]
    shares = [min(x / i for x, i in zip(g, ideal, strict=True) if i) for g in gains if any(ideal)]
    least = min(x / i for x, i in zip(best["kalai_smorodinsky"], ideal, strict=True) if i)
    assert least == pytest.approx(max(shares))
    for solution in found.values():
        assert made.micro(solution.masks) == list(solution.point)
        assert made.front.distance(solution.point) == 0


def test_a_score_names_distance_rationality_and_every_solution() -> None:
    paper = scenario("paper_competitive")
    start = score(paper, paper.tasks.initial)
    assert start.welfare == 0.83
    assert start.distance == pytest.approx(0.0283, abs=1e-4)
    assert start.rational == {"Alice": True, "Bob": True}
    assert set(start.to) == {"nash", "kalai_smorodinsky", "egalitarian", "utilitarian"}
    greedy = score(paper, {"Alice": 0b000001, "Bob": 0b111110})
    assert greedy.distance == 0
    assert greedy.rational == {"Alice": True, "Bob": False}


def test_twelve_atoms_and_four_agents_have_an_exact_front() -> None:
    made = generate_scenario(["Ann", "Ben", "Cat", "Dan"], 12, 0.5, seed=1)
    agents, rng = made.tasks.agents, np.random.default_rng(0)
    assert len(made.front.points) > 10
    for _ in range(300):
        owners = rng.integers(4, size=12)
        masks = {a: sum(1 << i for i in range(12) if owners[i] == k) for k, a in enumerate(agents)}
        if all(masks.values()):
            point = np.array(made.micro(masks))
            assert (made.front.points >= point).all(axis=1).any(), "nothing lies beyond the front"
