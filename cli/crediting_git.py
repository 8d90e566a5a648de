"""`coop settle-git`: what a repository's history is worth to each contributor."""

from pathlib import Path
from shlex import quote
from typing import Annotated, Any

import typer

from shapley_coop.cli.console import note, progress, say, say_json, show_table, write_file
from shapley_coop.cli.options import Json, NoSandbox, Weights


def settle_git(
    repo: Annotated[Path, typer.Argument(help="A git repository.")],
    range_: Annotated[str | None, typer.Option("--range", help="A..B: only these commits.")] = None,
    bounty: Annotated[str, typer.Option(help="What there is to divide.")] = "100",
    currency: Annotated[str, typer.Option(help="Of the bounty; only shown.")] = "",
    weights: Weights = None,
    rules: Annotated[
        Path | None, typer.Option(help="A file of rules on what counts; docs/settle-git.md.")
    ] = None,
    mailmap: Annotated[
        Path | None,
        typer.Option(
            help="A file that says which addresses are one person's; the repository's own, which "
            "whoever may commit can write, counts only if it is named here."
        ),
    ] = None,
    model: Annotated[
        str,
        typer.Option(
            help="Who answers for every contributor: human, or a model; if not given, "
            "embedded:rational, and human with --for-payment."
        ),
    ] = "",
    agent: Annotated[
        list[str] | None,
        typer.Option(help="NAME=human or NAME=provider:name: who answers for one contributor."),
    ] = None,
    seed: Annotated[int, typer.Option(help="Of embedded agents.", min=0)] = 0,
    for_payment: Annotated[
        bool, typer.Option("--for-payment", help="Money is meant: refuse every simulated seat.")
    ] = False,
    serve: Annotated[
        str, typer.Option(help="HOST:PORT: serve a seat page for each person, and print its link.")
    ] = "",
    deadline: Annotated[
        float, typer.Option(help="Seconds that a person has for a reply; 0 is none.", min=0)
    ] = 0,
    score: Annotated[
        str,
        typer.Option(
            help="A command that scores the repository, run in the sandbox on what is left "
            "without each contributor's commits."
        ),
    ] = "",
    unsafe: NoSandbox = False,
    explain: Annotated[
        bool, typer.Option("--explain", help="Say for what each unit of money is paid.")
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Count and divide; ask nobody, write nothing.")
    ] = False,
    markdown: Annotated[Path | None, typer.Option(help="Write a comment ready to paste.")] = None,
    as_json: Json = False,
) -> None:
    """Split a bounty by what each contributor's commits are worth, then let them agree on it.

    Effective code, documents, mended lines and decisions are counted from the history and weighed
    (weighted earned value); the contributors' seats then bargain over the split. Where people
    answer, the same command goes on with the same bargaining.
    """
    if dry_run and (markdown or serve):
        raise ValueError("--dry-run asks nobody and writes nothing: leave --markdown, --serve out")
    from shapley_coop.cli.git_report import markdown as as_markdown
    from shapley_coop.cli.settling_git import Settling

    chosen = model or ("human" if for_payment else "embedded:rational")
    settling = Settling.of(repo, range_, mailmap, rules, weights, bounty, currency)
    settling.seated(chosen, agent, seed, deadline, for_payment)
    report = settling.report() if dry_run else settling.agreed(serve)
    if score:
        with progress(0, "coalitions of contributors") as done:
            report["without"] = settling.without(score, unsafe, done)
    if explain:
        report["account"] = settling.account(report)
    if markdown:
        write_file(markdown, as_markdown(report), "--markdown")
        note(f"written to {markdown}")
    say_json(report) if as_json else _show(report)


def _show(report: dict[str, Any]) -> None:
    """The report as tables, with the reasons for each contributor's part and who agreed to it."""
    from shapley_coop.cli.git_report import rows, without_rows
    from shapley_coop.cli.settling_account import account_rows
    from shapley_coop.cli.settling_consent import consent_words

    header, *body = rows(report)
    title = f"{report['commits']} commits of {report['repository']}: "
    show_table(f"{title}{report['bounty']} {report['currency']}".strip(), header, body)
    if "account" in report:
        header, *body = account_rows(report["account"])
        show_table("for what it is paid", header, body)
    else:
        for name, one in report["contributors"].items():
            say(f"{name}: {'; '.join(one['reasons'])}")
    if "without" in report:
        header, *body = without_rows(report["without"])
        all_ = f"all together {report['without']['score']:g}"
        show_table(f"by {report['without']['command']}: {all_}", header, body)
    for remark in [*report["notes"], *consent_words(report)]:
        say(remark)
    if waiting := report.get("consent", {}).get("waiting"):
        run = report["consent"]["run"]
        command = f"coop answer {run} {quote(waiting[0])}"
        note(f"waits for {', '.join(waiting)}: {command}; then this again")
