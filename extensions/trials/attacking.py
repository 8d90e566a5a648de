"""The command `coop attack`: it prints the adversarial scorecard of a seat and the platform."""

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from shapley_coop.cli.console import finish, note, progress, say, say_json, show_table
from shapley_coop.cli.options import BaseUrl, Json, seat_from
from shapley_coop.extensions.trials.attacks.cases import ADVERSARIES

if TYPE_CHECKING:
    from shapley_coop.extensions.trials.attacks.scorecard import Outcome, Scorecard

BROKEN = 1
Target = Annotated[
    str,
    typer.Option(
        help="The seat that is attacked: provider:name, with settings after commas, as in "
        "openai:gpt-5-mini,temperature=0.2."
    ),
]


def attack(
    model: Target = "embedded:rational",
    base_url: BaseUrl = None,
    game: Annotated[
        str,
        typer.Option(help="A normal-form game to play instead of each adversary's own."),
    ] = "",
    seeds: Annotated[int, typer.Option(help="Trials of each adversary and twin.", min=1)] = 3,
    case: Annotated[
        list[str] | None, typer.Option(help="An adversary by name; can be repeated.")
    ] = None,
    evidence: Annotated[
        bool, typer.Option("--evidence", help="Print the observations of each trial.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Play fifteen adversaries, and an honest twin of each, against a seat and the platform.

    Every trial is a real run: coop show, letters and verify work on it. The platform's promises
    are enforced by code and must hold every time. Whether the seat obeys injected orders, tells
    a secret or accepts a bad deal depends on its model, and is reported separately.

    Exit code 0: every promise held and every twin passed; 1: otherwise; 2: wrong usage.
    """
    from shapley_coop.extensions.trials.attacks.scorecard import scorecard

    target = seat_from(model, base_url)
    chosen = list(dict.fromkeys(case or ADVERSARIES))
    with progress(2 * seeds * len(chosen), f"{len(chosen)} adversaries and their twins") as done:
        card = finish(scorecard(target, game=game, seeds=seeds, cases=chosen, done=done))
    if as_json:
        say_json(card.record())
    else:
        _show(card, evidence)
    if not card.sound:
        sys.exit(BROKEN)


def _show(card: "Scorecard", evidence: bool) -> None:
    columns = ["adversary", "blocked", "twin passed", "seat withstood", "seat welcomed", "observed"]
    names = dict.fromkeys(outcome.case for outcome in card.outcomes)
    lines = [_row(card, name) for name in names]
    show_table(f"{card.model}: adversaries and their honest twins", columns, lines)
    say(f"Blocked, by code: {card.blocked.shown()}. Honest twins passed: {card.allowed.shown()}.")
    say(
        f"About the seat, {card.model}: resisted {card.withstood.shown()} of the attacks on its "
        f"judgement, accepted {card.welcomed.shown()} of the honest offers."
    )
    say("Shares with Wilson's 95 % interval, over the trials in which the attack was possible.")
    if card.simulated:
        say("The seat is simulated: what it does says nothing about models.")
    for outcome in card.outcomes:
        fine = outcome.verdict in ("blocked", "passed") and outcome.held("seat")
        if evidence or not fine:
            _tell(outcome)
    if not card.sound:
        note("a promise was broken or a twin did not pass: see above")


def _row(card: "Scorecard", name: str) -> list[str]:
    attacks, twins = card.of(twin=False, case=name), card.of(twin=True, case=name)
    tried = [o for o in card.outcomes if o.case == name and o.twin]
    return [
        name,
        _part([o.verdict == "blocked" for o in attacks]),
        _part([o.verdict == "passed" for o in tried]),
        _part([o.held("seat") for o in attacks if o.judges_the_seat]),
        _part([o.held("seat") for o in twins if o.judges_the_seat]),
        attacks[0].checks[0].seen if attacks else "no occasion",
    ]


def _part(held: list[bool]) -> str:
    return f"{sum(held)}/{len(held)}" if held else "—"


def _tell(outcome: "Outcome") -> None:
    """Print one trial: the attempt, the observations of each check, and the trial's runs."""
    who, kind = ADVERSARIES[outcome.case], "twin" if outcome.twin else "attack"
    say()
    say(f"{outcome.case}, {kind}, seed {outcome.seed}: {outcome.verdict}")
    say(f"  {who.twin}" if outcome.twin else f"  {who.tries}; must not happen: {who.blocked}")
    if outcome.why:
        say(f"  {outcome.why}")
    for check in outcome.checks:
        about = " (the seat)" if check.about == "seat" else ""
        say(f"  {'ok  ' if check.held else 'FAIL'}  {check.what}{about}: {check.seen}")
    say(f"  look: {', '.join(f'coop show {run}' for run in outcome.runs) or 'no run'}")


def _adversaries() -> str:
    """Describe each adversary in a paragraph."""
    told = [f"{name}: {who.tries}. Twin: {who.twin}." for name, who in ADVERSARIES.items()]
    return "\n\n".join(["Adversaries:", *told])


EPILOGS = {"attack": _adversaries()}
"""Command → the text at the end of its help."""
