"""The run in which a bounty is divided: one for each piece of work, so that it is paid once."""

import hashlib
import json
from collections.abc import Iterable, Mapping
from shlex import quote
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from shapley_coop.seats.seat import Seat
    from shapley_coop.state.storage.register import KeyUsed


def check_for_payment(seats: Mapping[str, Any]) -> None:
    """Refuse seats that are simulated, or repeat what was said elsewhere, where money is meant.

    Raises:
        ValueError: which one.
    """
    for name, seat in seats_of(seats, seats).items():
        if _binds_nobody(seat):
            who = "every contributor" if name == "*" else name
            raise ValueError(
                f"--for-payment: {seat.model} would speak for {who}, and a simulation or a "
                "recording agrees to nothing: give --model human, or --agent NAME=human"
            )


def seats_of(names: Iterable[str], seats: Mapping[str, Any]) -> "dict[str, Seat]":
    """Return the seat of each contributor.

    Args:
        names: the contributors.
        seats: by contributor, '*' for all others.
    """
    from shapley_coop.seats.seat import Seat

    return {name: Seat.model_validate(seats.get(name, seats.get("*"))) for name in names}


def _binds_nobody(seat: "Seat") -> bool:
    """Return whether a seat is simulated, or repeats what was said elsewhere."""
    return seat.simulated or seat.provider == "recording"


def begun(
    params: dict[str, Any], seats: Mapping[str, Any], seed: int, deadline: float, work: str
) -> Any:
    """Return the run that divides a bounty for some work: one, however often it is asked for.

    A simulation pays nobody: another seed, or other seats, are another simulation.

    Args:
        params: of the game `delivered`.
        seats: by contributor, '*' for all others.
        seed: of embedded agents.
        deadline: seconds that a person has for a reply; 0 is none.
        work: names exactly what the bounty is for, as the hashes of a range of commits do.

    Raises:
        ValueError: a seat is wrong, or the bounty is divided on other terms already.
    """
    from shapley_coop.graphs.preparing import prepare
    from shapley_coop.state.run_config import RunConfig
    from shapley_coop.state.storage.register import KeyUsed

    given = {"game": "delivered", "params": params, "seats": seats, "seed": seed}
    config = RunConfig.model_validate(given | {"deadline": deadline})
    paid_for = [work, params["bounty"], params["currency"]]
    if any(map(_binds_nobody, seats_of(params["artefacts"], seats).values())):
        paid_for += [given, deadline]
    same = json.dumps(paid_for, sort_keys=True).encode()
    try:
        return prepare("consent", config, idempotency_key=f"pay {hashlib.sha256(same).hexdigest()}")
    except KeyUsed as used:
        raise ValueError(_not_anew(used, params)) from None


def _not_anew(used: "KeyUsed", params: Mapping[str, Any]) -> str:
    """Return why a bounty is not divided anew."""
    money = f"{params['bounty']} {params['currency']}".strip()
    terms = "on other terms (who answers, their time, the values or the rules)"
    if used.known is None:
        return (
            f"{used.run} has paid {money} for this work, and was removed: what it paid stays in "
            "the ledger, and nothing is paid again"
        )
    if used.known.result:
        return f"{used.run} has paid {money} for this work, {terms}: nothing is paid again"
    return (
        f"{used.run} divides {money} for this work, {terms}, and has not ended: give the same "
        f"again, or begin anew after coop rm {used.run}"
    )


def paid_before(run: Any) -> str:
    """Return what to say of a run that had ended before it was asked for; empty if it had not."""
    if run.state != "ended" or run.result["ledger"] != "paid":
        return ""
    return f"{run.run} has paid this already: it is in the ledger once, and nothing is paid again"


async def went_on(run: Any) -> tuple[dict[str, Any] | None, list[str]]:
    """Return a run's result, if it has ended, and for whom it waits."""
    from shapley_coop.graphs.running import Waiting, follow

    if run.state == "ended":
        return run.result, []
    try:
        return await follow(run), []
    except Waiting as pause:
        return None, sorted(pause.agents)


def still_asked(found: Mapping[str, Any]) -> str:
    """For whom a run waits, and with which command they answer; empty if for nobody."""
    waiting = found.get("waiting")
    if not waiting:
        return ""
    answer = f"coop answer {found['run']} {quote(waiting[0])}"
    return f"waits for {', '.join(waiting)}: {answer}; then this again"


def earlier(found: Mapping[str, Any]) -> str:
    """Which other runs still wait for the same people, whose answers do not count in this one.

    A new commit, or another option, is another split, so that those who had agreed are asked again.
    """
    from shapley_coop.state.storage.home import home

    if not found.get("waiting"):
        return ""
    runs = home().runs
    asked = set(runs.get(found["run"]).room["params"]["artefacts"])
    others = [
        one.run
        for one in runs.list(cells=False)
        if one.graph == "consent" and one.state == "waiting" and one.run != found["run"]
        if asked & set(one.room["params"].get("artefacts", ()))
    ]
    if not others:
        return ""
    return (
        f"the history or an option has changed since {', '.join(others)} was begun, which still "
        "waits: answers given there do not count here, and those who gave them are asked again"
    )
