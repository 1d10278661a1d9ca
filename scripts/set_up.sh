#!/bin/sh
# Makes .venv and installs Naoshi in it, once, and again when its dependencies, its folder or PYTHON change.
# Usage: [VENV=.venv] [PYTHON=python3.12] sh scripts/set_up.sh [EXTRA]
set -eu
CDPATH='' cd -- "$(dirname -- "$0")/.."
extra=${1:-}
venv=${VENV:-.venv}
stamp=$venv/.installed-${extra:-base}
pins=constraints/pinned.txt

fail() {
    echo "naoshi: set-up: $1" >&2
    exit 1
}

new_enough() {
    "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1
}

# Where an interpreter is at home: the same for a program, its links and the environments made from it.
home_of() {
    "$1" -c 'import os, sys; print("%d.%d %s" % (sys.version_info[:2] + (os.path.realpath(sys.base_prefix),)))'
}

find_python() {
    if [ -n "${PYTHON:-}" ]; then
        new_enough "$PYTHON" && echo "$PYTHON" && return
        found=$("$PYTHON" -c 'import sys; print("Python " + sys.version.split()[0])' 2>/dev/null) || found="not a Python"
        fail "Python 3.11 or newer is needed and PYTHON=$PYTHON is $found; name another with PYTHON=..."
    fi
    for name in python3 python3.13 python3.12 python3.11 python3.14 python; do
        new_enough "$name" && echo "$name" && return
    done
    # uv can bring one of its own.
    command -v uv >/dev/null 2>&1 && echo '>=3.11' && return
    found=$(python3 -c 'import sys; print("Python " + sys.version.split()[0])' 2>/dev/null) || found="no Python"
    fail "Python 3.11 or newer is needed and there is $found here; install one, or name it with PYTHON=..."
}

make_venv() {
    python=$(find_python) || exit 1
    echo "naoshi: set-up: making $venv with $python" >&2
    if command -v uv >/dev/null 2>&1; then
        uv venv --quiet --clear --python "$python" "$venv" || fail "uv could not make $venv; see above"
    else
        "$python" -m venv --clear "$venv" ||
            fail "$python could not make $venv; on Debian and Ubuntu install the package python3-venv, or install uv"
    fi
    pwd >"$venv/.folder"
}

install() {
    echo "naoshi: set-up: installing Naoshi${extra:+ and its tools for $extra} (the first time takes a minute or more)" >&2
    what=.${extra:+[$extra]}
    if command -v uv >/dev/null 2>&1; then
        uv pip install --quiet --python "$venv/bin/python" -c "$pins" -e "$what" && return
    else
        # An environment that uv made has no pip of its own.
        "$venv/bin/python" -m pip --version >/dev/null 2>&1 || "$venv/bin/python" -m ensurepip >/dev/null
        "$venv/bin/python" -m pip install --quiet --disable-pip-version-check -c "$pins" -e "$what" && return
    fi
    fail "the installation failed, see above; run the same command again when it is mended"
}

# A .venv is usable when it runs, is new enough, is where it was made, and is the PYTHON that was asked for.
usable() {
    [ -x "$venv/bin/python" ] && new_enough "$venv/bin/python" || return 1
    [ ! -f "$venv/.folder" ] || [ "$(cat "$venv/.folder")" = "$(pwd)" ] || return 1
    [ -z "${PYTHON:-}" ] && return
    PYTHON=$(find_python) || exit 1
    [ "$(home_of "$PYTHON")" = "$(home_of "$venv/bin/python")" ]
}

key=$(cat pyproject.toml "$pins" | cksum)
usable || make_venv
[ -f "$stamp" ] && [ "$(cat "$stamp")" = "$key" ] && exit 0
install
echo "$key" >"$stamp"
