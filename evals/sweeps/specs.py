"""What a suite says of its report: tables and figures, as its file has them."""

from pydantic import BaseModel, ConfigDict, Field


class Part(BaseModel):
    """Anything in a suite's file."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Printed(Part):
    """The values of one row as the source prints them."""

    row: dict[str, str] = Field(description="Axis → label: the row that it belongs to.")
    values: dict[str, str] = Field(description="Column → what is printed.")


class TableSpec(Part):
    """How the report lays a suite out: a row for each combination of some axes."""

    title: str
    rows: list[str] = Field(default=[], description="Axes; all of them unless given.")
    where: dict[str, str] = Field(default={}, description="Axis → label: of these runs alone.")
    columns: list[str] = Field(min_length=1, description="Measures: see `evals.measures`.")
    source: str = Field(default="", description="Whose printed values stand beside, or whose idea.")
    printed: list[Printed] = []


class FigureSpec(Part):
    """One figure of the report: see `evals.reports.figures`."""

    kind: str
    title: str
    by: list[str] = Field(default=[], description="Axes; all of them unless given.")
    where: dict[str, str] = Field(default={}, description="Axis → label: of these runs alone.")
    columns: list[str] = Field(default=[], description="Measures, where the kind needs some.")
