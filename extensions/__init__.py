"""Removable parts: each folder here is an extension, found by its object `EXTENSION`."""

PLAYS = {
    "bounty": ("delivered", "settlement", "consent"),
    "company": ("software_company",),
    "exchange": (
        *("task_exchange", "task_exchange_baseline", "task_exchange_unchecked"),
        *("task_exchange_unguided", "pairwise_exchange"),
    ),
    "institutions": ("encounters", "mediation", "delegates"),
    "markets": ("trade", "call_market"),
    "raid": ("raid_battle",),
}
"""Extension → its games and workflows, so that an error can name an extension that was removed."""
