"""`coop settle-git`: what a repository's history is worth to each contributor."""

from pathlib import Path
from typing import Annotated, Any

import typer

from shapley_coop.cli.console import finish, note, say, say_json, show_table, write_file
from shapley_coop.cli.options import Json, Weights


def settle_git(
    repo: Annotated[Path, typer.Argument(help="A git repository.")],
    range_: Annotated[str | None, typer.Option("--range", help="A..B: only these commits.")] = None,
    bounty: Annotated[str, typer.Option(help="What there is to divide.")] = "100",
    currency: Annotated[str, typer.Option(help="Of the bounty; only shown.")] = "",
    weights: Weights = None,
    rules: Annotated[Path | None, typer.Option(help="A file of rules on what counts.")] = None,
    mailmap: Annotated[
        bool, typer.Option(help="Count by the .mailmap, which whoever may commit can write.")
    ] = False,
    model: Annotated[
        str, typer.Option(help="The model that bargains for every contributor.")
    ] = "embedded:rational",
    agent: Annotated[
        list[str] | None, typer.Option(help="NAME=provider:name: the model that bargains for one.")
    ] = None,
    seed: Annotated[int, typer.Option(help="Of embedded agents.", min=0)] = 0,
    markdown: Annotated[Path | None, typer.Option(help="Write a comment ready to paste.")] = None,
    as_json: Json = False,
) -> None:
    """Split a bounty by what each contributor's commits are worth, then let them agree on it.

    Effective code, documents, fixes and decisions are counted from the history and weighed
    (weighted earned value); the contributors' seats then bargain over the split.
    """
    from shapley_coop.cli.git_report import markdown as as_markdown
    from shapley_coop.cli.git_report import settle_history
    from shapley_coop.cli.options import seats_from
    from shapley_coop.credit import WEIGHTS, read_weights
    from shapley_coop.games.repository import read_history, read_rules

    given = read_weights(weights) if weights else WEIGHTS
    history = read_history(repo, range_, mailmap, read_rules(rules) if rules else None)
    report = settle_history(history, bounty, currency, given)
    if len(report["contributors"]) > 1:
        report = _agreed(report, history, given, seats_from(model, agent), seed)
    if markdown:
        write_file(markdown, as_markdown(report), "--markdown")
        note(f"written to {markdown}")
    say_json(report) if as_json else _show(report)


def _show(report: dict[str, Any]) -> None:
    """The report as a table, with the reasons for each contributor's part."""
    from shapley_coop.cli.git_report import rows

    header, *body = rows(report)
    title = f"{report['commits']} commits of {report['repository']}: "
    show_table(f"{title}{report['bounty']} {report['currency']}".strip(), header, body)
    for name, one in report["contributors"].items():
        say(f"{name}: {'; '.join(one['reasons'])}")
    for remark in report["notes"]:
        say(remark)
    if report.get("simulated"):
        say("The bargaining was a simulation: embedded agents spoke for the contributors.")


def _agreed(
    report: dict[str, Any], history: Any, weights: Any, seats: dict[str, Any], seed: int
) -> dict[str, Any]:
    """The report on what the contributors agree on: long-term Shapley over the finished work."""
    from shapley_coop.amounts import to_micro
    from shapley_coop.cli.git_report import delivered_params, settle_history
    from shapley_coop.graphs.running import play
    from shapley_coop.state import RunConfig

    bounty, currency = report["bounty"], report["currency"]
    params = delivered_params(history, bounty, currency, weights)
    given = {"game": "delivered", "params": params, "seats": seats, "seed": seed}
    agreed = finish(play("settlement", RunConfig.model_validate(given)))
    payoffs = {name: to_micro(str(amount)) for name, amount in agreed["payoffs"].items()}
    found = settle_history(history, bounty, currency, weights, payoffs)
    return found | {"run": agreed["run"], "simulated": agreed["simulated"]}
