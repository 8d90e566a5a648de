"""The run that divides a bounty: one run for each piece of work, so that it is paid only once."""

import hashlib
import json
from collections.abc import Iterable, Mapping
from shlex import quote
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from shapley_coop.seats.seat import Seat
    from shapley_coop.state.storage.register import KeyUsed


def check_for_payment(seats: Mapping[str, Any]) -> None:
    """Refuse seats that are simulated or recordings, since real money needs real consent.

    Raises:
        ValueError: a seat is simulated, or is a recording.
    """
    for name, seat in seats_of(seats, seats).items():
        if _binds_nobody(seat):
            who = "every contributor" if name == "*" else name
            raise ValueError(
                f"--for-payment: {seat.model} would answer for {who}, but a simulation or a "
                "recording cannot consent: give --model human, or --agent NAME=human"
            )


def seats_of(names: Iterable[str], seats: Mapping[str, Any]) -> "dict[str, Seat]":
    """Return the seat of each contributor.

    Args:
        names: the contributors.
        seats: contributor → seat; the key '*' gives the seat of all others.
    """
    from shapley_coop.seats.seat import Seat

    return {name: Seat.model_validate(seats.get(name, seats.get("*"))) for name in names}


def _binds_nobody(seat: "Seat") -> bool:
    """Return whether a seat's answers bind nobody, because it is simulated or a recording."""
    return seat.simulated or seat.provider == "recording"


def begun(
    params: dict[str, Any], seats: Mapping[str, Any], seed: int, deadline: float, work: str
) -> Any:
    """Return the run that divides a bounty for some work; repeated calls return the same run.

    A run with simulated seats pays nobody, so it may be repeated with another seed or other seats.

    Args:
        params: the parameters of the game `delivered`.
        seats: contributor → seat; the key '*' gives the seat of all others.
        seed: the seed of embedded agents.
        deadline: the seconds that a person has to answer; 0 for no deadline.
        work: a text that identifies the paid work, such as the hashes of its commits.

    Raises:
        ValueError: a seat is malformed, or a run with other settings already divides this bounty.
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
    """Return the message that says why no new run can divide a bounty: another run does."""
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
    """Return a note if a run has already paid its bounty; "" if it has not."""
    if run.state != "ended" or run.result["ledger"] != "paid":
        return ""
    return f"{run.run} has paid this already: it is in the ledger once, and nothing is paid again"


async def went_on(run: Any) -> tuple[dict[str, Any] | None, list[str]]:
    """Resume a run; return its result and [], or None and the agents for whose answers it waits."""
    from shapley_coop.graphs.running import Waiting, follow

    if run.state == "ended":
        return run.result, []
    try:
        return await follow(run), []
    except Waiting as pause:
        return None, sorted(pause.agents)


def still_asked(found: Mapping[str, Any]) -> str:
    """Return a note on whom a run waits for, with the command by which they answer, or ""."""
    waiting = found.get("waiting")
    if not waiting:
        return ""
    answer = f"coop answer {found['run']} {quote(waiting[0])}"
    return f"waits for {', '.join(waiting)}: {answer}; then this again"


def earlier(found: Mapping[str, Any]) -> str:
    """Return a note on other runs that wait for the same people; "" if there are none.

    A new commit or another option changes the split, so people who had agreed are asked again.
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
