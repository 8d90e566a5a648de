"""What agents reasoned in a run, beside the truth: for the operator, from the private journal."""

import asyncio
from typing import Any

from shapley_coop.evals.measures.reasons import scored
from shapley_coop.graphs.threads import table_of
from shapley_coop.state import Run, home


async def reasons_in(run: Run) -> dict[str, Any]:
    """The key `reasons` of what `--json` prints; empty where no agent was asked to reason."""
    table = await table_of(run)
    entries = await asyncio.to_thread(lambda: list(home().journal.entries(table["episode"])))
    found = await asyncio.to_thread(scored, table, entries)
    return {"reasons": found} if found else {}
