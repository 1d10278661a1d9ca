"""Shares (0 to 1) as people read them."""


def percent(share: float) -> str:
    """Return a share (0 to 1) as whole per cent, never rounded up to 100 % nor down to 0 %."""
    rounded = round(share * 100)
    if rounded >= 100 and share < 1:
        rounded = 99
    if rounded <= 0 and share > 0:
        rounded = 1
    return f"{rounded} %"


def bar_width(share: float) -> str:
    """Return a share (0 to 1) as a width in CSS."""
    return f"{share * 100:.1f}%"
