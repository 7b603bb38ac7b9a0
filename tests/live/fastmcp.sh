#!/usr/bin/env bash
# FastMCP over HTTP and over stdio, and the linter of tool descriptions.
source "$(dirname "${BASH_SOURCE[0]}")/place.sh"
serve_with_key
python "$root/tests/live/fastmcp_client.py" "$url" "$key" "$jezero" "$folder/jezero.toml"
tdqs lint --url "$url" --header "Authorization: Bearer $key" --fail-on warning > answer
wanted '0 errors, 0 warnings' answer
echo "fastmcp and tdqs: all well"
