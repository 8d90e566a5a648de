"""The commands `coop import rounds`, `coop import raid-log` and `coop import company-log`."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from shapley_coop.cli.console import progress, say, say_json, show_table
from shapley_coop.cli.options import Json, SetPairs, settings_from
from shapley_coop.extensions.studies.shared import say_some
from shapley_coop.extensions.wev.command import DataFile, show_earned

if TYPE_CHECKING:
    from fractions import Fraction

    from shapley_coop.extensions.studies.company_log import RecordedCompany

File = Annotated[
    Path,
    typer.Argument(
        help="A CSV file with the columns match, round, agent, action and points, or a .jsonl file "
        "of objects with these keys: a row for each agent and round."
    ),
]


def rounds(
    file: File,
    game: Annotated[str, typer.Option("--game", "-g", help="The game: its name or its file.")],
    contract: Annotated[
        Path | None,
        typer.Option(help="A contract in force in every match; points are after its payments."),
    ] = None,
    value: Annotated[str, typer.Option(help="A norm: shapley, equal, …")] = "shapley",
    seed: Annotated[int, typer.Option(help="The seed of the game's dice.")] = 0,
    set_: SetPairs = None,
    as_json: Json = False,
) -> None:
    """Replay recorded rounds by a game's rules: differences, baseline, credit and breaches.

    Every recorded action is played, and each agent's points are compared. Baseline and credit are
    sums over the matches without differences.

    Exit code 0: all rounds agree; 1: some differ; 2: wrong usage.
    """
    from shapley_coop.extensions.studies.rounds import read_rounds
    from shapley_coop.extensions.studies.rounds_replay import Match, report
    from shapley_coop.games import load
    from shapley_coop.games.catalogue import title

    world = load(game, settings_from(set_), seed)
    given, deal = read_rounds(file, world), None
    if contract:
        from shapley_coop.extensions.signing.files import deal_in

        deal = deal_in(contract, world)
    with progress(2 * len(given), f"matches of {file.name}") as moved:
        found = dict[str, Match]()
        for name, played in given.items():
            found[name] = Match(world, played, deal)
            moved()
        told = report(world, found, value, moved)
    say_json(told) if as_json else _show(f"{file.name}, replayed by {title(game)}", told)
    if told["differences"]:
        raise typer.Exit(1)


def _show(title: str, told: dict[str, Any]) -> None:
    columns = ["recorded", "ours", "baseline", "credit"]
    lines = [
        [agent, *(one[key] or "—" for key in columns)] for agent, one in told["agents"].items()
    ]
    show_table(title, ["agent", *columns], lines)
    if told["credited"]:
        say(f"credit by {told['norm']}, matches: {told['credited']}; {told['baseline']}")
    if told["warning"]:
        say(f"warning: {told['warning']}")
    say_some(
        f"{one['where']}: {_in_match(one)}round {one['round']}: {one['what']}: recorded "
        f"{one['recorded']}, ours {one['ours']}"
        for one in told["differences"]
    )
    say_some(f"breach of {x['clause']}: {_in_match(x)}{x['evidence']}" for x in told["breaches"])
    say(
        f"{told['differing']} of {told['rounds']} rounds differ, in "
        f"{told['matches'] - told['agreeing']} of {told['matches']} matches"
    )


def _in_match(one: dict[str, Any]) -> str:
    return f"match {one['match']}, " if one["match"] else ""


KINDS = ("damage", "healing", "taunt")


def raid_log(file: DataFile, set_: SetPairs = None, as_json: Json = False) -> None:
    """Replay a published Raid Battle log by our rules, and value each hero's contribution.

    --set gives numbers that the log does not state, such as cooldown=4 or damage=[100, 300].

    Exit code 0: our rules and the log agree; 1: they differ, and no shares are computed; 2: wrong
    usage.
    """
    from shapley_coop.extensions.studies.raid_log import import_raid_log

    log = import_raid_log(file, settings_from(set_))
    if as_json:
        say_json(log.report())
    else:
        _show_raid(f"contributions in {file.name}, {len(log.record)} turns", log)
    if log.mismatches:
        raise typer.Exit(1)


def _show_raid(title: str, log: Any) -> None:
    """Print the contributions by the log and by our rules, the differences, and notes."""
    lines = [
        [
            hero,
            *(f"{log.tally[hero][kind]} / {made[kind]}" for kind in KINDS),
            f"{log.shares[hero]:.2%}" if log.shares else "—",
        ]
        for hero, made in log.contributions.items()
    ]
    show_table(title, ["hero", *(f"{kind}: log / ours" for kind in KINDS), "share"], lines)
    for wrong in log.mismatches:
        say(f"turn {wrong['turn']}: {wrong['what']}: log {wrong['log']}, ours {wrong['ours']}")
    for note in log.notes:
        say(note)
    say(f"{len(log.mismatches)} mismatches between the log and our rules")
    if log.mismatches:
        say("no shares: our rules play another raid than the log tells; --set gives other numbers")


Negotiation = Annotated[
    Path | None,
    typer.Option(
        help="The negotiation that belongs to the log; by default …-negotiation.json beside "
        "…-log.json."
    ),
]


def company_log(file: DataFile, negotiation: Negotiation = None, as_json: Json = False) -> None:
    """Read a published software-company log: the artefacts that it states, and their earned value.

    It also reads a negotiation, alone or beside a log: each role's demands, and the final decision.
    """
    from shapley_coop.extensions.studies.company_log import import_company_log
    from shapley_coop.extensions.wev.report import wev_report

    company = import_company_log(file, negotiation)
    report = wev_report(company.artefacts(), company.rewards or None) if company.entries else {}
    if as_json:
        say_json(
            {
                "task": company.task,
                **report,
                "talk": len(company.messages),
                "rewards": _percent(company.rewards),
                "negotiation": [
                    {"by": said.by, "round": said.round, "split": _percent(said.split or {})}
                    for said in company.messages
                ],
                "missing": company.missing,
            }
        )
        return
    if company.entries:
        show_earned(f"weighted earned value in {file.name}, in percent", report)
    if company.messages:
        _show_talk(f"the negotiation of {file.name}, in percent", company)
    for lack in company.missing:
        say(f"not known: {lack}")


def _percent(split: "Mapping[str, Fraction]") -> dict[str, float]:
    return {role: float(part) for role, part in split.items()}


def _show_talk(title: str, company: "RecordedCompany") -> None:
    """Print each role's demands, what other roles offered it, and its final share."""
    lines = []
    splits = [said for said in company.messages if said.split and said.round]
    for role in company.evidence:
        own = [x.split[role] for x in splits if x.split and x.by == role and role in x.split]
        others = [x.split[role] for x in splits if x.split and x.by != role and role in x.split]
        decided = company.rewards.get(role)
        lines.append(
            [role, _range(own), _range(others), "—" if decided is None else f"{float(decided):g}"]
        )
    show_table(title, ["role", "asked for itself", "offered by others", "decided"], lines)


def _range(parts: "Sequence[Fraction]") -> str:
    if not parts:
        return "—"
    low, high = float(min(parts)), float(max(parts))
    return f"{low:g}" if low == high else f"{low:g}–{high:g}"
