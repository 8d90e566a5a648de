"""Print what happens while a run plays, and its result."""

from typing import Any

from shapley_coop.cli.console import say, show_table
from shapley_coop.state.conduct import did, unanswered


def narrate(node: str, written: dict[str, Any]) -> None:
    """Print the public news in one node's update."""
    for said in written.get("talk", []):
        say(f"  {said['id']:>4}  {said['by']} {_act(said)}: {said['text'] or '—'}")
    if lapsed := written.get("lapsed"):
        say(f"  no contract: {lapsed}")
    if contract := written.get("contract"):
        say(f"  signed {contract['hash'][:12]}")
        for line in contract["text"].splitlines():
            say(f"        {line}")
    for turn in written.get("record", []):
        did = ", ".join(f"{a} {x}" for a, x in turn["actions"].items())
        earned = ", ".join(f"{a} {x:g}" for a, x in turn["rewards"].items())
        say(f"  turn {turn['turn']}  {did}  →  {earned}")
        for effect in turn.get("effects", []):
            if effect.get("ok") is False:
                say(f"        {effect['agent']}'s {effect['task']} failed: {effect['result']}")
    if reckoning := written.get("reckoning"):
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
    return f"{said['act']}s{number}{why}" if said["act"] != "pass" else f"passes{why}"


def nobody_acted(outcome: dict[str, Any]) -> bool:
    """Whether no agent took any action; an older result does not say."""
    return "acted" in outcome and not any(outcome["acted"].values())


def _line(agent: str, outcome: dict[str, Any]) -> list[str]:
    """An agent's row; an older result does not say what it did."""
    conduct, credit = outcome.get("conduct", {}).get(agent), outcome["credit"]
    broke = sum(breach["agent"] == agent for breach in outcome["breaches"])
    error = (credit["standard_error"] or {}).get(agent)
    return [
        agent,
        outcome["seats"][agent],
        did(conduct["actions"]) if conduct else "–",
        str(broke or "–"),
        f"{outcome['rewards'][agent]:g}",
        f"{credit['shapley'][agent]:g}" + (f" ± {error:.2g}" if error else ""),
        f"{outcome['payoffs'][agent]:g}",
    ]


def report(outcome: dict[str, Any]) -> None:
    """What a run came to: what each agent did beside what it is due."""
    if nobody_acted(outcome):
        say(f"No agent acted in {outcome['run']}; turns played: {outcome['turns_played']}.")
    if lapsed := outcome.get("lapsed"):
        say(f"No contract binds in {outcome['run']}. {lapsed}")
    columns = ["agent", "seat", "did", "breaches", "reward", "Shapley", "payoff"]
    lines = [_line(agent, outcome) for agent in outcome["agents"]]
    show_table(f"{outcome['run']}: {outcome['status']}", columns, lines)
    if baseline := outcome["credit"].get("baseline"):
        say(f"Shapley values compare with the baseline: {baseline['words']}.")
    for agent, conduct in outcome.get("conduct", {}).items():
        if lost := unanswered(conduct["passes"]):
            say(f"{agent}: {lost}; what that cost is charged to its value")
    for moved in outcome["transfers"]:
        say(f"{moved['payer']} pays {moved['payee']} {moved['amount']:g} ({moved['reason']})")
    for breach in outcome["breaches"]:
        say(f"breach of {breach['clause']}: {breach['evidence']}")
    if outcome.get("ledger") == "counterfactual":
        say("Counterfactual: another branch of this episode is settled already; nothing is paid.")
    used = outcome["usage"]
    tokens = used["input_tokens"] + used["output_tokens"]
    say(f"{outcome['turns_played']} turns, {used['calls']} calls, {tokens} tokens")
    if outcome["simulated"]:
        say("A simulation: embedded agents answered, no language model did.")
