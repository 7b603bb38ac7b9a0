"""Invented sources that grow while they are read: sessions, mail and tasks. Used by hour.py.

Every text holds a word of its own (`mark000123`), which is noted when it is written. So it can be said
of each text whether it is in a library, and whether it is there once."""

import heapq
import json
import os
import random
import threading
import time
import uuid
from datetime import datetime, timedelta, timezone
from email.utils import format_datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

WORDS = (
    "order plate barge lantern harbour ledger signal orchard copper window ferry catalogue ribbon gravel "
    "kettle parcel meadow timber anchor bridge candle drawer engine fabric garden hammer island jacket"
).split()
VERBS = "carries drops counts folds reads keeps moves opens prints sorts trims wraps".split()
PEOPLE = ["Ana Pérez <ana@example.org>", "Bo Lund <bo@example.com>", "Chi Okafor <chi@example.net>"]
COMPANY = "0b54a1c2-5d1e-4f0a-9c3e-7a8b9c0d1e2f"
AGENTS = {"a9000001-1111-4222-8333-444455556666": "Ada", "a9000002-1111-4222-8333-444455556666": "Linus"}


class World:
    """What all sources share: chance, an invented clock, what was written, and what is still to do."""

    def __init__(self, seed):
        self.chance = random.Random(seed)
        self.now = datetime.now(timezone.utc).replace(microsecond=0) - timedelta(days=60)
        self.lock = threading.RLock()
        self.marks = 0
        self.written = {}
        self.counts = {}
        self.later = []

    def tick(self):
        self.now += timedelta(seconds=self.chance.randint(2, 60), milliseconds=self.chance.randint(1, 900))
        return self.now

    def stamp(self):
        return self.tick().strftime("%Y-%m-%dT%H:%M:%S.") + f"{self.now.microsecond // 1000:03d}Z"

    def count(self, what):
        self.counts[what] = self.counts.get(what, 0) + 1

    def text(self, source, sentences=None):
        """A text with a mark; it counts as written to a source."""
        self.marks += 1
        mark = f"mark{self.marks:06d}"
        self.written.setdefault(source, set()).add(mark)
        return f"{mark} {self.sentences(sentences or self.chance.randint(1, 6))}"

    def sentences(self, many):
        pick = self.chance.choice
        return " ".join(
            f"The {pick(WORDS)} {pick(WORDS)} {pick(VERBS)} the {pick(WORDS)} before the {pick(WORDS)}." for _ in range(many)
        )

    def identity(self):
        return str(uuid.UUID(int=self.chance.getrandbits(128), version=4))

    def soon(self, seconds, what):
        heapq.heappush(self.later, (time.monotonic() + seconds, self.chance.random(), what))

    def catch_up(self, all_of_it=False):
        while self.later and (all_of_it or self.later[0][0] <= time.monotonic()):
            heapq.heappop(self.later)[2]()

    def torn(self, path, data, done):
        """Appends bytes, now and then in two pieces with a pause between them."""
        cut = self.chance.randint(1, len(data) - 1) if self.chance.random() < 0.1 else len(data)

        def append(piece):
            with open(path, "ab") as file:
                file.write(piece)

        append(data[:cut])
        if cut == len(data):
            return done()
        self.count("appends in two pieces")
        self.soon(self.chance.uniform(0.05, 2), lambda: (append(data[cut:]), done()))


class Sessions:
    """Sessions of Claude Code, with sub-agents, forks and sessions that move."""

    SOURCE = "agent-claude"

    def __init__(self, world, folder):
        self.world, self.folder = world, folder
        self.live = []
        self.busy = set()

    def place(self, project):
        folder = os.path.join(self.folder, f"-home-ana-projects-{project}")
        os.makedirs(folder, exist_ok=True)
        return folder

    def begin(self):
        world = self.world
        project = world.chance.choice(["ferry", "quill", "shop", "relay"])
        name = world.identity()
        session = {
            "id": name, "project": project, "parent": None, "lines": [],
            "path": os.path.join(self.place(project), f"{name}.jsonl"),
            "secret": world.chance.choice([None, None, f"blue-Heron-{world.chance.randint(1000, 9999)}!"]),
        }
        self.live.append(session)
        world.count("sessions")
        return session

    def record(self, session, role, content, agent=None):
        record = {
            "parentUuid": session["parent"], "isSidechain": agent is not None, "userType": "external",
            "cwd": f"/home/ana/projects/{session['project']}", "sessionId": session["id"], "version": "2.1.205",
            "gitBranch": "main", "type": role, "message": {"role": role, "content": content},
            "uuid": self.world.identity(), "timestamp": self.world.stamp(),
        }
        if agent:
            record["agentId"] = agent
        session["parent"] = record["uuid"]
        return record

    def turn(self, session, agent=None):
        """A question and what came of it."""
        world, pick = self.world, self.world.chance.random
        said = lambda many=None: world.text(self.SOURCE, many)
        answer = [{"type": "text", "text": said()}]
        records = [
            self.record(session, "user", said(90 if pick() < 0.03 else None), agent),
            self.record(session, "assistant", answer, agent),
        ]
        if pick() < 0.3:
            call = {"type": "tool_use", "id": f"toolu_{world.chance.getrandbits(64):016x}", "name": "Bash"}
            call["input"] = {"command": f"make {said(1)}"}
            records.append(self.record(session, "assistant", [call], agent))
            result = {"tool_use_id": call["id"], "type": "tool_result", "is_error": True, "content": said(2)}
            records.append(self.record(session, "user", [result], agent))
        if session.get("secret") and pick() < 0.2:
            told = f"{said(1)} password = \"{session['secret']}\""
            records.append(self.record(session, "user", told, agent))
            again = [{"type": "text", "text": f"{said(1)} I log in with {session['secret']} then."}]
            records.append(self.record(session, "assistant", again, agent))
        if pick() < 0.1:
            records.append({"type": "ai-title", "aiTitle": f"About {world.sentences(1)}", "sessionId": session["id"]})
        return records

    def append(self, session, records):
        lines = [json.dumps(record, ensure_ascii=False) for record in records]
        session["lines"] += lines
        self.busy.add(session["path"])
        self.world.count("records of sessions")
        data = "".join(line + "\n" for line in lines).encode()
        self.world.torn(session["path"], data, lambda: self.busy.discard(session["path"]))

    def step(self):
        world, chance = self.world, self.world.chance
        if len(self.live) < 4 or chance.random() < 0.03:
            self.begin()
        if len(self.live) > 12:
            self.live.pop(0)
        session = chance.choice(self.live)
        if session["path"] in self.busy:
            return
        kind = chance.random()
        if kind < 0.04 and session["lines"]:
            self.sub_agent(session)
        elif kind < 0.06 and session["lines"] and not session["secret"]:
            self.fork(session)
        elif kind < 0.08 and session["lines"]:
            self.move(session)
        else:
            self.append(session, self.turn(session))

    def sub_agent(self, session):
        world = self.world
        agent = f"{world.chance.getrandbits(28):07x}"
        folder = os.path.join(os.path.splitext(session["path"])[0], "subagents")
        os.makedirs(folder, exist_ok=True)
        own = dict(session, parent=None, lines=[], path=os.path.join(folder, f"agent-{agent}.jsonl"), secret=None)
        for _ in range(world.chance.randint(1, 4)):
            self.append(own, self.turn(own, agent))
            if own["path"] in self.busy:
                break
        world.count("sub-agents")

    def fork(self, session):
        """A session that begins with a copy of another one's records."""
        fork = self.begin()
        fork.update(project=session["project"], secret=None)
        fork["path"] = os.path.join(self.place(fork["project"]), f"{fork['id']}.jsonl")
        lines = [line.replace(session["id"], fork["id"]) for line in session["lines"]]
        with open(fork["path"] + ".new", "w") as file:
            file.writelines(line + "\n" for line in lines)
        os.rename(fork["path"] + ".new", fork["path"])
        fork["lines"] = lines
        self.append(fork, self.turn(fork))
        self.world.count("forks")

    def move(self, session):
        project = self.world.chance.choice(["ferry", "quill", "shop", "relay"])
        path = os.path.join(self.place(project), f"{session['id']}.jsonl")
        if path != session["path"] and not os.path.isdir(os.path.splitext(session["path"])[0]):
            os.rename(session["path"], path)
            session["path"] = path
            self.world.count("sessions moved")

    def probe(self):
        """A session that is whole at once; returns its name."""
        session = self.begin()
        self.live.remove(session)
        lines = [json.dumps(record) for record in self.turn(session) + self.turn(session)]
        with open(session["path"] + ".new", "w") as file:
            file.writelines(line + "\n" for line in lines)
        os.rename(session["path"] + ".new", session["path"])
        return session["id"]


class Mail:
    """Mails in threads: what a mail holds, for a Maildir or an mbox file."""

    def __init__(self, world, source):
        self.world, self.source = world, source
        self.threads = []

    def next(self):
        """A mail of a new thread or a reply, as bytes with line feeds."""
        world, chance = self.world, self.world.chance
        if not self.threads or chance.random() < 0.25:
            self.threads.append({"subject": f"The {chance.choice(WORDS)} {world.marks}", "mails": []})
            self.threads = self.threads[-30:]
            world.count(f"threads of {self.source}")
        thread = chance.choice(self.threads)
        body = world.text(self.source, chance.randint(5, 12)) + "\n"
        replied = thread["mails"][-1] if thread["mails"] else None
        head = [f"From: {chance.choice(PEOPLE)}", f"To: {chance.choice(PEOPLE)}"]
        again = "Re: " if replied else ""
        head += [f"Subject: {again}{thread['subject']}", f"Date: {format_datetime(world.tick())}"]
        name = f"<{chance.getrandbits(80):020x}@example.org>"
        head += [f"Message-ID: {name}", "MIME-Version: 1.0", "Content-Type: text/plain; charset=utf-8"]
        if replied:
            names = [mail["name"] for mail in thread["mails"][-5:]]
            head += [f"In-Reply-To: {replied['name']}", "References: " + "\n ".join(names)]
            # A quotation goes only when the quoted mail is known: it has had time to be read.
            old = [mail for mail in thread["mails"][-30:] if time.monotonic() - mail["at"] > 120]
            if old and chance.random() < 0.5:
                body += "\nAna wrote:\n" + "".join(f"> {line}\n" for line in old[-1]["body"].splitlines())
                world.count(f"quotations of {self.source}")
        thread["mails"].append({"name": name, "body": body.split("\nAna wrote:")[0], "at": time.monotonic()})
        world.count(f"mails of {self.source}")
        return ("\n".join(head) + "\n\n" + body).encode()


class Maildir:
    SOURCE = "mail-box"
    FOLDERS = ["", ".Work", ".Work.Shop"]

    def __init__(self, world, folder):
        self.world, self.folder = world, folder
        self.mail = Mail(world, self.SOURCE)
        self.files = []
        for name in self.FOLDERS:
            for part in ("cur", "new", "tmp"):
                os.makedirs(os.path.join(folder, name, part), exist_ok=True)

    def step(self):
        kind = self.world.chance.random()
        if kind < 0.6 or not self.files:
            self.deliver()
        elif kind < 0.9:
            self.flag(self.world.chance.randrange(len(self.files)))
        else:
            self.move(self.world.chance.randrange(len(self.files)))

    def deliver(self):
        name = f"{int(time.time())}.M{self.world.chance.getrandbits(40):010x}.laptop"
        temporary = os.path.join(self.folder, "tmp", name)
        with open(temporary, "wb") as file:
            file.write(self.mail.next())
        os.rename(temporary, os.path.join(self.folder, "new", name))
        self.files.append(("", "new", name))

    def flag(self, at):
        folder, part, name = self.files[at]
        flags = "".join(sorted(self.world.chance.sample("FRS", self.world.chance.randint(1, 3))))
        self.put(at, folder, "cur", f"{name.split(':')[0]}:2,{flags}")
        self.world.count("mails flagged")

    def move(self, at):
        _, part, name = self.files[at]
        self.put(at, self.world.chance.choice(self.FOLDERS), part, name)
        self.world.count("mails moved")

    def put(self, at, *new):
        os.rename(os.path.join(self.folder, *self.files[at]), os.path.join(self.folder, *new))
        self.files[at] = new


class Mbox:
    SOURCE = "mail-archive"

    def __init__(self, world, folder):
        os.makedirs(folder, exist_ok=True)
        self.world, self.path = world, os.path.join(folder, "Archive")
        self.mail = Mail(world, self.SOURCE)
        self.busy = False

    def step(self):
        if self.busy:
            return
        self.busy = True
        separator = f"From ana@example.org {self.world.now.strftime('%a %b %d %H:%M:%S %Y')}\n".encode()
        self.world.torn(self.path, separator + self.mail.next() + b"\n", self.rest)

    def rest(self):
        self.busy = False


class Tasks:
    """A Paperclip server with one company, which answers as the real one does."""

    SOURCE = "tasks"
    PAGE = 50

    def __init__(self, world):
        self.world = world
        self.tasks = []
        self.asked = self.failures = 0
        self.away_until = 0
        outer = self

        class Answer(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True

            def do_GET(self):
                outer.answer(self)

            def log_message(self, *_):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Answer)
        self.server.daemon_threads = True
        # A daemon that is killed while it asks breaks its connections.
        self.server.handle_error = lambda *_: None
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}/api"

    def step(self):
        with self.world.lock:
            chance = self.world.chance
            if not self.tasks or chance.random() < 0.12:
                return self.begin()
            task = chance.choice(self.tasks[-40:])
            kind = chance.random()
            if kind < 0.7:
                self.comment(task)
            elif kind < 0.8:
                task["row"]["status"] = chance.choice(["todo", "in_progress", "in_review", "done"])
                self.touch(task)
            elif kind < 0.9:
                self.document(task)
            elif kind < 0.97:
                self.question(task)
            else:
                self.delete(task)

    def touch(self, task, activity_alone=False):
        now = self.world.stamp()
        task["row"]["lastActivityAt"] = now
        if not activity_alone:
            task["row"]["updatedAt"] = now
        return now

    def begin(self):
        number = len(self.tasks) + 1
        now = self.world.stamp()
        row = {
            "id": self.world.identity(), "companyId": COMPANY, "projectId": None, "parentId": None,
            "title": f"The {self.world.chance.choice(WORDS)} of season {number}", "description": self.world.text(self.SOURCE, 8),
            "status": "todo", "priority": "medium", "assigneeAgentId": self.world.chance.choice(list(AGENTS)),
            "assigneeUserId": None, "createdByAgentId": None, "createdByUserId": "local-board", "issueNumber": number,
            "identifier": f"LIN-{number}", "originKind": "manual", "hiddenAt": None, "createdAt": now,
            "updatedAt": now, "lastActivityAt": now, "labels": [], "labelIds": [], "activeRun": None,
        }
        self.tasks.append({"row": row, "comments": [], "documents": [], "interactions": []})
        self.world.count("tasks")

    def comment(self, task):
        agent = self.world.chance.choice([None, *AGENTS])
        now = self.touch(task)
        task["comments"].append({
            "id": self.world.identity(), "companyId": COMPANY, "issueId": task["row"]["id"], "authorAgentId": agent,
            "authorUserId": None if agent else "local-board", "authorType": "agent" if agent else "user",
            "body": self.world.text(self.SOURCE), "presentation": None, "deletedAt": None, "sourceTrust": None,
            "createdAt": now, "updatedAt": now,
        })
        self.world.count("comments")

    def delete(self, task):
        left = [comment for comment in task["comments"] if not comment["deletedAt"]]
        if not left:
            return
        comment = self.world.chance.choice(left)
        self.forget(comment["body"])
        comment.update(body="", deletedAt=self.touch(task), deletedByType="user")
        self.world.count("comments deleted")

    def forget(self, text):
        self.world.written[self.SOURCE].discard(text.split(" ", 1)[0])

    def document(self, task):
        now = self.touch(task, activity_alone=True)
        if not task["documents"]:
            task["documents"].append({
                "id": self.world.identity(), "issueId": task["row"]["id"], "key": "plan", "title": "Plan",
                "format": "markdown", "latestRevisionNumber": 0, "createdByAgentId": list(AGENTS)[0],
                "createdByUserId": None, "sourceTrust": None, "createdAt": now, "body": "",
            })
        document = task["documents"][0]
        if document["body"]:
            self.forget(document["body"])
        number = document["latestRevisionNumber"] + 1
        document.update(body=self.world.text(self.SOURCE), updatedAt=now, latestRevisionNumber=number)
        self.world.count("revisions of documents")

    def question(self, task):
        now = self.touch(task)
        task["interactions"].append({
            "id": self.world.identity(), "companyId": COMPANY, "issueId": task["row"]["id"], "kind": "request_confirmation",
            "status": "accepted", "title": "Plan approval", "summary": self.world.text(self.SOURCE, 2),
            "createdByAgentId": list(AGENTS)[0], "createdByUserId": None, "resolvedByAgentId": None,
            "resolvedByUserId": "local-board", "payload": {"version": 1, "prompt": "Accept the plan?", "target": None},
            "result": {"version": 1, "outcome": "accepted", "reason": None}, "createdAt": now, "resolvedAt": now,
            "updatedAt": now,
        })
        self.world.count("questions")

    def go_away(self, seconds):
        self.away_until = time.monotonic() + seconds
        self.world.count("times that the server was away")

    def answer(self, request):
        self.asked += 1
        if time.monotonic() < self.away_until:
            # The connection ends without a word.
            request.close_connection = True
            return
        chance = random.random()
        if chance < 0.004:
            self.failures += 1
            return reply(request, 503, b'{"error":"busy"}', {"Retry-After": "1"})
        with self.world.lock:
            status, body = self.found(urlsplit(request.path))
            data = json.dumps(body).encode()
        reply(request, status, data)

    def found(self, url):
        query = {key: values[0] for key, values in parse_qs(url.query).items()}
        path = url.path.removeprefix("/api").strip("/").split("/")
        match path:
            case ["health"]:
                return 200, {"status": "ok", "version": "2026.916.1", "deploymentMode": "local_trusted"}
            case ["companies"]:
                return 200, [{"id": COMPANY, "name": "Lindero Press", "status": "active", "issuePrefix": "LIN"}]
            case ["companies", _, "agents"]:
                return 200, [{"id": agent, "companyId": COMPANY, "name": name} for agent, name in AGENTS.items()]
            case ["companies", _, "projects"]:
                return 200, []
            case ["companies", _, "user-directory"]:
                return 200, {"users": [{"principalId": "local-board", "user": {"id": "local-board", "name": "Board"}}]}
            case ["companies", _, "issues"]:
                return 200, self.page(query)
            case ["issues", name, *part]:
                task = next((task for task in self.tasks if task["row"]["id"] == name), None)
                if task is None:
                    return 404, {"error": "Issue not found"}
                return 200, self.part(task, part, query)
        return 404, {"error": "API route not found"}

    def page(self, query):
        rows = sorted((task["row"] for task in self.tasks), key=lambda row: row["id"])
        rows = [row for row in rows if row["id"] > query.get("afterId", "")][: min(self.PAGE, int(query.get("limit", 500)))]
        return [dict(row, description=row["description"][:1200]) for row in rows]

    def part(self, task, part, query):
        if not part:
            return dict(task["row"], ancestors=[], project=None, externalChannelBinding=None, sourceTrust=None)
        records = task[part[0]]
        if part == ["comments"]:
            names = [comment["id"] for comment in records]
            after = query.get("after")
            if after and after not in names:
                return []
            begin = names.index(after) + 1 if after else 0
            records = records if query.get("order") == "asc" else records[::-1]
            return records[begin : begin + int(query.get("limit", len(records) + 1))]
        return records


def reply(request, status, data, headers=None):
    try:
        request.send_response(status)
        for name, value in {"Content-Type": "application/json", "Content-Length": str(len(data)), **(headers or {})}.items():
            request.send_header(name, value)
        request.end_headers()
        request.wfile.write(data)
    except (BrokenPipeError, ConnectionResetError):
        # Killed while it was asking.
        request.close_connection = True
