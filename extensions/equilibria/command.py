"""`coop equilibria`: the Nash equilibria of a strategic game in a file."""

from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from shapley_coop.cli.console import say, say_json, show_table, write_file
from shapley_coop.cli.options import Json

if TYPE_CHECKING:
    from shapley_coop.deals.analysis.stage import StageGame

GameFile = Annotated[
    str, typer.Argument(help="A .nfg file of Gambit, a payoff file, or a game's name.")
]
Out = Annotated[
    Path | None, typer.Option("--out", "-o", help="Write the game as a payoff file for coop run.")
]


def list_equilibria(file: GameFile, out: Out = None, as_json: Json = False) -> None:
    """List the Nash equilibria of one round of a game: pure ones, of two players also mixed ones.

    Equilibria in fractions are exact; in decimals they are mixed ones up to rounding errors. A
    degenerate game has more of them than are listed: those between two that are.
    """
    from shapley_coop.extensions.equilibria.listing import (
        MOST_ACTIONS,
        equilibria,
        searches_mixed,
    )

    game = _read(file)
    if out:
        write_file(out, _payoff_file(game, Path(file).stem))
    found = equilibria(game)
    if as_json:
        rows = [
            {
                "play": {a: _numbers(each, one.exact) for a, each in one.play.items()},
                "pays": [_number(x, one.exact) for x in one.pays],
                "exact": one.exact,
            }
            for one in found
        ]
        say_json({"agents": list(game.agents), "equilibria": rows})
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


def _payoff_file(game: "StageGame", name: str) -> str:
    """Return the game as the YAML of a payoff file.

    Raises:
        ValueError: a payoff file cannot have these names or payoffs.
    """
    import yaml

    from shapley_coop.games import load

    content: dict[str, Any] = {
        "name": name,
        "agents": list(game.agents),
        "actions": {agent: list(actions) for agent, actions in game.actions.items()},
        "payoffs": [
            {"play": list(play), "pays": [int(x) if x.denominator == 1 else str(x) for x in pays]}
            for play, pays in game.pays.items()
        ],
    }
    load(content)
    return yaml.safe_dump(content, sort_keys=False, allow_unicode=True)


def _numbers(each: dict[str, Fraction], exact: bool) -> dict[str, str]:
    return {action: _number(chance, exact) for action, chance in each.items()}


def _number(x: Fraction, exact: bool) -> str:
    return str(x) if exact else f"{float(x):.9g}"


def _words(each: dict[str, str]) -> str:
    if len(each) == 1:
        return next(iter(each))
    return ", ".join(f"{action}: {chance}" for action, chance in each.items())
