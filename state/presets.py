"""Presets: the settings of a paper's experiments, by a name that the record keeps."""

from typing import Literal

from pydantic import JsonValue

PresetName = Literal["none", "shapley_coop_paper", "contracts_paper"]

_PLAIN: dict[str, JsonValue] = dict.fromkeys(("certificates", "duties", "outlook", "tools"), False)
"""The papers' letters show none of what the program can compute of an offer."""

PRESETS: dict[str, dict[str, JsonValue]] = {
    "none": {},
    "shapley_coop_paper": _PLAIN,
    "contracts_paper": {**_PLAIN, "enforcement": "notional"},
}
"""Preset → the fields of `RunConfig` that it sets; a field given beside it counts."""
