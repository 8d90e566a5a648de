"""The configuration of a run, from which the game, the seats and the limits are built."""

from collections.abc import Mapping
from copy import deepcopy
from functools import cache
from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    GetJsonSchemaHandler,
    model_validator,
)
from pydantic_core import CoreSchema

from shapley_coop.credit.norms import find_norm, norms
from shapley_coop.deals.enforcement import Mode
from shapley_coop.seats.seat import Seat, as_seat, title_of
from shapley_coop.state.additions import added_fields, gather
from shapley_coop.state.budget import Budget
from shapley_coop.state.presets import PRESETS, PresetName

DEFAULT_SEAT = "*"
SUMMARISER, JUDGE = "summariser", "judge"
OUTSIDERS = (SUMMARISER, JUDGE)
"""The roles that are not parties: the summariser writes contracts, the judge judges breaches."""

ConstraintName = Annotated[
    str, Field(pattern=r"^(limited_liability|(cap|non_transferable|tax)=\d{1,9}(\.\d{1,6})?)$")
]
EXAMPLE_SEATS = {DEFAULT_SEAT: {"model": "embedded:rational"}}


def _known_norm(name: str) -> str:
    find_norm(name)
    return name


def _list_norms(schema: dict[str, Any]) -> None:
    """Add the names of the installed norms to the field's JSON schema, for Studio's form."""
    schema["enum"] = list(norms())


class RunConfig(BaseModel):
    """The graph's context: what is played, by whom, and within which limits.

    It is plain JSON. Only the node `open` reads it: `open` replaces names of files by contents, and
    writes the configuration to the table, which all other nodes read.
    """

    model_config = ConfigDict(extra="forbid", title="RunConfig", field_title_generator=title_of)

    game: str | dict[str, Any] = Field(
        default="escape_room",
        description="A game's name, a payoff file, such a file's content, or a Python file.",
    )
    params: dict[str, Any] = Field(
        default={}, title="Parameters", description="Parameters in place of the game's defaults."
    )
    seed: int = Field(
        default=0,
        ge=0,
        le=2**63 - 1,
        description="Seed of the game's dice and of embedded agents.",
    )
    preset: PresetName = Field(
        default="none",
        description="The settings of a paper's experiments: shapley_coop_paper (letters show no "
        "certificates and no duties), contracts_paper (also, contracts are notional) or "
        "task_exchange_paper (also, proposals are not repaired). Your own settings override it.",
    )
    instructions: str = Field(
        default="",
        max_length=20_000,
        description="Your own prompt, which every letter shows after the rules. It is public; put "
        "facts for a single agent into its secrets.",
        json_schema_extra={"langgraph_type": "prompt"},
    )
    seats: dict[str, Annotated[Seat, BeforeValidator(as_seat)]] = Field(
        default=EXAMPLE_SEATS,
        validate_default=True,
        description="Agent → its seat; '*' stands for every agent not named. In contracts, the "
        "'summariser' writes contracts down, and the 'judge' also reads the record.",
    )
    secrets: str = Field(
        default="",
        pattern=r"^[A-Za-z0-9_-]{0,64}$",
        description="The name of a file NAME.yaml in the home's folder `secrets`: agent → private "
        "text for that agent. The content is never copied to the table.",
    )
    personas: dict[str, Annotated[str, Field(max_length=20_000)]] = Field(
        default={},
        description="Agent → its character and aims, in words that only its own letters show. The "
        "table holds only a hash.",
    )
    prompts: str = Field(
        default="",
        max_length=500,
        description="A folder of templates (NAME.md) in place of the shipped ones; the record "
        "holds its hash.",
    )
    extensions: dict[str, dict[str, Any]] = Field(
        default={},
        description="Extension → its settings. Each setting can also be given as its own field.",
    )
    digests: dict[str, str] = Field(
        default={},
        description="Parameter → keyed digest of the file that it names, so that an edit of the "
        "file is noticed. The run fills it in.",
    )
    rounds: int = Field(default=3, ge=1, le=50, description="Rounds of talk in each bargaining.")
    norm: Annotated[str, AfterValidator(_known_norm)] = Field(
        default="shapley",
        description="The norm, which deals can name: shapley, leave_one_out, equal, proportional, "
        "or one of the extension values, such as banzhaf. It computes values from the record.",
        json_schema_extra=_list_norms,
    )
    absent: str = Field(
        default="",
        max_length=2_000,
        description="The baseline of credit: the action of an agent that takes no part. One "
        "action for all, 'Alice=wait, Bob=take', away, idle or random; empty: the game's own.",
        examples=["", "away", "defect"],
    )
    disagreement: Literal["signed", "norm"] = Field(
        default="signed",
        description="The outcome if the last bargaining ends without agreement: the signed "
        "contract, or the split by the norm.",
    )
    constraints: list[ConstraintName] = Field(
        default=[],
        description="Constraints on the final transfers, in order: limited_liability, cap=2.5 "
        "(the most that one pays), non_transferable=0.2 (part of earnings kept), tax=0.1 (of "
        "received amounts).",
        examples=[[], ["limited_liability"], ["cap=5"]],
    )
    enforcement: Mode = Field(
        default="enforced",
        description="How contracts are enforced: notional (due payments are only recorded), "
        "enforced (the ledger pays them), or escrow (also, deposits are forfeited at the first "
        "breach).",
    )
    deposit: str = Field(
        default="",
        pattern=r"^(\d{1,9}(\.\d{1,6})?)?$",
        description="Each party's deposit in escrow, in the game's unit; empty: the "
        "largest gain by a breach that can be computed in advance.",
        examples=["", "10"],
    )
    certificates: bool = Field(
        default=True,
        description="Whether letters about a draft contract show its certificate: its effect on "
        "every agent's incentives.",
    )
    duties: bool = Field(
        default=True,
        description="Whether letters that ask for an action also list the reader's current duties "
        "under the contract.",
    )
    renegotiate: str = Field(
        default="never",
        pattern=r"^(never|on_breach|every [1-9][0-9]{0,4})$",
        description="When the contract is bargained over again during play: never, on_breach, or "
        "'every 3' (turns).",
        examples=["never", "every 1", "on_breach"],
    )
    outlook: bool = Field(
        default=True,
        description="Whether letters show what an offer, or the deal in force, pays: if all keep "
        "it, if each breaks it, and without it. It changes what is measured: the papers' "
        "conditions switch it off.",
    )
    tools: bool = Field(
        default=False,
        description="Whether models that can call tools may ask the program about an offer, the "
        "record and values before they answer. It changes what is measured.",
    )
    tries: int = Field(
        default=3,
        ge=1,
        le=10,
        description="The most attempts at one message before its author passes.",
    )
    recall: int = Field(
        default=0,
        ge=0,
        le=10_000,
        description="Letters list at least so many of the latest events; at twice as many, the "
        "older half is summarised. 0 lists all.",
    )
    warm_cache: bool = Field(
        default=False,
        description="Of several agents asked at once, ask one first, so that the others' calls "
        "use the provider's prefix cache: cheaper with many agents, but slower by one call each "
        "time.",
    )
    budget: Budget = Field(
        default=Budget(),
        description="Limits of the run; 0: no limit. When one is reached, nobody is asked any "
        "more, and the run settles as usual; an agent that has used up its own part passes.",
    )
    deadline: float = Field(
        default=0,
        ge=0,
        le=31_536_000,
        description="The seconds that a person has for a reply before it counts as a pass; 0 sets "
        "no limit.",
    )

    @classmethod
    def model_json_schema(cls, *given: Any, **options: Any) -> dict[str, Any]:
        """Return pydantic's JSON schema, cached because LangGraph's server reads it at each run."""
        if not (given or options):
            return deepcopy(_schema(cls))
        return super().model_json_schema(*given, **options)

    @classmethod
    def __get_pydantic_json_schema__(
        cls, core: CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        """Return pydantic's schema with the fields that extensions add."""
        from shapley_coop.state.added_schema import added_properties

        found = handler(core)
        handler.resolve_ref_schema(found)["properties"] |= added_properties()
        return found

    @model_validator(mode="before")
    @classmethod
    def _preset(cls, given: Any) -> Any:
        """Add the preset's value of each setting that the configuration does not give."""
        preset = given.get("preset") if isinstance(given, Mapping) else None
        if preset not in PRESETS:
            return given
        found = {**PRESETS[preset], **given}
        if isinstance(own := given.get("params"), Mapping):
            found["params"] = {**PRESETS[preset].get("params", {}), **own}
        return found

    @model_validator(mode="before")
    @classmethod
    def _of_extensions(cls, given: Any) -> Any:
        """Move the fields that extensions add into the field `extensions`."""
        return gather(given) if isinstance(given, Mapping) else given

    @model_validator(mode="after")
    def _has_seats(self) -> "RunConfig":
        if not self.seats:
            raise ValueError("seats are empty: give at least '*'")
        return self

    def resolve(self) -> "RunConfig":
        """Return a copy with file contents in place of names, and with a seat for each agent.

        Raises:
            GameError: the game does not exist, or a parameter is wrong.
            ValueError: a seat names an agent that does not play, or an agent has no seat.
        """
        from shapley_coop.state.resolving import resolve_config
        from shapley_coop.state.settings import load_game

        return resolve_config(self, load_game(self))


@cache
def _schema(config: type[RunConfig]) -> dict[str, Any]:
    return super(RunConfig, config).model_json_schema()


def known_fields() -> list[str]:
    """Return the names of all fields of `RunConfig`, with the fields that extensions add."""
    return [*RunConfig.model_fields, *added_fields()]
