"""A published log of a raid, replayed by our rules.

`rules.resolve` takes the random amounts from the log. Everything else is computed anew and compared
with the log: targets of heals and strikes, hit points, cooldowns, the end. A difference is reported
but not repaired. After a difference our replay diverges, so its contributions no longer measure the
logged raid. Therefore each hero's amounts are also summed from the log's lines. Shares by our rules
are given only if the replay agrees with the whole log.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any

from shapley_coop.extensions.raid.game import RaidBattle
from shapley_coop.extensions.raid.rules import CREDITED, HEAL, TAUNT, contributions, resolve
from shapley_coop.extensions.studies.raid_log_lines import Chapter, chapters
from shapley_coop.extensions.studies.rounds import Row
from shapley_coop.extensions.studies.rounds_replay import Difference, Match
from shapley_coop.games import GameError, Position, Step, Turn
from shapley_coop.games.files import read_file

UNKNOWN = "not known"


@dataclass(frozen=True)
class RaidLog:
    """The replay of a log by our rules.

    Attributes:
        params: the numbers stated in the log or given by the caller; all others are our defaults.
        record: the play by our rules, with turns from 1.
        turns: per turn, the state in the log and in our replay, and whether both match.
        mismatches: all differences: turn, item, the log's value, and our value.
        contributions: agent → kind (damage, healing, taunt) → amount in our replay.
        tally: the same, summed from the log's lines.
        notes: sentences about facts that the log does not state; they are not mismatches.
        shares: agent → its share of all contributions in our replay; empty if there is none.
    """

    params: dict[str, Any]
    record: list[Turn]
    turns: list[dict[str, Any]]
    mismatches: list[dict[str, Any]]
    contributions: dict[str, dict[str, int]]
    tally: dict[str, dict[str, int]]
    notes: list[str] = field(default_factory=list)
    shares: dict[str, float] = field(default_factory=dict)

    def report(self) -> dict[str, Any]:
        """Return all attributes as plain JSON."""
        return {**self.__dict__}


def import_raid_log(
    source: str | Path | Sequence[Any], params: Mapping[str, Any] | None = None
) -> RaidLog:
    """Read a log and replay it.

    Args:
        source: the path of a JSON file, or its content: a list of messages and turns, each a text
            or a nested list of texts.
        params: numbers of the game that the log does not state, such as a Taunt's cooldown; they
            also override numbers that the log states.

    Raises:
        GameError: the file cannot be read, contains no turn with a status, or a parameter is not
            valid.
    """
    content, name = (
        (read_file(source, "a raid log"), str(source))
        if isinstance(source, str | Path)
        else (source, "")
    )
    told = chapters(content, name or "the log")
    first = next((c.status for c in told if c.status), None)
    if first is None:
        raise GameError(f"{name or 'the log'}: no turn states the hit points of boss and heroes")
    given = {
        "agents": list(first.heroes),
        "boss_hp": first.boss_full,
        "hero_hp": first.hero_full,
        "rounds": first.rounds,
    }
    return _replayed({key: x for key, x in given.items() if x} | dict(params or {}), told)


def _replayed(given: dict[str, Any], told: Sequence[Chapter]) -> RaidLog:
    """Replay a raid's log turn by turn; compare each replayed turn with the log."""
    game = RaidBattle(given)
    played = _Raid(game, told)
    differing = {one.row.where for one in played.differences}
    found = contributions(game.agents, played.record)
    return RaidLog(
        params=given,
        record=played.record,
        turns=[
            {"turn": chapter.turn, "matches": str(n) not in differing}
            | _beside(game, step.position, chapter)
            for n, (chapter, step) in enumerate(zip(told, played.steps, strict=False))
        ],
        mismatches=[
            {"turn": one.row.round, "what": one.what, "log": one.recorded, "ours": one.ours}
            for one in played.differences
        ],
        contributions=found,
        tally=_tally(game, told),
        notes=played.notes,
        shares={} if played.differences else _shares(found),
    )


def _shares(found: Mapping[str, Mapping[str, int]]) -> dict[str, float]:
    """Return agent → its share of all contributions; {} if no hero contributed."""
    total = sum(sum(kinds.values()) for kinds in found.values())
    return {a: float(Fraction(sum(k.values()), total)) for a, k in found.items()} if total else {}


def _tally(game: RaidBattle, told: Sequence[Chapter]) -> dict[str, dict[str, int]]:
    """Count damage, healing and redirected damage by the log's lines, independent of our rules.

    A redirected attack counts as the attack's full damage to all targets, minus the taunter's
    damage.
    """
    total = {agent: dict.fromkeys(CREDITED.values(), 0) for agent in game.agents}
    whole = game.params.strike * game.params.targets
    for chapter in told:
        stated = [(a, CREDITED["redirection"], whole - n) for a, n in chapter.redirected.items()]
        for agent, deed in chapter.deeds.items():
            if deed.skill != TAUNT:
                kind = CREDITED["healing" if deed.skill == HEAL else "damage"]
                stated.append((agent, kind, deed.amount))
        for agent, kind, amount in stated:
            if agent in total:
                total[agent][kind] += amount
    return total


_Fact = tuple[str, Any, Any]
"""The compared item, the log's value, and our value."""


class _Raid(Match):
    """A raid, replayed with the amounts that the dice gave in the log."""

    game: RaidBattle

    def __init__(self, game: RaidBattle, told: Sequence[Chapter]) -> None:
        self.told, self.notes = told, list[str]()
        super().__init__(game, [_rows(one, n, game.agents) for n, one in enumerate(told)])

    def choose(
        self, position: Position, rows: Sequence[Row]
    ) -> tuple[dict[str, str], list[Difference]]:
        """Return those logged actions that are legal by our rules; report the others."""
        told, actions = self.told[len(self.steps)], dict[str, str]()
        found = [Difference(rows[0], "the number of the turn", told.turn, position["turn"])]
        for row in rows:
            agent, skill, waits = row.agent, row.action, row.agent in told.on_cooldown
            legal = self.game.legal(position, agent) if agent in self.game.agents else []
            if skill in legal:
                actions[agent] = skill
            if waits and skill in legal:
                found.append(Difference(row, f"{agent}'s {TAUNT}", "on cooldown", "ready"))
            elif agent in told.deeds and skill not in legal and not (waits and legal):
                found.append(Difference(row, f"{agent}'s {skill}", "done", "not possible"))
        return actions, found

    def step(self, position: Position, actions: Mapping[str, str]) -> Step:
        """Return the turn with the log's amounts, which are 0 where the log has none."""
        deeds = self.told[len(self.steps)].deeds
        amounts = {agent: deed.amount for agent, deed in deeds.items()}
        return resolve(self.game.params, position, actions, lambda who, _: amounts.get(who, 0))

    def compare(self, before: Position, step: Step, rows: Sequence[Row]) -> list[Difference]:
        """Return the facts that the log states; note those that it does not."""
        told = self.told[len(self.steps) - 1]
        late = sum(effect["effect"] == "too_late" for effect in step.effects)
        known = told.deeds.keys() | told.declared.keys()
        silent = [a for a in self.game.agents if a not in known and self.game.legal(before, a)]
        ended = [("actions after the end", told.too_late, late)]
        if late < told.too_late <= late + len(silent):
            # The log gives no agent for actions after the killing blow; only speech names agents.
            ended.clear()
            self.notes.append(
                f"turn {told.turn}: who chose what in {told.too_late - late} of {told.too_late} "
                "actions after the end is not known: the log holds no speech of it"
            )
        stands = _standing(self.game, step.position, told)
        return [Difference(rows[0], *x) for x in (*_effects(told, step.effects), *ended, *stands)]


def _rows(told: Chapter, place: int, agents: Sequence[str]) -> list[Row]:
    """Return a turn's actions as rows; the log omits those after the end, but speech has them."""
    said = told.declared if told.too_late else {}
    acts = said | {agent: deed.skill for agent, deed in told.deeds.items()}
    return [
        Row(where=str(place), round=told.turn, agent=agent, action=acts.get(agent, ""))
        for agent in dict.fromkeys([*agents, *told.deeds])
    ]


def _effects(told: Chapter, effects: list[dict[str, Any]]) -> Iterator[_Fact]:
    by: dict[str, list[dict[str, Any]]] = {}
    for effect in effects:
        by.setdefault(effect["effect"], []).append(effect)
    targets = {effect["agent"]: effect["target"] for effect in by.get("healing", [])}
    for agent, deed in told.deeds.items():
        if deed.skill == HEAL:
            yield f"whom {agent} heals", deed.target, targets.get(agent)
    strikes = [[e["target"], e["amount"]] for e in by.get("strike", [])]
    yield "the boss's attack", told.strikes, strikes
    vain = {e["agent"] for e in by.get("taunt", []) if not e["effective"]}
    yield "taunts beside another", sorted(told.in_vain), sorted(vain)
    for line in told.unread:
        yield "a line", line, UNKNOWN


def _standing(game: RaidBattle, position: Position, told: Chapter) -> Iterator[_Fact]:
    heroes = position["heroes"]
    if status := told.status:
        yield "boss HP", status.boss, position["boss_hp"]
        for agent in game.agents:
            hp, cooldown = status.heroes.get(agent, (UNKNOWN, UNKNOWN))
            yield f"{agent}'s HP", hp, heroes[agent]["hp"]
            yield f"{agent}'s cooldown", cooldown, heroes[agent]["cooldown"]
        yield "living heroes", status.living, sum(hero["hp"] > 0 for hero in heroes.values())
    ours = "lost" if position["boss_hp"] else "won"
    yield "the end", told.end or "none", ours if game.over(position) else "none"


def _beside(game: RaidBattle, position: Position, told: Chapter) -> dict[str, Any]:
    """Return the state after a turn twice: as in the log, and as in our replay."""
    status, heroes = told.status, position["heroes"]
    said = status.heroes if status else {}

    def both(part: int, key: str) -> dict[str, Any]:
        return {
            a: {"log": said[a][part] if a in said else None, "ours": heroes[a][key]}
            for a in game.agents
        }

    return {
        "boss_hp": {"log": status.boss if status else None, "ours": position["boss_hp"]},
        "hero_hp": both(0, "hp"),
        "cooldowns": both(1, "cooldown"),
    }
