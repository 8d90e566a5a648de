"""A test whether raid values distinguish four characters: healer, taunter, caster and idler.

One hero of each character and a second caster play raids on many seeds and levels. The agents do
not bargain, so the characters determine the records, and the records determine the values. The test
compares the values of pairs of characters within the same raids.

    python -m shapley_coop.extensions.papers.raid_characters
    python -m shapley_coop.extensions.papers.raid_characters --casters 1 --seeds 0-99 --norm banzhaf
"""

import argparse
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from statistics import fmean

from shapley_coop.credit import attribute_by
from shapley_coop.evals.seeds import parse_seeds
from shapley_coop.extensions.raid.rules import FIREBALL, HEAL, TAUNT
from shapley_coop.extensions.reports.layout import markdown
from shapley_coop.extensions.reports.stats import Estimate, compare, correct, mean_interval
from shapley_coop.games import Game, Turn, load
from shapley_coop.games.turns import realised_total
from shapley_coop.state.characteristic import characteristic

LEVELS = (1, 2, 3)

CHARACTERS: dict[str, Callable[[Sequence[str]], str | None]] = {
    "healer": lambda legal: HEAL,
    "taunter": lambda legal: TAUNT if TAUNT in legal else FIREBALL,
    "caster": lambda legal: FIREBALL,
    "idler": lambda legal: None,
}
"""Character → a function from legal actions to an action; a taunter who cannot taunt casts."""

CASTERS = 2
"""The number of casters: with two, some raids are won and some lost; with one, all are lost."""

PAIRS = (("taunter", "healer"), ("taunter", "caster"), ("caster", "healer"))


@dataclass(frozen=True)
class Credited:
    """The result of one raid: whether it was won, and each hero's value and payoff.

    Attributes:
        level: the raid's level.
        seed: the seed of the raid's dice.
        won: whether the heroes won.
        values: hero → its value.
        ends: hero → its payoff if the norm divides the total.
        baseline: hero → its reward in a replay in which no hero takes part.
    """

    level: int
    seed: int
    won: bool
    values: dict[str, Fraction]
    ends: dict[str, Fraction]
    baseline: dict[str, Fraction]


def played(game: Game) -> list[Turn]:
    """Play a raid whose heroes are named after their characters, and return its record."""
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


def heroes_of(casters: int) -> list[str]:
    """Return the names of one hero of each character, with `casters` casters."""
    more = [f"caster {k}" for k in range(2, casters + 1)]
    return ["healer", "taunter", "caster", *more, "idler"]


def credited(level: int, seed: int, norm: str = "shapley", casters: int = CASTERS) -> Credited:
    """Play one raid and compute its heroes' values by a norm."""
    heroes = heroes_of(casters)
    # Of equal targets the boss strikes the first hero, so the seed rotates the heroes' order.
    seats = [heroes[(seed + i) % len(heroes)] for i in range(len(heroes))]
    game = load("raid_battle", {"agents": seats, "level": level}, seed)
    record = played(game)
    found = attribute_by(characteristic(game, record), norm)
    assert found.at_baseline is not None, "a raid is valued against its baseline"
    won = any(effect["effect"] == "won" for turn in record for effect in turn["effects"])
    ends = found.payoffs(realised_total(record))
    return Credited(level, seed, won, found.values, ends, found.at_baseline)


def table(raids: Mapping[int, Sequence[Credited]], norm: str) -> str:
    """Return the distribution of each hero's values at each level, in Markdown."""
    lines = []
    for level, played_ in raids.items():
        won = sum(raid.won for raid in played_)
        for hero in heroes_of(len(played_[0].values) - len(CHARACTERS) + 1):
            values = [float(raid.values[hero]) for raid in played_]
            ends = [float(raid.ends[hero]) for raid in played_]
            found = mean_interval(values)
            lines.append(
                [
                    f"{level}, won {won} of {len(played_)}",
                    hero,
                    _interval(found),
                    f"{found.spread:.1f}",
                    f"{min(values):.1f} to {max(values):.1f}",
                    f"{fmean(ends):.1f}",
                ]
            )
    heads = ["level", "hero", f"{norm}: mean [95 %]", "sd", "range", "ends with"]
    return markdown(heads, lines)


def differences(raids: Mapping[int, Sequence[Credited]]) -> str:
    """Return the paired differences between characters' values within raids, in Markdown."""
    found = [
        compare(
            f"{level} | {more} − {less}",
            [(float(raid.values[less]), float(raid.values[more])) for raid in played_],
        )
        for level, played_ in raids.items()
        for more, less in PAIRS
    ]
    heads = ["level", "difference", "mean [95 %]", "more / same / fewer", "p (Holm)"]
    return markdown(
        heads,
        [
            [
                one.measure,
                _interval(one.difference),
                f"{one.more} / {one.difference.n - one.more - one.fewer} / {one.fewer}",
                f"{one.adjusted:.4f}",
            ]
            for one in correct(found)
        ],
    )


def _interval(found: Estimate) -> str:
    ends = ", ".join(f"{end:.1f}" for end in found.ends)
    return f"{found.value:.1f} [{ends}]" if ends else f"{found.value:.1f}"


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the table of values and the table of differences."""
    options = argparse.ArgumentParser(description="print the values of four characters in raids")
    options.add_argument("--seeds", default="0-19", help="the seeds, such as 0-19")
    options.add_argument("--norm", default="shapley", help="shapley, banzhaf, …")
    options.add_argument("--casters", type=int, default=CASTERS, choices=range(1, 9))
    given = options.parse_args(arguments)
    try:
        seeds = parse_seeds(given.seeds)
        raids = {
            level: [credited(level, seed, given.norm, given.casters) for seed in seeds]
            for level in LEVELS
        }
    except ValueError as error:
        options.error(str(error))
    sys.stdout.write(f"{table(raids, given.norm)}\n\n{differences(raids)}\n")


if __name__ == "__main__":
    main()
