"""How numbers are shown: without the noise of floating point."""

NOISE = 1e-12
"""What is smaller is 0: it comes from rounding."""


def shown(x: float | None) -> str:
    """A number with four digits, of large ones all before the point; a dash where there is none."""
    if x is None:
        return "—"
    if abs(x) < NOISE:
        return "0"
    return f"{x:.4g}" if abs(x) < 9999.5 else f"{x:.0f}"


def rough(x: float) -> float:
    """Return two digits of an error."""
    return float(f"{x:.2g}")


def rough_seconds(x: float) -> float:
    """Return two digits, to a tenth of a millisecond: the next run has others."""
    return rough(round(x, 4))
