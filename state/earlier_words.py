"""What results and exports of earlier versions say of baselines, in the words of this version."""

import re
from collections.abc import Mapping
from typing import Any

from shapley_coop.games.baseline import LEAST_EACH_TURN

BASELINES = (
    (
        "the others get what they get under the joint action of the absent that leaves them least",
        LEAST_EACH_TURN,
    ),
    ("who is absent does what the game's", "an absent agent does what the game's"),
    ("who is absent does", "an absent agent plays"),
    ("who is absent acts so", "an absent agent plays as follows"),
    ("who is absent", "an absent agent"),
    ("everybody acts so", "everybody plays as follows"),
    ("everybody does what the game's", "everybody does what the game's"),
    ("everybody does", "everybody plays"),
    ("a hero that is asked for nothing does", "a hero that is asked for nothing uses"),
)
"""What earlier versions said of who has no part in a deal, and what this one says."""


def in_todays_baselines(text: str) -> str:
    """A text with its baseline in the words of this version.

    >>> in_todays_baselines("who is absent does wait")
    'an absent agent plays wait'
    """
    today = dict(BASELINES)
    earlier = "|".join(map(re.escape, today))
    return re.sub(earlier, lambda found: today[found[0]], text)


def in_todays_credit(credit: Mapping[str, Any]) -> dict[str, Any]:
    """What a result states of credit, with its baseline in the words of this version."""
    if not isinstance(baseline := credit.get("baseline"), dict):
        return dict(credit)
    words = in_todays_baselines(str(baseline.get("words")))
    return {**credit, "baseline": {**baseline, "words": words}}
