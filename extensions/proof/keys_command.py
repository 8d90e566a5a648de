"""The commands `coop keys` and `coop mandate`, for keys of this home and for signing mandates."""

from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from shapley_coop.cli.console import note, say, say_json, say_lines, write_file
from shapley_coop.cli.options import Json

if TYPE_CHECKING:
    from shapley_coop.extensions.proof.keys import PublicKey

Name = Annotated[str, typer.Argument(help="The key's name in this home.")]


def new(
    name: Name,
    algorithm: Annotated[str, typer.Option(help="Ed25519, or ES256 (P-256).")] = "Ed25519",
) -> None:
    """Make a key: its private part stays in this home's folder `keys`."""
    from typing import cast, get_args

    from shapley_coop.extensions.proof.home_keys import new_key
    from shapley_coop.extensions.proof.keys import Algorithm

    if algorithm not in get_args(Algorithm):
        raise ValueError(f"--algorithm {algorithm}: choose {' or '.join(get_args(Algorithm))}")
    key = new_key(name, cast(Algorithm, algorithm))
    say(key.keyid)
    note(f"{key.algorithm}; others verify with its public part: coop keys show {name}")


def show(name: Name, as_json: Json = False) -> None:
    """Print a key's public part, with which others verify signatures."""
    from shapley_coop.extensions.proof.home_keys import key_of

    key = key_of(name).public
    if as_json:
        say_json({"name": name, **_told(key), "public": key.pem})
        return
    say_lines(key.pem.rstrip("\n"))
    note(f"key id {key.keyid}, {key.algorithm}")


def list_(as_json: Json = False) -> None:
    """List the keys of this home."""
    from shapley_coop.extensions.proof.home_keys import key_names, key_of

    found = [{"name": name, **_told(key_of(name).public)} for name in key_names()]
    if as_json:
        say_json(found)
        return
    for one in found:
        say(f"{one['name']:<24} {one['algorithm']:<8} {one['keyid']}")
    if not found:
        note("no keys: make one with coop keys new NAME")


def mandate(
    agent: Annotated[str, typer.Argument(help="The agent that the mandate limits.")],
    key: Annotated[str, typer.Option(help="The name of the principal's key in this home.")],
    out: Annotated[Path, typer.Option("-o", "--out", help="The file to write.")],
    max_pay: Annotated[
        str, typer.Option(help="The most that the agent may promise to pay in the whole game.")
    ] = "",
    min_end: Annotated[
        str,
        typer.Option(
            help="The least payoff under any deal that the agent signs; without a deal its payoff "
            "can be lower."
        ),
    ] = "",
    never: Annotated[
        list[str] | None,
        typer.Option(help="An action that the agent may neither promise nor take."),
    ] = None,
    expires: Annotated[
        str, typer.Option(help="The time from which the agent signs nothing: 2026-12-31T00:00:00Z.")
    ] = "",
) -> None:
    """Sign the limits that a principal sets its agent; `coop run --mandate` enforces them."""
    from shapley_coop.extensions.proof.envelope import as_bytes
    from shapley_coop.extensions.proof.home_keys import key_of
    from shapley_coop.extensions.proof.mandate import sign_mandate

    limits = {
        "max_pay": max_pay or None,
        "min_end": min_end or None,
        "never": tuple(never or ()),
        "expires": _when(expires) if expires else None,
    }
    signed = sign_mandate(key_of(key), agent=agent, **limits)
    write_file(out, as_bytes(signed.envelope).decode())
    say(signed.sha256)


def _when(text: str) -> datetime:
    """Return the time, with its time zone, that a text states.

    Raises:
        ValueError: the text is not a time, or has no time zone.
    """
    with suppress(ValueError):
        if (found := datetime.fromisoformat(text)).tzinfo:
            return found
    raise ValueError(f"--expires {text}: give a time with its zone, such as 2026-12-31T00:00:00Z")


def _told(key: "PublicKey") -> dict[str, str]:
    return {"keyid": key.keyid, "algorithm": key.algorithm}
