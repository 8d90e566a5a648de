"""Whether values of a raid tell four characters apart: a healer, a taunter, a caster, an idler.

One of each and a second caster play a raid, on many seeds and levels. Nobody bargains: the records
follow from the characters alone, and the values from the records.

    python -m shapley_coop.evals.papers.raid_characters
    python -m shapley_coop.evals.papers.raid_characters --seeds 0-99 --norm banzhaf
"""

import argparse
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from shapley_coop.credit import attribute_by
from shapley_coop.evals.measures.stats import mean_interval
from shapley_coop.evals.reports.layout import markdown
from shapley_coop.evals.sweeps.suite import parse_seeds
from shapley_coop.games import Game, Turn, load
from shapley_coop.games.game import realised_total
from shapley_coop.games.raid_battle.rules import FIREBALL, HEAL, TAUNT
from shapley_coop.state.characteristic import characteristic

LEVELS = (1, 2, 3)

CHARACTERS: dict[str, Callable[[Sequence[str]], str | None]] = {
    "healer": lambda legal: HEAL,
    "taunter": lambda legal: TAUNT if TAUNT in legal else FIREBALL,
    "caster": lambda legal: FIREBALL,
    "idler": lambda legal: None,
}
"""What each does when it can act; the taunter strikes while its Taunt is not ready."""

HEROES = ("healer", "taunter", "caster", "caster 2", "idler")
"""Who plays; with a second caster some of these raids are won and some are lost."""


@dataclass(frozen=True)
class Credited:
    """One raid's values.

    Attributes:
        level: of the raid.
        seed: of its dice.
        won: whether the boss fell.
        values: hero → its value.
        ends: hero → what it ends with under the norm.
        baseline: hero → W_i(∅).
    """

    level: int
    seed: int
    won: bool
    values: dict[str, Fraction]
    ends: dict[str, Fraction]
    baseline: dict[str, Fraction]


def played(game: Game) -> list[Turn]:
    """The raid's record; its heroes are called by their characters."""
    position, record = game.start(), list[Turn]()
    while not game.over(position):
        chosen = {
            hero: CHARACTERS[hero.split()[0]](legal)
            for hero in game.agents
            if (legal := game.legal(position, hero))
        }
        actions = {hero: action for hero, action in chosen.items() if action}
        after = game.step(position, actions)
        turn: Turn = {"turn": len(record) + 1, "actions": actions, "rewards": after.rewards}
        turn["effects"] = after.effects
        if after.pot:
            turn["pot"] = after.pot
        record.append(turn)
        position = after.position
    return record


def credited(level: int, seed: int, norm: str = "shapley") -> Credited:
    """Play one raid and value it."""
    # Of equals the boss strikes the first, so that seats matter: they move on with the seed.
    seats = [HEROES[(seed + i) % len(HEROES)] for i in range(len(HEROES))]
    game = load("raid_battle", {"agents": seats, "level": level}, seed)
    record = played(game)
    found = attribute_by(characteristic(game, record), norm)
    assert found.alone is not None, "a raid is valued against its baseline"
    won = any(effect["effect"] == "won" for turn in record for effect in turn["effects"])
    ends = found.payoffs(realised_total(record))
    return Credited(level, seed, won, found.values, ends, found.alone)


def table(levels: Iterable[int], seeds: Sequence[int], norm: str = "shapley") -> str:
    """The distribution of each hero's values at each level, in Markdown."""
    lines = []
    for level in levels:
        raids = [credited(level, seed, norm) for seed in seeds]
        won = sum(raid.won for raid in raids)
        for character in HEROES:
            values = [float(raid.values[character]) for raid in raids]
            ends = [float(raid.ends[character]) for raid in raids]
            found = mean_interval(values)
            lines.append(
                [
                    f"{level}, won {won} of {len(raids)}",
                    character,
                    f"{found.value:.1f} [{found.low:.1f}, {found.high:.1f}]",
                    f"{found.spread:.1f}",
                    f"{min(values):.1f} to {max(values):.1f}",
                    f"{mean_interval(ends).value:.1f}",
                ]
            )
    heads = ["level", "hero", f"{norm}: mean [95 %]", "sd", "range", "ends with"]
    return markdown(heads, lines)


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the table."""
    options = argparse.ArgumentParser(description="Values of four characters in raids.")
    options.add_argument("--seeds", default="0-19", help="as in 0-19")
    options.add_argument("--norm", default="shapley", help="shapley, banzhaf, …")
    given = options.parse_args(arguments)
    try:
        said = table(LEVELS, parse_seeds(given.seeds), given.norm)
    except ValueError as error:
        options.error(str(error))
    sys.stdout.write(said + "\n")


if __name__ == "__main__":
    main()
