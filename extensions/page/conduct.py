"""The conduct of each agent in words, which the page shows beside the agent's credit."""

from typing import Any

from shapley_coop.state.conduct import conduct, did, in_counts, in_turns, unanswered_words
from shapley_coop.state.evaluated import EvaluatedTable


def conduct_view(evaluated: EvaluatedTable) -> dict[str, dict[str, Any]]:
    """Return agent → its actions, breaches and passes, and those passes due to unusable answers."""
    breaches = (evaluated.table["settlement"] or {})["breaches"]
    found = conduct(evaluated.agents, evaluated.record, breaches)
    view = {}
    for agent, one in found.items():
        counts = in_counts(one)
        view[agent] = {
            "did": did(counts["actions"], one["actions"]),
            "breaches": counts["breaches"],
            "broken": in_turns(one["breaches"]) if one["breaches"] else "",
            "passes": len(one["passes"]),
            "unanswered": unanswered_words(one["passes"]),
        }
    return view
