"""The command `coop settle-git`: it divides a bounty among a git history's contributors."""

from typing import Any

from shapley_coop.cli.console import note, progress, say, say_json, show_table, write_file
from shapley_coop.cli.options import Currency, Json, NoSandbox, Port, Weights
from shapley_coop.cli.playing.people import LOOPBACK, Host, Serve, Serving
from shapley_coop.extensions.bounty import options as of
from shapley_coop.extensions.people.tables import stay


def settle_git(
    repo: of.Repo,
    range_: of.Range = None,
    bounty: of.Bounty = "100",
    currency: Currency = "",
    weights: Weights = None,
    rules: of.Rules = None,
    mailmap: of.Mailmap = None,
    model: of.Model = "",
    agent: of.Agents = None,
    seed: of.Seed = 0,
    for_payment: of.ForPayment = False,
    serve: Serve = False,
    host: Host = LOOPBACK,
    port: Port = 0,
    deadline: of.Deadline = 0,
    score: of.Score = "",
    unsafe: NoSandbox = False,
    explain: of.Explain = False,
    dry_run: of.DryRun = False,
    markdown: of.Markdown = None,
    as_json: Json = False,
) -> None:
    """Split a bounty by the value of each contributor's commits, and ask whether they agree.

    Effective code, documents, mended lines and decisions are counted from the history and weighed
    (weighted earned value). Each contributor's seat then accepts this split, objects, or makes a
    counter-offer. If the run waits for people, the same command resumes it later.
    """
    from shapley_coop.extensions.bounty.settling import Settling

    where = _place(dry_run, markdown, Serving(serve, host, port))
    settling = Settling.of(repo, range_, mailmap, rules, weights, bounty, currency)
    settling.seated(model, agent, seed, deadline, for_payment)
    report = settling.report() if dry_run else settling.agreed(where)
    if score:
        with progress(0, "coalitions of contributors") as done:
            report["without"] = settling.without(score, unsafe, done)
    report |= {"account": settling.account(report)} if explain else {}
    _tell(report, markdown, as_json, settling.pages)


def _place(dry_run: bool, markdown: of.Markdown, serving: Serving) -> Serving:
    """Return where people's pages are served; refuse options that a dry run excludes."""
    if dry_run and (markdown or serving.wanted):
        raise ValueError("--dry-run asks nobody and writes nothing: leave out --markdown, --serve")
    return serving.check_place()


def _tell(report: dict[str, Any], markdown: of.Markdown, as_json: bool, pages: Any) -> None:
    """Write the comment, and print the report; people read it on their pages until Ctrl-C."""
    from shapley_coop.extensions.bounty.tables import markdown as as_markdown

    if markdown:
        write_file(markdown, as_markdown(report), "--markdown")
        note(f"written to {markdown}")
    say_json(report) if as_json else _show(report)
    if pages:
        stay()


def _show(report: dict[str, Any]) -> None:
    """Print the report as tables, with the reasons for each amount and who agreed."""
    from shapley_coop.extensions.bounty.account import account_rows
    from shapley_coop.extensions.bounty.consent import consent_words
    from shapley_coop.extensions.bounty.once import earlier, still_asked
    from shapley_coop.extensions.bounty.tables import rows, why, without_rows

    header, *body = rows(report)
    title = f"{report['commits']} commits of {report['repository']}: "
    show_table(f"{title}{report['bounty']} {report['currency']}".strip(), header, body)
    if "account" in report:
        header, *body = account_rows(report["account"])
        show_table("for what it is paid", header, body)
    for name, words in why(report, earned="account" not in report).items():
        say(f"{name}: {words}")
    if "without" in report:
        header, *body = without_rows(report["without"])
        all_ = f"all together {report['without']['score']:g}"
        show_table(f"by {report['without']['command']}: {all_}", header, body)
    for remark in [*report["notes"], *consent_words(report)]:
        say(remark)
    found = report.get("consent", {})
    for told in filter(None, (still_asked(found), earlier(found))):
        note(told)
