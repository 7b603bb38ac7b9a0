#!/usr/bin/env bash
# OpenCode connects over HTTP and over stdio; no login, no model.
source "$(dirname "${BASH_SOURCE[0]}")/place.sh"
serve_with_key
cat > opencode.json <<JSON
{"mcp": {
  "jezero-http": {"type": "remote", "url": "$url", "oauth": false, "enabled": true,
    "headers": {"Authorization": "Bearer $key"}},
  "jezero-stdio": {"type": "local", "enabled": true,
    "command": ["$jezero", "-c", "$folder/jezero.toml", "mcp"]}
}}
JSON
opencode mcp list > list 2>&1
for name in jezero-http jezero-stdio; do
  wanted "$name.*connected" list
done
echo "opencode: connected over http and stdio"
