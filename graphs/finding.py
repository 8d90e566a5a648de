"""The search for a home's runs, which commands, sweeps or LangGraph's server have begun."""

import asyncio

from shapley_coop.state.storage.home import home
from shapley_coop.state.storage.register import Run


async def run_of(name: str) -> Run:
    """Return the run of that name.

    Raises:
        ValueError: no run has that name.
    """
    here = home()
    try:
        return await asyncio.to_thread(here.run, name)
    except ValueError:
        begun = (await asyncio.to_thread(here.threads)).get(name)
        if begun is None:
            raise
        from shapley_coop.graphs.served import run_from_thread

        if (found := await run_from_thread(name, begun)) is None:
            raise
        return found


def is_known(name: str) -> bool:
    """Return whether the home has a run of this name."""
    try:
        home().run(name)
    except ValueError:
        return False
    return True


async def every_run(cells: bool = True) -> list[Run]:
    """Return all runs, newest first; leave out the runs of sweeps if `cells` is false."""
    found = await asyncio.to_thread(lambda: home().list_runs(cells))
    threads = await asyncio.to_thread(home().threads)
    if threads:  # import LangGraph, which is slow, only if its server has threads
        from shapley_coop.graphs.served import list_served

        found += await list_served(threads)
    return sorted(found, key=lambda run: run.created, reverse=True)
