#!/usr/bin/env bash
# The conformance suite of the protocol, both eras, against the product itself. What may fail stands
# in conformance-expected.yml, each with its reason; anything else, and anything there that no longer
# fails, fails this.
source "$(dirname "${BASH_SOURCE[0]}")/place.sh"
serve "$(printf '[server]\nrequire_auth = false')"
expected="$root/tests/live/conformance-expected"
conformance server --url "$url" --requirements 2026-07-28 \
  --expected-failures "$expected-2026-07-28.yml" > answer 2>&1 || { tail -n 60 answer; exit 1; }
grep '^Total' answer
conformance server --url "$url" --spec-version 2025-11-25 \
  --expected-failures "$expected-2025-11-25.yml" > answer 2>&1 || { tail -n 60 answer; exit 1; }
grep '^Total' answer
