"""Print what happens while a run plays, and its result."""

from collections import Counter
from typing import Any

from shapley_coop.cli.console import say, show_table
from shapley_coop.deals.mediation import DELEGATED
from shapley_coop.deals.parties import MOST_TOLD
from shapley_coop.escaping import marked_lines
from shapley_coop.evals.reports.sums import few, moved_in_all, rows_by_seat
from shapley_coop.many import MANY
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
    """Prints a run's public events; clauses that it printed once it names by their message.

    Of more than `MOST_TOLD` clauses, payments or agents it prints sums, unless it tells the whole.
    """

    def __init__(self, whole: bool = False) -> None:
        self._printed: dict[tuple[str, ...], str] = {}
        self._whole = whole
        self._last: tuple[Any, ...] = ()
        self._alike = 0

    def watch(self, node: str, written: dict[str, Any]) -> None:
        """Print the public news in one node's update; of a written contract its length alone."""
        if written.keys() & {"lapsed", "prices", "contract", "record"}:
            self._end_alike()
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
        """Print one public event, as `state.timeline` has them; of many alike their number."""
        alike = (event["kind"], event.get("act"), event.get("about"), event.get("deal"))
        if alike != self._last or event["kind"] != "said" or "deal" in event:
            self._end_alike()
            self._last = alike
        self._alike += 1
        if self._alike > MOST_TOLD:
            return
        for line in self.lines_of(event):
            say(f"  {line}")

    def _end_alike(self) -> None:
        if (more := self._alike - MOST_TOLD) > 0:
            say(f"        and {more} more do the same")
        self._last, self._alike = (), 0

    def lines_of(self, event: dict[str, Any]) -> list[str]:
        """One public event in lines; what belongs to the first line is indented."""
        told = {"said": self._said, "signed": self._signed, "played": self._played}.get(
            event["kind"]
        )
        return told(event) if told else []

    def _said(self, event: dict[str, Any]) -> list[str]:
        offer = event["deal"]["text"] if "deal" in event else []
        said, *more = marked_lines(event["text"])
        if offer:
            self._printed[tuple(offer)] = event["id"]
        first = f"{event['id']:>4}  {event['by']} {_act(event)}: {said or '—'}"
        return [first, *(f"      {line}" for line in [*more, *self._few(offer, "clauses")])]

    def _signed(self, event: dict[str, Any]) -> list[str]:
        what = f"{'amended' if event.get('previous') else 'signed'} {event['hash'][:12]}"
        if offered := self._printed.get(tuple(event["text"])):
            return [f"{what}, the clauses of {offered}"]
        return [what, *(f"      {line}" for line in self._few(event["text"], "clauses"))]

    def _few(self, lines: list[str], what: str) -> list[str]:
        return lines if self._whole else few(lines, what)

    def _played(self, event: dict[str, Any]) -> list[str]:
        acts, lines = _effects(event)
        earned = ", ".join(f"{agent} {x:g}" for agent, x in event["rewards"].items())
        acted = ", ".join(acts)
        if not self._whole and len(acts) > MOST_TOLD:
            acted = f"{len(acts)} agents: {did(Counter(event['actions'].values()))}"
        if not self._whole and len(event["rewards"]) > MOST_TOLD:
            earned = f"{sum(event['rewards'].values()):g} in all"
        broken = [f"breach of {b['clause']}: {b['evidence']}" for b in event.get("breaches", [])]
        due = [
            f"due by {p['clause']}: {p['payer']} pays {p['payee']} {p['amount']:g}"
            for p in event.get("due", [])
        ]
        paid = sum(p["amount"] for p in event.get("due", []))
        lines += [f"      {line}" for line in self._few(broken, "breaches")]
        lines += [f"      {line}" for line in self._few(due, f"payments due, {paid:g} in all")]
        pot = f", all together {event['pot']:g}" if event.get("pot") else ""
        return [f"turn {event['turn']}  {acted or 'nobody acts'}  →  {earned}{pot}", *lines]


def _effects(event: dict[str, Any]) -> tuple[list[str], list[str]]:
    """What was done at a turn, and what failed."""
    failed, effects = [], event.get("effects", [])
    mediated = {e["agent"] for e in effects if e.get("effect") == DELEGATED}
    acts = [
        f"{agent} {action}{' (delegated)' if agent in mediated else ''}"
        for agent, action in event["actions"].items()
    ]
    for effect in effects:
        if effect.get("effect") == "pass":
            acts.append(f"{effect['agent']} passes ({effect['label']})")
        elif effect.get("ok") is False:
            failed.append(f"      {effect['agent']}'s {effect['task']} failed: {effect['result']}")
    return acts, failed


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
    each = ", ".join(f"{agent} {x:g}" for agent, x in alone.items())
    told = each if len(alone) <= MANY else f"{sum(alone.values()):g} in all"
    return f" Payoffs include what it pays: {told}." if any(alone.values()) else ""


def report(outcome: dict[str, Any]) -> None:
    """What a run came to: first what happened in it, then what each agent is due."""
    told = outcome.get("happened", {"words": [], "at_stake": True})
    for sentence in told["words"]:
        say(sentence)
    if lapsed := outcome.get("lapsed"):
        say(f"No contract binds in {outcome['run']}. {lapsed}")
    columns = ["agent", "seat", "did", "breaches", "reward", "Shapley gain", "payoff"]
    many = len(outcome["agents"]) > MOST_TOLD
    lines = rows_by_seat(outcome) if many else [_line(a, outcome) for a in outcome["agents"]]
    show_table(f"{outcome['run']}: {STATUS[outcome['status']]}", columns, lines)
    if why := no_value(outcome["credit"]):
        say(f"Shapley gain: {why}.")
    elif told["at_stake"] and (baseline := outcome["credit"].get("baseline")):
        say(f"Shapley gains compare with the baseline: {baseline['words']}.{_without(outcome)}")
    passed = (
        f"{agent}: {lost}; what that cost is charged to its value"
        for agent, conduct in outcome.get("conduct", {}).items()
        if (lost := unanswered(conduct["passes"]))
    )
    for line in few(passed, "agents gave no answer that could be read"):
        say(line)
    for line in moved_in_all(outcome) if len(outcome["transfers"]) > MOST_TOLD else moved(outcome):
        say(line)
    for line in few(
        (f"breach of {b['clause']}: {b['evidence']}" for b in outcome["breaches"]), "breaches"
    ):
        say(line)
    if outcome.get("ledger") == "counterfactual":
        say("Counterfactual: another branch of this episode is settled already; nothing is paid.")
    used = outcome["usage"]
    tokens = used["input_tokens"] + used["output_tokens"]
    turns = outcome["turns_played"]
    say(f"{turns} turn{'' if turns == 1 else 's'}, {used['calls']} calls, {tokens} tokens")
    if simulation := simulation_note(outcome):
        say(simulation)
