"""`coop contract`: check contracts and audit records."""

import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from shapley_coop import extension
from shapley_coop.cli.console import note, say_json, say_lines, show_spinner
from shapley_coop.cli.options import Json, SetPairs, settings_from

NOT_TO_BE_SIGNED = 1
"""The exit code for a contract that is not sound, or with `--strict` not complete."""

ContractFile = Annotated[
    Path, typer.Argument(help="A contract: a YAML or JSON file with its clauses.")
]


def check(
    file: ContractFile,
    game: Annotated[str, typer.Option("--game", "-g", help="The contract's game.")],
    set_: SetPairs = None,
    enforcement: Annotated[str, typer.Option(help="notional, enforced or escrow.")] = "enforced",
    deposit: Annotated[
        str, typer.Option(help="Each party's deposit in escrow; empty: enough to deter breaches.")
    ] = "",
    strict: Annotated[
        bool, typer.Option("--strict", help="Exit with 1 also unless the contract is complete.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Certify a contract: whether it can be kept, and its effect on each party's incentives.

    A split may name any norm that a run of the game can compute. The exit code is 1 if the contract
    is not to be signed.
    """
    from shapley_coop.deals.analysis.checked import certify_terms
    from shapley_coop.extensions.signing.files import clauses_in
    from shapley_coop.games import load
    from shapley_coop.state.resolving import norms_of

    played = load(game, settings_from(set_))
    asked = (clauses_in(file), played, enforcement, deposit, norms_of(played))
    with show_spinner("checking"):
        record, text = certify_terms(*asked)
    say_json(record) if as_json else say_lines(text)
    if played.baseline.warning and any(fault["label"] == "NORM" for fault in record["faults"]):
        note(f"a split can name a norm once its baseline is declared: {played.baseline.warning}")
    if not record["sound"] or (strict and not _is_complete(record)):
        sys.exit(NOT_TO_BE_SIGNED)


def _is_complete(record: dict[str, Any]) -> bool:
    """Return whether extensions have searched a sound contract, and no section finds a gap."""
    sections = [record[name] for name in extension.offered("certificates")]
    return bool(sections) and all(section.get("complete") for section in sections)


def audit(
    file: ContractFile,
    record: Annotated[Path, typer.Argument(help="The record: a list of {turn, actions, rewards}.")],
    game: Annotated[
        str, typer.Option("--game", "-g", help="The game; without it, only the record is used.")
    ] = "",
    set_: SetPairs = None,
    running: Annotated[
        bool, typer.Option("--running", help="The game still runs, so open duties are pending.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Audit a record under a contract: print verdict, breaches and evidence for each clause."""
    from shapley_coop.deals.written.audit import audit as hold
    from shapley_coop.deals.written.audit import audit_in_words
    from shapley_coop.extensions.signing.files import deal_in, turns_in
    from shapley_coop.games import load
    from shapley_coop.games.open_turns import always_open

    played = turns_in(record)
    world = load(game, settings_from(set_)) if game else None
    if world and len(played) > world.turns:
        raise ValueError(
            f"{record}: has {len(played)} turns, but {game} has {world.turns}: repeat the --set "
            "options of the run"
        )
    seen = {agent for turn in played for agent in (*turn["actions"], *turn["rewards"])}
    found = hold(
        deal_in(file, world, seen),
        played,
        turns=world.turns if world else len(played),
        over=not running,
        open_turns=world.open_turns if world else always_open,
    )
    say_json(found) if as_json else say_lines(audit_in_words(found))
