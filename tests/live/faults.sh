#!/usr/bin/env bash
# What can go wrong with a disk and a database, for real: a small disk that is full, one that may not be
# written, another program that keeps the library to itself for longer than anybody waits, a folder that
# another user may not read, and 200 kills ($JEZERO_KILLS). Mounts a small tmpfs in a mount namespace of
# its own; says so where that is not allowed. Prints a line for each fault and what was lost.
if [ "${1:-}" != mounted ]; then
  for namespace in "unshare -m" "unshare -rm"; do
    if $namespace sh -c 'd=$(mktemp -d) && mount -t tmpfs none "$d" && umount "$d" && rmdir "$d"' 2> /dev/null; then
      exec $namespace "$0" mounted
    fi
  done
  echo "skipped: no disk can be mounted here (root or user namespaces are needed)"
  mounts=no
fi
own_home="$HOME"
source "$(dirname "${BASH_SOURCE[0]}")/place.sh"
mkdir disk sessions
trap 'mountpoint -q "$folder/disk" && umount "$folder/disk"; rm -rf "$folder"' EXIT
cp -r "$root"/fixtures/claude_code/everyday/. sessions/

# configure NAME DATABASE SUMMARIZER: writes a configuration.
configure() {
  printf '[storage]\npath = "%s"\n%s\n[[connectors]]\nname = "agent"\ntype = "claude_code"\n[connectors.options]\nprojects_dir = "sessions"\nsettle_minutes = 0\nmin_chars = 0\n' "$2" "$3" > "$1.toml"
}

# items NAME: what a library holds, without numbers and times of storing.
items() {
  "$jezero" -c "$1.toml" export-jsonl - | sed -E 's/"(id|ingested_at)":("[^"]*"|[0-9]+),?//g' | sort > "$1.items"
}

# ends CODE PATTERN COMMAND…: runs the program, which must end with a code and say a pattern.
ends() {
  local code=0 wanted_code="$1" pattern="$2"
  shift 2
  "$jezero" "$@" > said 2>&1 || code=$?
  [ "$code" = "$wanted_code" ] || { echo "ended with $code: jezero $*"; cat said; exit 1; }
  wanted "$pattern" said
}

# sound NAME: the library opens, is whole, and the index agrees with the items.
sound() {
  ends 0 'faults 0$' -c "$1.toml" index check
}

configure clean clean.db ""
ends 0 'stored' -c clean.toml run
items clean

if [ "${mounts:-yes}" = yes ]; then
  # 1. A disk that is full before the library is complete.
  full=0
  for size in 64k 200k 300k 400k 500k 600k 800k; do
    mount -t tmpfs -o "size=$size" none disk
    configure small disk/jezero.db ""
    code=0
    "$jezero" -c small.toml run > said 2>&1 || code=$?
    if [ "$code" != 0 ]; then
      full=$((full + 1))
      wanted 'hint: (make room|check the disk: room)' said
    fi
    mount -o remount,size=64m disk
    [ ! -s disk/jezero.db ] || "$jezero" -c small.toml index check > said 2>&1 || wanted 'there is no library' said
    ends 0 '' -c small.toml run
    sound small
    items small
    cmp clean.items small.items
    umount disk
  done
  [ "$full" -gt 2 ] || { echo "the disk was never full"; exit 1; }
  echo "disk full: $full of 7 runs ended with 1 and a hint; lost nothing, the next run did the rest"

  # 2. A disk that fills up while a model is asked. The model counts its questions, and fills it.
  cat > model <<'MODEL'
cat > /dev/null
echo >> asked
if [ -e fill ] && [ "$(wc -l < asked)" -ge 4 ]; then cat /dev/zero > disk/filler 2> /dev/null; fi
echo '{"title": "Asked", "summary": "Asked.", "questions": ["Why?"], "atoms": []}'
MODEL
  mount -t tmpfs -o size=16m none disk
  configure paid disk/jezero.db "$(printf '[summarizer]\nprovider = "command"\ncommand = ["/bin/sh", "-c", "cd %s; . ./model"]\nmax_concurrency = 1' "$folder")"
  touch asked fill
  ends 1 'hint: (make room|check the disk: room)' -c paid.toml run
  before="$(wc -l < asked)"
  ends 1 'hint: make room' -c paid.toml run
  [ "$(wc -l < asked)" = "$before" ] || { echo "a full disk was paid for"; exit 1; }
  rm disk/filler fill
  sound paid
  ends 0 '' -c paid.toml run
  sound paid
  segments="$(wc -l < clean.items)"
  [ "$(wc -l < asked)" -le $((segments + 1)) ] || { echo "$(wc -l < asked) questions for $segments segments"; exit 1; }
  echo "disk full while a model is asked: $(wc -l < asked) questions for $segments segments; lost the one answer under way"
  umount disk

  # 3. A disk that may not be written any more, with a log on it that a kill has left.
  mount -t tmpfs -o size=64m none disk
  configure fixed disk/jezero.db ""
  "$jezero" -c fixed.toml run > said 2>&1 &
  for _ in $(seq 500); do [ "$(stat -c %s disk/jezero.db-wal 2> /dev/null || echo 0)" -gt 200000 ] && break; sleep 0.001; done
  kill -9 $! 2> /dev/null || true
  wait $! 2> /dev/null || true
  mount -o remount,ro disk
  ends 2 'hint: make the library' -c fixed.toml run
  sound fixed
  ends 0 '' -c fixed.toml timeline
  ends 0 'items' -c fixed.toml backup copy.db --force
  mount -o remount,rw disk
  ends 0 '' -c fixed.toml run
  sound fixed
  items fixed
  cmp clean.items fixed.items
  umount disk
  echo "read-only file system: runs end with 2 and a hint, readers and backups go on; lost nothing"
fi

# 4. Another program that keeps the library to itself for longer than anybody waits.
python3 - clean.db <<'PYTHON' &
import sqlite3, sys, time
other = sqlite3.connect(sys.argv[1], isolation_level=None)
other.execute("BEGIN EXCLUSIVE")
open("held", "w").close()
time.sleep(40)
PYTHON
other=$!
until [ -e held ]; do sleep 0.1; done
ends 0 'agent' -c clean.toml timeline
touch sessions/*/*.jsonl
ends 3 'hint: another program' -c clean.toml run
kill "$other"
wait "$other" 2> /dev/null || true
ends 0 '' -c clean.toml run
sound clean
items clean.again 2> /dev/null || { cp clean.toml clean.again.toml; items clean.again; }
cmp clean.items clean.again.items
echo "library locked by another program: readers go on, a run ends with 3 and a hint after 30 s; lost nothing"

# 5. A source that may not be read any more, as a user who is not root.
if command -v setpriv > /dev/null && [ "$(id -u)" = 0 ] && chmod 755 "$folder" && chmod 777 . && setpriv --reuid=65534 --regid=65534 --clear-groups test -x "$jezero"; then
  nobody() { setpriv --reuid=65534 --regid=65534 --clear-groups env HOME="$HOME" "$jezero" -c closed.toml "$@"; }
  configure closed nobody.db ""
  nobody run > said 2>&1
  chmod 000 sessions/-home-ana-projects-shop
  nobody run > said 2>&1 && { echo "an unreadable folder was not told"; exit 1; }
  wanted 'Permission denied|permission' said
  chmod 755 sessions/-home-ana-projects-shop
  nobody run > said 2>&1
  items closed
  cmp clean.items closed.items
  echo "source unreadable: the run says which folder and ends with 1; lost nothing"
else
  echo "skipped: nobody cannot run the program here"
fi

# 6. Kills, 200 of them.
cd "$root"
HOME="$own_home" JEZERO_KILLS="${JEZERO_KILLS:-200}" cargo test --locked --test integration faults::kills
