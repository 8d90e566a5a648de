"""Presets: the settings of papers' experiments under names, which a run's settings can give."""

from typing import Literal

from pydantic import JsonValue

PresetName = Literal["none", "shapley_coop_paper", "contracts_paper"]

_PLAIN: dict[str, JsonValue] = dict.fromkeys(("certificates", "duties", "outlook", "tools"), False)
"""Settings that leave computed facts about offers out of letters, as the papers' letters do."""

PRESETS: dict[str, dict[str, JsonValue]] = {
    "none": {},
    "shapley_coop_paper": _PLAIN,
    "contracts_paper": {**_PLAIN, "enforcement": "notional"},
}
"""Preset → the fields of `RunConfig` that it sets; fields given in the run override them."""
