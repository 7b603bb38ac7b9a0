#!/usr/bin/env bash
# A library that the Python package 0.1.0 itself made, taken over: the same numbers, and the same items found
# by the same searches. Needs Python 3.12 or newer ($PYTHON); $PYTHON_JEZERO may name the package's program.
set -euo pipefail
root="$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)"
jezero="${JEZERO:-$root/target/debug/jezero}"
tools="${LIVE_DIR:-$root/target/live}"
python="${PYTHON:-python3}"
package="${PYTHON_JEZERO:-$tools/python-package/bin/jezero}"
if [ ! -x "$package" ]; then
  if ! "$python" -c 'import sys; sys.exit(sys.version_info < (3, 12))'; then
    echo "skipped: the Python package needs Python 3.12 or newer, which is not here"
    exit 0
  fi
  if ! "$python" -m venv "$tools/python-package" ||
    ! "$tools/python-package/bin/pip" install --quiet jezero==0.1.0; then
    echo "skipped: the Python package cannot be installed here"
    exit 0
  fi
fi
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
# Whole words: every SQLite has this tokenizer.
tokenizer='tokenizer = "unicode61 remove_diacritics 1"'
printf '[storage]\npath = "old.db"\n%s\n' "$tokenizer" > old.toml
printf '[storage]\npath = "new.db"\n%s\n' "$tokenizer" > new.toml
"$package" -c old.toml init > made
for source in agent-claude-code-laptop agent-codex-work-mac notes; do
  "$package" -c old.toml import-jsonl "$root/fixtures/library/$source.jsonl" --source "$source" > made
done
cp old.db before.db
"$jezero" -c new.toml import-db old.db --json > taken
grep -q '"passed_over":0' taken || { cat taken; exit 1; }
cmp old.db before.db
[ ! -e old.db-wal ] && [ ! -e old.db-shm ]

# numbers PROGRAM CONFIGURATION WORDS: the items that a search finds, by number.
numbers() {
  "$1" -c "$2" search "$3" --limit 50 | sed -n 's/^\[\([0-9]*\)\].*/\1/p' | sort -n | tr '\n' ' '
}
found=0
for words in invoice 'invoice export' 'UTF-8 BOM' checkout '"tax id"' accents billing UnicodeEncodeError zebra; do
  old="$(numbers "$package" old.toml "$words")"
  new="$(numbers "$jezero" new.toml "$words")"
  [ "$old" = "$new" ] || { echo "$words: '$old' became '$new'"; exit 1; }
  [ -z "$old" ] || found=$((found + 1))
done
[ "$found" -ge 5 ] || { echo "only $found searches find anything"; exit 1; }
"$jezero" -c new.toml index check > checked
echo "a library of the Python package: all well, $found searches find the same items"
