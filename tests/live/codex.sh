#!/usr/bin/env bash
# Codex, by way of its app server, lists the tools over HTTP and over stdio; no login, no model.
source "$(dirname "${BASH_SOURCE[0]}")/place.sh"
serve_with_key
export JEZERO_KEY="$key"
codex mcp add jezero-http --url "$url" --bearer-token-env-var JEZERO_KEY > added 2>&1
codex mcp add jezero-stdio -- "$jezero" -c "$folder/jezero.toml" mcp >> added 2>&1
{
  echo '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"clientInfo":{"name":"live","version":"1"}}}'
  echo '{"jsonrpc":"2.0","method":"initialized"}'
  echo '{"jsonrpc":"2.0","id":2,"method":"mcpServerStatus/list","params":{}}'
  for _ in $(seq 150); do
    grep -q '"id":2' answer 2> /dev/null && break
    sleep 0.2
  done
} | codex app-server > answer 2> errors
grep '"id":2' answer > status
for name in jezero-http jezero-stdio list_sources; do
  wanted "\"$name\"" status
done
echo "codex: tools listed over http and stdio"
