"""The options of `coop run` that set fields of `RunConfig`, made from those fields.

An option takes its name, type, bounds, choices, default and help from its field, so that option
and field cannot drift apart. `RunConfig` imports heavy libraries, so the options are made only
when `coop run` is parsed or its help is shown, not for `coop --help`.
"""

import inspect
from functools import cache
from typing import TYPE_CHECKING, Annotated, Any, get_origin

import typer

from shapley_coop import extension
from shapley_coop.cli.helping import Command
from shapley_coop.cli.options import added_setting, pairs, words

if TYPE_CHECKING:
    from pydantic import BaseModel
    from pydantic.fields import FieldInfo

DECLARED_BY_RUN = ("game", "params", "seats", "personas", "digests", "extensions")
"""Fields without an option here: `playing.run` sets them from its arguments, or the run does."""

MOST_NEEDED = ("seed", "rounds", "norm", "enforcement", "renegotiate", "tools", "budget")
"""Fields whose options `coop run --help` shows; `--help-all` shows the options of all fields."""

ONE_OF = {"constraints": "--constraint"}
"""List field → its option, which is given once for each entry and has a singular name."""


WHOLE = "every option"
"""The key in the `meta` of a Typer context that records `--help-all`."""


def help_all(ctx: typer.Context, wanted: bool) -> None:
    """Print the help with every option and exit, if `--help-all` is given."""
    if wanted:
        ctx.meta[WHOLE] = True
        typer.echo(ctx.get_help())
        raise typer.Exit


class RunCommand(Command):
    """A command with the fields of `RunConfig` as additional options.

    The command's function finds the fields that were given, and their values, in `ctx.obj`.
    """

    def get_params(self, ctx: typer.Context) -> list[Any]:  # type: ignore[override]
        """Return the declared parameters and the options of fields and extensions."""
        return [*super().get_params(ctx), *_further()]

    def format_options(self, ctx: typer.Context, formatter: Any) -> None:  # type: ignore[override]
        """Write every option after `--help-all`; else the most needed ones and a hint."""
        whole = ctx.meta.get(WHOLE)
        for option in _further():
            option.hidden = not whole and option.name not in MOST_NEEDED
        super().format_options(ctx, formatter)
        if not whole:
            formatter.write_paragraph()
            formatter.write_text("coop run --help-all shows every option.")

    def invoke(self, ctx: typer.Context) -> Any:  # type: ignore[override]
        """Call the command's function with the given fields in `ctx.obj`."""
        from shapley_coop.state.run_config import RunConfig

        names = [option.name for option in _further()]
        # Only fields that were given, so that a preset can fill in the others.
        given = [n for n in names if _is_given(ctx, n)]
        values = {n: ctx.params.pop(n) for n in names}
        added = _settings()
        ctx.obj = {
            n: _added(added[n], values[n])
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

    return [*options_of(RunConfig), *_made([_added_option(*one) for one in _settings().items()])]


def _settings() -> dict[str, extension.Setting]:
    """Return the fields that extensions add to the run's configuration."""
    found = extension.installed().values()
    return {name: setting for one in found for name, setting in one.settings.items()}


def _added_option(name: str, setting: extension.Setting) -> inspect.Parameter:
    kind: Any = list[str] if setting.reads else setting.kind
    option = typer.Option(setting.flag, help=setting.help, rich_help_panel="Run configuration")
    default: Any = [] if setting.reads else setting.kind()
    keyword = inspect.Parameter.KEYWORD_ONLY
    return inspect.Parameter(name, keyword, default=default, annotation=Annotated[kind, option])


def _added(setting: extension.Setting, given: Any) -> Any:
    return added_setting(setting, given) if setting.reads else given


def options_of(model: "type[BaseModel]") -> list[Any]:
    """Return an option for each field that is not in `DECLARED_BY_RUN`."""
    fields = model.model_fields.items()
    return _made([_parameter(name, field) for name, field in fields if name not in DECLARED_BY_RUN])


def _made(declared: "list[inspect.Parameter]") -> list[Any]:
    """Return Typer's options for the parameters of a function."""

    def command(**_: Any) -> None: ...

    command.__signature__ = inspect.Signature(declared)  # type: ignore[attr-defined]
    app = typer.Typer(add_completion=False)
    app.command()(command)
    return list(typer.main.get_command(app).params)


def _parameter(name: str, field: "FieldInfo") -> inspect.Parameter:
    """Return a field as a function parameter from which Typer makes an option."""
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
        min=_bound(field, "ge"),
        max=_bound(field, "le"),
        rich_help_panel="Run configuration",
    )
    annotation: Any = Annotated[kind, option]
    keyword = inspect.Parameter.KEYWORD_ONLY
    return inspect.Parameter(name, keyword, default=default, annotation=annotation)


def _value(name: str, field: "FieldInfo", given: Any) -> Any:
    """Return the value of a field for the value that the command line gives its option."""
    if _model(field):
        return pairs(f"--{name}", given)
    return words(f"--{name}", given) if _is_prompt(field) else given


def _model(field: "FieldInfo") -> Any:
    """Return the pydantic model that is a field's type, or None."""
    return field.annotation if hasattr(field.annotation, "model_fields") else None


def _is_prompt(field: "FieldInfo") -> bool:
    extra = field.json_schema_extra
    return isinstance(extra, dict) and extra.get("langgraph_type") == "prompt"


def _bound(field: "FieldInfo", name: str) -> Any:
    return next((getattr(m, name) for m in field.metadata if hasattr(m, name)), None)
