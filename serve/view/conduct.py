"""What each agent did, in words, for the page: beside what it is due."""

from typing import Any

from shapley_coop.state.conduct import conduct, did, in_counts, in_turns, unanswered_words
from shapley_coop.state.evaluated import EvaluatedTable


def conduct_view(evaluated: EvaluatedTable) -> dict[str, dict[str, Any]]:
    """Agent → its actions, breaches and passes, and what its unusable answers came to."""
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
