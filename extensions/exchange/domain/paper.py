"""The paper's two scenarios (utility-aware exchange, Appendix A), with missing numbers generated.

The paper prints the atoms, ten descriptions, five utilities of Alice, and the initial utilities;
they are in `paper.yaml`. The other utilities are unpublished: this module draws them by seed from
preferences in words. The paper's tables stay true for every seed: *calibrated* points of
`paper.yaml` are the whole Pareto front, at the printed distance from the initial point (L2 0.32 and
0.028). Drawn points that would dominate them are lowered.
"""

from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from shapley_coop.amounts import MICRO, to_micro
from shapley_coop.extensions.exchange.domain.files import read_page, tasks_of
from shapley_coop.extensions.exchange.domain.masks import Micros, full
from shapley_coop.extensions.exchange.domain.preferences import scores
from shapley_coop.extensions.exchange.domain.scenario import Scenario
from shapley_coop.extensions.exchange.domain.tables import normalise_scores
from shapley_coop.extensions.exchange.domain.tools import Tool
from shapley_coop.games.files import read_file


@cache
def _read_published() -> dict[str, Any]:
    content: dict[str, Any] = read_file(Path(__file__).with_name("paper.yaml"), "scenarios")
    return content


def names() -> list[str]:
    """Return the names of the built-in scenarios."""
    return list(_read_published()["scenarios"])


def printed_utilities(name: str) -> dict[str, dict[int, int]]:
    """Return agent → mask → the utility that the paper prints, in millionths."""
    return {
        agent: {int(bits, 2): to_micro(utility) for bits, utility in known.items()}
        for agent, known in _read_published()["scenarios"][name]["printed"].items()
    }


def paper(name: str, seed: int = 0) -> Scenario:
    """Return one of the paper's scenarios.

    Args:
        name: `paper_cooperative` or `paper_competitive`.
        seed: the seed of the utilities that are not printed.
    """
    published, known = _read_published(), printed_utilities(name)
    preferences = published["scenarios"][name]["preferences"]
    tasks = tasks_of(read_page({key: published[key] for key in ("atoms", "initial", "registry")}))
    front = [
        (int(bits, 2), to_micro(alice), to_micro(bob))
        for bits, alice, bob in published["scenarios"][name]["calibrated"]
    ]
    fixed = {
        "Alice": {mask: alice for mask, alice, _ in front} | known["Alice"],
        "Bob": {full(tasks.n) ^ mask: bob for mask, _, bob in front} | known["Bob"],
    }
    utilities = {
        agent: normalise_scores(scores(text, tasks.atoms, seed, agent))
        for agent, text in preferences.items()
    }
    for agent, given in fixed.items():
        utilities[agent][list(given)] = list(given.values())
    _lower(utilities, fixed, front)
    return Scenario(
        name=name,
        tasks=tasks,
        utilities=utilities,
        preferences=dict(preferences),
        origins={
            agent: {m: "printed" if m in known[agent] else "calibrated" for m in given}
            for agent, given in fixed.items()
        },
        tools={
            tool["id"]: Tool(tool["id"], tuple(tool["parameters"])) for tool in published["tools"]
        },
    )


def _lower(
    utilities: dict[str, Micros],
    fixed: Mapping[str, Mapping[int, int]],
    front: Sequence[tuple[int, int, int]],
) -> None:
    """Lower Bob's generated utilities until a calibrated point weakly dominates every partition.

    A utility u above its bound b becomes b·(3 + u)/4. The result is below b, and lowered utilities
    keep their order. Utilities in `fixed` stay unchanged.
    """
    whole = len(utilities["Alice"]) - 1
    for mine in range(1, whole):
        theirs = whole ^ mine
        if theirs not in fixed["Bob"]:
            a, b = int(utilities["Alice"][mine]), int(utilities["Bob"][theirs])
            top = max(bob for _, alice, bob in front if alice >= a)
            utilities["Bob"][theirs] = b if b <= top else top * (3 * MICRO + b) // (4 * MICRO)
