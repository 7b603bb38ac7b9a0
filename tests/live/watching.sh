#!/usr/bin/env bash
# The limits of inotify as the kernel keeps them: the daemon runs in a user namespace of its own, whose
# limits are lowered, and must name the limit, look at the folder instead and store a session that comes
# then. The limits of this computer stay as they are. Needs `unshare`; skips where that is not allowed.
source "$(dirname "${BASH_SOURCE[0]}")/place.sh"
if ! unshare -Ur true 2> unshared; then
  echo "skipped: no user namespace can be made here: $(cat unshared)"
  exit 0
fi
mkdir -p sessions/-home-ana-shop sessions/-home-ana-ferry
cat > jezero.toml <<'TOML'
[[connectors]]
name = "agent-claude"
type = "claude_code"
[connectors.options]
projects_dir = "sessions"
settle_minutes = 0
min_chars = 0
TOML

# logged PATTERN: waits until the daemon says something.
logged() {
  for _ in $(seq 300); do
    ! grep -qE -- "$1" log || return 0
    sleep 0.1
  done
  echo "no '$1' in:"
  cat log
  return 1
}

# limited LIMIT NUMBER WHEN: a daemon with a lower limit, reached at the start or with a later folder.
limited() {
  : > log
  unshare -Ur bash -c 'echo "$2" > "/proc/sys/user/max_inotify_$1"; exec "$0" daemon 2> log' \
    "$jezero" "$1" "$2" &
  server=$!
  logged 'SIGTERM ends it'
  [ "$3" = later ] || logged "is looked at every few seconds: .*/proc/sys/fs/inotify/max_user_$1"
  local folder="sessions/-home-ana-$1-$3"
  mkdir "$folder"
  printf '{"type":"user","uuid":"%s","sessionId":"s","timestamp":"2026-10-01T00:00:00.000Z","cwd":"/home/ana/shop","message":{"role":"user","content":"Why is the tax id lost?"}}\n' \
    "$1-$3" > "$folder/$1-$3.jsonl"
  logged "is looked at every few seconds: .*/proc/sys/fs/inotify/max_user_$1"
  logged 'stored 1'
  kill "$server"
  wait "$server" || true
  server=
  echo "inotify: $1 limited to $2 ($3): named, and the session is stored"
}

limited watches 1 start
limited instances 0 start
limited watches "$(find sessions -type d | wc -l)" later
