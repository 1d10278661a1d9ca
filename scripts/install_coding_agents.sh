#!/bin/sh
# Installs Codex of CODEX_VERSION and Claude Code of CLAUDE_CODE_VERSION into NAOSHI_PEERS, each once.
# They need Node.js 20 or newer with npm.
set -eu

fail() {
    echo "naoshi: coding agents: $1" >&2
    exit 1
}

# Usage: install_one FOLDER PACKAGE PROGRAM
install_one() {
    folder=$NAOSHI_PEERS/$1
    [ -f "$folder/.installed" ] && return
    command -v node >/dev/null 2>&1 && command -v npm >/dev/null 2>&1 ||
        fail "Node.js 20 or newer with npm is needed; install it, or leave out \`make test-peers\`"
    echo "naoshi: coding agents: installing $2 into $folder (half a minute, 400 MB, once)" >&2
    mkdir -p "$folder"
    npm install --prefix "$folder" --no-audit --no-fund --loglevel=error "$2" >&2 ||
        fail "the installation failed, see above; run the same command again when it is mended"
    "$folder/node_modules/.bin/$3" --version >/dev/null || fail "$2 was installed but does not start"
    touch "$folder/.installed"
}

install_one "codex-$CODEX_VERSION" "@openai/codex@$CODEX_VERSION" codex
install_one "claude-code-$CLAUDE_CODE_VERSION" "@anthropic-ai/claude-code@$CLAUDE_CODE_VERSION" claude
