"""The answers of tools in plain words, with units, and with "you" for the reader."""

import json
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

from shapley_coop.amounts import exact, plain
from shapley_coop.credit.characteristic import Attribution
from shapley_coop.deals.language.deal import Deal
from shapley_coop.escaping import visible_lines
from shapley_coop.games import Turn
from shapley_coop.state.table import PublicMessage
from shapley_coop.wording import breach_words, refusal_words

MAX_ANSWER_CHARS = 2_000
"""The most characters of one tool's answer."""

MAX_SPEECH_CHARS = 300
"""The most characters that an answer quotes of one message."""

CUT = " … (the rest is left out)"


def cap(words: str) -> str:
    """Return an answer with invisible characters escaped, cut to fit in a letter."""
    words = visible_lines(words)
    if len(words) <= MAX_ANSWER_CHARS:
        return words
    return words[: MAX_ANSWER_CHARS - len(CUT)] + CUT


def outlook_words(outlook: Mapping[str, Any], viewer: str, unit: str) -> str:
    """Return in words what an offer would pay in each case: all keep it, one breaks it, no deal."""
    if not outlook["rows"]:
        return f"What it would pay is not computed: {outlook.get('why_not', 'it is not known')}."
    lines = [f"{_how(outlook, unit)}", *(_row(row, viewer) for row in outlook["rows"])]
    if by_norm := outlook.get("norm"):
        case = f"Split by the norm {by_norm['name']}, if all keep it"
        if (plays := by_norm.get("plays", outlook["plays"])) != outlook["plays"]:
            case += f" (mean of {plays} plays)"
        lines.append(f"{case}: {_amounts(by_norm['payoffs'], viewer)}.")
    return "\n".join([*lines, *_assumption_lines(outlook)])


def plan_words(outlook: Mapping[str, Any], viewer: str, unit: str) -> str:
    """Return in words what a plan of actions would pay, and what play without a plan would pay."""
    if not outlook["rows"]:
        return f"What it would come to is not computed: {outlook.get('why_not', 'not known')}."
    first, *rest = outlook["rows"]
    without = next((row for row in rest if row["if"] == "no deal"), None)
    lines = [_how(outlook, unit), f"By this plan: {_amounts(first['payoffs'], viewer)}."]
    if without:
        lines.append(_row(without, viewer).replace("No deal", "Without a plan", 1))
    return "\n".join([*lines, *_assumption_lines(outlook)])


def outcome_words(
    record: Sequence[Turn],
    earned: Mapping[str, Fraction],
    settled: Mapping[str, Fraction],
    unit: str,
) -> str:
    """Return in words what all earned: total, pot, each agent's part, payoffs by the contract."""
    total = sum(earned.values(), Fraction(0))
    pot = sum((exact(turn.get("pot", 0)) for turn in record), Fraction(0))
    lines = [f"After {len(record)} turns all together have {plain(total)} {unit}."]
    if pot:
        lines.append(f"Of it {plain(pot)} was earned by the team; it is shown in equal parts.")
    lines.append(f"Earned: {_amount_words(earned)}.")
    if settled != earned:
        lines.append(f"If nothing more is agreed, as signed: {_amount_words(settled)}.")
    return "\n".join(lines)


def contribution_words(found: Attribution, asked: Sequence[str], baseline: str, unit: str) -> str:
    """Return the agents' marginal contributions v(N) − v(N∖{i}) in words."""
    told = "; ".join(f"without {agent}: {plain(found.marginal[agent])} less" for agent in asked)
    return (
        f"What all together gained by taking part is {plain(found.total)} {unit}. "
        f"Marginal contributions, {told}. Compared with: {baseline}."
    )


def value_words(
    found: Attribution, payoffs: Mapping[str, Fraction], asked: Sequence[str], unit: str
) -> str:
    """Return in words the agents' values by a norm, what each has alone, and the norm's payoffs."""
    lines = [f"Values by the norm {found.norm} ({found.method}), in {unit}:"]
    for agent in asked:
        error = (found.standard_error or {}).get(agent)
        about = f" ± {error:.3g} (standard error)" if error else ""
        alone = f", {plain(found.at_baseline[agent])} at the baseline" if found.at_baseline else ""
        value = f"{plain(found.values[agent])}{about}"
        lines.append(f"- {agent}: value {value}{alone}, so {plain(payoffs[agent])} by the norm.")
    return "\n".join(lines)


def event_words(
    talk: Sequence[PublicMessage], record: Sequence[Turn]
) -> Iterator[tuple[int, frozenset[str], str]]:
    """Yield each public event in order: its turn, the agents involved, and its description."""
    turns = iter(record)
    done = 0
    for said in talk:
        while done < said["turn"] - 1 and (turn := next(turns, None)):
            done = turn["turn"]
            yield _did(turn)
        yield said["turn"], frozenset({said["by"]}), _message_words(said)
    for turn in turns:
        yield _did(turn)


def _did(turn: Turn) -> tuple[int, frozenset[str], str]:
    did = ", ".join(f"{agent} did {action}" for agent, action in turn["actions"].items())
    earned = {agent: exact(x) for agent, x in turn["rewards"].items()}
    words = f"Turn {turn['turn']}: {did or 'nobody did anything'}; earned: {_amount_words(earned)}."
    if pot := exact(turn.get("pot", 0)):
        words += f" The team earned {plain(pot)}."
    return turn["turn"], frozenset(turn["rewards"]), words


def _message_words(said: PublicMessage) -> str:
    when = f"Before turn {said['turn']}, round {said['round']}"
    words = f"{when}: {said['by']} {_ACTS.get(said['act'], said['act'])}"
    if "about" in said:
        words += f" offer {said['about']}"
    if said["text"]:
        words += f", saying {json.dumps(said['text'][:MAX_SPEECH_CHARS], ensure_ascii=False)}"
    if "deal" in said:
        offered = Deal.of(said["deal"]).text().replace("\n", " ")
        words += f", offering: {offered}" if offered else ""
    return words


_ACTS = {
    "propose": "made an offer",
    "accept": "accepted",
    "reject": "rejected",
    "pass": "passed",
    "claim": "made a claim",
}


def _how(outlook: Mapping[str, Any], unit: str) -> str:
    head = f"What each ends up with over the whole game, in {unit}"
    if outlook["exact"]:
        return f"{head} (exact):"
    return f"{head} (means of {outlook['plays']} plays; in brackets where nine in ten lie):"


def _row(row: Mapping[str, Any], viewer: str) -> str:
    case, by = refusal_words(row), f" ({row['by']})" if row["by"] else ""
    if row["who"]:
        case, by = breach_words(row, viewer), ""
    return f"- {case[0].upper()}{case[1:]}{by}: {_amounts(row['payoffs'], viewer)}."


def _amounts(payoffs: Mapping[str, Mapping[str, str]], viewer: str) -> str:
    ordered = sorted(payoffs, key=lambda agent: agent != viewer)
    return ", ".join(
        f"{'you' if agent == viewer else agent} {_amount(payoffs[agent])}" for agent in ordered
    )


def _amount(amount: Mapping[str, str]) -> str:
    if "low" not in amount:
        return amount["mean"]
    return f"{amount['mean']} [{amount['low']} to {amount['high']}]"


def _assumption_lines(outlook: Mapping[str, Any]) -> list[str]:
    return [f"Assumed: {outlook['assumes']}."] if outlook.get("assumes") else []


def _amount_words(amounts: Mapping[str, Fraction]) -> str:
    return ", ".join(f"{agent} {plain(amount)}" for agent, amount in amounts.items())
