"""The reconciliation of two companies' logs of events, by an outcome contract that both signed.

An outcome contract pays for each event that counts by its definition: `coop reconcile` counts the
events in both parties' logs, names every difference, and computes the amount that both agree on
and the amount in dispute. `docs/reconcile.md` describes the contract's file.

>>> from pathlib import Path
>>> from tempfile import mkdtemp
>>> from shapley_coop.extensions.reconcile.contract import OutcomeContract
>>> from shapley_coop.extensions.reconcile.verdict import reconcile
>>> folder = Path(mkdtemp())
>>> for name, ids in {"seller": "abc", "buyer": "bc"}.items():
...     lines = [f"{one},2026-11-05T09:00:00Z,resolved" for one in ids]
...     _ = (folder / f"{name}.csv").write_text("\\n".join(["id,time,status", *lines]))
>>> november = {"from": "2026-11-01T00:00:00Z", "to": "2026-12-01T00:00:00Z"}
>>> contract = OutcomeContract.model_validate(
...     {"parties": ["seller", "buyer"], "currency": "EUR", "price": "0.99",
...      "counts": {"status": "resolved"}, "window": november}
... )
>>> verdict = reconcile(contract, [folder / "seller.csv", folder / "buyer.csv"])
>>> verdict["agreed"], verdict["in_dispute"], verdict["kinds"]
('1.98', '0.99', {'missing': 1})
"""

from shapley_coop.extension import Extension

_HERE = "shapley_coop.extensions.reconcile"

EXTENSION = Extension(
    name="reconcile",
    about="What one company owes another, recomputed from both companies' logs of events.",
    statements={"urn:shapley-coop:reconciliation:v1": f"{_HERE}.checking:RECONCILIATION"},
    commands={
        "Credit and settle": {"reconcile": f"{_HERE}.command:reconcile"},
        "Check before you sign": {"contract sign": f"{_HERE}.command:sign"},
    },
)
