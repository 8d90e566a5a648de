"""The parser of a published raid log: it reads the lines and does not check them."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from shapley_coop.extensions.raid.rules import FIREBALL, HEAL, TAUNT
from shapley_coop.games.params import GameError

_TURN = re.compile(r"-*The game log of turn (\d+)-*")
_CAST = re.compile(r"(.+?) uses Fireball .* attacks on Boss for (\d+) damage(?: .+ the Boss !!!)?")
_HEAL = re.compile(r"(.+?) uses Heal(?:.* heals on (.+?) for (\d+) healing\.)?")
_TAUNT = re.compile(r"(.+?) uses Taunt .+ use Taunt")
_IN_VAIN = re.compile(r"(.+?) use Taunt, but the boss is already aggroed.*")
_ON_COOLDOWN = re.compile(r"(.+?) use Taunt, but this action is in cooltime.*")
_TOO_LATE = re.compile(r"Boss is dead, don't need to execute this action.*")
_ATTACK = re.compile(r"Boss (strikes|focuses) (.+?) for (\d+) damage\.")
_WON = re.compile(r"-*\s*Win the game!*")
_LOST = re.compile(r"-*\s*Fail to defeat the boss!*")
_SPEAKER = re.compile(r"(\S+) sa(?:id|ys) ")
_DECLARED = re.compile(r"(.+?) says and makes action in game turn (\d+):.*<s>(.*?)</s>", re.DOTALL)

_STATUS = "=== RAID BATTLE STATUS==="
_BOSS = re.compile(r"\[BOSS STATUS\]\s*- HP: (\d+)/(\d+)")
_PARTY = re.compile(r"\[PARTY STATUS\] \((\d+)/\d+ alive\)")
_HERO = re.compile(
    r"\[([^\]\n]+)\]\s*- Status: +(?:(\d+)/(\d+)|DEAD)[^\n]*\s*- Cooldowns: ([^\n]*)"
)
_COOLDOWN = re.compile(r"Taunt\((\d+)\)")
_ROUNDS = re.compile(r"MAX_round = (\d+)")


class Deed(NamedTuple):
    """A hero's action according to the log; `amount` is the result of the hero's dice."""

    skill: str
    amount: int = 0
    target: str | None = None


class Status(NamedTuple):
    """The state after a turn according to the log."""

    boss: int
    boss_full: int
    hero_full: int
    rounds: int
    living: int
    heroes: dict[str, tuple[int, int]]  # agent → hit points, turns until Taunt is ready


@dataclass
class Chapter:
    """One turn of a log; turns count from 1 here and from 0 in the log."""

    turn: int
    deeds: dict[str, Deed] = field(default_factory=dict)
    declared: dict[str, str] = field(default_factory=dict)
    in_vain: set[str] = field(default_factory=set)
    on_cooldown: set[str] = field(default_factory=set)
    too_late: int = 0
    strikes: list[list[Any]] = field(default_factory=list)
    redirected: dict[str, int] = field(default_factory=dict)  # taunter → damage that it took
    status: Status | None = None
    end: Literal["won", "lost"] | None = None
    unread: list[str] = field(default_factory=list)

    def read(self, line: str) -> None:
        """Parse one line of the turn."""
        if line.startswith("----The following is the state now"):
            self.status = _status(line)
            self.unread += [] if self.status else [line]
        elif found := _CAST.fullmatch(line):
            self.deeds[found[1]] = Deed(FIREBALL, int(found[2]))
        elif found := _HEAL.fullmatch(line):
            self.deeds[found[1]] = Deed(HEAL, int(found[3] or 0), found[2])
        elif found := _TAUNT.fullmatch(line):
            self.deeds[found[1]] = Deed(TAUNT)
        elif found := _IN_VAIN.fullmatch(line):
            self.deeds[found[1]] = Deed(TAUNT)
            self.in_vain.add(found[1])
        elif found := _ON_COOLDOWN.fullmatch(line):
            self.deeds[found[1]] = Deed(TAUNT)
            self.on_cooldown.add(found[1])
        elif found := _ATTACK.fullmatch(line):
            self.strikes.append([found[2], int(found[3])])
            if found[1] == "focuses":
                self.redirected[found[2]] = int(found[3])
        elif _TOO_LATE.fullmatch(line):
            self.too_late += 1
        elif _WON.fullmatch(line):
            self.end = "won"
        elif _LOST.fullmatch(line):
            self.end = "lost"
        elif not _TURN.fullmatch(line):
            self.unread.append(line)


def chapters(content: Any, name: str) -> list[Chapter]:
    """Return the turns of a log, in order, each with the heroes' declared actions.

    Args:
        content: a list of messages and turns: texts, or nested lists of texts.
        name: the log's name in error messages.

    Raises:
        GameError: the content is not a list, or contains no turn.
    """
    if not isinstance(content, Sequence) or isinstance(content, str):
        raise GameError(f"{name}: is not a list of messages and turns")
    found: list[Chapter] = []
    declared: dict[int, dict[str, str]] = {}
    speakers: set[str] = set()
    for lines in filter(None, map(_lines, content)):
        if begins := _TURN.match(lines[0]):
            found.append(Chapter(int(begins[1]) + 1))
            for line in lines:
                found[-1].read(line)
        elif speaker := _SPEAKER.match(lines[0]):
            speakers.add(speaker[1])
            if said := _DECLARED.match(lines[0]):
                declared.setdefault(int(said[2]) + 1, {})[said[1]] = said[3].strip()
    if not found:
        raise GameError(f"{name}: has no turn, which begins '--------The game log of turn 0---…'")
    for chapter in found:
        chapter.declared = declared.get(chapter.turn, {})
    _name_heroes(found, speakers)
    return found


def _lines(entry: Any) -> list[str]:
    """Return all texts of a nested entry; only a status keeps its line breaks."""
    return [text if _STATUS in text else " ".join(text.split()) for text in _texts(entry)]


def _texts(entry: Any) -> Iterator[str]:
    if isinstance(entry, str):
        yield entry
    elif isinstance(entry, Sequence):
        for part in entry:
            yield from _texts(part)


def _status(text: str) -> Status | None:
    boss, party, rounds = _BOSS.search(text), _PARTY.search(text), _ROUNDS.search(text)
    heroes = list(_HERO.finditer(text))
    if not (boss and party and heroes):
        return None
    full = max((int(hero[3]) for hero in heroes if hero[3]), default=0)
    return Status(
        boss=int(boss[1]),
        boss_full=int(boss[2]),
        hero_full=full,
        rounds=int(rounds[1]) if rounds else 0,
        living=int(party[1]),
        heroes={hero[1]: (int(hero[2] or 0), _wait(hero[4])) for hero in heroes},
    )


def _wait(cooldowns: str) -> int:
    found = _COOLDOWN.search(cooldowns)
    return int(found[1]) if found else 0


def _name_heroes(told: list[Chapter], speakers: set[str]) -> None:
    """Replace heroes' upper-case names in statuses by their names in actions and speech."""
    names = set(speakers)
    for chapter in told:
        names.update(chapter.deeds, chapter.declared, (target for target, _ in chapter.strikes))
    given = {name.upper(): name for name in sorted(names)}
    for chapter in told:
        if status := chapter.status:
            heroes = {given.get(name, name): stands for name, stands in status.heroes.items()}
            chapter.status = status._replace(heroes=heroes)
