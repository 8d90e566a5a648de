"""The lines on groups and ballots that `coop run` and `coop show` print."""

from collections.abc import Sequence

from shapley_coop.extensions.institutions.delegates.table import Group
from shapley_coop.prompts.words import few


def news(groups: Sequence[Group]) -> list[str]:
    """Return a line on groups and one on votes, once all groups have delegates.

    >>> ann: Group = {"members": ["Ann", "Ben"], "candidates": ["Ann", "Ben"], "delegate": "Ann",
    ...               "votes": {"Ann": 2}}
    >>> news([ann, {**ann, "members": ["Cem"], "delegate": "Cem", "votes": {}}])
    ['groups: Ann and Ben send Ann; Cem goes itself', 'ballots: Ann 2; Cem without a vote']
    """
    if not groups or not all(group["delegate"] for group in groups):
        return []
    ballots = "; ".join(map(_ballot, groups))
    return [f"groups: {'; '.join(map(_members, groups))}", f"ballots: {ballots}"]


def _members(group: Group) -> str:
    members, sent = group["members"], group["delegate"]
    return f"{sent} goes itself" if len(members) == 1 else f"{few(members)} send {sent}"


def _ballot(group: Group) -> str:
    votes = sorted(group["votes"].items(), key=lambda one: -one[1])
    told = ", ".join(f"{name} {count}" for name, count in votes)
    return told or f"{group['delegate']} {'by lot' if group['members'][1:] else 'without a vote'}"
