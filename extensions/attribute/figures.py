"""Number formats without the noise of floating point."""

NOISE = 1e-12
"""Numbers below this are shown as 0, because they come from rounding."""


def shown(x: float | None) -> str:
    """Return a number with 4 significant digits, or all integer digits; a dash for None."""
    if x is None:
        return "—"
    if abs(x) < NOISE:
        return "0"
    return f"{x:.4g}" if abs(x) < 9999.5 else f"{x:.0f}"


def rough(x: float) -> float:
    """Round an error to two significant digits."""
    return float(f"{x:.2g}")


def rough_seconds(x: float) -> float:
    """Round seconds to two significant digits, because times differ from run to run."""
    return rough(round(x, 4))
