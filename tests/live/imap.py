"""Starts Dovecot, fills it with made mail and has Jezero read it. Called by imap.sh."""

import json
import os
import pwd
import random
import shutil
import socket
import subprocess
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

FOLDER, JEZERO = sys.argv[1:]
MANY = int(os.environ.get("IMAP_MANY", "20000"))
DOVECOT = os.path.join(FOLDER, "dovecot")
OWNER = pwd.getpwnam("vmail")
GOOD = "good-token"


def free_port():
    with socket.socket() as some:
        some.bind(("127.0.0.1", 0))
        return some.getsockname()[1]


class Tokens(BaseHTTPRequestHandler):
    """Says whose a token is."""

    def do_GET(self):
        token = parse_qs(urlsplit(self.path).query).get("access_token", [""])[0]
        good = token == GOOD
        body = json.dumps({"active": good, "username": "alice"} if good else {"active": False}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class Door:
    """Stands between Jezero and the server, and cuts connections after some bytes."""

    def __init__(self, target):
        self.target = target
        self.cuts = []
        self.shut = False
        self.connections = 0
        self.bytes = 0
        self.said = b""
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        while True:
            client, _ = self.listener.accept()
            if self.shut:
                client.close()
                continue
            self.connections += 1
            server = socket.create_connection(("127.0.0.1", self.target))
            for one, other, counts in ((client, server, False), (server, client, True)):
                threading.Thread(target=self.pump, args=(one, other, counts), daemon=True).start()

    def pump(self, one, other, counts):
        try:
            while data := one.recv(65536):
                if counts:
                    self.bytes += len(data)
                    if self.cuts and self.bytes > self.cuts[0]:
                        self.cuts.pop(0)
                        # Half of it goes through.
                        other.sendall(data[: len(data) // 2])
                        break
                else:
                    self.said += data
                other.sendall(data)
        except OSError:
            pass
        for end in (one, other):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass


def start_dovecot(plain, tls, tokens):
    os.makedirs(f"{DOVECOT}/mail")
    with open(f"{DOVECOT}/users", "w") as users:
        users.write("alice:{PLAIN}open sesame\nbulk:{PLAIN}open sesame\n")
    with open(f"{DOVECOT}/oauth2.conf", "w") as file:
        file.write(
            f"tokeninfo_url = http://127.0.0.1:{tokens}/token?access_token=\n"
            "username_attribute = username\nactive_attribute = active\nactive_value = true\n"
        )
    with open(f"{DOVECOT}/dovecot.conf", "w") as file:
        file.write(f"""
base_dir = {DOVECOT}/run
state_dir = {DOVECOT}/state
log_path = {DOVECOT}/log
protocols = imap
listen = 127.0.0.1
first_valid_uid = 100
mail_location = maildir:{DOVECOT}/mail/%u/Maildir
mail_uid = vmail
mail_gid = vmail
disable_plaintext_auth = no
auth_mechanisms = plain login xoauth2 oauthbearer
ssl = yes
ssl_cert = <{FOLDER}/cert.pem
ssl_key = <{FOLDER}/key.pem
mail_max_userip_connections = 100
passdb {{
  driver = oauth2
  mechanisms = xoauth2 oauthbearer
  args = {DOVECOT}/oauth2.conf
}}
passdb {{
  driver = passwd-file
  mechanisms = plain login
  args = scheme=PLAIN {DOVECOT}/users
}}
userdb {{
  driver = static
  args = uid=vmail gid=vmail home={DOVECOT}/mail/%u
}}
service imap-login {{
  inet_listener imap {{
    port = {plain}
  }}
  inet_listener imaps {{
    port = {tls}
  }}
}}
namespace inbox {{
  inbox = yes
  mailbox Sent {{
    auto = create
    special_use = \\Sent
  }}
  mailbox Muell {{
    auto = create
    special_use = \\Junk
  }}
}}
""")
    own(f"{DOVECOT}/mail")
    subprocess.run(["dovecot", "-c", f"{DOVECOT}/dovecot.conf"], check=True)
    for _ in range(100):
        try:
            socket.create_connection(("127.0.0.1", tls)).close()
            return
        except OSError:
            time.sleep(0.1)
    raise SystemExit(open(f"{DOVECOT}/log").read())


def own(path):
    os.chown(path, OWNER.pw_uid, OWNER.pw_gid)


def maildir(user, folder=""):
    path = f"{DOVECOT}/mail/{user}/Maildir"
    for part in ("", folder):
        for inner in ("", "cur", "new", "tmp"):
            whole = os.path.join(path, part, inner)
            os.makedirs(whole, exist_ok=True)
            own(whole)
    own(os.path.dirname(path))
    return os.path.join(path, folder)


def deliver(user, folder, number, answers, text, subject=None, flags="S"):
    """Puts a mail into a folder; returns its path."""
    references = "".join(f"References: <m{answer}@example.org>\n" for answer in answers)
    re = "Re: " if answers else ""
    subject = f"{re}{subject or f'Order {answers[0] if answers else number}'}"
    minutes = number % 1440
    date = f"{1 + number // 1440 % 28} Oct 2026 {minutes // 60:02}:{minutes % 60:02}:00 +0000"
    body = (
        f"From: Person {number % 7} <p{number % 7}@example.org>\nTo: Alice <alice@example.org>\n"
        f"Subject: {subject}\nDate: {date}\nMessage-ID: <m{number}@example.org>\n{references}"
        f"MIME-Version: 1.0\nContent-Type: text/plain; charset=utf-8\n\n{text}\n"
    )
    path = os.path.join(maildir(user, folder), "cur", f"{1790000000 + number}.M{number}P1.live:2,{flags}")
    with open(path, "w") as file:
        file.write(body)
    own(path)
    return path


def deliver_long(user, number, megabytes):
    """Puts a mail with a long attachment into INBOX."""
    path = deliver(user, "", number, [], "", "Scans")
    line = "QUFB" * 19 + "\n"
    with open(path, "w") as file:
        file.write(
            f"From: Ben <ben@example.org>\nTo: Alice <alice@example.org>\nSubject: Scans\n"
            f"Date: 9 Oct 2026 10:00:00 +0000\nMessage-ID: <m{number}@example.org>\nMIME-Version: 1.0\n"
            'Content-Type: multipart/mixed; boundary="b"\n\n--b\nContent-Type: text/plain\n\n'
            "The scans of all plates.\n--b\nContent-Type: application/zip; name=scans.zip\n"
            "Content-Disposition: attachment; filename=scans.zip\nContent-Transfer-Encoding: base64\n\n"
        )
        for _ in range(megabytes * 1024 * 1024 // len(line)):
            file.write(line)
        file.write("--b--\n")


WORDS = "paper ink plate proof sheet fold trim stitch cover price order press colour margin week".split()


def fill(count):
    """Many mails in threads of one to eight, in two folders."""
    chance = random.Random(5)
    for folder in ("", ".Sent"):
        maildir("bulk", folder)
    roots = []
    size = 0
    for number in range(1, count + 1):
        if roots and chance.random() < 0.6:
            answers = [chance.choice(roots[-40:])]
        else:
            roots.append(number)
            answers = []
        lines = [" ".join(chance.choices(WORDS, k=12)) for _ in range(chance.randint(4, 40))]
        text = f"Number {number}.\n" + "\n".join(lines)
        path = deliver("bulk", ".Sent" if number % 4 == 0 else "", number, answers, text)
        size += os.path.getsize(path)
    return len(roots), size


class Library:
    """A configuration and a library of its own."""

    def __init__(self, name, port, user, secret, more=""):
        self.folder = os.path.join(FOLDER, name)
        os.makedirs(self.folder)
        self.configure(port, user, secret, more)

    def configure(self, port, user, secret, more=""):
        with open(os.path.join(self.folder, "jezero.toml"), "w") as file:
            file.write(
                '[storage]\npath = "library.db"\n[[connectors]]\nname = "mail"\ntype = "email"\n'
                f'[connectors.options]\nimap = "localhost:{port}"\nuser = "{user}"\n{secret}\n'
                f"settle_minutes = 0\nmin_chars = 0\n{more}\n"
            )

    def run(self, good=0, **variables):
        """Runs the connector; returns its report, the seconds and the most memory in MiB."""
        begun = time.monotonic()
        variables = {"SSL_CERT_FILE": f"{FOLDER}/ca.pem", "MAIL_PASSWORD": "open sesame"} | variables
        with open(os.path.join(self.folder, "out"), "w") as out:
            process = subprocess.Popen(
                [JEZERO, "run", "--json"],
                cwd=self.folder,
                env=os.environ | variables,
                stdout=out,
                stderr=subprocess.STDOUT,
            )
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        seconds = time.monotonic() - begun
        with open(os.path.join(self.folder, "out")) as out:
            text = out.read()
        for secret in ("open sesame", GOOD):
            check("no secret", secret in text, False)
        if process.returncode != good:
            raise SystemExit(f"run ended with {process.returncode}, not {good}:\n{text}")
        report = next(line for line in text.splitlines() if line.startswith("{"))
        return json.loads(report), seconds, usage.ru_maxrss / 1024

    def items(self):
        file = os.path.join(self.folder, "items.jsonl")
        if os.path.exists(file):
            os.remove(file)
        subprocess.run([JEZERO, "export-jsonl", file], cwd=self.folder, check=True, capture_output=True)
        with open(file) as lines:
            return [json.loads(line) for line in lines]

    def told(self):
        return sorted((item["external_id"], item["original"]) for item in self.items())


def check(what, found, expected):
    if found != expected:
        raise SystemExit(f"{what}: {found!r}, and not {expected!r}")


def few(plain, tls):
    """Logins, and what happens to single mails."""
    first = deliver("alice", "", 1, [], "Shall we print the catalogue on ninety gram?", "Paper")
    deliver("alice", ".Sent", 2, [1], "Yes, laid paper, from the mill in Lindero.", "Paper")
    third = deliver("alice", ".Listen.Entw&APw-rfe f&APw-r alle", 3, [], "A list mail: signature Bravo is worn.", "Plates")
    deliver("alice", ".Muell", 4, [], "You have won a prize.", "Prize")
    deliver("alice", ".Trash", 5, [], "Thrown away.", "Old")
    fourth = deliver("alice", "", 6, [], "The invoice of the mill is here.", "Invoice", flags="")
    password = 'password_env = "MAIL_PASSWORD"'

    library = Library("few", tls, "alice", password)
    report, _, _ = library.run()
    check("failed", (report["failed"], report["errors"]), (0, []))
    items = library.items()
    check("threads", len(items), 3)
    check("account and trust", {(item["account"], item["trust"]) for item in items}, {(None, "external")})
    paper = next(item for item in items if "ninety gram" in item["original"])
    check("both halves", "mill in Lindero" in paper["original"], True)
    check("a quoted folder", any("signature Bravo" in item["original"] for item in items), True)
    check("junk and trash", any("prize" in i["original"] or "Thrown" in i["original"] for i in items), False)
    print("  TLS and a password: 3 threads, junk and trash left out")
    before = library.told()

    for what, port, secret, more in (
        ("STARTTLS", plain, password, 'tls = "starttls"'),
        ("LOGIN in clear on loopback", plain, password, 'tls = "none"'),
        ("XOAUTH2 through token_command", tls, f'token_command = ["/bin/echo", "{GOOD}"]', ""),
        ("XOAUTH2 through token_env", tls, 'token_env = "MAIL_TOKEN"', ""),
    ):
        library.configure(port, "alice", secret, more)
        report, seconds, _ = library.run(MAIL_TOKEN=GOOD)
        check(what, (report["failed"], report["docs"]), (0, 0))
        print(f"  {what}: nothing new, {seconds:.2f} s")
    for what, secret, port, code in (
        ("a bad token", 'token_command = ["/bin/echo", "bad"]', tls, 1),
        ("a bad password", 'password_command = ["/bin/echo", "bad"]', tls, 1),
        ("nobody there", password, 9, 4),
    ):
        library.configure(port, "alice", secret)
        report, _, _ = library.run(good=code)
        print(f"  {what}: {report['errors'][0]}")
    library.configure(tls, "alice", password)
    report, _, _ = library.run(good=1, SSL_CERT_FILE="/etc/ssl/certs/ca-certificates.crt")
    print(f"  an unknown authority: {report['errors'][0]}")

    # Deleted, moved, re-flagged: the library stays as it is.
    os.remove(third)
    shutil.move(first, os.path.join(maildir("alice", ".Archive"), "cur", os.path.basename(first)))
    os.rename(fourth, fourth + "F")
    report, _, _ = library.run()
    check("deleted, moved, flagged", (report["failed"], library.told() == before), (0, True))
    print("  a mail deleted, one moved, one flagged: the library stays as it was")
    deliver("alice", "", 7, [1, 2], "The paper has come.", "Paper")
    door = Door(plain)
    library.configure(door.port, "alice", password, 'tls = "none"')
    report, _, _ = library.run()
    library.configure(tls, "alice", password)
    commands = [line.split(" ", 1)[1] for line in door.said.decode().splitlines()]
    known = ("CAPABILITY", "LOGIN ", "LIST ", "EXAMINE ", "UID SEARCH ", "UID FETCH ", "LOGOUT")
    check("commands", [command for command in commands if not command.startswith(known)], [])
    check("changes", any(command.startswith("UID SEARCH MODSEQ ") for command in commands), True)
    fetches = [command for command in commands if command.startswith("UID FETCH ")]
    check("only peeks", all(" BODY.PEEK[" in command for command in fetches), True)
    check("an answer", (report["failed"], report["stored"]), (0, 1))
    items = library.items()
    paper = next(item for item in items if "has come" in item["original"])
    check("the same thread", ("ninety gram" in paper["original"], len(items)), (True, 3))
    print(f"  an answer to the moved mail: its thread grew, {len(commands)} commands, none that changes")

    # New numbers.
    before = library.told()
    old = validity("alice")
    for name in os.listdir(maildir("alice")):
        if name.startswith("dovecot"):
            path = os.path.join(maildir("alice"), name)
            shutil.rmtree(path) if os.path.isdir(path) else os.remove(path)
    time.sleep(1.1)
    report, _, _ = library.run()
    new = validity("alice")
    check("UIDVALIDITY changed", old != new, True)
    check("nothing twice", (report["failed"], library.told() == before), (0, True))
    report, _, _ = library.run()
    check("nothing new", (report["failed"], report["docs"]), (0, 0))
    print(f"  UIDVALIDITY {old} became {new}: nothing is stored twice")
    unseen = os.listdir(os.path.join(maildir("alice"), "cur"))
    check("nothing was marked as read", f"{os.path.basename(fourth)}F" in unseen, True)


def validity(user):
    with open(os.path.join(maildir(user), "dovecot-uidlist")) as file:
        return file.readline().split("V")[1].split()[0]


def many(tls):
    """A large account, through a door that cuts."""
    threads, size = fill(MANY)
    print(f"  {MANY} mails, {threads} threads, {size / 1e6:.1f} MB")
    password = 'password_env = "MAIL_PASSWORD"'
    whole = Library("many", tls, "bulk", password)
    report, seconds, memory = whole.run()
    check("failed", (report["failed"], report["stored"]), (0, threads))
    print(f"  first run: {MANY / seconds:.0f} mails/s, {seconds:.1f} s, {memory:.0f} MiB at most")
    report, seconds, memory = whole.run()
    check("nothing new", (report["failed"], report["docs"]), (0, 0))
    print(f"  nothing new: {seconds:.2f} s, {memory:.0f} MiB")
    deliver("bulk", "", MANY + 1, [1], "A late answer.")
    report, seconds, _ = whole.run()
    check("one more", (report["failed"], report["stored"]), (0, 1))
    print(f"  one new mail: {seconds:.2f} s")

    deliver_long("bulk", MANY + 2, 100)
    report, seconds, memory = whole.run()
    check("a long mail", (report["failed"], report["stored"]), (0, 1))
    scans = next(item for item in whole.items() if "scans of all plates" in item["original"])
    check("its attachment", "scans.zip" in scans["original"], True)
    print(f"  one mail of 100 MB: {seconds:.1f} s, {memory:.0f} MiB at most")
    size += 110_000_000
    threads += 1

    door = Door(tls)
    cut = Library("cut", door.port, "bulk", password)
    door.cuts = [size // 10, size // 5, size // 2, size]
    report, seconds, _ = cut.run()
    check("all in spite of cuts", (report["failed"], report["stored"]), (0, threads))
    check("the same items", cut.told() == whole.told(), True)
    print(f"  cut {door.connections - 1} times in the middle: the same items, {seconds:.1f} s")

    gone = Library("gone", door.port, "bulk", password)
    door.cuts = [door.bytes + size * 6 // 10]
    threading.Thread(target=shut_after, args=(door,), daemon=True).start()
    report, _, _ = gone.run(good=4)
    stored = report["stored"]
    check("some stored", 0 < stored < threads, True)
    print(f"  a server that went away: {stored} threads stored; {report['errors'][0]}")
    door.shut = False
    rest, _, _ = gone.run()
    check("no loss", (rest["failed"], gone.told() == whole.told()), (0, True))
    print(f"  and came back: the other {rest['stored']}")


def shut_after(door):
    while door.cuts:
        time.sleep(0.01)
    door.shut = True


def main():
    tokens = ThreadingHTTPServer(("127.0.0.1", 0), Tokens)
    threading.Thread(target=tokens.serve_forever, daemon=True).start()
    plain, tls = free_port(), free_port()
    start_dovecot(plain, tls, tokens.server_address[1])
    version = subprocess.run(["dovecot", "--version"], capture_output=True, text=True).stdout.split()[0]
    print(f"dovecot {version}")
    few(plain, tls)
    many(tls)
    print("dovecot: read as it should be")


main()
