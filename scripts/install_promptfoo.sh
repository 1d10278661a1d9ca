#!/bin/sh
# Installs Promptfoo of PROMPTFOO_VERSION into NAOSHI_PEERS, once. It needs Node.js 20 or newer with npm.
set -eu
folder=$NAOSHI_PEERS/promptfoo-$PROMPTFOO_VERSION
[ -f "$folder/.installed" ] && exit 0

fail() {
    echo "naoshi: promptfoo: $1" >&2
    exit 1
}

command -v node >/dev/null 2>&1 && command -v npm >/dev/null 2>&1 ||
    fail "Node.js 20 or newer with npm is needed; install it, or leave out \`make test-peers\`"
node -e 'process.exit(process.versions.node.split(".")[0] < 20 ? 1 : 0)' ||
    fail "Node.js 20 or newer is needed and $(node --version) is here"
echo "naoshi: promptfoo: installing $PROMPTFOO_VERSION into $folder (minutes, 2 GB, once)" >&2
mkdir -p "$folder"
# Its scripts build the database that it keeps its runs in, so they are allowed.
npm install --prefix "$folder" --no-audit --no-fund --loglevel=error "promptfoo@$PROMPTFOO_VERSION" >&2 ||
    fail "the installation failed, see above; run the same command again when it is mended"
touch "$folder/.installed"
