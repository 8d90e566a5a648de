"""`coop equilibria`: the Nash equilibria of a strategic game in a file."""

from fractions import Fraction
from math import lcm
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from shapley_coop.cli.console import note, say, say_json, show_table, write_file
from shapley_coop.cli.options import Json

if TYPE_CHECKING:
    from shapley_coop.deals.analysis.stage import StageGame
    from shapley_coop.extensions.equilibria.listing import Equilibrium

GameFile = Annotated[
    str, typer.Argument(help="A .nfg file of Gambit, a payoff file, or a game's name.")
]
Out = Annotated[
    Path | None, typer.Option("--out", "-o", help="Write the game as a payoff file for coop run.")
]


def list_equilibria(file: GameFile, out: Out = None, as_json: Json = False) -> None:
    """List the Nash equilibria of one round of a game: pure ones, of two players also mixed ones.

    Equilibria in fractions are exact; in decimals they are mixed ones up to rounding errors. A
    degenerate game may have more of them than are listed: those between two that are.
    """
    from shapley_coop.extensions.equilibria.listing import (
        MOST_ACTIONS,
        equilibria,
        is_degenerate,
        searches_mixed,
    )

    game = _read(file)
    if out:
        _write(out, game, Path(file).stem)
    found = equilibria(game)
    degenerate = is_degenerate(game, found)
    if as_json:
        rows = list(map(_record, found))
        say_json({"agents": list(game.agents), "equilibria": rows, "degenerate": degenerate})
        return
    lines = [
        [
            *(_words(_numbers(each, one.exact)) for each in one.play.values()),
            ", ".join(_number(x, one.exact) for x in one.pays),
        ]
        for one in found
    ]
    show_table(f"equilibria of {file}", [*game.agents, "payoffs"], lines)
    if not searches_mixed(game):
        say(f"only pure ones: mixed ones are for two players of at most {MOST_ACTIONS} actions")
    if degenerate:
        say("the game is degenerate: there may be more equilibria, between two that are listed")


def _read(file: str) -> "StageGame":
    """Return the game of a file, or of a name.

    Raises:
        ValueError: there is no such game, or its payoffs are no table.
    """
    from shapley_coop.deals.analysis.stage import StageGame, facts_of
    from shapley_coop.extensions.equilibria.nfg import parse_nfg
    from shapley_coop.files import read_text
    from shapley_coop.games import load

    if file.lower().endswith(".nfg"):
        text = read_text(file, "a strategic game")
        try:
            return parse_nfg(text)
        except ValueError as error:
            raise ValueError(f"{file}: {error}") from None
    return StageGame.of(facts_of(load(file)))


def _write(out: Path, game: "StageGame", name: str) -> None:
    """Write the game as a payoff file, with payoffs in a unit in which they are whole millionths.

    Raises:
        ValueError: a payoff file cannot have these names or payoffs.
    """
    import yaml

    from shapley_coop.amounts import MICRO
    from shapley_coop.games import load

    unit = lcm(*((x * MICRO).denominator for pays in game.pays.values() for x in pays))
    content: dict[str, Any] = {
        "name": name,
        "agents": list(game.agents),
        "actions": {agent: list(actions) for agent, actions in game.actions.items()},
        "payoffs": [
            {"play": list(play), "pays": [_payoff(x * unit) for x in pays]}
            for play, pays in game.pays.items()
        ],
    }
    load(content)
    text = yaml.safe_dump(content, sort_keys=False, allow_unicode=True)
    if unit > 1:
        told = f"The payoffs are those of the game times {unit}: a run counts in whole millionths."
        note(told)
        text = f"# {told}\n{text}"
    write_file(out, text)


def _payoff(x: Fraction) -> int | str:
    return int(x) if x.denominator == 1 else str(x)


def _record(one: "Equilibrium") -> dict[str, Any]:
    return {
        "play": {agent: _numbers(each, one.exact) for agent, each in one.play.items()},
        "pays": [_number(x, one.exact) for x in one.pays],
        "exact": one.exact,
    }


def _numbers(each: dict[str, Fraction], exact: bool) -> dict[str, str]:
    return {action: _number(chance, exact) for action, chance in each.items()}


def _number(x: Fraction, exact: bool) -> str:
    return str(x) if exact else f"{float(x):.9g}"


def _words(each: dict[str, str]) -> str:
    if len(each) == 1:
        return next(iter(each))
    return ", ".join(f"{action}: {chance}" for action, chance in each.items())
