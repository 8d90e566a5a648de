"""Credit reports on games in files, given as characteristic functions or as runs."""

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from math import sqrt
from statistics import mean, stdev
from typing import Any

from shapley_coop.amounts import normalise
from shapley_coop.credit.coalitions import MAX_AGENTS, check_agents, coalition_key
from shapley_coop.credit.norms import EXACT_AGENTS, OfTable, norm, surplus
from shapley_coop.credit.reading import as_list, as_number, as_object, only_keys
from shapley_coop.extensions.values.axioms import AXIOMS, check_axioms, convex_game
from shapley_coop.extensions.values.structured import (
    Structured,
    Watch,
    read_structured,
    unwatched,
    values_by,
)

REPORT_TOLERANCE = 1e-7
"""The tolerance of the axiom tests, which allows for norms that are rounded to 1e-9."""


def credit_report(obj: Any, value: str = "shapley", watch: Watch = unwatched) -> dict[str, Any]:
    """Return each agent's value and share in a game, as JSON.

    Args:
        obj: {"agents": [name, …], "worth": {"A": 0, "A,B": 9, …}} with every coalition except the
            empty one ("", worth 0 by default); or a voting or airport game, of any number of agents
            (`structured`);
            or {"runs": [{name: {kind: amount, …}, …}, …]}, whose amounts are summed per agent,
            with optional "agents" that each run must name. `credit.reading.read_json` reads a
            file. An output of `coop attribute --json` (it has "absent") may have further keys.
        value: the name of a norm (`credit.norms.norms`).
        watch: shows the progress of work of a number of steps, such as `cli.console.progress`.

    Returns:
        agents: the names, in order.
        value: the norm's name.
        values: agent → value, in the unit of the worths; for runs, the mean over runs.
        standard_error: agent → standard error of the mean over runs; null for fewer than two.
        shares: agent → fraction of the total by `normalise` (for runs, the mean over runs);
            null if the total is 0.
        per_run: for each run, agent → share; null without runs.
        axioms: axiom → whether it holds in the game or in the mean of the runs; null if untested.

    Raises:
        ValueError: the norm is unknown, or the input is invalid. The message is one line.
    """
    rule = norm(value)
    content = as_object(obj, "the input")
    if "worth" in content and "absent" in content:  # `coop attribute` adds keys that nothing reads
        content = {key: content[key] for key in ("agents", "worth") if key in content}
    if game := read_structured(content):
        return _report_structured(game, value, rule, watch)
    known = ("agents", "worth", "runs", "weights", "quota", "airport")
    only_keys(content, known, "the input")
    if ("worth" in content) == ("runs" in content):
        raise ValueError('the input needs either "worth" or "runs", or "weights" or "airport"')
    if "worth" in content:
        return _report_game(content, value, rule)
    return _report_runs(content, value, rule)


def read_game(content: Mapping[str, Any]) -> tuple[list[str], list[Fraction]]:
    """Return the agents and the table of worths in {"agents": […], "worth": {"A": 0, "A,B": 9}}.

    Raises:
        ValueError: a coalition is missing, repeated or unknown, or a worth is not a finite number.
    """
    agents = _names(content)
    if len(agents) > MAX_AGENTS:
        raise ValueError(f"{len(agents)} agents: a table of worths holds at most {MAX_AGENTS}")
    worths: dict[int, Fraction] = {}
    for key, worth in as_object(content["worth"], '"worth"').items():
        mask = parse_key(key, agents)
        if mask in worths:
            raise ValueError(f'the coalition "{key}" is given twice: name it once, in any order')
        worths[mask] = as_number(worth, f'the worth of "{key}"')
    worths.setdefault(0, Fraction(0))
    missing = [mask for mask in range(1 << len(agents)) if mask not in worths]
    if missing:
        shown = ", ".join(f'"{coalition_key(mask, agents)}"' for mask in missing[:3])
        more = f" and {len(missing) - 3} more" if len(missing) > 3 else ""
        raise ValueError(f"the worth of {shown}{more} is missing: every coalition needs one")
    return agents, [worths[mask] for mask in range(1 << len(agents))]


def read_runs(content: Mapping[str, Any]) -> tuple[list[str], list[list[Fraction]]]:
    """Return the agents, and each agent's sum per run, of {"runs": [{name: {kind: amount}}]}.

    Raises:
        ValueError: a run lacks an agent or has an unknown one, or its contributions are negative,
            not finite, or all 0.
    """
    runs = [
        as_object(run, f"run {i}")
        for i, run in enumerate(as_list(content["runs"], '"runs"'), start=1)
    ]
    agents = _names(content if "agents" in content else {"agents": list(runs[0])})
    return agents, [_totals(run, agents, f"run {i}") for i, run in enumerate(runs, start=1)]


def mask_of(coalition: Iterable[str], agents: Sequence[str]) -> int:
    """Return the mask of a coalition given by names, in any order.

    Raises:
        ValueError: a name is not in `agents`, or occurs twice.
    """
    mask = 0
    for name in coalition:
        if name not in agents:
            raise ValueError(f"{name!r} is not an agent: the agents are {', '.join(agents)}")
        bit = 1 << agents.index(name)
        if mask & bit:
            raise ValueError(f"{name!r} occurs twice in one coalition: name each member once")
        mask |= bit
    return mask


def parse_key(key: str, agents: Sequence[str]) -> int:
    """Return the mask of "A,C", ignoring order and blanks; "" is the empty coalition.

    Raises:
        ValueError: a name is unknown, empty or repeated.
    """
    if not key.strip():
        return 0
    return mask_of((name.strip() for name in key.split(",")), agents)


def _report_game(content: Mapping[str, Any], value: str, rule: OfTable) -> dict[str, Any]:
    agents, table = read_game(content)
    values = rule(table)
    return {
        "agents": agents,
        "value": value,
        "values": _by_agent(agents, values),
        "standard_error": None,
        "shares": _by_agent(agents, _shares(surplus(table), values)),
        "per_run": None,
        "axioms": _axioms(value, rule, table),
    }


def _report_structured(game: Structured, value: str, rule: OfTable, watch: Watch) -> dict[str, Any]:
    agents, few = game.agents, len(game.agents) <= EXACT_AGENTS
    with watch(len(agents), f"{value} of {len(agents)} agents") as moved:
        values = values_by(game, value, rule, moved)
    axioms = _axioms(value, rule, game.table()) if few else dict.fromkeys(AXIOMS)
    return {
        "agents": list(agents),
        "value": value,
        "values": _by_agent(agents, values),
        "standard_error": None,
        "shares": _by_agent(agents, _shares(game.total, values)),
        "per_run": None,
        "axioms": axioms,
    }


def _report_runs(content: Mapping[str, Any], value: str, rule: OfTable) -> dict[str, Any]:
    agents, runs = read_runs(content)
    values = [_additive_values(value, run) for run in runs]
    shares = [[own / sum(run) for own in earned] for run, earned in zip(runs, values, strict=True)]
    if len(agents) > EXACT_AGENTS:
        axioms: dict[str, bool | None] = dict.fromkeys(AXIOMS)
    else:
        mean_run = [mean(own) for own in zip(*runs, strict=True)]
        axioms = _axioms(value, rule, _additive_table(mean_run))
    return {
        "agents": agents,
        "value": value,
        "values": _by_agent(agents, [mean(own) for own in zip(*values, strict=True)]),
        "standard_error": _by_agent(agents, _standard_errors(values)),
        "shares": _by_agent(agents, [mean(own) for own in zip(*shares, strict=True)]),
        "per_run": [_by_agent(agents, share) for share in shares],
        "axioms": axioms,
    }


def _standard_errors(runs: Sequence[Sequence[Fraction]]) -> list[float] | None:
    if len(runs) < 2:
        return None
    return [stdev(map(float, own)) / sqrt(len(runs)) for own in zip(*runs, strict=True)]


def _additive_values(value: str, contributions: Sequence[Fraction]) -> list[Fraction]:
    """Return the values of the additive game whose coalitions are worth their contributions.

    An agent adds the same amount to every coalition that it joins, so a norm gives it this amount.
    The exceptions are the equal split, and Deegan–Packel, which is not defined on an additive game.
    """
    if value == "deegan_packel":
        raise ValueError("deegan_packel needs a simple game; contributions that add up form none")
    if value == "equal":
        return [mean(contributions)] * len(contributions)
    return list(contributions)


def _additive_table(contributions: Sequence[Fraction]) -> list[Fraction]:
    table = [Fraction(0)]
    for contribution in contributions:
        table += [worth + contribution for worth in table]
    return table


def _axioms(value: str, rule: OfTable, table: Sequence[Fraction]) -> dict[str, bool | None]:
    """Test the axioms, except Deegan–Packel's additivity: a sum of simple games is not simple."""
    agents = len(table).bit_length() - 1
    other = None if value == "deegan_packel" else convex_game(agents)
    return check_axioms(rule, table, other, REPORT_TOLERANCE)


def _shares(total: Fraction, values: Sequence[Fraction]) -> list[Fraction] | None:
    if not total:
        return None
    return [payoff / total for payoff in normalise(total, values)]


def _totals(run: Mapping[str, Any], agents: Sequence[str], where: str) -> list[Fraction]:
    only_keys(run, agents, where)
    if absent := [agent for agent in agents if agent not in run]:
        raise ValueError(
            f"{where} lacks {absent[0]!r}: name every agent in every run; {{}} means no "
            "contributions"
        )
    totals = []
    for agent in agents:
        kinds = as_object(run[agent], f"{where}, {agent}")
        amounts = {kind: as_number(a, f"{where}, {agent}, {kind}") for kind, a in kinds.items()}
        if negative := [kind for kind, amount in amounts.items() if amount < 0]:
            raise ValueError(f"{where}, {agent}, {negative[0]} is negative: 0 or more is needed")
        totals.append(sum(amounts.values(), Fraction(0)))
    if not any(totals):
        raise ValueError(f"{where} has no contribution above 0, so shares cannot be computed")
    return totals


def _names(content: Mapping[str, Any]) -> list[str]:
    if "agents" not in content:
        raise ValueError('the input has no "agents": list them')
    agents = as_list(content["agents"], '"agents"')
    check_agents(agents)
    return agents


def _by_agent(
    agents: Sequence[str], numbers: Sequence[Fraction | float] | None
) -> dict[str, float] | None:
    if numbers is None:
        return None
    return {agent: float(number) for agent, number in zip(agents, numbers, strict=True)}
