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
    """Two digits: of seconds, as the next run has others, and of errors."""
    return float(f"{x:.2g}")
