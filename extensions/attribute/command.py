"""The commands `coop attribute` and `coop attribute-summary`, with their options."""

import json
import sys
from contextlib import redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from shapley_coop import extension
from shapley_coop.cli.console import say, say_lines
from shapley_coop.cli.options import Currency, Json, PriceFile, prices_from, with_options_of
from shapley_coop.extras import is_installed, missing_library

if TYPE_CHECKING:
    from shapley_coop.extensions.attribute.result import AppCredit

App = Annotated[
    str, typer.Argument(help="path.py:graph or package.module:graph, a StateGraph; or demo.")
]
Agents = Annotated[
    str,
    typer.Option(
        help="The agents, separated by commas: nodes, team/writer for a node of a subgraph, tools "
        "that wrap an agent, sub-agents of Deep Agents. If not given, they are found in a run."
    ),
]
Input = Annotated[
    Path | None, typer.Option("--input", help="in.json: one input or a list; or inputs.jsonl.")
]
Score = Annotated[
    str,
    typer.Option(help="path.py:score: a function of the final state (and optionally the input)."),
]
Absent = Annotated[
    list[str] | None,
    typer.Option(
        help="Stand-ins for absent agents: blank, silent, path.py:function, or "
        "model:provider:name; AGENT=… for one agent."
    ),
]
Keep = Annotated[
    str,
    typer.Option(
        help="Keys of the state, such as a counter, that stand-ins write as the agents did."
    ),
]
Samples = Annotated[int, typer.Option(help="How often each coalition plays each input.", min=1)]
Value = Annotated[
    str,
    typer.Option(
        help="shapley, banzhaf, leave-one-out, …; if not given, leave-one-out first, then Shapley "
        "values if you confirm them, or without a terminal if --max-calls allows them."
    ),
]
Yes = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask for confirmation.")]
Advise = Annotated[
    bool,
    typer.Option(
        "--advise",
        help="Advise for each agent whether to keep it, remove it, use a cheaper model, or play "
        "more inputs. The changes are played after leave-one-out.",
    ),
]
Cheaper = Annotated[
    str,
    typer.Option(
        help="With --advise: cheaper models to try in place of the agents' own, provider:name or "
        "path.py:model, separated by commas."
    ),
]
MayLose = Annotated[
    float,
    typer.Option(
        help="With --advise: the fraction of v(N) − v(∅) that a change may lose.", min=0, max=1
    ),
]
Fresh = Annotated[
    str,
    typer.Option(
        help="The agents whose tools may act again: toolless (no agents), all, or nodes, separated "
        "by commas; none: no new calls. If not given: none with --trace, else toolless."
    ),
]
SafeTools = Annotated[
    str, typer.Option(help="Tools that may act again because they change nothing.")
]
MaxCalls = Annotated[
    int | None,
    typer.Option(
        help="The most new agent calls that ask a model: by default 200, or 100,000 for demo. Of "
        "other calls, at least 2,000 are allowed.",
        min=1,
    ),
]
DEFAULT_CALLS, FREE_CALLS = 200, 100_000
MaxSteps = Annotated[
    int | None,
    typer.Option(
        help="The most steps of one play; if not given, the app's own limit, or 100.", min=1
    ),
]
ExactUpTo = Annotated[
    int, typer.Option(help="The most agents for which all coalitions are played.", min=1)
]
Trace = Annotated[
    Path | None, typer.Option(help="A LangSmith export; its node runs are not repeated.")
]
Context = Annotated[Path | None, typer.Option(help="A file with the app's context.")]
Config = Annotated[
    Path | None, typer.Option(help="A file with the app's config, such as {configurable: …}.")
]
Answers = Annotated[
    str,
    typer.Option(
        help="Answers to nodes that call interrupt: a file of {node: answer}, or path.py:function "
        "of the interrupt's value."
    ),
]
Cache = Annotated[Path | None, typer.Option(help="The file of kept calls.")]
Version = Annotated[
    str,
    typer.Option(help="A version label for prompts and models that the app's files do not show."),
]
Bounty = Annotated[str, typer.Option(help="An amount to divide in proportion to the values.")]
Bargain = Annotated[
    str,
    typer.Option(
        help="human, or provider:name: ask the agents' owners whether they agree to the division."
    ),
]
Forecast = Annotated[
    bool, typer.Option(help="Only print how many agent calls the command would make; run nothing.")
]
Out = Annotated[Path | None, typer.Option("--out", "-o", help="Write an HTML page.")]


@dataclass(frozen=True)
class Options:
    """The options of `coop attribute`."""

    app: App
    agents: Agents = ""
    input_: Input = None
    score: Score = ""
    absent: Absent = None
    keep: Keep = ""
    samples: Samples = 1
    value: Value = ""
    yes: Yes = False
    advise: Advise = False
    cheaper: Cheaper = ""
    may_lose: MayLose = 0.05
    fresh: Fresh = ""
    safe_tools: SafeTools = ""
    max_calls: MaxCalls = None
    max_steps: MaxSteps = None
    exact_up_to: ExactUpTo = 8
    trace: Trace = None
    context: Context = None
    config: Config = None
    answers: Answers = ""
    cache: Cache = None
    version: Version = ""
    prices: PriceFile = None
    bounty: Bounty = ""
    currency: Currency = ""
    bargain: Bargain = ""
    forecast: Forecast = False
    as_json: Json = False
    out: Out = None


@with_options_of(Options)
def attribute(options: Options) -> None:
    """Divide the score of a LangGraph app among its agents, by running it without some of them.

    The app runs once with all agents, then without each agent in turn (leave-one-out), then without
    several (Shapley values). Stand-ins replace the absent agents on a copy of the app. Calls are
    kept, so a second run makes no calls.
    """
    if not is_installed("scipy"):
        raise missing_library("an interval of coop attribute", "scipy", "attribute")
    if (options.currency or options.bargain) and not options.bounty:
        raise ValueError("--currency and --bargain are about a bounty: add --bounty AMOUNT")
    if options.bounty and "bounty" not in extension.installed():
        raise ValueError(f"--bounty {options.bounty} needs the extension bounty: see coop list")
    from shapley_coop.extensions.attribute import given, running

    with redirect_stdout(sys.stderr):  # what the app and its scorer print is no result
        asked = running.asked(
            options.app, options.agents, options.input_, options.score, options.trace
        )
        settings = _settings(options)
        foretold = running.foretold(asked, settings) if options.forecast else ""
        credit = None if foretold else _play(asked, settings, options)
    if credit is None:
        say(foretold)
        return
    report, why = credit.as_json(), ""
    if options.bounty:
        files = given.texts_of(options.input_, options.trace)
        work = json.dumps([options.app, str(settings["version"]), *files, *credit.agents])
        why = running.divide(report, options.bounty, options.currency, options.bargain, work)
    running.tell(credit, report, options.app, options.as_json, options.out)
    if lacking := why or running.lacking(credit):
        raise ValueError(lacking)


def _play(asked: Any, settings: dict[str, Any], options: Options) -> "AppCredit":
    """Play the app with its settings, and return the credit of its agents."""
    from shapley_coop.extensions.attribute import running

    asks, fresh = sys.stdin.isatty() and not options.yes, options.fresh
    return running.attributed(
        asked,
        settings,
        may_go_on="value" not in settings or (settings["advise"] and asks),
        asks=asks,
        acts=options.app != running.DEMO and fresh != "none" and bool(fresh or not options.trace),
    )


def _settings(options: Options) -> dict[str, Any]:
    """Return the settings of an attribution; without `value`, they leave the values open."""
    from shapley_coop.extensions.attribute import given, running

    advise = options.advise or bool(options.cheaper)
    calls = FREE_CALLS if options.app == running.DEMO else DEFAULT_CALLS
    value = options.value or ("leave-one-out" if advise else "")
    as_given = ("samples", "cache", "trace", "may_lose", "max_steps", "exact_up_to")
    return {
        **{name: getattr(options, name) for name in as_given},
        **({"value": value} if value else {}),
        "advise": advise,
        "cheaper": given.models_of(options.cheaper),
        "max_calls": options.max_calls or calls,
        "absent": given.absent_of(options.absent or []),
        "keep": given.listed(options.keep),
        "fresh": given.fresh_of(options.fresh),
        "safe_tools": given.listed(options.safe_tools),
        "version": options.version + given.file_text(options.app),
        "answers": given.answers_of(options.answers),
        **given.files_of(context=options.context, config=options.config),
        "prices": prices_from(options.prices),
    }


def attribute_summary(
    after: Annotated[Path, typer.Argument(help="The output of `coop attribute --json`.")],
    before: Annotated[
        Path | None, typer.Option(help="The same output of an earlier version, to compare with.")
    ] = None,
) -> None:
    """Print an attribution as Markdown for a pull request, compared with an earlier version.

    An asterisk marks agents whose 95 % intervals before and after do not overlap.
    """
    from shapley_coop.extensions.attribute.summary import markdown, read

    say_lines(markdown(read(after), read(before) if before else None))
