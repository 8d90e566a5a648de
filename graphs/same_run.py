"""Checks before a run is resumed: are workflow, configuration and seated objects unchanged?"""

from collections.abc import Mapping
from typing import Any

from shapley_coop.graphs.catalogue import version
from shapley_coop.seats.seat import is_object
from shapley_coop.state.resuming import models_of
from shapley_coop.state.storage.register import ENDED, Run


class OtherWorkflow(ValueError):
    """The error if an unfinished run began with another version of its workflow."""


class ConfigChanged(ValueError):
    """The error if a checkpoint's configuration differs from the one that the run began with."""


def check_same_config(run: Run, table: Mapping[str, Any]) -> bool:
    """Check that settings in a table or update equal the run's; return whether it has settings.

    Raises:
        ConfigChanged: the settings differ, because the checkpoint was exchanged or changed.
    """
    settings = table.get("settings")
    if settings is not None and settings != run.room:
        raise ConfigChanged(
            f"the checkpoint of {run.run} has another configuration than the run: it was "
            "exchanged or changed, so the run is not continued"
        )
    return settings is not None


def check_same_workflow(run: Run) -> None:
    """Check that the workflow of an unfinished run has the version that the run began with.

    Raises:
        OtherWorkflow: the run began with another version.
    """
    now = version(run.graph)
    if run.state != ENDED and run.workflow != now:
        raise OtherWorkflow(
            f"{run.run} began with version {run.workflow} of {run.graph}, and this coop has "
            f"version {now}: resume it with the earlier coop, or begin a new run"
        )


def check_objects(run: Run) -> None:
    """Check that Python objects at an unfinished run's seats exist in this process.

    Raises:
        ValueError: an object is missing; the message names it.
    """
    models = models_of(run)
    if run.state != ENDED and any(map(is_object, models.values())):
        from shapley_coop.seats.objects import check_seated

        check_seated(run.run, models)
