#!/usr/bin/env bash
# What `jezero setup service` prints, held against those who read it: systemd's own check of units, a
# parser of property lists. The folder of program and configuration has a name with everything in it
# that one of the formats reads as something else.
set -euo pipefail
root="$(cd "$(dirname "$0")/../.." && pwd)"
program="$root/target/debug/jezero"
home="$(mktemp -d)"
trap 'rm -rf "$home"' EXIT
folder="$home/a b 50% 'c' \"d\" <e> & \$f \\g"
mkdir -p "$folder/data" "$folder/sessions"
cp "$program" "$folder/jezero"
printf '[[connectors]]\nname = "a"\ntype = "claude_code"\n[connectors.options]\nprojects_dir = "sessions"\n' \
  > "$folder/jezero.toml"
setup() { "$folder/jezero" -c "$folder/jezero.toml" setup service "$@" 2> /dev/null; }

if command -v systemd-analyze > /dev/null; then
  for whose in --user --system; do
    as=()
    [ "$whose" = --user ] || as=(--run-as "$(id -un)")
    units="$home/units$whose"
    mkdir "$units"
    setup --systemd $whose "${as[@]}" > "$units/jezero.service"
    setup --systemd $whose "${as[@]}" --once > "$units/jezero-run.service"
    setup --systemd $whose "${as[@]}" --timer > "$units/jezero-run.timer"
    told="$(XDG_RUNTIME_DIR="$home" systemd-analyze verify $whose --man=no "$units"/jezero*.* 2>&1 \
      | grep -e "$units" -e Failed || true)"
    [ -z "$told" ] || { echo "systemd-analyze verify $whose: $told"; exit 1; }
    echo "ok: units ($whose)"
  done
else
  echo "skipped: units, since there is no systemd-analyze here"
fi

if command -v python3 > /dev/null; then
  for timer in "" --timer; do
    setup --launchd $timer > "$home/list.plist"
    HOME_OF_TEST="$folder" TIMER="$timer" python3 - "$home/list.plist" << 'PYTHON'
import os, plistlib, sys
with open(sys.argv[1], "rb") as file:
    given = plistlib.load(file)
folder = os.environ["HOME_OF_TEST"]
arguments = given["ProgramArguments"]
assert arguments[0] == folder + "/jezero", arguments
assert folder + "/jezero.toml" in arguments, arguments
if os.environ["TIMER"]:
    assert given["StartInterval"] == 900 and "KeepAlive" not in given, given
else:
    assert given["KeepAlive"] == {"SuccessfulExit": False}, given
assert given["Umask"] == 0o77 and given["ExitTimeOut"] == 20, given
PYTHON
    echo "ok: property list ($timer)"
  done
else
  echo "skipped: property lists, since there is no Python here"
fi
