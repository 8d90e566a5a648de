"""Task exchange with guidance alone: proposals are delivered as written.

A trader's mind is ask → deliver, and what was agreed is checked once, at the end; letters ask to be
utility-aware.
"""

from graphs.minds import Page
from graphs.task_exchange import exchange


def build() -> Page:
    """The workflow, not compiled."""
    return exchange(validator=False, guidance=True)


graph = build().compile(name="task_exchange_unchecked")
