#!/bin/sh
# Resolves Naoshi's dependencies anew on the oldest Python that it supports and pins what came out, name and version
# only. A release that runs on 3.11 runs on the newer ones, so that one file serves all.
# Usage: [PYTHON=python3.11] sh scripts/renew_constraints.sh
set -eu
CDPATH='' cd -- "$(dirname -- "$0")/.."
python=${PYTHON:-python3.11}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$python" -c 'import sys; sys.exit(sys.version_info[:2] != (3, 11))' ||
    { echo "naoshi: constraints: Python 3.11 is needed for this; name it with PYTHON=..." >&2; exit 1; }
"$python" -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check -e '.[dev]'
{
    echo "# The releases that Naoshi is tested with. Written by \`make constraints\`."
    "$folder/venv/bin/python" -m pip freeze --disable-pip-version-check --exclude-editable --exclude setuptools
} >"$folder/pinned.txt"
mv "$folder/pinned.txt" constraints/pinned.txt
