#!/usr/bin/env bash
# Gemini CLI connects over HTTP and over stdio; no login, no model.
source "$(dirname "${BASH_SOURCE[0]}")/place.sh"
serve_with_key
mkdir -p "$HOME/.gemini"
# It connects only in folders that it trusts.
echo '{"security": {"folderTrust": {"enabled": false}}}' > "$HOME/.gemini/settings.json"
export GEMINI_CLI_TRUST_WORKSPACE=true
gemini mcp add -s user -t http jezero-http "$url" --header "Authorization: Bearer $key" > added 2>&1
gemini mcp add -s user jezero-stdio "$jezero" -- -c "$folder/jezero.toml" mcp >> added 2>&1
gemini mcp list > list 2>&1
for name in jezero-http jezero-stdio; do
  wanted "$name.*Connected" list
done
echo "gemini: connected over http and stdio"
