"""A run in words: its public events, line by line, and its result."""

from collections import Counter
from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any

from shapley_coop import extension
from shapley_coop.deals.language.wire import Message, said_in
from shapley_coop.deals.parties import MOST_TOLD
from shapley_coop.escaping import marked_lines
from shapley_coop.evals.transcripts.sums import few, moved_in_all, rows_by_seat
from shapley_coop.games.baseline import Baseline
from shapley_coop.games.goods import GIVEN
from shapley_coop.many import MANY
from shapley_coop.prompts.computed import amount, percent
from shapley_coop.state.conduct import did, unanswered_words
from shapley_coop.state.outcome import no_value, payment_lines, simulation_note, values_of

STATUS = {
    "agreed": "agreed",
    "no_deal": "no deal",
    "no_play": "no play",
    "unreadable": "no answer could be read",
    "error": "ended in an error",
    "budget": "the budget was used up",
}
"""Status of a run → its ending in words."""

COLUMNS = ("agent", "seat", "did", "breaches", "reward", "Shapley gain", "payoff")
"""The heads of a result's table (`rows`)."""


SHORT = 100
"""The largest denominator of a fraction that is printed after its decimals."""


class EventsInWords:
    """A writer of public events in words; a repeated clause names the message that had it first.

    Totals replace lists of over `MOST_TOLD` clauses, payments or agents, unless `whole` is set.
    """

    def __init__(self, whole: bool = False) -> None:
        self._told_by: dict[tuple[str, ...], str] = {}
        self._meeting = 0
        self._whole = whole

    def lines_of(self, event: dict[str, Any]) -> list[str]:
        """Return one public event as lines; details of the first line are indented below it."""
        how = {"said": self._said, "signed": self._signed, "played": self._played}.get(
            event["kind"]
        )
        return how(event) if how else []

    def _said(self, event: dict[str, Any]) -> list[str]:
        offer = event["deal"]["text"] if "deal" in event else []
        said, *more = marked_lines(_speech_words(event["text"], bool(offer) or "to" in event))
        if offer:
            self._told_by[tuple(offer)] = event["id"]
        said = said or (percent(event["part"]) if "part" in event else "—")
        first = f"{event['id']:>4}  {event['by']} {_act(event)}: {said}"
        lines = [first, *(f"      {line}" for line in [*more, *self._few(offer, "clauses")])]
        met, self._meeting = self._meeting, event.get("meeting", 0)
        return lines if self._meeting in (0, met) else [f"meeting {self._meeting}", *lines]

    def _signed(self, event: dict[str, Any]) -> list[str]:
        what = f"{'amended' if event.get('previous') else 'signed'} {event['hash'][:12]}"
        if offered := self._told_by.get(tuple(event["text"])):
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
        lines += [f"      {line}" for line in self._few([*_handed_over(event)], "gifts")]
        lines += [f"      {line}" for line in self._few(broken, "breaches")]
        lines += [f"      {line}" for line in self._few(due, f"payments due, {paid:g} in all")]
        pot = f", all together {event['pot']:g}" if event.get("pot") else ""
        return [f"turn {event['turn']}  {acted or 'nobody acts'}  →  {earned}{pot}", *lines]


def _effects(event: dict[str, Any]) -> tuple[list[str], list[str]]:
    """Return the actions and passes of a turn, and lines on failed tasks."""
    failed, effects = [], event.get("effects", [])
    brought = extension.offered("audits")
    how = {e["agent"]: f" ({e['effect']})" for e in effects if e.get("effect") in brought}
    acts = [f"{agent} {action}{how.get(agent, '')}" for agent, action in event["actions"].items()]
    for effect in effects:
        if effect.get("effect") == "pass":
            acts.append(f"{effect['agent']} passes ({effect['label']})")
        elif effect.get("ok") is False:
            failed.append(f"      {effect['agent']}'s {effect['task']} failed: {effect['result']}")
    return acts, failed


def _handed_over(event: dict[str, Any]) -> Iterator[str]:
    """Yield a line for each gift of goods by a contract at the end of a turn."""
    for effect in event.get("effects", []):
        if effect.get("effect") == GIVEN and effect["quantity"]:
            what = f"{effect['quantity']} {effect['good']}"
            yield f"by {effect['clause']}: {effect['giver']} gives {effect['receiver']} {what}"


def news_in(written: Mapping[str, Any]) -> Iterator[str]:
    """Yield the lines in which extensions describe the keys that they add to the table.

    Args:
        written: a node's update of the run's state, or the whole state.
    """
    for key in extension.offered("news"):
        if key in written:
            yield from extension.load("news", key)(written[key])


def reckoning_lines(reckoning: dict[str, Any]) -> Iterator[str]:
    """Yield lines on the values computed from the record before the last bargaining."""
    values = ", ".join(f"{a} {_readable(x)}" for a, x in reckoning["values"].items())
    total = _readable(reckoning["total"])
    yield f"computed from the record: total {total}, {reckoning['norm']} {values}"
    if reckoning.get("compares_with"):
        had = ", ".join(f"{a} {_readable(x)}" for a, x in reckoning["baseline"].items())
        yield f"the baseline alone pays: {had}"
    if why := reckoning.get("skipped"):
        yield f"no further bargaining: {why}"


def _readable(exactly: str) -> str:
    """Return an amount in decimals, followed by the exact fraction if the fraction is short."""
    short = "/" in exactly and Fraction(exactly).denominator <= SHORT
    return f"{amount(exactly)} ({exactly})" if short else amount(exactly)


def _speech_words(text: str, offers: bool) -> str:
    """Return a message's words without tags, or its whole text if its offer is not shown below."""
    message = said_in(text) if "<" in text else Message()
    if message == Message() or (message.proposal is not None and not offers):
        return text
    return "\n".join(filter(None, (message.speech, message.accept, message.reject)))


def _act(said: dict[str, Any]) -> str:
    number = f" #{said['about']}" if "about" in said else ""
    if "puts" in said:
        number += f" → #{said['puts']}"
    why = f" ({said['label']})" if "label" in said else ""
    if said["act"] == "pass":
        return f"passes{why}"
    verb = "counters" if said["act"] == "reject" and "puts" in said else f"{said['act']}s"
    to = f" to {said['to']}" if "to" in said and verb == "proposes" else ""
    return f"{verb}{to}{number}{why}"


def opening_lines(outcome: dict[str, Any]) -> Iterator[str]:
    """Yield the lines on a run's events, then a line on its contract if the contract lapsed."""
    yield from outcome["happened"]["words"]
    if lapsed := outcome.get("lapsed"):
        yield f"No contract binds in {outcome['run']}. {lapsed}"


def rows(outcome: dict[str, Any]) -> list[list[str]]:
    """Return the result table's rows, one for each agent, or for each seat if agents are many."""
    if len(outcome["agents"]) > MOST_TOLD:
        return rows_by_seat(outcome)
    return [_line(agent, outcome) for agent in outcome["agents"]]


def _line(agent: str, outcome: dict[str, Any]) -> list[str]:
    credit = outcome["credit"]
    broke = sum(breach["agent"] == agent for breach in outcome["breaches"])
    error, value = (credit["standard_error"] or {}).get(agent), values_of(credit).get(agent)
    return [
        agent,
        outcome["seats"][agent],
        did(outcome["conduct"][agent]["actions"]),
        str(broke or "–"),
        f"{outcome['rewards'][agent]:g}",
        "–" if value is None else f"{value:g}" + (f" ± {error:.2g}" if error else ""),
        f"{outcome['payoffs'][agent]:g}",
    ]


def closing_lines(outcome: dict[str, Any]) -> Iterator[str]:
    """Yield lines below a result's table: the settlement's basis, the baseline, the payments."""
    if outcome["happened"]["at_stake"]:
        yield f"{decision_words(outcome)}."
    if why := no_value(outcome["credit"]):
        yield f"Shapley gain: {why}."
    elif outcome["happened"]["at_stake"] and (baseline := outcome["credit"].get("baseline")):
        short = Baseline(**baseline).short
        yield f"Shapley gains compare with the baseline: {short}.{_without(outcome)}"
    passed = (
        f"{agent}: {lost}; what that cost is charged to its value"
        for agent, conduct in outcome["conduct"].items()
        if (lost := unanswered_words(conduct["passes"]))
    )
    yield from few(passed, "agents gave no answer that could be read")
    yield from (
        moved_in_all(outcome) if len(outcome["transfers"]) > MOST_TOLD else payment_lines(outcome)
    )
    broken = (f"breach of {b['clause']}: {b['evidence']}" for b in outcome["breaches"])
    yield from few(broken, "breaches")
    if outcome.get("ledger") == "counterfactual":
        yield "Counterfactual: another branch of this episode is settled already; nothing is paid."
    used = outcome["usage"]
    tokens = used["input_tokens"] + used["output_tokens"]
    turns = outcome["turns_played"]
    yield f"{turns} turn{'' if turns == 1 else 's'}, {used['calls']} calls, {tokens} tokens"
    if simulation := simulation_note(outcome):
        yield simulation


_DECIDED = {
    "contract": "The contract decided",
    "redistribution": "The split that all accepted after the play decided",
    "norm": "No split was accepted, so the run's norm decided",
    "none": "No contract holds: each keeps what it earned",
}
"""The basis of a settlement → its description."""


def decision_words(outcome: Mapping[str, Any], reader: str = "") -> str:
    """Return in words how payoffs were decided, and who is paid farthest from its Shapley value.

    With a `reader`, this agent is called "you", and another one by its name.
    """
    basis = next(e["basis"] for e in reversed(outcome["events"]) if e["kind"] == "settled")
    told, credit = _DECIDED[basis], outcome["credit"]
    if basis == "contract" and outcome["enforcement"] == "notional":
        told = "The contract moves nothing, as it is notional: each keeps what it earned"
    elif basis == "none" and outcome["status"] == "agreed":
        told = "What was agreed was carried out in the play: each keeps what it earned"
    alone, values = credit.get("alone") or {}, values_of(credit)
    if not values or credit["rule"] != "record":
        return told
    fair = {agent: value + alone.get(agent, 0) for agent, value in values.items()}
    far = max(fair, key=lambda agent: abs(outcome["payoffs"][agent] - fair[agent]))
    if f"{outcome['payoffs'][far]:.4g}" == f"{fair[far]:.4g}":
        return f"{told}; each ends with what Shapley values give it"
    late = ", as no split by them was accepted" if _bargained_in_vain(outcome, basis) else ""
    who, whom = (f"{far} ends", far if reader else "it") if far != reader else ("you end", "you")
    return (
        f"{told}: {who} with {outcome['payoffs'][far]:.4g}, "
        f"where Shapley values would leave {whom} {fair[far]:.4g}{late}"
    )


def _bargained_in_vain(outcome: Mapping[str, Any], basis: str) -> bool:
    """Return whether agents bargained over a split after the play and did not agree."""
    credit = outcome["credit"]
    return basis in ("contract", "none") and bool(credit["claims"]) and not credit["skipped"]


def _without(outcome: dict[str, Any]) -> str:
    """Return a sentence on the baseline that payoffs include, or "" if every baseline is zero."""
    alone = outcome["credit"].get("alone") or {}
    each = ", ".join(f"{agent} {x:g}" for agent, x in alone.items())
    told = each if len(alone) <= MANY else f"{sum(alone.values()):g} in all"
    return f" Payoffs include the baseline: {told}." if any(alone.values()) else ""
