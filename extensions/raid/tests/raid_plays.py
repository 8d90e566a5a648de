"""Raids for tests: plays by a policy, and our own plays written down as the published logs are."""

from collections.abc import Callable
from random import Random
from typing import Any

from shapley_coop.extensions.raid.game import RaidBattle
from shapley_coop.games import Game, Turn, load
from tests.credit import credit_plays

Policy = Callable[[int, int, list[str]], str]
"""From the turn, the hero's index and what is legal to what it does."""


def fireball(turn: int, hero: int, legal: list[str]) -> str:
    """What pays most at once."""
    return "Fireball"


def rotation(heroes: int) -> Policy:
    """Taking turns to Taunt, by index."""

    def act(turn: int, hero: int, legal: list[str]) -> str:
        return "Taunt" if (turn - 1) % heroes == hero and "Taunt" in legal else "Fireball"

    return act


def at_random(seed: int, idle: float = 0.1) -> Policy:
    """Anything legal, now and then nothing."""
    dice = Random(seed)
    return lambda turn, hero, legal: "" if dice.random() < idle else dice.choice(legal)


def raid(seed: int = 0, **params: Any) -> RaidBattle:
    """A raid."""
    game = load("raid_battle", params, seed)
    assert isinstance(game, RaidBattle)
    return game


def random_raid(seed: int = 3) -> tuple[Game, list[Turn]]:
    """A raid played at random, and its record."""
    game = raid(seed)
    return game, credit_plays.at_random(game, seed)


def played(game: RaidBattle, policy: Policy) -> list[Turn]:
    """A play to the end."""
    return [turn for turn, _ in moments(game, policy)]


def moments(game: RaidBattle, policy: Policy) -> list[tuple[Turn, dict[str, Any]]]:
    """Each turn, with the position after it."""
    position, told = game.start(), []
    while not game.over(position):
        number = position["turn"]
        chosen = {
            agent: policy(number, i, legal)
            for i, agent in enumerate(game.agents)
            if (legal := game.legal(position, agent))
        }
        actions = {agent: action for agent, action in chosen.items() if action}
        after = game.step(position, actions)
        turn: Turn = {"turn": number, "actions": actions, "rewards": after.rewards}
        turn["effects"] = after.effects
        if after.pot:
            turn["pot"] = after.pot
        position = after.position
        told.append((turn, position))
    return told


def as_log(game: RaidBattle, policy: Policy) -> list[Any]:
    """A play in the published layout: speech as [text], a turn as [[text, …, [text, …], text]]."""
    log: list[Any] = [
        [f"{a} said in negotiation round 1 in game turn 0: I decide to choose the action Heal."]
        for a in game.agents
    ]
    for turn, position in moments(game, policy):
        number = turn["turn"] - 1
        for agent, action in turn["actions"].items():
            log.append(
                [f"{agent} says and makes action in game turn {number}: So.\n<s>{action}</s>"]
            )
        log.append([_turn_as_log(game, number, turn, position)])
    log.append(["Agent1 said in negotiation turn 1: a third for me."])
    return log


def _turn_as_log(game: RaidBattle, number: int, turn: Turn, position: Any) -> list[Any]:
    lines: list[Any] = [f"--------The game log of turn {number}--------\n"]
    strikes = []
    for effect in turn["effects"]:
        a, n, to = (effect.get(key) for key in ("agent", "amount", "target"))
        match effect["effect"]:
            case "damage":
                lines.append(
                    f"{a} uses Fireball {a} uses Fireball and attacks on Boss for {n} damage\n"
                )
            case "healing":
                lines.append(f"{a} uses Heal{a} uses Heal and heals on {to} for {n} healing.\n")
            case "no_target":
                lines.append(f"{a} uses Heal")
            case "taunt" if effect["effective"]:
                lines.append(f"{a} uses Taunt {a} use Taunt\n")
            case "taunt":
                lines.append(f" {a} use Taunt, but the boss is already aggroed, so no work !!!\n")
            case "too_late":
                lines.append(" Boss is dead, don't need to execute this action !!!\n")
            case "redirection":
                strikes.append("Boss focuses {} for {} damage.\n")
            case "strike" if strikes and "{}" in strikes[-1]:
                strikes[-1] = strikes[-1].format(to, n)
            case "strike":
                strikes.append(f"Boss strikes {to} for {n} damage.\n")
    if position["boss_hp"]:
        lines.append(strikes)
    if game.over(position):
        won = not position["boss_hp"]
        end = "Win the game!!!" if won else "Fail to defeat the boss!!!"
        return [*lines, f"----------- {end}"]
    return [*lines, _status(game, number, position)]


def _status(game: RaidBattle, number: int, position: Any) -> str:
    p, heroes = game.params, position["heroes"]
    living = sum(hero["hp"] > 0 for hero in heroes.values())
    text = "----The following is the state now-----\n=== RAID BATTLE STATUS===\n\n"
    text += f"        [BOSS STATUS]\n        - HP: {position['boss_hp']}/{p.boss_hp} (50.0%)\n"
    text += f"        - Current Aggro: None\n\n        [PARTY STATUS] ({living}/{p.heroes} alive)\n"
    for agent, hero in heroes.items():
        hp = f" {hero['hp']}/{p.hero_hp} (50%)" if hero["hp"] else "DEAD"
        wait = f"Taunt({hero['cooldown']})" if hero["cooldown"] else "None"
        text += f"\n            [{agent.upper()}]\n            - Status: {hp}\n"
        text += f"            - Cooldowns: {wait}\n            "
    return f"{text}\n            MAX_round = {p.rounds}\n            Current round = {number}\n"
