#!/usr/bin/env bash
# Claude Code connects over HTTP, over stdio and through the bridge; no login, no model.
source "$(dirname "${BASH_SOURCE[0]}")/place.sh"
serve_with_key
claude mcp add -s user -t http jezero-http "$url" --header "Authorization: Bearer $key" > added
claude mcp add -s user jezero-stdio -- "$jezero" -c "$folder/jezero.toml" mcp >> added
claude mcp add -s user jezero-bridge -e JEZERO_URL="$address" -e JEZERO_TOKEN="$key" -- "$jezero" mcp >> added
claude mcp list > list
for name in jezero-http jezero-stdio jezero-bridge; do
  wanted "^$name: .*Connected" list
done
echo "claude code: connected over http, stdio and the bridge"
