"""The command `coop pay`: it writes a run's transfers as payment files for a bank."""

from collections import Counter
from collections.abc import Iterable, Mapping
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from shapley_coop.cli.console import finish, note, say, write_file

if TYPE_CHECKING:
    from shapley_coop.extensions.bounty.payment_file import Account, Payment
    from shapley_coop.state.table import Table

SPONSOR = "world"
"""The name of the account that pays the rewards, in the accounts file and in the ledger."""

Moves = list[tuple[str, str, int]]
"""Each move is (payer, payee, amount in millionths)."""


def pay(
    run: Annotated[str, typer.Argument(help="An ended run whose amounts are in euros.")],
    accounts: Annotated[
        Path,
        typer.Option(
            help="A YAML file of agent: {name, iban, bic}; `world` is the payer of the bounty."
        ),
    ],
    out: Annotated[
        Path,
        typer.Option(
            "-o", "--out", help="The file to write; with several payers, one file for each."
        ),
    ] = Path("pain001.xml"),
    on: Annotated[
        str,
        typer.Option("--date", help="The date of payment, such as 2026-12-31; by default today."),
    ] = "",
) -> None:
    """Write the debts between a run's agents as pain.001 files, which banks take.

    If `world`, the payer of the bounty, has an account, one file pays each agent its payoff.
    Otherwise, each agent that pays others gets a file. Nothing is sent anywhere.
    """
    from shapley_coop.extensions.bounty.payment_file import (
        CURRENCY,
        message_id,
        payment_file,
        read_account,
    )
    from shapley_coop.files import read_mapping

    table, settled = _settled(run)
    given = read_mapping(accounts, "accounts", "write agent: {name, iban}, one per line")
    known = {str(who): read_account(str(who), account) for who, account in given.items()}
    moves = _moves(settled, SPONSOR in known)
    payers = _payments(moves, known, table["episode"])
    if not payers:
        note(f"nobody owes anybody a cent in {run}: nothing was written")
        return
    episode, day = table["episode"], _day(on)
    files = _files(out, payers)
    written = {
        payer: payment_file(known[payer], payments, episode, day).decode()
        for payer, payments in payers.items()
    }
    _note_changed_names({*payers, *(payee for _, payee, _ in moves)}, known)
    for payer, payments in payers.items():
        write_file(files[payer], written[payer])
        total = sum(payment.cents for payment in payments)
        say(str(files[payer]))
        note(
            f"{payer} pays {len(payments)} × in all {total / 100:.2f} {CURRENCY}, as message "
            f"{message_id(known[payer], payments, episode)}: given again, a bank refuses it"
        )


def _settled(run: str) -> "tuple[Table, Mapping[str, Any]]":
    """Return the table of an ended run, and its settlement.

    Raises:
        ValueError: the run has not ended, is not in euros, or is a fork, which pays nothing.
    """
    from shapley_coop.extensions.bounty.payment_file import CURRENCY
    from shapley_coop.graphs.finding import run_of
    from shapley_coop.graphs.threads import table_of
    from shapley_coop.state.resuming import result_of
    from shapley_coop.state.settings import game_of

    found = finish(run_of(run))
    result_of(found)
    table = finish(table_of(found))
    settled = table["settlement"] or {}
    currency = game_of(table["settings"]).facts().get("currency")
    if currency != CURRENCY:
        raise ValueError(f"{run} is in {currency or 'no currency'}: SEPA pays in {CURRENCY}")
    if settled["ledger"] != "paid":
        raise ValueError(f"{run} is a fork, which pays nothing: name the run that was forked")
    return table, settled


def _note_changed_names(involved: Iterable[str], known: "Mapping[str, Account]") -> None:
    for who in sorted(known.keys() & set(involved)):
        if known[who].given:
            note(
                f"the account of {who}: the file says {known[who].name}, since banks do not take "
                f"{known[who].given}"
            )


def _files(out: Path, payers: Iterable[str]) -> dict[str, Path]:
    """Return payer → the path of the payer's file, which is `out` if there is one payer.

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


def _moves(settled: Mapping[str, Any], by_sponsor: bool) -> Moves:
    if by_sponsor:
        return [(SPONSOR, agent, amount) for agent, amount in settled["payoffs"].items() if amount]
    return [(t["payer"], t["payee"], t["amount"]) for t in settled["transfers"]]


def _payments(
    moves: Moves, known: "Mapping[str, Account]", episode: str
) -> "dict[str, list[Payment]]":
    """Return payer → its payments of at least a cent."""
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
                Payment(known[payee], whole, f"settlement {episode}")
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
