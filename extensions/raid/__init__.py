"""Raid Battle (Shapley-Coop): supporters earn less than attackers, but without support all lose."""

from shapley_coop.extension import Extension

_HERE = "shapley_coop.extensions.raid"

EXTENSION = Extension(
    name="raid",
    about="Raid Battle: heroes who bring down a boss only if some support the others at a cost.",
    games={"raid_battle": f"{_HERE}.game:RaidBattle"},
    suites=dict.fromkeys(("raid_ablation", "raid_norms", "raid_rounds", "raid_scale"), _HERE),
)
