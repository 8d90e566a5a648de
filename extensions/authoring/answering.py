"""The questions to the author of a scenario."""

import json

from shapley_coop.seats.answer import Answer, Facts, Fields
from shapley_coop.seats.asked import Asked


class Sheet(Answer):
    """An answer in JSON with bit strings (sets of tasks) as keys, for which there is no schema."""

    @classmethod
    def tagged(cls, fields: Fields) -> str:
        """Return the fields as JSON text."""
        return json.dumps(fields)

    @classmethod
    def narrowed(cls, facts: Facts, carries: bool = False) -> None:
        """Return None for "no schema", so that the answer is read as text."""


_PROGRAM = "shapley_coop.extensions.authoring.author:Author.sheet"

DESCRIBE = Asked("exchange_describe", "describe sets of tasks", Sheet, _PROGRAM)
SCORE = Asked("exchange_score", "score sets of tasks", Sheet, _PROGRAM)
