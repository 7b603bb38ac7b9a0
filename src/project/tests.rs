//! The project rules, as a table of folders, on a disk of our own.

use std::collections::BTreeMap;
use std::path::Path;

use super::*;

/// Paths and what stands there.
#[derive(Debug, Default)]
struct Paper(BTreeMap<&'static str, Found>);

impl Disk for Paper {
    fn look(&self, path: &Path) -> Option<Found> {
        self.0.get(path.to_str()?).cloned()
    }
}

fn paper() -> Paper {
    let pointer = |text: &str| Found::File(text.to_owned());
    Paper(BTreeMap::from([
        ("/home/ana/.git", Found::Folder),
        ("/.git", Found::Folder),
        ("/home/ana/projects/Shop/.git", Found::Folder),
        ("/home/ana/projects/client/app/.git", Found::Folder),
        (
            "/home/ana/wt/fix/.git",
            pointer("gitdir: /home/ana/projects/Shop/.git/worktrees/fix\n"),
        ),
        ("/home/ana/projects/Shop/.git/worktrees/fix", Found::Folder),
        (
            "/home/ana/wt/lost/.git",
            pointer("gitdir: /home/ana/gone/.git/worktrees/lost"),
        ),
        ("/srv/ledger.git", Found::Folder),
        (
            "/srv/trees/next/.git",
            pointer("gitdir: ../../ledger.git/worktrees/next"),
        ),
        (
            "/home/ana/projects/Shop/vendor/paint/.git",
            pointer("gitdir: ../../.git/modules/paint"),
        ),
        (
            "/srv/4b1c2d9e-0000-4000-8000-000000000001/.git",
            Found::Folder,
        ),
    ]))
}

fn rules(settings: &str) -> ProjectRules {
    let env = config::Env::given([("HOME", "/data/people/ana")]);
    let config = config::Config::parse(settings, Path::new("/c/jezero.toml"), env).unwrap();
    let home = config.env.home();
    ProjectRules::on(&config.projects, home, Box::new(paper()))
}

fn answer(rules: &ProjectRules, named: Option<&str>, cwd: &str) -> Option<String> {
    let engine = Engine::embedded();
    let evidence = Evidence {
        named: named.map(str::to_owned),
        cwd: Some(cwd.to_owned()),
    };
    let name = rules.of(&evidence, &engine)?;
    Some(name.as_str().to_owned())
}

fn check(rules: &ProjectRules, table: &[(&str, Option<&str>)]) {
    for (cwd, expected) in table {
        assert_eq!(answer(rules, None, cwd).as_deref(), *expected, "{cwd}");
    }
}

#[test]
fn the_folder_below_a_root_name_is_the_project() {
    check(
        &rules("projects.git = false"),
        &[
            ("/home/ana/projects/Billing/src", Some("billing")),
            ("/home/ana/a/b/Code/atlas", Some("atlas")),
            ("/home/ana/code/My Shop", Some("my-shop")),
            ("/home/ana/code/Cafe\u{301}", Some("caf\u{e9}")),
            ("/Users/ana/Developer/atlas", Some("atlas")),
            ("/root/code/atlas", Some("atlas")),
            ("/Users/ana/Work/atlas", Some("atlas")),
            ("/var/home/ana/dev/atlas", Some("atlas")),
            ("/data/people/ana/dev/atlas", Some("atlas")),
            (r"C:\Users\Ana\Source\Repos\Atlas\lib", Some("atlas")),
            ("c:/users/ana/repos/atlas", Some("atlas")),
            (r"D:\dev\atlas", Some("atlas")),
            (r"\\?\C:\Users\ana\src\atlas", Some("atlas")),
            (r"\\box\share\projects\atlas", Some("atlas")),
            ("/mnt/c/Users/ana/projects/atlas", Some("atlas")),
            ("/workspace/atlas", Some("atlas")),
            ("/srv/git/atlas.git", Some("atlas.git")),
        ],
    );
}

#[test]
fn the_search_for_a_root_name_starts_below_home() {
    check(
        &rules("projects.git = false"),
        &[
            ("/home/src/notes", None),
            ("/home/src/dev/atlas", Some("atlas")),
            ("/Users/code/notes", None),
            (r"C:\Users\dev\notes", None),
            ("/data/people/ana/notes", None),
        ],
    );
}

#[test]
fn generic_names_and_numbers_are_passed_over() {
    check(
        &rules("projects.git = false"),
        &[
            ("/home/ana/dev/apps/shop", Some("shop")),
            (
                "/home/ana/projects/github/Packages/tmp/shop/x",
                Some("shop"),
            ),
            (
                "/home/ana/projects/worktrees/4b1c2d9e-0000-4000-8000-000000000001/shop",
                Some("shop"),
            ),
            ("/home/ana/projects/4B1C2D9E000040008000000000000001", None),
            ("/home/ana/projects/.hidden/shop", Some("shop")),
            ("/home/ana/projects/deadbeef", Some("deadbeef")),
            ("/home/ana/projects", None),
            ("/home/ana/projects/tmp", None),
            ("/home/ana", None),
            ("/", None),
            ("", None),
            ("projects/shop", None),
            ("/home/ana/projects/../shop", None),
        ],
    );
}

#[test]
fn a_repository_gives_its_name_and_a_worktree_that_of_its_main_one() {
    check(
        &rules(""),
        &[
            ("/home/ana/projects/Shop/src/deep", Some("shop")),
            ("/home/ana/projects/client/app/src", Some("app")),
            ("/home/ana/projects/Shop/vendor/paint", Some("paint")),
            ("/home/ana/wt/fix/src", Some("shop")),
            ("/home/ana/wt/lost", Some("lost")),
            ("/srv/trees/next/src", Some("ledger")),
            ("/srv/4b1c2d9e-0000-4000-8000-000000000001/x", None),
            ("/home/ana/notes", None),
            ("/opt/notes", None),
            (r"C:\home\ana\projects\Shop\src", Some("shop")),
        ],
    );
}

#[test]
fn the_longest_folder_of_the_settings_wins_over_everything_on_disk() {
    check(
        &rules(
            "[projects.paths]\n'~/projects' = 'all'\n'~/projects/Shop' = 'Store'\n\
             '/srv' = 'server'\n'D:\\Data' = 'data'\n'~' = 'home'",
        ),
        &[
            ("/home/ana/projects/Shop/src", Some("store")),
            ("/home/ana/projects/Shopping", Some("all")),
            ("/Users/bob/projects/shop", Some("all")),
            (r"C:\Users\bob\PROJECTS\shop\x", Some("store")),
            ("/data/people/ana/projects/x", Some("all")),
            ("/root/x", Some("home")),
            ("/srv/trees/next", Some("server")),
            (r"d:\data\x", Some("data")),
            ("/srvx", None),
        ],
    );
}

#[test]
fn what_the_source_names_comes_first_and_aliases_come_last() {
    let rules = rules("[projects.aliases]\nOld-Shop = 'Shop'\nbilling = 'ledger'");
    let folder = "/home/ana/code/billing";
    assert_eq!(answer(&rules, None, folder).as_deref(), Some("ledger"));
    assert_eq!(
        answer(&rules, Some("OLD-SHOP"), folder).as_deref(),
        Some("shop")
    );
    assert_eq!(
        answer(&rules, Some("Atlas One"), folder).as_deref(),
        Some("atlas-one")
    );
    assert_eq!(
        answer(&rules, Some("?!"), folder).as_deref(),
        Some("ledger")
    );
    let engine = Engine::embedded();
    assert_eq!(rules.named("old-shop", &engine).unwrap().as_str(), "shop");
    assert_eq!(rules.named("shop", &engine).unwrap().as_str(), "shop");
}

#[test]
fn a_name_that_holds_a_secret_is_no_project() {
    let rules = rules("");
    let engine = Engine::embedded();
    let secret = concat!("AKIA", "Q3EGRZ7YWH4N2LXP");
    assert_ne!(engine.redact(secret).as_str(), secret);
    assert_eq!(rules.named(secret, &engine), None);
    let folder = format!("/home/ana/code/{secret}");
    assert_eq!(answer(&rules, None, &folder), None);
}

#[test]
fn other_root_names_replace_the_built_in_ones() {
    check(
        &rules("projects.roots = ['Kunden']"),
        &[
            ("/home/bo/kunden/atlas", Some("atlas")),
            ("/home/bo/projects/atlas", None),
        ],
    );
}

#[test]
fn names_of_any_script_and_of_either_way_to_write_accents_are_projects() {
    check(
        &rules("projects.git = false\nprojects.roots = ['projects', 'Código']"),
        &[
            ("/home/ana/projects/счета", Some("счета")),
            ("/home/ana/projects/ΛΟΓΙΣΤΙΚΆ", Some("λογιστικά")),
            ("/home/ana/projects/発票", Some("発票")),
            ("/home/ana/projects/हिन्दी", Some("हिन्दी")),
            ("/home/ana/projects/กำไร", Some("กำไร")),
            ("/home/ana/Co\u{301}digo/tienda", Some("tienda")),
            ("/home/ana/projects/\u{301}x", None),
        ],
    );
    let rules = rules("[projects.paths]\n'~/caf\u{e9}' = 'bar'");
    let answered = answer(&rules, None, "/home/ana/cafe\u{301}/till");
    assert_eq!(answered.as_deref(), Some("bar"));
}
