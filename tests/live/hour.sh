#!/usr/bin/env bash
# The daemon, left alone with sources that grow: sessions, mail and tasks are written for an hour (or
# $HOUR_MINUTES) while it is killed, ended, reconfigured and started again at random moments. Its
# library must then hold what one clean run over the same sources stores, each block once. $HOUR_SEED
# repeats the choices of an earlier time. Needs Python 3.10 and nothing from elsewhere.
source "$(dirname "${BASH_SOURCE[0]}")/place.sh"
PYTHONDONTWRITEBYTECODE=1 python3 "$root/tests/live/hour.py" "$jezero" "${HOUR_FOLDER:-$folder}"
