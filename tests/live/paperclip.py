"""Fills a Paperclip server through its API and has Jezero read it. Called by paperclip.sh."""

import http.client
import json
import os
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

VERSION, ORIGIN, JEZERO, FOLDER = sys.argv[1:]
MANY = 1200
HOST = urlsplit(ORIGIN).netloc
# In local_trusted mode older servers take a wrong key for none.
REFUSES_WRONG_KEYS = VERSION >= "2026.8"


def api(method, path, body=None, key=None, good=(200, 201)):
    connection = http.client.HTTPConnection(HOST, timeout=120)
    headers = {"Content-Type": "application/json"}
    if key:
        headers["Authorization"] = f"Bearer {key}"
    data = None if body is None else json.dumps(body)
    connection.request(method, f"/api{path}", data, headers)
    response = connection.getresponse()
    text = response.read()
    connection.close()
    if response.status not in good:
        raise SystemExit(f"{method} {path}: {response.status} {text[:300]!r}")
    return json.loads(text) if text else None


class Door(BaseHTTPRequestHandler):
    """Stands between Jezero and the server: counts requests, and can be shut after some."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    asked = []
    most = 0
    under_way = 0
    shut_after = None
    lock = threading.Lock()

    def do_GET(self):
        with Door.lock:
            Door.asked.append(self.path)
            shut = Door.shut_after is not None and len(Door.asked) > Door.shut_after
            Door.under_way += 0 if shut else 1
            Door.most = max(Door.most, Door.under_way)
        if shut:
            self.close_connection = True
        else:
            self.pass_on()

    def pass_on(self):
        connection = http.client.HTTPConnection(HOST, timeout=120)
        headers = {k: v for k, v in self.headers.items() if k.lower() != "host"}
        connection.request("GET", self.path, headers=headers)
        response = connection.getresponse()
        body = response.read()
        connection.close()
        # Before the answer is whole: the next question follows at once.
        with Door.lock:
            Door.under_way -= 1
        self.send_response(response.status)
        for name in ("Content-Type", "Retry-After"):
            if response.headers.get(name):
                self.send_header(name, response.headers[name])
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def open_door():
    door = ThreadingHTTPServer(("127.0.0.1", 0), Door)
    door.daemon_threads = True
    threading.Thread(target=door.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{door.server_address[1]}"


def since():
    """The requests that came since it was called last."""
    with Door.lock:
        asked, Door.asked = Door.asked, []
    return asked


def seed():
    """Companies, projects and tasks with everything that a task can have."""
    made = {}
    company = api("POST", "/companies", {"name": "Lindero Press"})["id"]
    other = api("POST", "/companies", {"name": "Otra Casa"})["id"]
    project = api("POST", f"/companies/{company}/projects", {"name": "Print Shop", "status": "in_progress"})
    label = api("POST", f"/companies/{company}/labels", {"name": "print", "color": "#00aa88"})
    agent = api(
        "POST",
        f"/companies/{company}/agents",
        {"name": "Ada", "role": "engineer", "adapterType": "process", "adapterConfig": {"command": "/bin/true"}},
    )
    long = "".join(f"{n}. Check plate {n} against the order book.\n" for n in range(1, 60))
    task = api(
        "POST",
        f"/companies/{company}/issues",
        {
            "title": "Wrong barcode on the catalogue",
            "description": long + "The generator swaps the last two digits of every barcode.",
            "status": "todo",
            "priority": "high",
            "projectId": project["id"],
            "labelIds": [label["id"]],
        },
    )
    made["task"] = task["id"]
    path = f"/issues/{task['id']}"
    made["comments"] = [
        api("POST", f"{path}/comments", {"body": f"Remark {n}: plate {n} is worn."})["id"] for n in range(5)
    ]
    api("PUT", f"{path}/documents/plan", {"title": "Reprint", "format": "markdown", "body": "# Plan\n\nReprint signature Bravo alone."})
    asked = api(
        "POST",
        f"{path}/interactions",
        {
            "kind": "ask_user_questions",
            "title": "Paper",
            "continuationPolicy": "none",
            "payload": {
                "version": 1,
                "questions": [
                    {
                        "id": "q1",
                        "prompt": "Which paper?",
                        "selectionMode": "single",
                        "options": [{"id": "a", "label": "Ninety gram"}, {"id": "b", "label": "Laid"}],
                    }
                ],
            },
        },
    )
    api("POST", f"{path}/interactions/{asked['id']}/respond", {"answers": [{"questionId": "q1", "optionIds": ["a"]}]})
    confirmed = api(
        "POST",
        f"{path}/interactions",
        {
            "kind": "request_confirmation",
            "title": "Plan approval",
            "continuationPolicy": "none",
            "payload": {"version": 1, "prompt": "Accept the plan?"},
        },
    )
    api("POST", f"{path}/interactions/{confirmed['id']}/accept", {})
    child = api("POST", f"/companies/{company}/issues", {"title": "Order paper", "description": "Ninety gram, laid.", "parentId": task["id"], "status": "todo"})
    made["child"] = child["id"]
    hidden = api("POST", f"/companies/{company}/issues", {"title": "Hidden", "description": "x"})
    api("PATCH", f"/issues/{hidden['id']}", {"hiddenAt": "2026-11-30T00:00:00.000Z"})
    gone = api("POST", f"/companies/{company}/issues", {"title": "Gone", "description": "x"})
    api("DELETE", f"/issues/{gone['id']}")
    second = api("POST", f"/companies/{other}/issues", {"title": "A task of the other company", "description": "y", "status": "todo"})
    made["other"] = second["id"]

    def one(number):
        text = f"Job {number} of the season: fold, stitch and trim the sheets, then count the copies."
        status = "backlog" if number % 6 else "todo"
        api("POST", f"/companies/{company}/issues", {"title": f"Job {number}", "description": text, "status": status})

    with ThreadPoolExecutor(6) as pool:
        list(pool.map(one, range(MANY)))
    made.update(company=company, agent=agent["id"], visible=MANY + 3)
    return made


class Library:
    """A configuration and a library of its own."""

    def __init__(self, name, url, options=""):
        self.folder = os.path.join(FOLDER, name)
        os.makedirs(self.folder)
        self.environment = {k: v for k, v in os.environ.items() if not k.startswith("PAPERCLIP")}
        with open(os.path.join(self.folder, "jezero.toml"), "w") as file:
            file.write(
                '[storage]\npath = "library.db"\n[[connectors]]\nname = "tasks"\ntype = "paperclip"\n'
                f'[connectors.options]\napi_url = "{url}"\nsettle_minutes = 0\nmin_chars = 0\n{options}\n'
            )

    def run(self, good=0, **variables):
        """Runs the connector; returns its report, the seconds and the most memory in MiB."""
        begun = time.monotonic()
        done = subprocess.run(
            [JEZERO, "run", "--json"],
            cwd=self.folder,
            env=self.environment | variables,
            capture_output=True,
            text=True,
        )
        seconds = time.monotonic() - begun
        if done.returncode != good:
            raise SystemExit(f"run ended with {done.returncode}, not {good}:\n{done.stdout}\n{done.stderr}")
        return json.loads(done.stdout.splitlines()[0]), seconds

    def items(self):
        file = os.path.join(self.folder, "items.jsonl")
        if os.path.exists(file):
            os.remove(file)
        subprocess.run([JEZERO, "export-jsonl", file], cwd=self.folder, check=True, capture_output=True)
        with open(file) as lines:
            return [json.loads(line) for line in lines]


def check(what, found, expected):
    if found != expected:
        raise SystemExit(f"{what}: {found!r}, and not {expected!r}")


def texts(items, name):
    mine = [item for item in items if item["external_id"].rsplit("#", 1)[0] == name]
    return "\n".join(item["original"] for item in mine)


def main():
    os.makedirs(FOLDER)
    begun = time.monotonic()
    made = seed()
    visible = made["visible"]
    print(f"paperclip {VERSION}: seeded {visible} tasks in {time.monotonic() - begun:.0f} s")
    door = open_door()

    library = Library("all", door, 'project_map = { "Print Shop" = "catalogue" }')
    report, seconds = library.run()
    asked = since()
    check("failed", report["failed"], 0)
    check("units", report["units"], visible)
    check("stored", report["stored"], visible)
    pages = [path for path in asked if "/issues?" in path]
    print(f"  first run: {report['units']} tasks, {len(asked)} requests ({len(pages)} list pages), "
          f"at most {Door.most} at once, {seconds:.1f} s")
    check("side by side", Door.most <= 4, True)
    items = library.items()
    check("items", len(items), visible)
    names = [item["external_id"] for item in items]
    check("names", len(set(names)), visible)
    identifier = api("GET", f"/issues/{made['task']}")["identifier"]
    text = texts(items, identifier)
    for wanted in (
        "swaps the last two digits",
        "labels: print",
        "Remark 4: plate 4 is worn.",
        "(document plan, revision 1) Reprint",
        "signature Bravo",
        "- Which paper? Ninety gram",
        "(confirmation accepted) Plan approval",
    ):
        check(wanted, wanted in text, True)
    child = api("GET", f"/issues/{made['child']}")["identifier"]
    check("parent", "part of: Wrong barcode" in texts(items, child), True)
    task = next(item for item in items if item["external_id"] == f"{identifier}#0")
    check("project", task["project"], "catalogue")
    check("ref", task["original_ref"], f"paperclip-issue:{made['company']}/{identifier}")

    report, seconds = library.run()
    asked = since()
    check("nothing new", (report["units_unchanged"], report["docs"], report["failed"]), (visible, 0, 0))
    lists = [path for path in asked if "/issues?" in path]
    check("only lists", [p for p in asked if p not in lists], ["/api/health", "/api/companies"])
    print(f"  nothing new: {len(asked)} requests, {seconds:.2f} s")

    # A document moves no time of change but the list's last activity; the others move both.
    api("PUT", f"/issues/{made['child']}/documents/plan", {"title": "P", "format": "markdown", "body": "Laid paper is out of stock."})
    api("DELETE", f"/issues/{made['task']}/comments/{made['comments'][1]}")
    api("POST", f"/issues/{made['other']}/comments", {"body": "A late remark."})
    # Newer servers answer a list from memory for two seconds, so that a change may show late.
    changed, failed, begun = 0, 0, time.monotonic()
    while changed < 3 and time.monotonic() - begun < 20:
        report, _ = library.run()
        changed += report["units"] - report["units_unchanged"]
        failed += report["failed"]
    check("changed", (changed, failed), (3, 0))
    items = library.items()
    check("document", "out of stock" in texts(items, child), True)
    text = texts(items, identifier)
    check("deleted comment", ("Remark 1:" in text, "Remark 2:" in text), (False, True))
    check("items", len(items), visible)
    since()
    print("  a document, a deleted and a new comment: 3 tasks read again")

    # Keys, with what is remembered: only lists are read.
    wrong = "pcp_board_" + "0" * 48
    if REFUSES_WRONG_KEYS:
        report, _ = library.run(good=1, PAPERCLIP_API_KEY=wrong)
        check("wrong key", "401" in report["errors"][0], True)
        print(f"  a wrong key: {report['errors'][0]}")
    else:
        report, _ = library.run(PAPERCLIP_API_KEY=wrong)
        check("wrong key", report["units"], visible)
        print("  a wrong key: taken for none by this server")
    key = api("POST", "/board-api-keys", {"name": "reader"})["token"]
    report, _ = library.run(PAPERCLIP_API_KEY=key)
    check("board key", report["units"], visible)
    key = api("POST", f"/agents/{made['agent']}/keys", {"name": "reader"})["token"]
    report, _ = library.run(PAPERCLIP_API_KEY=key)
    check("agent's key", (report["units"], report["units_unchanged"], report["failed"]), (visible - 1, visible - 1, 0))
    print(f"  a board key: {visible} tasks; an agent's key: {report['units']}")
    since()

    # A server that goes away in the middle, and comes back.
    library = Library("middle", door, 'skip_statuses = ["backlog"]')
    wanted = visible - sum(1 for number in range(MANY) if number % 6)
    Door.shut_after = 400
    report, _ = library.run(good=4)
    stored = report["stored"]
    Door.shut_after = None
    since()
    check("some stored", 0 < stored < wanted, True)
    rest, _ = library.run()
    names = [item["external_id"] for item in library.items()]
    check("no loss, no double", (stored + rest["stored"], len(names), len(set(names))), (wanted,) * 3)
    print(f"  a server that went away: {stored} tasks, then the other {rest['stored']}")

    # Nobody there.
    library = Library("nobody", "http://127.0.0.1:9/api")
    report, _ = library.run(good=4)
    check("nobody", "cannot be reached" in report["errors"][0], True)
    print(f"  nobody there: {report['errors'][0]}")
    print(f"paperclip {VERSION}: read as it should be")


main()
