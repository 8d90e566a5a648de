"""The commands `coop reconcile` and `coop contract sign`, for outcome contracts."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from shapley_coop.cli.console import note, progress, say, say_json, write_file
from shapley_coop.cli.options import Json

if TYPE_CHECKING:
    from shapley_coop.extensions.reconcile.contract import OutcomeContract

IN_DISPUTE = 1
_MOST_SHOWN = 20

Contract = Annotated[
    Path, typer.Argument(help="An outcome contract in YAML or JSON, or a signed one.")
]
Ours = Annotated[Path, typer.Option(help="Our log of events: .csv, or JSON lines.")]
Theirs = Annotated[Path, typer.Option(help="The other party's log.")]
As = Annotated[
    str, typer.Option("--as", help="The party that we are; by default the one that is paid.")
]
Key = Annotated[str, typer.Option(help="A key of this home; coop keys new makes one.")]
Keys = Annotated[list[str] | None, typer.Option(help="A key of this home that signs the verdict.")]
Out = Annotated[Path, typer.Option("-o", "--out", help="The file to write.")]
SignedOut = Annotated[
    Path | None, typer.Option("-o", "--out", help="Write the signed verdict; it needs --key.")
]


def reconcile(
    contract: Contract,
    ours: Ours,
    theirs: Theirs,
    as_: As = "",
    key: Keys = None,
    out: SignedOut = None,
    as_json: Json = False,
) -> None:
    """Compare two logs by an outcome contract: every difference, and the amounts that follow.

    Both parties get the same verdict, to the byte. Exit code 1: an amount is in dispute.
    """
    from shapley_coop.extensions.reconcile.signed import read_terms, sign_verdict, signers
    from shapley_coop.extensions.reconcile.verdict import OPEN, owed_words
    from shapley_coop.extensions.reconcile.verdict import reconcile as compare

    if bool(key) != bool(out):
        raise ValueError("give --key and --out together: a verdict is written only if it is signed")
    agreed, terms = read_terms(contract)
    signed, (payee, payer) = signers(agreed, terms), agreed.parties
    if as_ not in ("", payee, payer):
        raise ValueError(f"--as {as_}: the contract is between {payee} and {payer}")
    with progress(0, "thousands of lines") as advance:
        logs = [theirs, ours] if as_ == payer else [ours, theirs]
        verdict = compare(agreed, logs, advance)
    if key and out:
        write_file(out, sign_verdict(agreed, terms, verdict, key))
        note(f"written to {out}; others check it with: coop check {out} --key operator=FILE.pem")
    if as_json:
        say_json({**verdict, "contract": signed._asdict()})
    else:
        say(f"contract: {signed.words()}")
        _tell(agreed, verdict, as_ or payee)
        say(f"{verdict['verdict']}: {owed_words(agreed, verdict)}")
    if verdict["verdict"] == OPEN:
        sys.exit(IN_DISPUTE)


def sign(contract: Contract, key: Key, out: Out) -> None:
    """Sign an outcome contract, for coop reconcile; each party adds its signature to the file."""
    from shapley_coop.extensions.reconcile.signed import read_terms, sign_terms, signers

    agreed, terms = read_terms(contract)
    write_file(out, sign_terms(terms, key))
    say(str(out))
    note(f"the contract is {signers(agreed, terms).words()}")


def _tell(contract: "OutcomeContract", verdict: dict[str, Any], us: str) -> None:
    """Print a verdict for a reader, who is the party `us`."""
    unit = contract.currency
    for party, one in verdict["parties"].items():
        side = "--ours" if party == us else "--theirs"
        counted = f"{one['claimed']} claimed, {one['counts']} count"
        say(f"{party} ({side}): {one['lines']} lines, {counted}")
    say(f"{verdict['both']} events count in both logs, {verdict['one']} in one log only")
    for one in verdict["differences"][:_MOST_SHOWN]:
        say(_line(one))
    if (left := len(verdict["differences"]) - _MOST_SHOWN) > 0:
        say(f"and {left} more differences: --json lists all")
    say(f"agreed {verdict['agreed']} {unit}, in dispute {verdict['in_dispute']} {unit}")


def _line(one: dict[str, Any]) -> str:
    """Return a difference in words."""
    places = [
        f"{party} {at['id']} (line {', '.join(map(str, at['lines']))})"
        for party, at in one["at"].items()
    ]
    kind = f"{one['kind']} at {one['party']}" if one["party"] else one["kind"]
    return f"  {kind}: {'; '.join(places)}{' — in dispute' * one['in_dispute']}"
