"""Print what happens while a run plays, and its result."""

from typing import Any

from shapley_coop.cli.console import say, show_table
from shapley_coop.deals.mediation import DELEGATED
from shapley_coop.state.conduct import did, unanswered
from shapley_coop.state.outcome import moved, no_value, simulation_note, values_of
from shapley_coop.state.timeline import said_event

STATUS = {
    "agreed": "agreed",
    "no_deal": "no deal",
    "no_play": "no play",
    "unreadable": "no answer could be read",
    "error": "ended in an error",
    "budget": "the budget was used up",
}
"""How a run ended, in words."""


class Narrator:
    """Prints a run's public events; clauses that it printed once it names by their message."""

    def __init__(self) -> None:
        self._printed: dict[tuple[str, ...], str] = {}

    def watch(self, node: str, written: dict[str, Any]) -> None:
        """Print the public news in one node's update; of a written contract its length alone."""
        for agent, draft in (written.get("drafts") or {}).items():
            if draft.get("label") and not draft["sound"]:
                say(f"        {agent} is asked again: {draft['label']}")
        for said in written.get("talk", []):
            event = said_event(said)
            lines = [line for line in said["text"].splitlines() if line.strip()]
            if said["act"] == "write" and len(lines) > 1:
                event["text"] = f"{len(lines)} lines, which coop show prints"
            self.tell(event)
        if lapsed := written.get("lapsed"):
            say(f"  no contract: {lapsed}")
        for good, cleared in (written.get("prices") or {}).items():
            say(f"  {good}: {cleared['volume']} traded at {cleared['price']}")
        if contract := written.get("contract"):
            self.tell({"kind": "signed", **contract, "text": contract["text"].splitlines()})
        for turn in written.get("record", []):
            self.tell({"kind": "played", **turn})
        if reckoning := written.get("reckoning"):
            reckoned(reckoning)

    def tell(self, event: dict[str, Any]) -> None:
        """Print one public event, as `state.timeline` has them."""
        for line in self.lines_of(event):
            say(f"  {line}")

    def lines_of(self, event: dict[str, Any]) -> list[str]:
        """One public event in lines; what belongs to the first line is indented."""
        told = {"said": self._said, "signed": self._signed, "played": _played}.get(event["kind"])
        return told(event) if told else []

    def _said(self, event: dict[str, Any]) -> list[str]:
        offer = event["deal"]["text"] if "deal" in event else []
        said, *more = [line for line in event["text"].splitlines() if line.strip()] or ["—"]
        if offer:
            self._printed[tuple(offer)] = event["id"]
        first = f"{event['id']:>4}  {event['by']} {_act(event)}: {said}"
        return [first, *(f"      {line}" for line in [*more, *offer])]

    def _signed(self, event: dict[str, Any]) -> list[str]:
        what = f"{'amended' if event.get('previous') else 'signed'} {event['hash'][:12]}"
        if offered := self._printed.get(tuple(event["text"])):
            return [f"{what}, the clauses of {offered}"]
        return [what, *(f"      {line}" for line in event["text"])]


def _played(event: dict[str, Any]) -> list[str]:
    lines, effects = [], event.get("effects", [])
    mediated = {e["agent"] for e in effects if e.get("effect") == DELEGATED}
    acts = [
        f"{agent} {action}{' (delegated)' if agent in mediated else ''}"
        for agent, action in event["actions"].items()
    ]
    for effect in effects:
        if effect.get("effect") == "pass":
            acts.append(f"{effect['agent']} passes ({effect['label']})")
        elif effect.get("ok") is False:
            lines.append(f"      {effect['agent']}'s {effect['task']} failed: {effect['result']}")
    earned = ", ".join(f"{agent} {x:g}" for agent, x in event["rewards"].items())
    lines += [f"      breach of {b['clause']}: {b['evidence']}" for b in event.get("breaches", [])]
    lines += [
        f"      due by {p['clause']}: {p['payer']} pays {p['payee']} {p['amount']:g}"
        for p in event.get("due", [])
    ]
    pot = f", all together {event['pot']:g}" if event.get("pot") else ""
    return [f"turn {event['turn']}  {', '.join(acts) or 'nobody acts'}  →  {earned}{pot}", *lines]


def reckoned(reckoning: dict[str, Any]) -> None:
    """Print what was computed from the record before the last bargaining."""
    values = ", ".join(f"{a} {x}" for a, x in reckoning["values"].items())
    say(f"  computed from the record: total {reckoning['total']}, {reckoning['norm']} {values}")
    if compared := reckoning.get("compares_with"):
        had = ", ".join(f"{a} {x}" for a, x in reckoning["baseline"].items())
        say(f"  compared with the baseline: {compared}: {had}")
    if why := reckoning.get("skipped"):
        say(f"  no further bargaining: {why}")


def _act(said: dict[str, Any]) -> str:
    number = f" #{said['about']}" if "about" in said else ""
    if "puts" in said:
        number += f" → #{said['puts']}"
    why = f" ({said['label']})" if "label" in said else ""
    if said["act"] == "pass":
        return f"passes{why}"
    verb = "counters" if said["act"] == "reject" and "puts" in said else f"{said['act']}s"
    return f"{verb}{number}{why}"


def _line(agent: str, outcome: dict[str, Any]) -> list[str]:
    """An agent's row; an older result does not say what it did."""
    conduct, credit = outcome.get("conduct", {}).get(agent), outcome["credit"]
    broke = sum(breach["agent"] == agent for breach in outcome["breaches"])
    error, value = (credit["standard_error"] or {}).get(agent), values_of(credit).get(agent)
    return [
        agent,
        outcome["seats"][agent],
        did(conduct["actions"]) if conduct else "–",
        str(broke or "–"),
        f"{outcome['rewards'][agent]:g}",
        "–" if value is None else f"{value:g}" + (f" ± {error:.2g}" if error else ""),
        f"{outcome['payoffs'][agent]:g}",
    ]


def _without(outcome: dict[str, Any]) -> str:
    """What payoffs hold beside gains: what each has at the baseline, if anything."""
    alone = outcome["credit"].get("alone") or {}
    each = ", ".join(f"{agent} {x:g}" for agent, x in alone.items()) if len(alone) <= 12 else "…"
    return f" Payoffs include what it pays: {each}." if any(alone.values()) else ""


def report(outcome: dict[str, Any]) -> None:
    """What a run came to: first what happened in it, then what each agent is due."""
    told = outcome.get("happened", {"words": [], "at_stake": True})
    for sentence in told["words"]:
        say(sentence)
    if lapsed := outcome.get("lapsed"):
        say(f"No contract binds in {outcome['run']}. {lapsed}")
    columns = ["agent", "seat", "did", "breaches", "reward", "Shapley gain", "payoff"]
    lines = [_line(agent, outcome) for agent in outcome["agents"]]
    show_table(f"{outcome['run']}: {STATUS[outcome['status']]}", columns, lines)
    if why := no_value(outcome["credit"]):
        say(f"Shapley gain: {why}.")
    elif told["at_stake"] and (baseline := outcome["credit"].get("baseline")):
        say(f"Shapley gains compare with the baseline: {baseline['words']}.{_without(outcome)}")
    for agent, conduct in outcome.get("conduct", {}).items():
        if lost := unanswered(conduct["passes"]):
            say(f"{agent}: {lost}; what that cost is charged to its value")
    for line in moved(outcome):
        say(line)
    for breach in outcome["breaches"]:
        say(f"breach of {breach['clause']}: {breach['evidence']}")
    if outcome.get("ledger") == "counterfactual":
        say("Counterfactual: another branch of this episode is settled already; nothing is paid.")
    used = outcome["usage"]
    tokens = used["input_tokens"] + used["output_tokens"]
    turns = outcome["turns_played"]
    say(f"{turns} turn{'' if turns == 1 else 's'}, {used['calls']} calls, {tokens} tokens")
    if simulation := simulation_note(outcome):
        say(simulation)
