"""The numbers that people type into a form: percentages, parts, and amounts in the game's unit.

At the page and at the terminal they mean the same. A percentage needs no sign where per cent is
asked for, and a part above 1 needs one: 60 alone could be a mistake for 0.6.

>>> read_percent("33,3 %"), read_percent("1"), read_part("60 %"), read_amount("300 eur", "EUR")
('33.3%', '1%', '60%', '300')
>>> read_fields({"percent": "60 %"})
{'percent': '60%'}
"""

import re
from collections.abc import Mapping
from typing import Any

from shapley_coop.amounts import parse_exact, plain
from shapley_coop.deals.language import spelling

_COMMA = re.compile(r"(?<![\d.,])(\d*),(?=\d+(?![\d.,]))")
_THOUSANDS = re.compile(r"(?<![\d.,])([1-9]\d{0,2}),(\d{3})(?![\d.,])")
_SIGN = re.compile(r"\s*(?:%|per ?cent)[\s%]*$", re.IGNORECASE)


class Mistyped(ValueError):
    """A person typed something that is not such a number; the message says how to write it."""


def read_number(typed: str) -> str:
    """Return a typed number with a decimal point instead of a comma, and with a plain minus.

    Raises:
        Mistyped: the comma could also separate thousands.
    """
    if found := _THOUSANDS.search(typed):
        whole, rest = found.groups()
        raise Mistyped(f"Is “{typed}” {whole}.{rest} or {whole}{rest}? Write it without a comma.")
    return _pointed(typed)


def _pointed(typed: str) -> str:
    return _COMMA.sub(r"\1.", typed.strip().replace("−", "-"))


def read_percent(typed: str) -> str:
    """Return a typed percentage with a % sign, which the person may leave out.

    Raises:
        Mistyped: it is not a percentage.
    """
    bare = _SIGN.sub("", _pointed(typed))
    try:
        value = parse_exact(bare)
    except ValueError:
        raise Mistyped(f"“{typed}” is no percentage: write a number, as in 40 or 33.3.") from None
    if "/" in bare:
        much = plain(round(100 * value, 1))
        raise Mistyped(f"“{typed}” is no percentage: if it is a part of the whole, write {much}.")
    return f"{bare}%"


def read_part(typed: str) -> str:
    """Return a typed part of a whole in the form that clauses take: 60%, 0.6 or 3/5.

    Raises:
        Mistyped: it is not a part, or needs a % sign.
    """
    bare = _SIGN.sub("%", _pointed(typed))
    try:
        value = parse_exact(bare)
    except ValueError:
        raise Mistyped(f"“{typed}” is no part: write it as in 60 %, 0.6 or 3/5.") from None
    if value > 1 and not bare.endswith("%"):
        raise Mistyped(f"Is “{typed}” {bare} %? Write {bare} % or {plain(value / 100)}.")
    if not 0 <= value <= 1:
        raise Mistyped(f"“{typed}” is not from 0 to 100 %: write it as in 60 %, 0.6 or 3/5.")
    return bare


def read_amount(typed: str, unit: str = "") -> str:
    """Return a typed amount as a number; the person may write the game's unit beside it.

    Raises:
        Mistyped: it is not an amount.
    """
    notes = spelling.Notes(currency=unit)
    read = spelling.amount(read_number(typed), "", notes, fraction=False)
    if notes.faults:
        of = f" in {unit}" if unit else ""
        raise Mistyped(f"“{typed}” is no amount{of}: write a number, as in 3 or 1.5.")
    return read


def read_fields(fields: Mapping[str, Any], takes_amounts: bool = False) -> dict[str, Any]:
    """Return a form's fields; the numbers that a person typed get the form that clauses take.

    With `takes_amounts` the parts of a split are unchanged, because they may be amounts.

    Raises:
        Mistyped: a text is not such a number; the message names its clause.
    """
    read = dict(fields)
    if isinstance(said := fields.get("percent"), str):
        read["percent"] = read_percent(said)
    if isinstance(clauses := fields.get("clauses"), list):
        read["clauses"] = [
            _clause(n, clause, takes_amounts) for n, clause in enumerate(clauses, start=1)
        ]
    return read


def _clause(n: int, clause: Any, takes_amounts: bool) -> Any:
    if not isinstance(clause, Mapping):
        return clause
    read, parts = dict(clause), clause.get("fractions")
    try:
        if isinstance(much := clause.get("amount"), str):
            if not much.strip():
                raise Mistyped("Somebody pays: write the amount.")
            read["amount"] = read_part(much) if clause.get("per") == "reward" else read_number(much)
        if isinstance(parts, Mapping) and not takes_amounts:
            read["fractions"] = read_parts(parts)
    except Mistyped as wrong:
        raise Mistyped(f"Clause {n}: {wrong}") from None
    return read


def read_parts(parts: Mapping[str, Any]) -> dict[str, Any]:
    """Return the agents' typed parts of the total in the form that clauses take.

    Raises:
        Mistyped: one is not a part, or the parts do not sum to the whole.
    """
    read = {agent: read_part(x) if isinstance(x, str) else x for agent, x in parts.items()}
    if all(isinstance(x, str) for x in read.values()):
        total = sum(map(parse_exact, read.values()))
        if total != 1:
            much = f"{float(100 * total):.6g}"
            raise Mistyped(f"The parts sum to {much} %: let them sum to 100 %; a third is 1/3.")
    return read
