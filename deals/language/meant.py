"""The search for the one known name that an agent means."""

from collections.abc import Collection

_AROUND = " \t\r\n*`\"'“”‘’_"


def unwrap(text: str) -> str:
    """Return a text without the quotation marks, backticks, bold marks and full stop around it."""
    return text.strip(_AROUND).rstrip(".!").strip(_AROUND)


def find_meant(said: str, known: Collection[str]) -> str | None:
    """Return the one known name that a text means, ignoring case, plural and marks around it."""
    if said in known:
        return said
    bare = unwrap(said).casefold()
    alike = [name for name in known if name.casefold() == bare]
    for end in () if alike else ("s", "es"):  # singular for plural, or the other way round
        alike += [n for n in known if n.casefold() in (bare + end, bare.removesuffix(end))]
    return alike[0] if len(alike) == 1 else None
