"""`coop contract`: contracts and records made here or by others."""

import json
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from cli.console import say, say_json
from cli.options import Parameters, settings_from

NOT_TO_BE_SIGNED = 1

contract = typer.Typer(
    help="Check contracts before they are signed, and hold records against them."
)


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.add_typer(contract, name="contract", no_args_is_help=True)


@contract.command()
def check(
    file: Annotated[Path, typer.Argument(help="A contract: YAML or JSON with its clauses.")],
    game: Annotated[str, typer.Option("--game", "-g", help="The game it is written for.")],
    set_: Annotated[
        list[str] | None, typer.Option("--set", help="key=value: a parameter of the game.")
    ] = None,
    enforcement: Annotated[str, typer.Option(help="notional, enforced or escrow.")] = "enforced",
    deposit: Annotated[
        str, typer.Option(help="Of each party in escrow; empty: as much as is needed.")
    ] = "",
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Certify a contract: whether it can be kept, and what it does to everybody's incentives."""
    from deals import Fault
    from deals.certificate import vet
    from deals.certificate_words import as_record, in_words
    from deals.enforcement import Enforcement
    from deals.stage import facts_of
    from games import load

    facts = facts_of(load(game, settings_from(Parameters(None, set_ or []))))
    terms = Enforcement.of({"enforcement": enforcement, "deposit": deposit})
    found = vet(_clauses(_read(file), file), facts, terms)
    if isinstance(found, Fault):
        if as_json:
            say_json({"sound": False, "faults": [found.record()]})
        else:
            say(f"Not to be signed ({found.label}): {found.feedback}")
        sys.exit(NOT_TO_BE_SIGNED)
    if as_json:
        say_json(as_record(found))
    else:
        say(in_words(found))
    if not found.sound:
        sys.exit(NOT_TO_BE_SIGNED)


@contract.command()
def audit(
    file: Annotated[Path, typer.Argument(help="A contract: YAML or JSON with its clauses.")],
    record: Annotated[Path, typer.Argument(help="The turns: a list of turn, actions, rewards.")],
    game: Annotated[
        str, typer.Option("--game", "-g", help="The game; without it, the record is all there is.")
    ] = "",
    running: Annotated[
        bool, typer.Option("--running", help="The game goes on: what is open is pending.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Hold a record against a contract: verdict, breaches and evidence, clause by clause."""
    from deals import Fault, read_deal
    from deals.audit import audit as hold
    from deals.audit import audit_in_words
    from games import load

    deal = read_deal(_clauses(_read(file), file))
    if isinstance(deal, Fault):
        raise ValueError(f"{file}: {deal.feedback}")
    played = _turns(_read(record), record)
    world = load(game) if game else None
    found = hold(
        deal,
        played,
        turns=world.turns if world else len(played),
        actions=world.actions if world else None,
        over=not running,
    )
    if as_json:
        say_json(found)
    else:
        say(audit_in_words(found))


def _clauses(content: Any, path: Path) -> dict[str, Any]:
    """The clauses of a contract, or of the run whose result this is."""
    if isinstance(content, dict) and isinstance(content.get("contract"), dict):
        content = content["contract"]
    if not isinstance(content, dict) or "clauses" not in content:
        raise ValueError(f"{path}: holds no contract: give a mapping with the key clauses")
    return {"clauses": content["clauses"]}


def _turns(content: Any, path: Path) -> list[Any]:
    """The turns of a record, checked as far as they are read."""
    turns = content.get("record") if isinstance(content, dict) else content
    if not isinstance(turns, list) or not turns:
        raise ValueError(f"{path}: holds no record: give a list of turns")
    for n, turn in enumerate(turns, start=1):
        sound = isinstance(turn, dict) and turn.get("turn") == n
        if not sound or not isinstance(turn.get("actions"), dict):
            raise ValueError(f"{path}: entry {n} is no turn {n}: give turn, actions and rewards")
        turn.setdefault("rewards", {})
    return turns


def _read(path: Path) -> Any:
    import yaml

    try:
        text = path.read_text(encoding="utf-8")
        return json.loads(text) if path.suffix == ".json" else yaml.safe_load(text)
    except (OSError, UnicodeDecodeError, ValueError, yaml.YAMLError) as error:
        raise ValueError(f"{path}: cannot be read: {' '.join(str(error).split())}") from None
