"""The texts of the conversation: the proposed game, the agents' talk and the settlement."""

import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import prod
from typing import Any

from shapley_coop.escaping import in_markdown
from shapley_coop.games import load, summary
from shapley_coop.games.matrix import MatrixGame
from shapley_coop.games.parameter_list import parameters
from shapley_coop.prompts.computed import percent
from shapley_coop.seats.person import SERVER_URL
from shapley_coop.state.outcome import no_value, payment_lines
from shapley_coop.state.timeline import said_event

MOST_CELLS = 32
"""The most joint actions for which the payoff table is shown completely."""

NOT_PLAYED = "Nothing is played. Say what else they should bargain over."

STATUS = {
    "agreed": "They agreed.",
    "no_deal": "They did not agree.",
    "no_play": "Nobody acted.",
    "unreadable": "No answer could be read.",
    "error": "It ended in an error.",
    "budget": "The budget was used up.",
}


def proposal_in_words(proposal: Mapping[str, Any], notes: Sequence[str]) -> str:
    """Return the game that waits for a decision and the notes on it, in Markdown."""
    game = load(proposal["game"], proposal["params"])
    is_large = isinstance(game, MatrixGame) and prod(map(len, game.actions.values())) > MOST_CELLS
    parts = ["This is what will be played:", game.summary() if is_large else game.rules()]
    return "\n\n".join(
        [*parts, *notes, "Shall they begin? Approve, edit it, or say what to change."]
    )


def games_in_words(names: Sequence[str]) -> str:
    """Return a list of games for a person to name; a single game with its numeric parameters."""
    lines = []
    for name in names:
        numbers = [
            f"`{one.name}={json.dumps(one.default)}`"
            for one in parameters(load(name))
            if one.type in ("integer", "number", "true or false")
        ]
        takes = f" Numbers: {', '.join(numbers)}." if numbers and len(names) == 1 else ""
        lines.append(f"- `{name}`: {in_markdown(summary(name))}{takes}")
    told = "No language model reads this: name a game, and its numbers if you like."
    return "\n".join([told, *lines])


def cannot_be_played(why: str) -> str:
    """Return the refusal of a game, with the reason."""
    told = in_markdown(why)
    return f"That cannot be played: {told}" + ("" if told.endswith("?") else ".")


def not_taken_over(quotes: Sequence[str]) -> str:
    """Return a refusal that quotes the terms that no available game can express."""
    told = quoted(quotes)
    return f"Nothing is played: I did not take over {told}. Leave it out, or say it in other words."


def quoted(quotes: Sequence[str]) -> str:
    """Return quotes of what a person said, in Markdown."""
    return ", ".join(f"“{in_markdown(one)}”" for one in quotes)


def spoken(written: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    """Yield id, author and Markdown text of each public event in a state update."""
    for said in written.get("talk", []):
        event = said_event(said, written)
        if said["act"] == "write":
            continue  # this is only a draft; the signed contract is yielded below
        offer = _listed(event.get("deal", {}).get("text", ()))
        unsaid = "I accept." if said["act"] == "accept" else f"({said['act']})"
        unsaid = f"I claim {percent(event['part'])}." if "part" in event else unsaid
        words = in_markdown(said["text"]) or unsaid
        yield said["id"], said["by"], f"**{in_markdown(said['by'])}**: {words}{offer}"
    if contract := written.get("contract"):
        lines = _listed(contract["text"].splitlines())
        yield f"contract-{contract['hash'][:12]}", "table", f"Signed by all:{lines}"
    for turn in written.get("record", []):
        acts = ", ".join(f"{agent}: {action}" for agent, action in turn["actions"].items())
        done = in_markdown(acts) or "nothing"
        yield f"turn-{turn['turn']}", "table", f"What was done: {done}."


def _listed(lines: Iterable[str]) -> str:
    return "".join(f"\n- {in_markdown(line)}" for line in lines)


def settlement_in_words(found: Mapping[str, Any]) -> str:
    """Return a run's settlement, from its result (`state.result`), as Markdown for people."""
    credit = found["credit"]
    lines = [STATUS[found["status"]], *map(in_markdown, found["happened"]["words"])]
    lines.append(f"By what was done, {_each(found['rewards'], 'earned')}.")
    lines += [f"{line}." for line in payment_lines(found)]
    if not found["transfers"]:
        lines.append("Nobody owes anybody anything.")
    lines.append(f"In the end {_each(found['payoffs'], 'has')}.")
    if found["happened"]["at_stake"] and not no_value(credit):
        baseline = credit.get("baseline")
        compared = f", compared with the baseline ({baseline['words']})" if baseline else ""
        values = ", ".join(f"{agent} {x:g}" for agent, x in credit["shapley"].items())
        lines.append(f"What each added by the record{compared}: {values} (Shapley values).")
    lines += [f"Breach of {b['clause']}: {in_markdown(b['evidence'])}" for b in found["breaches"]]
    if found["ledger"] == "counterfactual":
        lines.append("This is another course of a play that is settled already: nothing is paid.")
    if found["simulated"]:
        lines.append("A simulation: embedded agents bargained, no language model did.")
    run = found["run"]
    # The chat may be shown by another server's page, so the link names the server with the run.
    page = f"{os.environ.get(SERVER_URL, '').rstrip('/')}/view/?run={run}"
    lines.append(
        f"The run is `{run}`: see it at [{page}]({page}), check it by `coop verify {run}`."
    )
    return "\n\n".join(lines)


def _each(amounts: Mapping[str, float], verb: str) -> str:
    return ", ".join(f"{agent} {verb} {x:g}" for agent, x in amounts.items())
