"""A hostile checkpoint is inert: nothing in it is executed, and what cannot be read is refused."""

import asyncio
import contextlib
import logging
import shutil
import sqlite3
import sys
from collections import Counter
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer

from shapley_coop.graphs.preparing import prepare
from shapley_coop.graphs.running import follow
from shapley_coop.graphs.threads import open_workflow
from shapley_coop.seats.seat import SeatError
from shapley_coop.state.run_config import RunConfig
from shapley_coop.state.storage.home import home
from tests.proofs.forged_rows import MODULE, OURS, SECRET, THEIRS, Nest, Tamper, rows, unpacked
from tests.proofs.hostile import Asked, at_home
from tests.proofs.proof import Finding, Proof

KEY = "sk-canary-2718281828"
PERMISSIVE = JsonPlusSerializer(
    pickle_fallback=True, allowed_json_modules=True, allowed_msgpack_modules=True
)
"""The permissive loader, as a control: it shows that the forged rows would execute something."""


def attempt(folder: Path, times: int) -> Finding:
    """Resume a run from its file with one row of it forged, for one row after the other."""
    base = folder / "sound"
    _two_runs(base)
    known, live, broken = Counter[str](), 0, []
    chosen = list(islice(rows(), times))
    for number, (name, tamper) in enumerate(chosen):
        place = folder / str(number)
        shutil.copytree(base, place)
        with at_home(place, _sound, **{SECRET: KEY}), _nest(place) as nest:
            _forge(tamper, nest)
            outcome = _resumed()
            executed = nest.canary.exists()
            live += executed or _would_execute(nest)
        shutil.rmtree(place)
        known[outcome] += 1
        if executed or outcome not in ("refused", "ignored"):
            broken.append(f"{name}: {'executed, ' if executed else ''}{outcome}")
    return Finding(
        tried=f"{len(chosen)} forged, swapped, damaged and plaintext rows in the SQLite file of a "
        f"run, of which {live} execute something under permissive loading",
        figure=f"{sum('executed' in each for each in broken)} executed, {known['refused']} refused "
        f"with one line, {known['ignored']} ignored{'; '.join(['', *broken[:3]])}",
        held=not broken and live > 0,
    )


def _sound(asked: Asked) -> str:
    return asked.sound


def _two_runs(base: Path) -> None:
    """One run that has ended, and one that waits in the middle for its seat to answer again."""

    def dead_at_last(asked: Asked) -> str:
        if asked.act == "act" and asked.agent == "Bob":
            raise ConnectionError("the line is dead")
        return asked.sound

    with at_home(base, _sound):
        asyncio.run(follow(prepare("shapley_coop", RunConfig(seed=3), THEIRS)))
    with at_home(base, dead_at_last), contextlib.suppress(SeatError):
        asyncio.run(follow(prepare("shapley_coop", RunConfig(seed=4), OURS)))


@contextlib.contextmanager
def _nest(place: Path) -> Iterator[Nest]:
    """Where a canary can be imported from, as any installed module can."""
    nest = Nest(place / "canary", place / f"{MODULE}.py")
    nest.prepare()
    sys.path.insert(0, str(place))
    logging.disable(logging.WARNING)  # LangGraph tells of each type that it does not rebuild
    try:
        yield nest
    finally:
        logging.disable(logging.NOTSET)
        sys.path.remove(str(place))
        sys.modules.pop(MODULE, None)


def _forge(tamper: Tamper, nest: Nest) -> None:
    with contextlib.closing(sqlite3.connect(home().checkpoints)) as books:
        tamper(books, nest)
        books.commit()


def _resumed() -> str:
    """What comes of going on: refused in a line, ignored (the run ends as it should), or worse."""
    run = home().runs.get(OURS)
    try:
        outcome = asyncio.run(follow(run))
        asyncio.run(_read_history())
    except ValueError as refusal:
        return "refused" if "\n" not in str(refusal) and "ours" in str(refusal) else repr(refusal)
    except Exception as error:
        return repr(error)[:200]
    if KEY in str(outcome) or outcome["seed"] != run.room["seed"]:
        return f"ended as another run: {outcome['seed']}"
    return "ignored" if outcome["status"] == "agreed" else str(outcome["status"])


async def _read_history() -> None:
    """Everything else that is in the file of this run."""
    async with open_workflow("shapley_coop") as app:
        thread = {"configurable": {"thread_id": OURS}}
        states = [state.values async for state in app.aget_state_history(thread)]
    if KEY in str(states):
        raise AssertionError("a key of the environment stands in the state")


def _would_execute(nest: Nest) -> bool:
    """Whether any row executes something under the permissive loader."""
    with contextlib.closing(sqlite3.connect(home().checkpoints)) as books:
        found = books.execute("select type, checkpoint from checkpoints").fetchall()
        found += books.execute("select type, value from writes").fetchall()
    for row in found:
        with contextlib.suppress(Exception):  # a row that cannot be rebuilt executes nothing
            PERMISSIVE.loads_typed(unpacked(*row))
    return nest.canary.exists()


PROOFS = {
    "checkpoints": Proof(
        promise="A hostile checkpoint is inert",
        goal="0 executed; each is refused with one clear error, or ignored",
        not_promised=(
            "Anyone who can write the database can change messages and debts, unless a seal or the"
            " settings contradict the change."
        ),
        attempt=attempt,
        short=16,
        long=50,
    )
}
