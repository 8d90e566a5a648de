"""Tables of computed amounts: the payoffs under an offer, and the total to divide."""

import json
from collections.abc import Mapping
from fractions import Fraction
from functools import lru_cache
from typing import Any

from shapley_coop.amounts import exact
from shapley_coop.canonical import cache_key
from shapley_coop.many import MANY
from shapley_coop.prompts.course import bargained_again
from shapley_coop.prompts.crowds import rows_of_many
from shapley_coop.prompts.words import plain, table
from shapley_coop.wording import breach_words

Facts = Mapping[str, Any]


_NINE_IN_TEN = "where nine in ten of them end; rare ones can pull the mean out of it"
_OF_FEW = "about the lowest and the highest of them"
KEPT = "all keep the deal"
"""The case that all keep the deal; "it" alone may be misread where `keep` is an action."""

FEW = 20
"""The fewest simulated plays for which a table shows where nine in ten plays end."""


@lru_cache(maxsize=8192)  # cached: letters sent together repeat the same few numbers
def amount(number: Any, signed: bool = False) -> str:
    """Return an exact amount as text, rounded to at most four decimals."""
    value = Fraction(number)
    rounded = round(value, 4)
    sign = "+" if signed and rounded > 0 else ""
    return f"{sign}{float(rounded):.10g}" if abs(rounded) < 10**9 else f"{sign}{rounded}"


def outlook(view: Facts) -> str:
    """Return the computed payoffs under the offer as a table; "" if the run computes none."""
    offer, unit = view.get("offer", {}), view["procedure"]["unit"]
    if found := offer.get("outlook") or view.get("as_it_stands"):
        table_words = _outlook(cache_key(found), view["you"], unit)
        return f"{table_words}\n\n{_assumption_words(found, view['procedure'])}".strip()
    if parties := offer.get("incentives", {}).get("parties"):
        return _incentives(parties, view["you"], unit)
    why = offer.get("why_no_outlook")
    return f"What it would pay is not computed: {why}." if why else ""


def _assumption_words(found: Facts, course: Facts) -> str:
    """Return what the payoffs assume of agents without a duty and of later bargaining."""
    told = [f"Assumed: {found['assumes']}."] if found.get("assumes") else []
    again = bargained_again(course.get("renegotiate", "never"))
    if again and course["turns"] > 1:
        told.append(f"Left out: the bargaining {again[0].lower()}{again[1:]}.")
    return " ".join(told)


@lru_cache(maxsize=256)  # cached: an agent's letters repeat the current offer
def _outlook(found: bytes, me: str, unit: str) -> str:
    (condition, *names), rows, how = outlook_table(json.loads(found), me)
    columns = [f"in {unit}, {condition}", *names]
    return f"Computed{f' ({how})' if how else ''}:\n\n{table(columns, rows)}"


def outlook_table(found: Facts, me: str) -> tuple[list[str], list[list[str]], str]:
    """Return a table of the payoffs under an offer: headings, rows, and a note on their precision.

    Args:
        found: a `DealOutlook` with rows, as plain JSON.
        me: the reader.
    """
    agents = [me, *(a for a in found["rows"][0]["payoffs"] if a != me)]
    told = _once_each(found["rows"])
    paid = [row["payoffs"] for row in told]
    heads = [_condition(row, me, paid[0], found.get("signed", False)) for row in told]
    norm = found.get("norm")
    if norm and norm["payoffs"] != found["rows"][0]["payoffs"]:  # an equal column adds nothing
        heads.append(f"split by the norm {norm['name']}, if {KEPT}")
        paid.append(norm["payoffs"])
    of_each = [[a, *(_range(payoffs[a]) for payoffs in paid)] for a in agents]
    of_each[0][0] = f"you ({me})"
    names, *cells = zip(*rows_of_many(of_each), strict=True)
    rows = [[head, *row] for head, row in zip(heads, cells, strict=True)]
    columns = ["if …", *names]
    ends = _OF_FEW if found["plays"] < FEW else _NINE_IN_TEN
    over = f"the mean of {found['plays']} plays; in brackets, {ends}"
    return columns, rows, "" if found["exact"] else over


def _once_each(rows: list[Facts]) -> list[Facts]:
    """Return the rows, but drop a no-deal row with the payoffs of an earlier no-deal row."""
    kept: list[Facts] = []
    for row in rows:
        ways = [one["payoffs"] for one in kept if one["if"] == "no deal" and one.get("by")]
        if not (row["if"] == "no deal" and row.get("by") and row["payoffs"] in ways):
            kept.append(row)
    return kept


def _condition(row: Facts, me: str, kept: Facts, signed: bool) -> str:
    """Return in words when a row's payoffs apply; for a breach also the breaching agent's gain."""
    said = KEPT if row["if"] == "all keep it" else str(row["if"])
    by = str(row.get("by", ""))
    if who := row.get("who"):
        said, by = breach_words(row, me, signed), ""
        known = who in kept and who in row["payoffs"]  # others' payoffs may be private
        if known and (gain := _mean(row["payoffs"][who]) - _mean(kept[who])) > 0:
            said += f", which gains {'you' if who == me else 'it'} {amount(gain)}"
    if said == "no deal":
        by = by.replace("everybody: ", "everybody does ") or "what each can be sure of"
    return f"{said}: {by}" if by else said


def _mean(payoff: Any) -> Fraction:
    return exact(payoff["mean"] if isinstance(payoff, dict) else payoff)


def _range(payoff: Any) -> str:
    if not isinstance(payoff, dict):
        return amount(payoff)
    if "low" not in payoff or payoff["low"] == payoff["high"]:
        return amount(payoff["mean"])
    return f"{amount(payoff['mean'])} ({amount(payoff['low'])} to {amount(payoff['high'])})"


def _incentives(parties: Facts, me: str, unit: str) -> str:
    """Return the parties' certified incentives as a table, with a row for each party."""
    rows = []
    for agent in [me, *(a for a in parties if a != me)]:
        party = parties[agent]
        without, within = party["without"], party["within"]
        rows.append(
            [
                f"you ({agent})" if agent == me else agent,
                amount(without["worst"]),
                amount(without["expected"]),
                amount(within["expected"]),
                amount(party["guaranteed"]),
                _breach_words(party),
            ]
        )
    columns = [f"in {unit}", "sure without it", "predicted without it", f"if {KEPT}"]
    columns += ["sure by keeping it, provided everybody acts", "breaking it"]
    return f"Computed, of the turns left:\n\n{table(columns, rows_of_many(rows))}"


def _breach_words(party: Facts) -> str:
    found, how, when = party["deviation"], " at best, first", "while the others keep it"
    if found is None and party["temptation"]:
        found, how, when = party["temptation"], "", "where another has broken it"
    if found is None:
        return "never pays"
    gain, done = amount(found["gain"]), f"{found['action']} at turn {found['turn']}"
    return f"gains {gain}{how} by {done}, {when}"


_BASELINE = "baseline (nobody took part)"


def money(view: Facts, signed: bool = True) -> str:
    """Return the total to divide as a table, with a row for each agent and one for the sums."""
    computed, offer = view.get("computed") or {}, view.get("offer", {})
    columns = {"own rewards": view["own_rewards"]}
    if Fraction(view["pot"]):
        own, earned = view["own_rewards"], view["earned"]
        parts = {a: str(Fraction(earned[a]) - Fraction(own[a])) for a in earned}
        columns |= {"part of the team's": parts}
    if signed:  # claims are made before agents see signed amounts
        columns |= {_heading_words(view): view["as_signed"]}
    if "payoffs" in offer:
        columns |= {"as proposed": offer["payoffs"], "change": offer["change"]}
    if computed:
        columns |= {_BASELINE: computed["baseline"]} if "baseline" in computed else {}
        columns |= {f"value ({computed['norm']})": computed["values"]}
        columns |= {f"by {computed['norm']}": computed["payoffs"]}
    agents, unit = list(view["earned"]), f"in {view['procedure']['unit']}"
    rows = [[a, *(amount(x[a], name == "change") for name, x in columns.items())] for a in agents]
    if claims := view.get("claims"):
        columns = {**columns, "claims": claims}
        rows = [[*row, percent(claims.get(a))] for a, row in zip(agents, rows, strict=True)]
    if len(rows) > MANY:
        rows = rows_of_many(sorted(rows, key=lambda row: row[0] != view["you"]))
    totals = [_sum(name, values) for name, values in columns.items()]
    rows.append(["together", *totals])
    told = table([unit, *columns], rows)
    return f"Computed from the record:\n\n{told}{_column_words(view, computed)}"


def _heading_words(view: Facts) -> str:
    """Return the heading of the payoffs that apply if agents agree on no other split."""
    return "as signed" if view.get("contract") else "as earned"


def _sum(name: str, values: Mapping[str, str]) -> str:
    if name == "claims":
        return ""
    return amount(sum(map(Fraction, values.values())))


def percent(part: str | None) -> str:
    """Return a fraction of the whole in per cent, or a dash for None."""
    return "–" if part is None else f"{amount(Fraction(part) * 100)} %"


def _column_words(view: Facts, computed: Facts) -> str:
    """Return sentences that explain how the amounts in the columns are related."""
    said = []
    if Fraction(view["pot"]):
        parts = "; its parts here are equal, before any split that was agreed on"
        said.append(f"The team's reward is {amount(view['pot'])}{parts}.")
    if "baseline" in computed:
        nobody = sum(map(Fraction, computed["baseline"].values()))
        said.append(
            f"Had nobody taken part, you would have had {amount(nobody)} together; you have "
            f"{amount(view['total'])}. The difference of {amount(computed['improvement'])} is what "
            f"the values divide: baseline + value = by {computed['norm']}. Taking no part means "
            f"here: {computed['compares_with']}."
        )
    elif computed:
        said.append(f"The values are the parts of the total by the norm {computed['norm']}.")
    if error := computed.get("standard_error"):
        said.append(f"The values are sampled: standard error {plain(error)}.")
    return "\n\n" + " ".join(said) if said else ""
