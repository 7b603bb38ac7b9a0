#!/usr/bin/env bash
# A real IMAP server: Dovecot from Debian, on this computer alone, with certificates and tokens of its
# own, read by the program. Needs root (Dovecot changes users), apt-get, openssl and Python. The
# server ends with this script.
source "$(dirname "${BASH_SOURCE[0]}")/place.sh"
dovecot_pid() { cat "$folder/dovecot/run/master.pid" 2> /dev/null; }
trap 'pid="$(dovecot_pid)" && kill "$pid"; rm -rf "$folder"' EXIT

if [ "$(id -u)" != 0 ]; then
  echo "skipped: Dovecot wants root here"
  exit 0
fi
if ! command -v dovecot > /dev/null && ! {
  apt-get update &&
    DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends dovecot-imapd dovecot-core
} > installed 2>&1; then
  echo "skipped: Dovecot cannot be installed here"
  exit 0
fi
if ! command -v openssl > /dev/null; then
  echo "skipped: openssl is not here"
  exit 0
fi
getent passwd vmail > /dev/null || useradd -r -M -s /usr/sbin/nologin vmail
chmod 755 "$folder"

# An authority and a certificate for localhost; the program is told to trust the authority.
openssl req -x509 -newkey rsa:2048 -nodes -days 30 -subj "/CN=Live test" \
  -addext basicConstraints=critical,CA:TRUE -keyout ca.key -out ca.pem 2> openssl.log
openssl req -newkey rsa:2048 -nodes -subj /CN=localhost -keyout key.pem -out cert.csr 2>> openssl.log
printf 'subjectAltName=DNS:localhost,IP:127.0.0.1\nbasicConstraints=CA:FALSE\n' > cert.ext
openssl x509 -req -in cert.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 30 \
  -extfile cert.ext -out cert.pem 2>> openssl.log

python3 "$root/tests/live/imap.py" "$folder" "$jezero"
