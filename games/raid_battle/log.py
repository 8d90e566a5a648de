"""Others' raids: a published game log, played again by our rules.

The log's random amounts are forced through `raid_rules.resolve`; everything else (whom a Heal or a
strike goes to, hit points, cooldowns, the end) is worked out anew and compared with what the log
says. A difference is reported and never repaired: after it, our raid goes its own way.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any

from shapley_coop.games.files import read_file
from shapley_coop.games.game import GameError, Turn
from shapley_coop.games.raid_battle.game import RaidBattle
from shapley_coop.games.raid_battle.log_lines import Chapter, chapters
from shapley_coop.games.raid_battle.rules import HEAL, TAUNT, contributions, resolve

UNKNOWN = "not known"


@dataclass(frozen=True)
class RaidLog:
    """A log as our rules see it.

    Attributes:
        params: the numbers the log states; the others are our defaults.
        record: the play, turns from 1, as our rules saw it.
        turns: for each, what the log's status states and what we have, and whether all matches.
        mismatches: turn, what differs, what the log says and what our rules say; all of them.
        contributions: agent → damage, healing, taunt, by our record.
        shares: agent → its part of all contributions; empty where no hero contributed.
    """

    params: dict[str, Any]
    record: list[Turn]
    turns: list[dict[str, Any]]
    mismatches: list[dict[str, Any]]
    contributions: dict[str, dict[str, int]]
    shares: dict[str, float] = field(default_factory=dict)

    def report(self) -> dict[str, Any]:
        """All of it as plain JSON."""
        return {**self.__dict__}


def import_raid_log(source: str | Path | Sequence[Any]) -> RaidLog:
    """Read a log and play it again.

    Args:
        source: a path to a JSON file, or its content: a list of messages and turns, each a text, or
            a list of texts and lists.

    Raises:
        GameError: the file cannot be read, or holds no turns of a raid with a status.
    """
    content, name = (
        (read_file(source, "a raid log"), str(source))
        if isinstance(source, str | Path)
        else (source, "")
    )
    told = chapters(content, name or "the log")
    first = next((c.status for c in told if c.status), None)
    if first is None:
        raise GameError(f"{name or 'the log'}: no turn of it states how boss and heroes stand")
    given = {
        "agents": first.agents,
        "boss_hp": first.boss_full,
        "hero_hp": first.hero_full,
        "rounds": first.rounds,
    }
    replay = _Replay(RaidBattle({key: x for key, x in given.items() if x}))
    for chapter in told:
        replay.play(chapter)
    found = contributions(replay.game.agents, replay.record)
    total = sum(sum(kinds.values()) for kinds in found.values())
    shares = {a: float(Fraction(sum(k.values()), total)) for a, k in found.items()} if total else {}
    return RaidLog(given, replay.record, replay.turns, replay.mismatches, found, shares)


class _Replay:
    """Our raid beside the log's."""

    def __init__(self, game: RaidBattle) -> None:
        self.game = game
        self.position = game.start()
        self.record: list[Turn] = []
        self.turns: list[dict[str, Any]] = []
        self.mismatches: list[dict[str, Any]] = []

    def play(self, told: Chapter) -> None:
        """One turn of the log, compared."""
        self._turn, before = told.turn, len(self.mismatches)
        self._compare("the number of the turn", told.turn, self.position["turn"])
        actions = self._legal(told)
        after = resolve(
            self.game.params,
            self.position,
            actions,
            lambda agent, _: told.deeds[agent].amount if agent in told.deeds else 0,
        )
        self.position = after.position
        turn: Turn = {"turn": told.turn, "actions": actions, "rewards": after.rewards}
        turn["effects"] = after.effects
        if after.pot:
            turn["pot"] = after.pot
        self.record.append(turn)
        self._compare_effects(told, after.effects)
        self._compare_status(told)
        self._compare_end(told)
        self.turns.append(
            {"turn": told.turn, "matches": len(self.mismatches) == before, **self._beside(told)}
        )

    def _legal(self, told: Chapter) -> dict[str, str]:
        """What the heroes chose, as far as our rules let them."""
        chosen = {agent: deed.skill for agent, deed in told.deeds.items()}
        if told.too_late:
            # The log tells no action after the killing blow; the speech says what was chosen.
            silent = [a for a in self.game.agents if a not in chosen and a in told.declared]
            chosen |= {agent: told.declared[agent] for agent in silent}
        actions = {}
        for agent, skill in chosen.items():
            legal = self.game.legal(self.position, agent) if agent in self.game.agents else []
            waits = agent in told.on_cooldown
            if skill in legal:
                actions[agent] = skill
            if waits and skill in legal:
                self._differ(f"{agent}'s {TAUNT}", "on cooldown", "ready")
            elif agent in told.deeds and skill not in legal and not (waits and legal):
                self._differ(f"{agent}'s {skill}", "done", "not possible")
        return {agent: actions[agent] for agent in self.game.agents if agent in actions}

    def _compare_effects(self, told: Chapter, effects: list[dict[str, Any]]) -> None:
        by: dict[str, list[dict[str, Any]]] = {}
        for effect in effects:
            by.setdefault(effect["effect"], []).append(effect)
        targets = {effect["agent"]: effect["target"] for effect in by.get("healing", [])}
        for agent, deed in told.deeds.items():
            if deed.skill == HEAL:
                self._compare(f"whom {agent} heals", deed.target, targets.get(agent))
        strikes = [[e["target"], e["amount"]] for e in by.get("strike", [])]
        self._compare("the boss's attack", told.strikes, strikes)
        vain = {e["agent"] for e in by.get("taunt", []) if not e["effective"]}
        self._compare("taunts beside another", sorted(told.in_vain), sorted(vain))
        self._compare("actions after the end", told.too_late, len(by.get("too_late", [])))
        for line in told.unread:
            self._differ("a line", line, UNKNOWN)

    def _compare_status(self, told: Chapter) -> None:
        if (status := told.status) is None:
            return
        heroes = self.position["heroes"]
        self._compare("boss HP", status.boss, self.position["boss_hp"])
        for agent in self.game.agents:
            hp, cooldown = status.heroes.get(agent, (UNKNOWN, UNKNOWN))
            self._compare(f"{agent}'s HP", hp, heroes[agent]["hp"])
            self._compare(f"{agent}'s cooldown", cooldown, heroes[agent]["cooldown"])
        living = sum(hero["hp"] > 0 for hero in heroes.values())
        self._compare("living heroes", status.living, living)

    def _compare_end(self, told: Chapter) -> None:
        ours = "none"
        if self.game.over(self.position):
            ours = "lost" if self.position["boss_hp"] else "won"
        self._compare("the end", told.end or "none", ours)

    def _beside(self, told: Chapter) -> dict[str, Any]:
        """The state after the turn, the log's beside ours."""
        status, heroes = told.status, self.position["heroes"]
        return {
            "boss_hp": {"log": status.boss if status else None, "ours": self.position["boss_hp"]},
            "hero_hp": {
                a: {"log": status.heroes[a][0] if status else None, "ours": heroes[a]["hp"]}
                for a in self.game.agents
            },
            "cooldowns": {
                a: {"log": status.heroes[a][1] if status else None, "ours": heroes[a]["cooldown"]}
                for a in self.game.agents
            },
        }

    def _compare(self, what: str, log: Any, ours: Any) -> None:
        if log != ours:
            self._differ(what, log, ours)

    def _differ(self, what: str, log: Any, ours: Any) -> None:
        self.mismatches.append({"turn": self._turn, "what": what, "log": log, "ours": ours})
