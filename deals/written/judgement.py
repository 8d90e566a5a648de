"""The parser of a judge's verdicts, which are only reported: the monitor's verdicts decide."""

import re
from collections.abc import Mapping
from fractions import Fraction
from typing import get_args

from shapley_coop.deals.language.faults import Fault
from shapley_coop.deals.monitor import Verdict

_VERDICT = re.compile(r"(?:^|[;\n])\W*(c\d{1,4})\W*[:=]\W*(\w+)")


def read_judgement(text: str, clauses: Mapping[str, object]) -> dict[str, Verdict] | Fault:
    """Return a judge's verdict on every clause, or a fault if a clause has none or two.

    The text has `c1: satisfied` or `c1: violated` on separate lines or after semicolons.
    """
    found: dict[str, Verdict] = {}
    known = {str(verdict): verdict for verdict in get_args(Verdict) if verdict != "pending"}
    for cid, word in _VERDICT.findall(text):
        if cid not in clauses or word.lower() not in known:
            continue
        if found.get(cid, known[word.lower()]) != known[word.lower()]:
            return Fault("JUDGE", f"You judge {cid} in two ways: give one line for it.")
        found[cid] = known[word.lower()]
    if missing := [cid for cid in clauses if cid not in found]:
        return Fault(
            "JUDGE", f"Give a line like “{missing[0]}: violated” for each of {', '.join(missing)}."
        )
    return found


def agreement(monitor: Mapping[str, Verdict], judge: Mapping[str, Verdict]) -> Fraction:
    """Return the fraction of clauses on which judge and monitor agree; 1 for no clauses."""
    if not monitor:
        return Fraction(1)
    same = sum(judge.get(cid) == verdict for cid, verdict in monitor.items())
    return Fraction(same, len(monitor))
