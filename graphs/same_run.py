"""Whether what is left of a run may be played on: by the same wiring, of the same configuration."""

from collections.abc import Mapping
from typing import Any

from shapley_coop.graphs.catalogue import version
from shapley_coop.seats.seat import is_object
from shapley_coop.state.resuming import models_of
from shapley_coop.state.storage.register import ENDED, Run


class OtherWorkflow(ValueError):
    """A run that has not ended began with another version of its workflow."""


class ConfigChanged(ValueError):
    """The checkpoint belongs to another configuration than the run was begun with."""


def check_same_config(run: Run, table: Mapping[str, Any]) -> bool:
    """Return whether a table, or an update of it, was set for this run; False where none is set.

    Raises:
        ConfigChanged: it was set for another configuration: the checkpoint was swapped or forged.
    """
    settings = table.get("settings")
    if settings is not None and settings != run.room:
        raise ConfigChanged(
            f"the checkpoint of {run.run} is of another configuration than the run's: it was "
            "swapped or changed, and is not played on"
        )
    return settings is not None


def check_same_workflow(run: Run) -> None:
    """Make sure that what is left of a run is played by the wiring that it began with.

    Raises:
        OtherWorkflow: it began with another version.
    """
    now = version(run.graph)
    if run.state != ENDED and run.workflow != now:
        raise OtherWorkflow(
            f"{run.run} began with version {run.workflow} of {run.graph}, and this coop has "
            f"version {now}: resume it with the coop that began it, or begin a new run"
        )


def check_objects(run: Run) -> None:
    """Make sure that the objects at a run's seats are here, before it is gone on with.

    Raises:
        ValueError: names what is missing.
    """
    models = models_of(run)
    if run.state != ENDED and any(map(is_object, models.values())):
        from shapley_coop.seats.objects import check_seated

        check_seated(run.run, models)
