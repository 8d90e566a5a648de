"""What a program at a seat answers that acts and takes part in no deal."""

from collections.abc import Mapping
from typing import Any

from shapley_coop.seats.asked import asked


def without_deals(facts: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the answer to a letter that asks for no action: it rejects, and claims 1/n."""
    question = asked(facts["ask"])
    return question.answer.declined(facts) if question else {}
