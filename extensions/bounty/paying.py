"""The command `coop pay`: it writes payment files for a bank, or basis points."""

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from shapley_coop.cli.console import finish, note, say, say_lines, write_file

if TYPE_CHECKING:
    from shapley_coop.extensions.bounty.payment_file import Account, Payment
    from shapley_coop.state.table import Table

SPONSOR = "world"
"""The name of the account that pays the rewards, in the accounts file and in the ledger."""

Moves = list[tuple[str, str, int]]
"""Each move is (payer, payee, amount in millionths)."""


class Debts(NamedTuple):
    """What is to be paid.

    Attributes:
        reference: the text that names what is settled in every payment.
        moves: the payments between the parties.
        of_sponsor: the payments by which the sponsor would pay each agent its payoff, if any.
    """

    reference: str
    moves: Moves
    of_sponsor: Moves


Run = Annotated[str, typer.Argument(help="An ended run, or a file.json that coop reconcile wrote.")]
Accounts = Annotated[
    Path | None,
    typer.Option(
        help="A YAML file of agent: {name, iban, bic}; `world` is the payer of the bounty."
    ),
]
Out = Annotated[
    Path | None,
    typer.Option(
        "-o",
        "--out",
        help="The file to write; with several payers, one file for each. Default: pain001.xml, or "
        "for basis points the terminal.",
    ),
]
On = Annotated[
    str,
    typer.Option("--date", help="The date of payment, such as 2026-12-31; by default today."),
]
Points = Annotated[
    bool,
    typer.Option(
        "--basis-points", help="Write shares that sum to 10,000, and the proof's hash, as JSON."
    ),
]
Proof = Annotated[
    Path | None,
    typer.Option(help="With --basis-points: what coop prove wrote. Default: RUN.dsse.json."),
]
Keys = Annotated[
    list[str] | None,
    typer.Option(help="operator=FILE.pem: who signed the file; by default a key of this home."),
]


def pay(
    run: Run,
    accounts: Accounts = None,
    out: Out = None,
    on: On = "",
    points: Points = False,
    proof: Proof = None,
    key: Keys = None,
) -> None:
    """Write the debts between a run's agents as pain.001 files, which banks take.

    If `world`, the payer of the bounty, has an account, one file pays each agent its payoff.
    Otherwise, each agent that pays others gets a file. With --basis-points, write each agent's
    share of all payoffs instead. Nothing is sent anywhere.
    """
    if points == bool(accounts):
        raise ValueError("give either --accounts, for a bank's file, or --basis-points")
    if accounts:
        _write_payments(run, accounts, _debts(run, key or ()), out or Path("pain001.xml"), on)
        return
    shares = json.dumps(_shares(run, proof, key or ()), ensure_ascii=False, indent=2)
    if out:
        write_file(out, f"{shares}\n")
        say(str(out))
    else:
        say_lines(shares)


def _write_payments(run: str, accounts: Path, debts: Debts, out: Path, on: str) -> None:
    """Write a payment file for each payer."""
    from shapley_coop.extensions.bounty.payment_file import (
        CURRENCY,
        message_id,
        payment_file,
        read_account,
    )
    from shapley_coop.files import read_mapping

    given = read_mapping(accounts, "accounts", "write agent: {name, iban}, one per line")
    known = {str(who): read_account(str(who), account) for who, account in given.items()}
    moves = debts.of_sponsor if SPONSOR in known and debts.of_sponsor else debts.moves
    payers = _payments(moves, known, debts.reference)
    if not payers:
        note(f"nobody owes anybody a cent in {run}: nothing was written")
        return
    reference, day = debts.reference, _day(on)
    files = _files(out, payers)
    written = {
        payer: payment_file(known[payer], payments, reference, day).decode()
        for payer, payments in payers.items()
    }
    _note_changed_names({*payers, *(payee for _, payee, _ in moves)}, known)
    for payer, payments in payers.items():
        write_file(files[payer], written[payer])
        total = sum(payment.cents for payment in payments)
        say(str(files[payer]))
        note(
            f"{payer} pays {len(payments)} × in all {total / 100:.2f} {CURRENCY}, as message "
            f"{message_id(known[payer], payments, reference)}: given again, a bank refuses it"
        )


def _debts(run: str, key: Sequence[str]) -> Debts:
    """Return the payments of an ended run, or of the file of a reconciliation.

    Raises:
        ValueError: the run or file cannot be paid, or its amounts are not in euros.
    """
    from shapley_coop.extensions.bounty.payment_file import CURRENCY

    if _is_file(run):
        from shapley_coop.extensions.bounty.basis_points import proved

        proof = proved(Path(run), key)
        owed = proof.owed()
        currency, debts = owed.currency, Debts(proof.sha256, owed.moves, [])
    else:
        table, settled = _settled(run)
        currency = _currency(table)
        paid = [(SPONSOR, agent, amount) for agent, amount in settled["payoffs"].items() if amount]
        moves = [(t["payer"], t["payee"], t["amount"]) for t in settled["transfers"]]
        debts = Debts(table["episode"], moves, paid)
    if currency != CURRENCY:
        raise ValueError(f"{run} is in {currency or 'no currency'}: SEPA pays in {CURRENCY}")
    return debts


def _shares(run: str, file: Path | None, key: Sequence[str]) -> dict[str, Any]:
    """Return the basis points of a run whose proof is at hand, or of a reconciliation.

    Raises:
        ValueError: the proof does not hold, or is of another run.
    """
    from shapley_coop.amounts import from_micro
    from shapley_coop.extensions.bounty.basis_points import basis_points, proved

    if _is_file(run):
        proof = proved(Path(run), key)
        owed = proof.owed()
        return basis_points(owed.shares, owed.currency, proof, run)
    table, settled = _settled(run)
    path = file or Path(f"{run}.dsse.json")
    if not path.exists():
        raise ValueError(f"{path} is not here: coop prove {run} --key NAME writes it")
    proof, payoffs = proved(path, key), settled["payoffs"]
    told = proof.content["predicate"]
    if told.get("episode") != table["episode"] or told["payoffs"] != {
        agent: str(amount) for agent, amount in payoffs.items()
    }:
        raise ValueError(f"{path} is the proof of another run: coop prove {run} writes its own")
    amounts = {agent: from_micro(amount) for agent, amount in payoffs.items()}
    return basis_points(amounts, _currency(table), proof, run)


def _is_file(run: str) -> bool:
    """Return whether `coop pay` was given a file instead of a run's name."""
    return run.endswith(".json") and Path(run).is_file()


def _settled(run: str) -> "tuple[Table, Mapping[str, Any]]":
    """Return the table of an ended run, and its settlement.

    Raises:
        ValueError: the run has not ended, or is a fork.
    """
    from shapley_coop.graphs.finding import run_of
    from shapley_coop.graphs.threads import table_of
    from shapley_coop.state.resuming import result_of

    found = finish(run_of(run))
    result_of(found)
    table = finish(table_of(found))
    settled = table["settlement"] or {}
    if settled["ledger"] != "paid":
        raise ValueError(f"{run} is a fork, which pays nothing: name the run that was forked")
    return table, settled


def _currency(table: "Table") -> str:
    """Return the currency of a run's amounts; empty if they have none."""
    from shapley_coop.state.settings import game_of

    return str(game_of(table["settings"]).facts().get("currency") or "")


def _note_changed_names(involved: Iterable[str], known: "Mapping[str, Account]") -> None:
    for who in sorted(known.keys() & set(involved)):
        if known[who].given:
            note(
                f"the account of {who}: the file says {known[who].name}, since banks do not take "
                f"{known[who].given}"
            )


def _files(out: Path, payers: Iterable[str]) -> dict[str, Path]:
    """Return payer → the path of its payment file: `out` if there is only one payer.

    Raises:
        ValueError: two payers' names give the same file name.
    """
    names = [*payers]
    if len(names) == 1:
        return {names[0]: out}
    files = {who: out.with_stem(f"{out.stem}-{_file_name(who)}") for who in names}
    for path, times in Counter(files.values()).items():
        if times > 1:
            both = " and ".join(who for who in names if files[who] == path)
            raise ValueError(f"{both} would be written to the same file {path}: rename an agent")
    return files


def _payments(
    moves: Moves, known: "Mapping[str, Account]", reference: str
) -> "dict[str, list[Payment]]":
    """Return payer → the payments that it makes, without those below a cent."""
    from shapley_coop.extensions.bounty.payment_file import Payment, cents

    found: dict[str, list[Payment]] = {}
    for payer, payee, amount in moves:
        if amount < 0:
            raise ValueError(f"{payee} ends with less than 0: leave out {SPONSOR}'s account")
        for who in (payer, payee):
            if who not in known:
                raise ValueError(f"no account of {who}: give its name and iban")
        whole = cents(amount)
        if whole * 10_000 != amount:
            note(f"{payer} owes {payee} {amount / 1e6:.6f}: {whole / 100:.2f} is paid")
        if whole:
            found.setdefault(payer, []).append(
                Payment(known[payee], whole, f"settlement {reference}")
            )
    return found


def _day(given: str) -> date:
    if not given:
        return date.today()
    try:
        return date.fromisoformat(given)
    except ValueError:
        raise ValueError(f"--date {given}: give a day as 2026-12-31") from None


def _file_name(payer: str) -> str:
    """Return a payer's name with only letters, digits and "_", for use in a file name."""
    return "".join(char if char.isalnum() else "_" for char in payer)
