#!/bin/sh
# Prints the newest Python that is on the PATH or kept by pyenv, and fails with a line where .venv has no older one.
set -eu
CDPATH='' cd -- "$(dirname -- "$0")/.."
release() {
    "$1" -c 'import sys, venv; print("%d%03d" % sys.version_info[:2])' 2>/dev/null || echo 0
}

own=.venv/bin/python
[ -x "$own" ] || own=python3
newest=$own
kept=${PYENV_ROOT:-${HOME:-}/.pyenv}/versions
for candidate in python3.14 python3.13 python3.12 "$kept"/3.*/bin/python3; do
    program=$(command -v "$candidate") || continue
    [ "$(release "$program")" -gt "$(release "$newest")" ] && newest=$program
done
if [ "$newest" = "$own" ]; then
    echo "naoshi: there is no newer Python here than $("$own" --version); nothing more was tested" >&2
    exit 1
fi
echo "$newest"
