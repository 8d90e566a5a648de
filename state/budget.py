"""The budget of a run, and the check that decides whether an agent may still be asked.

The check depends only on the spending on the table, so a resumed or replayed run makes the same
decisions.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

SPENT_UP = "BUDGET"
"""The label of a pass by an agent for which the budget has no call left."""


class Budget(BaseModel):
    """The limits of a run, and of each agent in it; 0 sets no limit."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    calls: int = Field(default=0, ge=0, title="Calls", description="Calls to all seats together.")
    tokens: int = Field(
        default=0, ge=0, title="Tokens", description="Input and output tokens of all agents."
    )
    seconds: float = Field(
        default=0,
        ge=0,
        title="Seconds",
        description="Seconds of waiting for answers; agents asked in parallel count once.",
    )
    agent_calls: int = Field(default=0, ge=0, title="Calls of each agent")
    agent_tokens: int = Field(default=0, ge=0, title="Tokens of each agent, in and out")


Left = Mapping[str, float]
"""The calls, tokens and seconds that are left; a missing key means no limit."""

UNLIMITED = Budget()
"""A budget without limits."""


class BudgetTracker:
    """A counter of calls, tokens and seconds that compares them with the budget.

    Args:
        budget: the limits.
        spent: the spending on the table, by phase.
    """

    def __init__(self, budget: Budget, spent: Mapping[str, Any]) -> None:
        self._budget = budget
        self._seconds = sum(phase.get("seconds", 0) for phase in spent.values())
        self._calls: Counter[str] = Counter()
        self._tokens: Counter[str] = Counter()
        for agent, count in _counts(spent):
            self._calls[agent] += count.get("calls", 0)
            self._tokens[agent] += count.get("input_tokens", 0) + count.get("output_tokens", 0)

    @property
    def empty(self) -> bool:
        """Whether a limit for the whole run is reached, so that no further agent is asked."""
        used = (
            (self._budget.calls, self._calls.total()),
            (self._budget.tokens, self._tokens.total()),
            (self._budget.seconds, self._seconds),
        )
        return any(0 < limit <= n for limit, n in used)

    def admits(self, agent: str) -> bool:
        """Return whether the budget has a call left for an agent."""
        return not self.empty and not self.has_used_its_part(agent)

    def has_used_its_part(self, agent: str) -> bool:
        """Return whether an agent has reached its limit of calls or of tokens."""
        own = (
            (self._budget.agent_calls, self._calls[agent]),
            (self._budget.agent_tokens, self._tokens[agent]),
        )
        return any(0 < limit <= n for limit, n in own)

    def calls_left(self, agent: str, share: int) -> int | None:
        """Return how many more calls an agent may make, or None if calls have no limit.

        Args:
            share: the number of agents that share the run's remaining calls equally.
        """
        budget = self._budget
        limits = []
        if budget.calls:
            limits.append((budget.calls - self._calls.total()) // max(share, 1))
        if budget.agent_calls:
            limits.append(budget.agent_calls - self._calls[agent])
        return max(min(limits), 0) if limits else None

    def left(self, agent: str, share: int) -> Left:
        """Return the calls, tokens and seconds that an agent may still use; no key, no limit.

        Args:
            share: the number of agents that share the run's remaining calls and tokens equally.
        """
        budget = self._budget
        limits = (
            ("calls", budget.calls, self._calls.total(), share),
            ("calls", budget.agent_calls, self._calls[agent], 1),
            ("tokens", budget.tokens, self._tokens.total(), share),
            ("tokens", budget.agent_tokens, self._tokens[agent], 1),
            ("seconds", budget.seconds, self._seconds, 1),
        )
        found: dict[str, float] = {}
        for name, limit, used, among in limits:
            if limit:
                left = limit - used if name == "seconds" else max((limit - used) // among, 1)
                found[name] = min(found.get(name, left), left)
        return found

    def reserve(self, agent: str, tokens: int, calls: int = 1) -> None:
        """Count an agent's calls before they are made, so that parallel calls keep the limits.

        Args:
            tokens: how many tokens the calls are expected to need.
            calls: the most calls that the agent may need.
        """
        self._calls[agent] += calls
        self._tokens[agent] += tokens


def left_for(budget: Budget, table: Mapping[str, Any], agents: Sequence[str]) -> dict[str, Left]:
    """Return agent → what is left for it, if these agents are asked at the same time."""
    if budget == UNLIMITED:
        return {}
    tracker = BudgetTracker(budget, table["spent"])
    share = len(agents) + len(table.get("concurrent_agents", []))
    return {agent: tracker.left(agent, share) for agent in agents}


def _counts(spent: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, int]]]:
    for phase in spent.values():
        yield from phase.get("agents", {}).items()
