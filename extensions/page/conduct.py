"""The conduct of each agent in words, which the page shows beside the agent's credit."""

from typing import Any

from shapley_coop.state.conduct import conduct, did, in_turns, unanswered_words
from shapley_coop.state.evaluated import EvaluatedTable


def conduct_view(evaluated: EvaluatedTable) -> dict[str, dict[str, Any]]:
    """Return agent → its actions, breaches and passes, and those passes due to unusable answers."""
    breaches = (evaluated.table["settlement"] or {})["breaches"]
    found = conduct(evaluated.agents, evaluated.record, breaches)
    told, view = evaluated.game.for_people, {}
    for agent, one in found.items():
        when = {told(action): turns for action, turns in one["actions"].items()}
        view[agent] = {
            "did": did({action: len(turns) for action, turns in when.items()}, when),
            "breaches": len(one["breaches"]),
            "broken": in_turns(one["breaches"]) if one["breaches"] else "",
            "passes": len(one["passes"]),
            "unanswered": unanswered_words(one["passes"]),
        }
    return view
