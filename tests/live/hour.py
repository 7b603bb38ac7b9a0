"""Has `jezero daemon` fill a library from sources that grow, ends it in every way at random moments, and
compares the library with that of one clean run. Called by hour.sh."""

import collections
import ctypes
import json
import os
import random
import re
import signal
import sqlite3
import subprocess
import sys
import time

from hour_sources import Maildir, Mbox, Sessions, Tasks, World

JEZERO, FOLDER = sys.argv[1:]
MINUTES = float(os.environ.get("HOUR_MINUTES", "60"))
SEED = int(os.environ.get("HOUR_SEED", str(random.randrange(1 << 30))))
# Seconds from a file that was written to its items in the library, without a settle time.
SOON = 5
# A long block is shortened in the middle, by more when the line that says what a fork continues precedes it.
SHORTENED = re.compile(r"\[\.\.\. \d+ characters omitted \.\.\.\]")
KEPT = 300
BLOCK = re.compile(r"^\[\d{4}-\d\d-\d\d \d\d:\d\d\] ", re.MULTILINE)
MARK = re.compile(r"\bmark\d{6}\b")


def configuration(tasks_url, interval=1, settle=0, database="library/jezero.db"):
    sources = os.path.join(FOLDER, "sources")
    blocks = [
        (Sessions.SOURCE, "claude_code", f'projects_dir = "{sources}/projects"\ninclude_subagents = true\nsettle_minutes = 0'),
        (Maildir.SOURCE, "email", f'maildir = "{sources}/maildir"\nsettle_minutes = 0'),
        (Mbox.SOURCE, "email", f'mbox = "{sources}/mbox/Archive"\nsettle_minutes = {settle}'),
        (Tasks.SOURCE, "paperclip", f'api_url = "{tasks_url}"\nsettle_minutes = 0'),
    ]
    text = f'[storage]\npath = "{database}"\n[summarizer]\nprovider = "extractive"\nmax_input_chars = 3000\n'
    for name, kind, options in blocks:
        text += f'[[connectors]]\nname = "{name}"\ntype = "{kind}"\ninterval_minutes = {interval}\n'
        text += f"[connectors.options]\nmin_chars = 100\n{options}\n"
    return text


def check(what, found, expected):
    if found != expected:
        raise SystemExit(f"{what}: {found!r}, and not {expected!r}")


class Daemon:
    """The daemon, over all its lives."""

    def __init__(self, place):
        self.place = place
        self.log_path = os.path.join(place, "daemon.log")
        self.log = open(self.log_path, "ab")
        self.process = None
        self.counts = collections.Counter()
        self.slowest_end = 0.0
        self.memory = []
        self.files = 0
        self.log_size = 0

    def start(self):
        self.process = subprocess.Popen(
            [JEZERO, "daemon"], cwd=self.place, env=environment(self.place), stdin=subprocess.DEVNULL, stderr=self.log
        )
        self.counts["starts"] += 1

    def is_running(self):
        return self.process.poll() is None

    def look(self, begun):
        """Notes the memory and the open files, and the size of the library's log."""
        try:
            with open(f"/proc/{self.process.pid}/status") as status:
                kib = next((int(line.split()[1]) for line in status if line.startswith("VmRSS")), None)
            self.files = max(self.files, len(os.listdir(f"/proc/{self.process.pid}/fd")))
        except OSError:
            return
        if kib:
            self.memory.append((time.monotonic() - begun, self.process.pid, kib))
        self.log_size = max(self.log_size, size(os.path.join(self.place, "library/jezero.db-wal")))

    def kill(self, in_a_write):
        if in_a_write:
            self.wait_for_a_write()
        self.process.kill()
        check("killed", self.process.wait(), -signal.SIGKILL)
        self.counts["kills (in a write)" if in_a_write else "kills"] += 1

    def wait_for_a_write(self):
        log = os.path.join(self.place, "library/jezero.db-wal")
        before, until = stamp(log), time.monotonic() + 3
        while stamp(log) == before and time.monotonic() < until:
            time.sleep(0.001)

    def end(self):
        begun = time.monotonic()
        self.process.terminate()
        try:
            code = self.process.wait(30)
        except subprocess.TimeoutExpired:
            raise SystemExit("SIGTERM did not end the daemon within 30 seconds")
        # A signal that comes before the daemon listens ends it as any program.
        if code not in (0, -signal.SIGTERM):
            raise SystemExit(f"SIGTERM: it ended with {code}")
        self.slowest_end = max(self.slowest_end, time.monotonic() - begun)
        self.counts["SIGTERM"] += 1

    def says(self, text, since, seconds=40):
        """Waits until it has logged a text behind a place of its log."""
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            with open(self.log_path, "rb") as log:
                log.seek(since)
                if text in log.read().decode():
                    return
            time.sleep(0.02)
        raise SystemExit(f"the daemon did not say {text!r}")

    def configure(self, text, answer):
        """Writes a configuration, sends SIGHUP and waits for what is said to it."""
        since = size(self.log_path)
        write(os.path.join(self.place, "jezero.toml"), text)
        self.process.send_signal(signal.SIGHUP)
        self.says(answer, since)


def environment(place):
    kept = {name: value for name, value in os.environ.items() if name in ("PATH", "LANG")}
    return kept | {"HOME": os.path.join(place, "home"), "TMPDIR": os.path.join(place, "tmp")}


def size(path):
    try:
        return os.path.getsize(path)
    except OSError:
        return 0


def stamp(path):
    try:
        data = os.stat(path)
        return data.st_size, data.st_mtime_ns
    except OSError:
        return None


def write(path, text):
    with open(path + ".new", "w") as file:
        file.write(text)
    os.rename(path + ".new", path)


def place(name):
    path = os.path.join(FOLDER, name)
    for folder in ("", "home", "tmp"):
        os.makedirs(os.path.join(path, folder), exist_ok=True)
    return path


def jezero(at, *arguments, good=(0,)):
    done = subprocess.run([JEZERO, *arguments], cwd=at, env=environment(at), capture_output=True, text=True)
    if done.returncode not in good:
        raise SystemExit(f"jezero {' '.join(arguments)}: {done.returncode}\n{done.stdout[-2000:]}\n{done.stderr[-2000:]}")
    return done


class Probe:
    """Measures how long a session takes from being written to being stored."""

    def __init__(self, daemon, sessions):
        self.daemon, self.sessions = daemon, sessions
        self.name = self.begun = self.pid = None
        self.seconds = []
        self.disturbed = 0

    def begin(self):
        self.name, self.begun, self.pid = self.sessions.probe(), time.monotonic(), self.daemon.process.pid

    def look(self):
        if self.name is None:
            return
        if self.daemon.process.pid != self.pid or not self.daemon.is_running():
            self.disturbed += 1
            self.name = None
            return
        library = sqlite3.connect(f"file:{self.daemon.place}/library/jezero.db?mode=ro", uri=True, timeout=5)
        try:
            found = library.execute("SELECT 1 FROM items WHERE external_id GLOB ? LIMIT 1", (f"{self.name}#*",)).fetchone()
        except sqlite3.OperationalError:
            # The library is just being made.
            found = None
        finally:
            library.close()
        if found:
            self.seconds.append(time.monotonic() - self.begun)
            self.name = None


def bare_notice():
    """Seconds from a file that is put into a folder to the system's word of it, the median of many."""
    folder = place("notice")
    system = ctypes.CDLL(None, use_errno=True)
    ear = system.inotify_init1(0)
    moved_to = 0x80
    if ear < 0 or system.inotify_add_watch(ear, folder.encode(), moved_to) < 0:
        raise SystemExit(f"inotify: {os.strerror(ctypes.get_errno())}")
    seconds = []
    for number in range(200):
        path = os.path.join(FOLDER, "notice.new")
        write(path, "text")
        begun = time.monotonic()
        os.rename(path, os.path.join(folder, f"file{number}"))
        os.read(ear, 4096)
        seconds.append(time.monotonic() - begun)
    os.close(ear)
    return sorted(seconds)[len(seconds) // 2]


def contents(at):
    """How often each block stands in a library, and each mark, by source."""
    file = os.path.join(at, "items.jsonl")
    jezero(at, "export-jsonl", file)
    blocks, marks, items = (collections.defaultdict(collections.Counter) for _ in range(3))
    with open(file) as lines:
        for line in lines:
            item = json.loads(line)
            starts = [match.start() for match in BLOCK.finditer(item["original"])]
            if not starts or starts[0] != 0:
                raise SystemExit(f"{item['external_id']} begins with no block")
            for begin, end in zip(starts, [*starts[1:], None]):
                block = item["original"][begin:end].rstrip("\n")
                # Which session had a record first may differ.
                if not block[19:].startswith("session: continues "):
                    blocks[item["source"]][block[:KEPT] if SHORTENED.search(block) else block] += 1
            marks[item["source"]].update(MARK.findall(item["original"]))
            items[item["source"]][item["external_id"]] += 1
    os.remove(file)
    return blocks, marks, items


def sound(at):
    """A library whose file, index and sources are as they should be, with nothing left beside it."""
    library = sqlite3.connect(f"file:{at}/library/jezero.db?mode=ro", uri=True)
    check("integrity_check", library.execute("PRAGMA integrity_check").fetchall(), [("ok",)])
    library.close()
    jezero(at, "index", "check")
    states = [json.loads(line) for line in jezero(at, "health", "--json").stdout.splitlines()]
    check("health", [s["status"] for s in states if "status" in s], ["ok"] * 4)
    known = {"jezero.db", "jezero.db-wal", "jezero.db-shm", "jezero.db.lock"}
    check("files left", sorted(set(os.listdir(os.path.join(at, "library"))) - known), [])
    check("temporary files", os.listdir(os.path.join(at, "tmp")), [])
    home = [name for _, _, names in os.walk(os.path.join(at, "home")) for name in names]
    check("files at home", home, [])


def compare(world, ours, clean):
    """Every written mark is there once, and both libraries hold the same blocks."""
    (blocks, marks, items), (clean_blocks, clean_marks, clean_items) = ours, clean
    for source, written in world.written.items():
        for name, found in (("daemon", marks[source]), ("clean run", clean_marks[source])):
            lost, foreign = written - set(found), set(found) - written
            twice = [mark for mark, times in found.items() if times > 1]
            if lost or foreign or twice:
                raise SystemExit(f"{source}, {name}: {len(lost)} lost {sorted(lost)[:5]}, {len(foreign)} not taken "
                                 f"away {sorted(foreign)[:5]}, {len(twice)} twice {sorted(twice)[:5]}")
        less, more = clean_blocks[source] - blocks[source], blocks[source] - clean_blocks[source]
        if less or more:
            for sign, some in (("-", less), ("+", more)):
                for block in list(some)[:3]:
                    print(f"  {sign} {block[:300]!r}")
            raise SystemExit(f"{source}: {sum(less.values())} blocks missing, {sum(more.values())} too many")
        print(f"  {source}: {len(written)} texts, {sum(blocks[source].values())} blocks each as in the clean run and once; "
              f"{len(items[source])} items ({len(clean_items[source])} in the clean run)")


def disturb(world, daemon, tasks):
    """Ends, kills or reconfigures the daemon; afterwards it runs."""
    chance = world.chance
    usual = configuration(tasks.url)
    kind = chance.random()
    if kind < 0.3:
        daemon.kill(in_a_write=True)
    elif kind < 0.5:
        daemon.kill(in_a_write=False)
    elif kind < 0.7:
        daemon.end()
    elif kind < 0.85:
        text = configuration(tasks.url, interval=chance.choice([1, 2]), settle=chance.choice([0, 1]))
        daemon.configure(text, "the configuration was read again")
        daemon.counts["reloads"] += 1
        return
    else:
        broken = chance.choice(["[[connectors]]\nname = \"A b\"\n", "storage = ", usual.replace("min_chars = 100", "min_chras = 1")])
        daemon.configure(broken, "the configuration stays as it was")
        check("the daemon lives on with a broken configuration", daemon.is_running(), True)
        daemon.counts["reloads of a broken configuration"] += 1
        if chance.random() < 0.3:
            daemon.end()
            daemon.start()
            check("a start with a broken configuration", daemon.process.wait(20), 2)
            write(os.path.join(daemon.place, "jezero.toml"), usual)
            daemon.counts["starts refused"] += 1
            daemon.start()
        else:
            daemon.configure(usual, "the configuration was read again")
        return
    if chance.random() < 0.3:
        time.sleep(chance.uniform(0, 10))
    write(os.path.join(daemon.place, "jezero.toml"), usual)
    daemon.start()
    # Now and then killed again before it is ready.
    if chance.random() < 0.15:
        time.sleep(chance.uniform(0, 0.3))
        daemon.kill(in_a_write=False)
        daemon.start()


def is_calm(share):
    """A part of the time in which the daemon is left alone, so that its memory can be seen."""
    return 0.4 < share < 0.65


def drive(world, daemon, probe, sources, tasks):
    begun = time.monotonic()
    last = MINUTES * 60
    next_turn = next_look = 0.0
    next_probe, next_disturbance, next_word = 5.0, 8.0, 300.0
    while (passed := time.monotonic() - begun) < last:
        world.catch_up()
        if passed >= next_turn:
            world.chance.choice(sources).step()
            # Busy and idle times.
            next_turn = passed + world.chance.expovariate(1 / (0.1 if int(passed / 20) % 3 else 0.6))
        if passed >= next_probe and probe.name is None:
            probe.begin()
            next_probe = passed + world.chance.uniform(8, 20)
        probe.look()
        if passed >= next_look:
            daemon.look(begun)
            next_look = passed + 1
        if passed >= next_disturbance and not is_calm(passed / last):
            if world.chance.random() < 0.05:
                tasks.go_away(world.chance.uniform(1, 20))
            disturb(world, daemon, tasks)
            next_disturbance = time.monotonic() - begun + world.chance.expovariate(1 / 10)
        if not daemon.is_running():
            raise SystemExit(f"the daemon ended by itself with {daemon.process.returncode}")
        if passed >= next_word:
            print(f"  {passed / 60:.0f} min: {world.marks} texts, {dict(daemon.counts)}", flush=True)
            next_word += 300
        time.sleep(0.03)
    world.catch_up(all_of_it=True)


def tell(world, daemon, probe, tasks):
    print("written: " + ", ".join(f"{count} {what}" for what, count in sorted(world.counts.items())))
    print(f"  {world.marks} texts; {tasks.asked} requests to the server, {tasks.failures} of them refused for the moment")
    print("done to the daemon: " + ", ".join(f"{count} {what}" for what, count in sorted(daemon.counts.items()))
          + f"; SIGTERM ended it within {daemon.slowest_end:.2f} s")
    longest = collections.Counter(pid for _, pid, _ in daemon.memory).most_common(1)
    for pid, _ in longest:
        life = [(at, kib) for at, of, kib in daemon.memory if of == pid]
        parts = [life[len(life) * n // 6 : len(life) * (n + 1) // 6] for n in range(6)]
        parts = [f"{min(k for _, k in part) / 1024:.1f}-{max(k for _, k in part) / 1024:.1f}" for part in parts if part]
        print(f"  memory over its longest life ({(life[-1][0] - life[0][0]) / 60:.1f} min), by sixths, MiB: {', '.join(parts)}")
    sizes = [kib / 1024 for _, _, kib in daemon.memory]
    print(f"  memory over all lives: {min(sizes):.1f} to {max(sizes):.1f} MiB; open files at most {daemon.files}; "
          f"the library's log at most {daemon.log_size / 1e6:.1f} MB")
    seconds = sorted(probe.seconds)
    if seconds:
        print(f"  written to stored, {len(seconds)} sessions: median {seconds[len(seconds) // 2]:.2f} s, "
              f"p95 {seconds[len(seconds) * 95 // 100]:.2f} s, most {seconds[-1]:.2f} s ({probe.disturbed} more met a kill); "
              f"the system's bare notice: {bare_notice() * 1e6:.0f} µs")


def main():
    print(f"{MINUTES:g} minutes, seed {SEED}", flush=True)
    world = World(SEED)
    sources = os.path.join(FOLDER, "sources")
    sessions = Sessions(world, os.path.join(sources, "projects"))
    tasks = Tasks(world)
    growing = [sessions, Maildir(world, os.path.join(sources, "maildir")), Mbox(world, os.path.join(sources, "mbox")), tasks]
    for source in growing:
        source.step()
    world.catch_up(all_of_it=True)
    at = place("daemon")
    write(os.path.join(at, "jezero.toml"), configuration(tasks.url))
    daemon = Daemon(at)
    probe = Probe(daemon, sessions)
    daemon.start()
    try:
        drive(world, daemon, probe, growing, tasks)
        daemon.end()
    finally:
        if daemon.is_running():
            daemon.process.kill()
    tell(world, daemon, probe, tasks)
    tasks.away_until = 0
    write(os.path.join(at, "jezero.toml"), configuration(tasks.url))
    for _ in range(3):
        jezero(at, "run", "--json")
    sound(at)
    clean = place("clean")
    write(os.path.join(clean, "jezero.toml"), configuration(tasks.url))
    begun = time.monotonic()
    jezero(clean, "run", "--json")
    print(f"the clean run: {time.monotonic() - begun:.1f} s; library {size(f'{clean}/library/jezero.db') / 1e6:.1f} MB, "
          f"the daemon's {size(f'{at}/library/jezero.db') / 1e6:.1f} MB")
    sound(clean)
    compare(world, contents(at), contents(clean))
    seconds = sorted(probe.seconds)
    check(f"seconds to stored, p95 at most {SOON}", seconds[len(seconds) * 95 // 100] <= SOON, True)
    print("the same blocks, each once")


main()
