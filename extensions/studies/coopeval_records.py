"""The reader of the published records of CoopEval, a study of cooperation among models.

A folder is one experiment: a game under one mechanism, played in all matches of the models.

=====================  =========================================================================
file                   content that is read
=====================  =========================================================================
config.json            the game with its numbers, and the mechanism
records.jsonl          one match per line; each nested list with `player`, `action` and `points`
                       of all seats is one round
contract_design.json   contracts only: player → action → the amount that the action's seat gets
                       from all others, in equal parts (a negative amount goes to the others)
mediator_design.json   mediators only: player → pairs of a number of delegating seats and the
                       mediator's action for each of these seats
=====================  =========================================================================

The study: https://github.com/Xiao215/CoopEval. No file of the study is part of this project.
"""

from collections.abc import Iterator, Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

from shapley_coop.amounts import parse_exact
from shapley_coop.extensions.studies.coopeval_games import StudyGame, study_game
from shapley_coop.extensions.studies.rounds import Row, json_lines
from shapley_coop.extensions.studies.shared import files_below
from shapley_coop.files import read_mapping

CONTRACTING, MEDIATION = "Contracting", "Mediation"
CONFIG, RECORDS = "config.json", "records.jsonl"
DESIGNS, MEDIATORS = "contract_design.json", "mediator_design.json"
_BY_PLAYER = "give a mapping from players to their proposals"
_MOVE = ("player", "action", "points")

Design = Mapping[str, Fraction]
"""Action → the amount that each seat with this action gets from all others, in equal parts."""

Mediator = Mapping[int, str]
"""Number of delegating seats → the mediator's action for each of them."""


class Round(NamedTuple):
    """One round of a match, as the study recorded it.

    Attributes:
        rows: a row for each seat, in order; points are after the contract's payments.
        players: the study's names of the players, in the order of the seats.
        designer: the proposer of the contract that won the vote; "" if no contract did.
        signed: whether all signed the contract, so that it was in force.
    """

    rows: tuple[Row, ...]
    players: tuple[str, ...]
    designer: str = ""
    signed: bool = False


class Experiment(NamedTuple):
    """One folder of the study; contracts and mediators are by the player that proposed them."""

    folder: Path
    mechanism: str
    world: StudyGame
    designs: Mapping[str, Design]
    mediators: Mapping[str, Mediator]
    rounds: tuple[Round, ...]


def experiments(folder: Path) -> Iterator[Experiment]:
    """Return every experiment in a folder and below it, by path.

    Raises:
        ValueError: there is no experiment, or a file has another format; the message is one line.
    """
    found = [path.parent for path in files_below(folder, RECORDS)]
    if not found:
        raise ValueError(
            f"{folder}: no {RECORDS} in it or its subfolders: give a folder of the study"
        )
    return map(experiment, found)


def without_records(folder: Path) -> list[Path]:
    """Return the folders of experiments without records, which cannot be settled."""
    given = [path.parent for path in files_below(folder, CONFIG)]
    return [one for one in given if not (one / RECORDS).is_file()]


def experiment(folder: Path) -> Experiment:
    """Read one folder of the study.

    Raises:
        ValueError: a file cannot be read, or has another format.
    """
    name = str(folder / CONFIG)
    config = read_mapping(name, "settings of the study", "give game and mechanism")
    game, mechanism = (_part(config, key, name) for key in ("game", "mechanism"))
    world = study_game(game["type"], game.get("kwargs") or {}, name)
    kind = mechanism["type"]
    return Experiment(
        folder=folder,
        mechanism=kind,
        world=world,
        designs=_designs(folder / DESIGNS, world) if kind == CONTRACTING else {},
        mediators=_mediators(folder / MEDIATORS, world) if kind == MEDIATION else {},
        rounds=tuple(_rounds(folder / RECORDS, world)),
    )


def _part(config: Mapping[str, Any], key: str, name: str) -> Mapping[str, Any]:
    part = config.get(key)
    if not isinstance(part, dict) or not isinstance(part.get("type"), str):
        raise ValueError(f"{name}: {key} needs a mapping with its type")
    return part


def _designs(file: Path, world: StudyGame) -> dict[str, Design]:
    designs = dict[str, Design]()
    for player, proposed in read_mapping(file, "contracts of the study", _BY_PLAYER).items():
        contract = proposed.get("contract") if isinstance(proposed, dict) else None
        if not isinstance(contract, dict):
            raise ValueError(f"{file}: {player} has no contract: give action → amount")
        designs[player] = {
            world.action(told, f"{file}: {player}"): _amount(amount, f"{file}: {player}'s {told}")
            for told, amount in contract.items()
        }
    return designs


def _mediators(file: Path, world: StudyGame) -> dict[str, Mediator]:
    mediators, seats = dict[str, Mediator](), len(world.seats)
    for player, proposed in read_mapping(file, "mediators of the study", _BY_PLAYER).items():
        pairs = proposed.get("mediator") if isinstance(proposed, dict) else None
        try:
            taken = [(int(count), str(told)) for count, told in pairs or ()]
        except (TypeError, ValueError):
            taken = []
        if sorted(count for count, _ in taken) != list(range(1, seats + 1)):
            raise ValueError(
                f"{file}: {player} has no mediator: give pairs of a number of delegating seats, 1 "
                f"to {seats}, and an action"
            )
        mediators[player] = {
            count: world.action(told, f"{file}: {player}") for count, told in taken
        }
    return mediators


def _amount(told: Any, where: str) -> Fraction:
    """Return an amount in a contract as an exact number that a deal can express."""
    try:
        return parse_exact(told)
    except ValueError as error:
        raise ValueError(f"{where}: {error}") from None


def _rounds(file: Path, world: StudyGame) -> Iterator[Round]:
    for where, match in json_lines(file, "records of the study"):
        rounds = list(_moves(match, {}))
        if match and not rounds:
            raise ValueError(f"{where}: has no round: moves with {', '.join(_MOVE)} are needed")
        for count, (moves, around) in enumerate(rounds, start=1):
            yield _round(moves, around, f"{where} round {count}", world)


def _moves(part: Any, around: Mapping[str, Any]) -> Iterator[tuple[list[Any], Mapping[str, Any]]]:
    """Yield every list of moves in a match's nested record, with the mapping that contains it."""
    if isinstance(part, list) and any(_is_move(one) for one in part):
        yield part, around
    elif isinstance(part, list):
        for one in part:
            yield from _moves(one, around)
    elif isinstance(part, dict):
        for one in part.values():
            yield from _moves(one, part)


def _is_move(one: Any) -> bool:
    return isinstance(one, dict) and any(key in one for key in _MOVE)


def _round(moves: list[Any], around: Mapping[str, Any], where: str, world: StudyGame) -> Round:
    if len(moves) != len(world.seats):
        raise ValueError(f"{where}: {len(moves)} moves, but the game has {len(world.seats)} seats")
    if not all(isinstance(move, dict) and set(_MOVE) <= set(move) for move in moves):
        raise ValueError(f"{where}: a move lacks one of {', '.join(_MOVE)}")
    return Round(
        rows=tuple(
            Row.of(where, {**move, "agent": seat, "action": world.action(move["action"], where)})
            for seat, move in zip(world.seats, moves, strict=True)
        ),
        players=tuple(str(move["player"]) for move in moves),
        designer=str(around.get("selected_contract_designer_name") or ""),
        signed=around.get("all_signed") is True,
    )
