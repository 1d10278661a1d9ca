"""Text of strangers on a page: nothing in it is invisible, and nothing in it turns the text around it."""

import re

# Controls but line feed and tab; what is not seen; what changes the direction of the text that follows. The joiners
# stay, which emoji, Persian and Indian scripts are written with.
_UNSEEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u115f\u1160\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0"
    "\ufff9-\ufffb]"
)


def legible(text: str) -> str:
    """Return *text* with each mark that nobody can see, or that would turn other text around, as its escape."""
    return _UNSEEN.sub(lambda mark: mark.group().encode("unicode_escape").decode(), text)
