#!/usr/bin/env bash
# mcporter lists the tools and calls one.
source "$(dirname "${BASH_SOURCE[0]}")/place.sh"
serve_with_key
server_of=(--http-url "$url" --allow-http --name jz --header "Authorization=Bearer $key")
mcporter list "${server_of[@]}" > answer 2>&1
wanted '5 tools' answer
mcporter call "${server_of[@]}" search query=invoice > answer 2>&1
wanted '"trust": "own"' answer
echo "mcporter: listed and called"
