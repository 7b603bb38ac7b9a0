//! Projects: by which rule a session gets one, and new rules on what is stored.

use super::place::{Place, conversation, record};

/// A place whose configuration ends with these lines.
fn place_with(settings: &str) -> Place {
    let place = Place::new();
    set(&place, settings);
    place
}

fn set(place: &Place, settings: &str) {
    let connector = "[[connectors]]\nname = \"agent-claude\"\ntype = \"claude_code\"\n\
        [connectors.options]\nprojects_dir = \"sessions\"\nsettle_minutes = 0\nmin_chars = 0\n";
    let (before, after) = settings.split_once("---").unwrap_or(("", settings));
    let connector = connector.replace(
        "[connectors.options]",
        &format!("{after}\n[connectors.options]"),
    );
    place.write("jezero.toml", format!("{before}\n{connector}"));
}

/// A session that worked in a folder.
fn session_in(place: &Place, id: &str, cwd: &str) {
    let line = record("user", &format!("{id}-1"), 1, "why is the tax id lost?");
    let line = match cwd {
        "" => line.replace("\"cwd\":\"/home/me/code/shop\",", ""),
        cwd => line.replace("/home/me/code/shop", cwd),
    };
    place.session(id, &[line]);
}

fn projects(place: &Place) -> Vec<(String, Option<String>)> {
    let items = place.export();
    let text = |value: &serde_json::Value| value.as_str().map(str::to_owned);
    items
        .iter()
        .map(|item| (text(&item["external_id"]).unwrap(), text(&item["project"])))
        .collect()
}

fn expect(place: &Place, expected: &[(&str, Option<&str>)]) {
    let expected: Vec<_> = expected
        .iter()
        .map(|(id, project)| (format!("{id}#0"), project.map(str::to_owned)))
        .collect();
    assert_eq!(projects(place), expected);
}

#[test]
fn the_first_rule_that_knows_a_project_gives_it() {
    let place = place_with(
        "[projects]\npaths = { '/srv/shops' = 'Shops' }\naliases = { depot = 'store' }\n---\n\
         project = \"Depot\"",
    );
    let repository = place.path("code/till");
    std::fs::create_dir_all(repository.join(".git")).unwrap();
    std::fs::create_dir_all(repository.join("src")).unwrap();
    let inside = repository.join("src");
    session_in(&place, "a-sidecar", "/srv/shops/one");
    place.write(
        "sessions/-home-me-shop/a-sidecar.jsonl.project",
        "Besides\n",
    );
    session_in(&place, "b-path", "/srv/shops/code/one");
    session_in(&place, "c-git", inside.to_str().unwrap());
    session_in(&place, "d-root", "/home/me/code/ledger/src");
    session_in(&place, "e-connector", "/opt/elsewhere");
    place.run();
    expect(
        &place,
        &[
            ("a-sidecar", Some("besides")),
            ("b-path", Some("shops")),
            ("c-git", Some("till")),
            ("d-root", Some("ledger")),
            ("e-connector", Some("store")),
        ],
    );
}

#[test]
fn new_rules_reach_what_is_stored_without_its_source() {
    let place = Place::new();
    session_in(&place, "a", "/home/me/code/shop-app");
    session_in(&place, "b", "/home/me/code/shop-site");
    session_in(&place, "c", "/opt/elsewhere");
    session_in(&place, "d", "/home/me/code/ledger");
    place.run();
    std::fs::remove_dir_all(place.path("sessions")).unwrap();
    let hashes = |place: &Place| -> Vec<_> {
        let items = place.export();
        items
            .iter()
            .map(|item| (item["content_hash"].clone(), item["ingested_at"].clone()))
            .collect()
    };
    let before = hashes(&place);
    set(
        &place,
        "[projects]\npaths = { '~/code/shop-app' = 'shop', '~/code/shop-site' = 'shop' }\n---\n\
         project = \"odds\"",
    );
    let dry = place.jezero(&[
        "retag",
        "--connector",
        "agent-claude",
        "--dry-run",
        "--json",
    ]);
    assert_eq!(
        (dry.code, dry.out.as_str()),
        (
            0,
            "{\"connector\":\"agent-claude\",\"docs\":4,\"retagged\":3,\"dry_run\":true}\n"
        )
    );
    expect(
        &place,
        &[
            ("a", Some("shop-app")),
            ("b", Some("shop-site")),
            ("c", None),
            ("d", Some("ledger")),
        ],
    );

    let ran = place.jezero(&["retag", "--connector", "agent-claude", "--log", "moves.log"]);
    assert!(
        ran.out
            .ends_with("agent-claude: 4 items looked at, 3 changed their project\n"),
        "{ran:?}"
    );
    assert_eq!(
        std::fs::read_to_string(place.path("moves.log")).unwrap(),
        "1\ta#0\tshop-app\tshop\n2\tb#0\tshop-site\tshop\n3\tc#0\t-\todds\n"
    );
    expect(
        &place,
        &[
            ("a", Some("shop")),
            ("b", Some("shop")),
            ("c", Some("odds")),
            ("d", Some("ledger")),
        ],
    );
    assert_eq!(hashes(&place), before);
    let found = place
        .jezero(&["search", "tax", "--project", "shop", "--json"])
        .json();
    assert_eq!(found["count"], 2);
    assert_eq!(place.jezero(&["index", "check"]).code, 0);
    set(&place, "[projects]\nroots = ['none']");
    let asked = place.jezero(&[
        "retag",
        "--connector",
        "agent-claude",
        "--ask-model",
        "--dry-run",
        "--json",
    ]);
    assert_eq!(
        asked.out,
        "{\"connector\":\"agent-claude\",\"docs\":4,\"retagged\":0,\"dry_run\":true,\
         \"asked_model\":4,\"moved_by_model\":0}\n"
    );
    let again = place
        .jezero(&["retag", "--connector", "agent-claude", "--json"])
        .json();
    assert_eq!(again["retagged"], 0);
}

#[test]
fn imported_items_keep_their_project_under_its_present_alias() {
    let place = place_with("project = \"odds\"");
    place.session("s1", &conversation("one", 2));
    place.run();
    let line = |id: &str, project: &str| {
        format!(
            "{{\"external_id\":\"{id}\",\"occurred_at\":\"2026-10-01T00:00:00Z\",\"title\":\"t\",\
             \"summary\":\"s\"{project}}}\n"
        )
    };
    place.write(
        "notes.jsonl",
        line("n1", ",\"project\":\"depot\"") + &line("n2", ""),
    );
    place.jezero(&["import-jsonl", "notes.jsonl", "--source", "notes"]);
    set(
        &place,
        "[projects]\naliases = { depot = 'store' }\n---\nproject = \"odds\"",
    );
    let ran = place.jezero(&["retag", "--connector", "notes", "--json"]);
    assert_eq!(ran.json()["retagged"], 1, "{ran:?}");
    let projects = projects(&place);
    assert_eq!(
        projects
            .iter()
            .map(|(_, project)| project.as_deref())
            .collect::<Vec<_>>(),
        [Some("shop"), Some("store"), None]
    );
    let ran = place.jezero(&["retag", "--connector", "nobody"]);
    assert_eq!(ran.code, 2);
    assert!(
        ran.notes.contains("no connector and no source nobody"),
        "{ran:?}"
    );
    assert_eq!(place.jezero(&["retag"]).code, 2);
}
