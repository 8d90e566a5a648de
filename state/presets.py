"""Presets: the settings of a paper's experiments, by a name that the record keeps."""

from typing import Literal

from pydantic import JsonValue

PresetName = Literal["none", "shapley_coop_paper", "contracts_paper"]

PRESETS: dict[str, dict[str, JsonValue]] = {
    "none": {},
    "shapley_coop_paper": {"certificates": False, "duties": False},
    "contracts_paper": {"enforcement": "notional", "certificates": False, "duties": False},
}
"""Preset → the fields of `RunConfig` that it sets; a field given beside it counts."""
