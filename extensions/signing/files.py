"""Readers of files of contracts and of records that users pass to commands."""

from collections.abc import Iterable
from math import isfinite
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from shapley_coop.deals.language.deal import Deal
from shapley_coop.deals.language.faults import Fault
from shapley_coop.deals.language.reading import read_deal
from shapley_coop.deals.language.rules import first_fault, known_actions, known_agents
from shapley_coop.deals.language.terms import Terms
from shapley_coop.deals.language.wire_form import wire_form
from shapley_coop.files import read_data
from shapley_coop.games import Game, Turn
from shapley_coop.invalid import first_error

KIND = "a contract or a record"


def clauses_in(path: Path) -> dict[str, Any]:
    """Return the contract in a file that holds a contract or the result of a run."""
    content = read_data(path, KIND)
    if isinstance(content, dict) and isinstance(content.get("contract"), dict):
        content = _of_a_record(content["contract"].get("clauses"))
    if not isinstance(content, dict) or "clauses" not in content:
        raise ValueError(f"{path}: contains no contract: give a mapping with the key clauses")
    return content


def deal_in(path: Path, game: Game | None, agents: Iterable[str] = ()) -> Deal:
    """Return the contract in a file, as a deal.

    Raises:
        ValueError: the file contains no contract, or names agents or actions that are not in the
            game; without a game, agents that are not among `agents`.
    """
    deal = read_deal(clauses_in(path))
    terms = Terms(game.agents if game else sorted(agents), game.actions if game else {})
    rules = (known_agents, known_actions) if game else (known_agents,)
    if not isinstance(deal, Fault):
        deal = first_fault(rules, deal, terms) or deal
    if isinstance(deal, Fault):
        raise ValueError(f"{path}: {deal.feedback}")
    return deal


def turns_in(path: Path) -> list[Turn]:
    """Return a record's turns, with checked numbers and rewards; missing rewards become {}."""
    content = read_data(path, KIND)
    turns = content.get("record") if isinstance(content, dict) else content
    if not isinstance(turns, list) or not turns:
        raise ValueError(f"{path}: contains no record: give a list of turns")
    known = [{"rewards": {}, **turn} if isinstance(turn, dict) else turn for turn in turns]
    try:
        record = TypeAdapter(list[Turn]).validate_python(known)
    except ValidationError as error:
        first = first_error(error)
        at, _, told = first.where.partition(".")
        raise ValueError(f"{path}: entry {int(at) + 1}, {told or 'turn'}: {first.reason}") from None
    for n, turn in enumerate(record, start=1):
        if turn["turn"] != n:
            raise ValueError(f"{path}: entry {n} is turn {turn['turn']}: number them from 1")
        if not all(isfinite(amount) for amount in (*turn["rewards"].values(), turn.get("pot", 0))):
            raise ValueError(f"{path}: entry {n} has a reward that is no finite number")
    return record


def _of_a_record(clauses: Any) -> dict[str, Any]:
    """Convert clauses from a record, where turns are ranges, to the form that agents write."""
    try:
        return wire_form(Deal.model_validate({"clauses": clauses}))
    except ValidationError:
        return {"clauses": clauses}  # the reader of clauses will report the fault in words
