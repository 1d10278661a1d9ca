"""Finds calls over the network that a harness did not make before."""

import re
from collections.abc import Callable, Iterator
from typing import Final

from naoshi.repair.protect import named
from naoshi.repair.tree_diff import FileDiff
from naoshi.system.git import Git

_MODULES = (
    "socket|ssl|socketserver|http\\.client|http\\.server|urllib|urllib3|urllib\\.request|requests|httpx|aiohttp|ftplib|smtplib|"
    "telnetlib|imaplib|poplib|nntplib|xmlrpc|paramiko|asyncssh|websocket|websockets|grpc|pycurl|boto3|botocore|"
    "pyzmq|zmq|redis|pymongo|psycopg|psycopg2|dns|scapy"
)
_PROGRAMS = "curl|wget|ncat|netcat|nc|telnet|ssh|scp|sftp|rsync|socat"
_ALONE = rf"(?:{_MODULES})(?![\w.]*\bparse\b)(?![\w])"
_PATTERNS: Final = (
    # `import a, socket as s`; of urllib, the part that only takes addresses to pieces is no call.
    re.compile(rf"(?m)^\s*(?:>>>\s*)?import\s+(?:[\w. ]+,\s*)*(?P<name>{_ALONE})"),
    re.compile(rf"(?m)^\s*from\s+(?P<name>{_ALONE})(?:\.\w+)*\s+import\s+(?!\(?\s*parse\b)"),
    re.compile(rf"(?:__import__|import_module)\(\s*['\"](?P<name>{_MODULES})\b"),
    re.compile(r"\basyncio\.(?P<name>open_connection|open_unix_connection|start_server)\b"),
    # Quoted alone where a command's words begin, or followed by what looks like its options or an address.
    re.compile(rf"[\[(]\s*[\"'`](?:/usr/bin/|/bin/)?(?P<name>{_PROGRAMS})[\"'`]"),
    re.compile(
        rf"(?:^|[\"'`(;|&\s])(?:/usr/bin/|/bin/)?(?P<name>{_PROGRAMS})\s+(?:-\w|--\w|https?:|[\w.-]+@|[\w.-]+:\d)"
    ),
    re.compile(r"(?P<name>/dev/(?:tcp|udp))/"),
    re.compile(
        r"\b(?:require\(|from\s+|import\s+)\s*['\"](?:node:)?"
        r"(?P<name>https?|net|tls|dgram|axios|node-fetch|undici|ws)['\"]"
    ),
    re.compile(r"(?P<name>XMLHttpRequest|\bfetch\(\s*['\"`]https?:|\bnew WebSocket\()"),
)
_WORDS: Final = re.sub(r"\\\.", ".", f"{_MODULES}|{_PROGRAMS}|open_connection|tcp|udp|https?|net|tls|axios|fetch|ws")


def new_network_calls(item: FileDiff, *, already: Callable[[], frozenset[str]]) -> Iterator[str]:
    """Return a reason for each way to the network in the added lines of *item* that is not in *already*."""
    if not item.is_text:
        return
    found = [(name, line.number) for line in item.added for name in network_names(line.text)]
    if not found:
        return
    known = already() | network_names(item.before)
    for name, number in found:
        if name not in known:
            yield f"{named([item.path])} line {number} calls over the network in a way that the agent did not: {name}"


def network_names(text: str) -> frozenset[str]:
    """Return the modules and programs in *text* that call over the network."""
    return frozenset(
        found["name"].split(".")[0].strip("( ") for pattern in _PATTERNS for found in pattern.finditer(text)
    )


def network_names_of(git: Git, commit: str) -> frozenset[str]:
    """Return the modules and programs that the files of *commit* use to call over the network."""
    told = git.attempt("grep", "-I", "-h", "-w", "-E", "-e", _WORDS, commit, "--")
    return network_names(told.stdout) if told.status == 0 else frozenset()
