"""Two agents who exchange the paper's tasks, and what they say."""

import json
from typing import Any, cast

from shapley_coop.extensions.exchange.domain import scenario
from shapley_coop.graphs import builder
from shapley_coop.state.run_config import RunConfig
from shapley_coop.state.table import Table

TASKS = scenario("paper_cooperative").tasks
KEEP, TRADE = 0b111000, 0b010001
ACCEPT = "<ACCEPT>I agree with this allocation.</ACCEPT>"
REJECT = "<REJECT>Let's try another allocation.</REJECT>"


def allocate(alice: int, bob: int) -> str:
    says = TASKS.registry.describe
    listed = json.dumps({"Alice": [says(alice)], "Bob": [says(bob)]})
    return f"<CONSIDER>my secret plan</CONSIDER><PROPOSAL>{listed}</PROPOSAL>"


def propose(alice: int) -> str:
    return allocate(alice, 63 ^ alice)


OVERLAP = allocate(TRADE, 0b111110)
MASKS = '<PROPOSAL>{"Alice": ["010001"], "Bob": ["101110"]}</PROPOSAL>'


BOTH, UNGUIDED, UNCHECKED, BASELINE = (
    f"task_exchange{suffix}" for suffix in ("", "_unguided", "_unchecked", "_baseline")
)


async def run(graph: str = BOTH, **room: Any) -> Table:
    played = RunConfig(**{"game": "task_exchange", "seed": 1, **room})
    app = builder(graph).compile()
    config = {"recursion_limit": 500}
    options: Any = {"context": RunConfig(), "config": config, "stream_mode": "values"}
    tables = [table async for table in app.astream({"room": played}, **options)]
    return cast(Table, tables[-1])


def turns(table: Table) -> list[tuple[int, str, str]]:
    return [(said["round"], said["by"], said["act"]) for said in table["talk"]]


def counted(table: Table, agent: str) -> dict[str, int]:
    count = table["spent"]["negotiation"]["agents"][agent]
    return {k.removeprefix("refused_"): n for k, n in count.items() if k.startswith("refused_")}
