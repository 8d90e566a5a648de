"""What the conversation tells: the table before it is played, the talk, the settlement."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from shapley_coop.escaping import in_markdown
from shapley_coop.games.matrix import MatrixGame
from shapley_coop.prompts.computed import percent
from shapley_coop.state.outcome import no_value, payment_lines
from shapley_coop.state.timeline import said_event

MOST_CELLS = 32
"""Of a table of payoffs that is shown whole."""

NOT_PLAYED = "Nothing is played. Say what else they should bargain over."

STATUS = {
    "agreed": "They agreed.",
    "no_deal": "They did not agree.",
    "no_play": "Nobody acted.",
    "unreadable": "No answer could be read.",
    "error": "It ended in an error.",
    "budget": "The budget was used up.",
}


def table_in_words(game: Mapping[str, Any], assumed: Sequence[str], label: str = "") -> str:
    """Return the game that is about to be played, in Markdown."""
    shown = MatrixGame(dict(game)).rules() if len(game["payoffs"]) <= MOST_CELLS else game["about"]
    parts = ["This is what will be played:", shown]
    if assumed:
        parts.append("Assumed, as nobody said so: " + in_markdown("; ".join(assumed)) + ".")
    if label:
        parts.append(label)
    return "\n\n".join(
        [*parts, "Shall they begin? Approve, edit the table, or say what to change."]
    )


def spoken(written: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    """Yield the public news of a step: id, who, and what was said or done, in Markdown."""
    for said in written.get("talk", []):
        event = said_event(said, written)
        if said["act"] == "write":
            continue  # the contract is told once, as it is signed
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
    """Return a result (`state.result`) for people, in Markdown."""
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
    return "\n\n".join(lines)


def _each(amounts: Mapping[str, float], verb: str) -> str:
    return ", ".join(f"{agent} {verb} {x:g}" for agent, x in amounts.items())
