"""Presets: the settings of papers' experiments, which a run's setting `preset` names."""

from typing import Any, Literal

PresetName = Literal["none", "shapley_coop_paper", "contracts_paper", "task_exchange_paper"]

_PLAIN: dict[str, Any] = dict.fromkeys(("certificates", "duties", "outlook", "tools"), False)
"""Settings that leave computed facts about offers out of letters, as the papers' letters do."""

PRESETS: dict[str, dict[str, Any]] = {
    "none": {},
    "shapley_coop_paper": _PLAIN,
    "contracts_paper": {**_PLAIN, "enforcement": "notional"},
    "task_exchange_paper": {**_PLAIN, "params": {"exact": True}},
}
"""Preset → the fields of `RunConfig` that it sets; what is given in the run overrides them."""
