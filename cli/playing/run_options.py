"""The options of `coop run` that set fields of `RunConfig`, generated from these fields.

Name, type, bounds, choices, default and help come from the field, so options and fields cannot
differ. `RunConfig` imports heavy libraries, so the options are generated only when `run` is parsed
or its help is shown, and not for `coop --help`.
"""

import inspect
from functools import cache
from typing import TYPE_CHECKING, Annotated, Any, get_origin

import typer

from shapley_coop import extension
from shapley_coop.cli.console import note
from shapley_coop.cli.helping import Command
from shapley_coop.cli.options import added_setting, complete_games, complete_graphs, pairs, words

if TYPE_CHECKING:
    from pydantic import BaseModel
    from pydantic.fields import FieldInfo

USUAL = "shapley_coop"
"""The default workflow for games without a workflow of the same name."""

Played = Annotated[
    str,
    typer.Argument(
        help="A game's name, a payoff file (YAML or JSON), a Python file of your own, or "
        "pettingzoo:package.module:factory.",
        autocompletion=complete_games,
    ),
]
Workflow = Annotated[
    str,
    typer.Option(
        "--graph",
        "-g",
        help="The workflow; coop list shows them.",
        show_default=f"the workflow with the game's name, else {USUAL}",
        autocompletion=complete_graphs,
    ),
]
IdempotencyKey = Annotated[
    str,
    typer.Option(
        "--idempotency-key",
        help="A name for this request. The same request with this name continues its run, and "
        "another request with this name is refused.",
    ),
]

DECLARED_BY_RUN = ("game", "params", "seats", "personas", "digests", "extensions")
"""The fields without a generated option; `coop run` or the run itself sets these fields."""

MOST_NEEDED = ("seed", "rounds", "norm", "enforcement", "renegotiate", "tools", "budget")
"""The fields that `coop run --help` lists; `--help-all` lists every field."""

ONE_OF = {"constraints": "--constraint"}
"""Field with several entries → the singular name of its option, repeated for each entry."""


def workflow_of(game: str, graph: str) -> str:
    """Return the requested workflow, or if none is requested, the game's default workflow.

    Raises:
        ValueError: the given game's name belongs to a workflow and to no game.
    """
    from shapley_coop.games.catalogue import names as games
    from shapley_coop.graphs.catalogue import names as workflows

    if game in workflows() and game not in games():
        raise ValueError(f"{game} is a workflow, not a game: use coop run GAME --graph {game}")
    if graph or game not in workflows():
        return graph or USUAL
    note(f"{game} is a game and a workflow: playing it by that workflow; another: -g NAME")
    return game


def note_unknown(run: Any) -> None:
    """Note each action that an agent may never do and that the run's game does not have.

    It may be a typing error, and is no error: the limit may be meant for several games.
    """
    from shapley_coop.files import did_you_mean
    from shapley_coop.games.actions import told_actions
    from shapley_coop.state.additions import limits_of
    from shapley_coop.state.settings import config_of, game_of

    config = config_of(run.room)
    if not config.extensions:
        return
    game = game_of(run.room)
    for agent, actions in game.actions.items():
        for action in limits_of(config, agent).never:
            if action not in actions:
                meant = did_you_mean(action, told_actions(actions))
                note(f"{agent} may never do {action!a}, which {game.name} does not have{meant}")


WHOLE = "every option"
"""The key in a click context's `meta` that records that `--help-all` was given."""


def help_all(ctx: typer.Context, wanted: bool) -> None:
    """Print the help with every option and exit, if `--help-all` is given."""
    if wanted:
        ctx.meta[WHOLE] = True
        typer.echo(ctx.get_help())
        raise typer.Exit


class RunCommand(Command):
    """A command with the fields of `RunConfig` as additional options.

    The command's function reads the values given for these options from the click context's `obj`.
    """

    def get_params(self, ctx: typer.Context) -> list[Any]:  # type: ignore[override]
        """Return the declared options, the fields' options, and the extensions' options."""
        return [*super().get_params(ctx), *_further()]

    def format_options(self, ctx: typer.Context, formatter: Any) -> None:  # type: ignore[override]
        """Write the options that most people need, or with `--help-all` all options."""
        whole = ctx.meta.get(WHOLE)
        for option in _further():
            option.hidden = not whole and option.name not in MOST_NEEDED
        super().format_options(ctx, formatter)
        if not whole:
            formatter.write_paragraph()
            formatter.write_text("coop run --help-all shows every option.")

    def invoke(self, ctx: typer.Context) -> Any:  # type: ignore[override]
        """Call the command's function, with the fields' values in the context's `obj`."""
        from shapley_coop.state.run_config import RunConfig

        names = [option.name for option in _further()]
        # Fields whose option was not given must stay unset, so that a preset can set them.
        given = [n for n in names if _is_given(ctx, n)]
        values = {n: ctx.params.pop(n) for n in names}
        added = _settings()
        ctx.obj = {
            n: _extension_option(added[n], values[n])
            if n in added
            else _value(n, RunConfig.model_fields[n], values[n])
            for n in given
        }
        return super().invoke(ctx)


def _is_given(ctx: typer.Context, name: str) -> bool:
    source = ctx.get_parameter_source(name)
    return source is not None and source.name != "DEFAULT"


@cache
def _further() -> list[Any]:
    from shapley_coop.state.run_config import RunConfig

    return [*options_of(RunConfig), *_options([_added_option(*one) for one in _settings().items()])]


def _settings() -> dict[str, extension.Setting]:
    """Return the fields that extensions add to the run's configuration, by name."""
    found = extension.installed().values()
    return {name: setting for one in found for name, setting in one.settings.items()}


def _added_option(name: str, setting: extension.Setting) -> inspect.Parameter:
    kind: Any = list[str] if setting.reads else setting.kind
    option = typer.Option(setting.flag, help=setting.help, rich_help_panel="Run configuration")
    default: Any = [] if setting.reads else setting.kind()
    keyword = inspect.Parameter.KEYWORD_ONLY
    return inspect.Parameter(name, keyword, default=default, annotation=Annotated[kind, option])


def _extension_option(setting: extension.Setting, given: Any) -> Any:
    return added_setting(setting, given) if setting.reads else given


def options_of(model: "type[BaseModel]") -> list[Any]:
    """Return an option for each field that is not in `DECLARED_BY_RUN`."""
    fields = model.model_fields.items()
    return _options(
        [_parameter(name, field) for name, field in fields if name not in DECLARED_BY_RUN]
    )


def _options(declared: "list[inspect.Parameter]") -> list[Any]:
    """Return Typer's options for the parameters of a function."""

    def command(**_: Any) -> None: ...

    command.__signature__ = inspect.Signature(declared)  # type: ignore[attr-defined]
    app = typer.Typer(add_completion=False)
    app.command()(command)
    return list(typer.main.get_command(app).params)


def _parameter(name: str, field: "FieldInfo") -> inspect.Parameter:
    """Return one field as a parameter of a function's signature, which Typer can read."""
    kind, default, more = field.annotation, field.default, ""
    if get_origin(kind) is list:
        kind, default = list[str], []
    elif model := _model(field):
        names = ", ".join(f"{part}=N" for part in model.model_fields)
        kind, default, more = str, "", f" One or more of {names}; separate them by commas."
    elif _is_prompt(field):
        more = " @FILE reads it from a file."
    flag = ONE_OF.get(name) or f"--{name.replace('_', '-')}"
    option = typer.Option(
        flag if default is not True else f"{flag}/--no-{flag.removeprefix('--')}",
        help=f"{field.description}{more}",
        min=_bound_of(field, "ge"),
        max=_bound_of(field, "le"),
        rich_help_panel="Run configuration",
    )
    annotation: Any = Annotated[kind, option]
    keyword = inspect.Parameter.KEYWORD_ONLY
    return inspect.Parameter(name, keyword, default=default, annotation=annotation)


def _value(name: str, field: "FieldInfo", given: Any) -> Any:
    """Return a field's value, parsed from the option's text on the command line."""
    if _model(field):
        return pairs(f"--{name}", given)
    return words(f"--{name}", given) if _is_prompt(field) else given


def _model(field: "FieldInfo") -> Any:
    """Return the pydantic model that is the field's type, or None."""
    return field.annotation if hasattr(field.annotation, "model_fields") else None


def _is_prompt(field: "FieldInfo") -> bool:
    extra = field.json_schema_extra
    return isinstance(extra, dict) and extra.get("langgraph_type") == "prompt"


def _bound_of(field: "FieldInfo", name: str) -> Any:
    return next((getattr(m, name) for m in field.metadata if hasattr(m, name)), None)
