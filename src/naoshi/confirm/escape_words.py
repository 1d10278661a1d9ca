"""Words that a person says to stop. They never choose anything by themselves."""

from collections.abc import Collection

from naoshi.confirm.fingerprint import loosely

ESCAPE_WORDS = frozenset(
    (
        "停止",
        "中止",
        "中断",
        "取消",
        "取り消し",
        "キャンセル",
        "ストップ",
        "やめる",
        "やめて",
        "やめます",
        "やめてください",
        "止めて",
        "止めてください",
        "待って",
        "cancel",
        "stop",
        "abort",
        "quit",
        "exit",
        "취소",
        "중지",
        "그만",
        "取消",
        "停",
        "中止",
    )
)
"""The words that are understood unless an agent brings its own."""

_LONGEST = 64


def is_escape(reply: str, words: Collection[str]) -> bool:
    """Return whether the whole *reply*, spacing, case and a final mark aside, is one of *words* (already folded)."""
    return len(reply) <= _LONGEST and loosely(reply.rstrip(" 　\n!！")) in words
