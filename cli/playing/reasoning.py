"""What `--json` prints beside a run's result: its record, and what agents reasoned in it."""

import asyncio
from typing import Any

from shapley_coop.evals.measures.reasons import scored
from shapley_coop.graphs.threads import table_of
from shapley_coop.state import Run, home


async def record_and_reasons(run: Run) -> dict[str, Any]:
    """The keys `record`, so that a play can be taken out, and `reasons`, where agents were asked.

    Reasons are for the operator, from the private journal, beside the truth.
    """
    table = await table_of(run)
    entries = await asyncio.to_thread(lambda: list(home().journal.entries(table["episode"])))
    found = await asyncio.to_thread(scored, table, entries)
    return {"record": table.get("record", []), **({"reasons": found} if found else {})}
