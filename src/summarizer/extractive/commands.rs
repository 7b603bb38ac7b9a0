//! Finds the commands that succeeded and matter: tests, builds, deployments, not looking around.
//!
//! Failing results alone stand in the text, and they do not name their call. So a command counts
//! as succeeded if no failure follows in its run of calls; of calls sent together (the same
//! minute, one after another) none counts when one failed.

use std::collections::HashMap;

use memchr::{memchr2, memmem};

use super::turns::{Speaker, Turn};

/// Longest command kept, in bytes.
const COMMAND_BYTES: usize = 200;
/// Tools whose arguments hold a command line.
const SHELLS: &[&str] = &[
    "Bash",
    "bash",
    "shell",
    "exec_command",
    "run_shell_command",
    "local_shell",
    "run_terminal_cmd",
    "execute_command",
    "run_command",
    "terminal",
    "PowerShell",
];

/// Counts over the calls of a text, for the summary.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Tally {
    /// Files written to, each once.
    pub(super) files: usize,
    /// Commands run.
    pub(super) commands: usize,
    /// All calls.
    pub(super) calls: usize,
}

/// A command that succeeded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Command {
    /// The command line, as it was run, without what only shortens its output.
    pub(super) line: String,
    /// How much it matters; from 2 on it is worth keeping.
    pub(super) score: i32,
}

struct Run<'a> {
    line: &'a str,
    turn: usize,
    minute: &'a str,
    failed: bool,
    escaped: bool,
}

/// The commands that succeeded, most important first, each once; of equals the later first.
pub(super) fn of(turns: &[Turn<'_>]) -> (Vec<Command>, Tally) {
    let (runs, tally) = runs(turns);
    // The last run of a command decides whether it works.
    let mut last: HashMap<&str, &Run<'_>> = HashMap::with_capacity(runs.len());
    for run in &runs {
        last.insert(run.line, run);
    }
    let mut good: Vec<&Run<'_>> = last.into_values().filter(|run| !run.failed).collect();
    good.sort_by_key(|run| std::cmp::Reverse(run.turn));
    let mut commands: Vec<Command> = Vec::new();
    for run in good {
        let Some(line) = decoded(run) else { continue };
        let line = without_output_trimming(&line);
        let score = score(line);
        if score >= 2 && !commands.iter().any(|known| known.line == line) {
            commands.push(Command {
                line: line.to_owned(),
                score,
            });
        }
    }
    commands.sort_by_key(|command| -command.score);
    (commands, tally)
}

fn runs<'a>(turns: &[Turn<'a>]) -> (Vec<Run<'a>>, Tally) {
    let mut runs: Vec<Run<'a>> = Vec::new();
    let mut tally = Tally::default();
    let mut files: Vec<&str> = Vec::new();
    for (at, turn) in turns.iter().enumerate() {
        match turn.speaker {
            Speaker::Shell => {
                tally.calls += 1;
                tally.commands += 1;
                runs.push(Run {
                    line: turn.body,
                    turn: at,
                    minute: turn.minute,
                    failed: false,
                    escaped: false,
                });
            }
            Speaker::Call => {
                tally.calls += 1;
                let (name, arguments) = turn.body.split_once(' ').unwrap_or((turn.body, ""));
                if SHELLS.contains(&name) {
                    tally.commands += 1;
                    if let Some(line) = argument(arguments, &["\"command\"", "\"cmd\""]) {
                        runs.push(Run {
                            line,
                            turn: at,
                            minute: turn.minute,
                            failed: false,
                            escaped: line.contains('\\'),
                        });
                    }
                } else if matches!(
                    name,
                    "Edit" | "Write" | "MultiEdit" | "NotebookEdit" | "write_file" | "replace"
                ) && let Some(path) =
                    argument(arguments, &["\"file_path\"", "\"notebook_path\""])
                {
                    files.push(path);
                }
            }
            Speaker::Failure => fail(&mut runs, turns, at),
            _ => {}
        }
    }
    files.sort_unstable();
    files.dedup();
    tally.files = files.len();
    (runs, tally)
}

/// Marks the calls that a failure at `at` may belong to.
fn fail(runs: &mut [Run<'_>], turns: &[Turn<'_>], at: usize) {
    let before = at.checked_sub(1).and_then(|before| turns.get(before));
    let other_tool = before.is_some_and(|turn| {
        turn.speaker == Speaker::Call && !runs.last().is_some_and(|run| run.turn + 1 == at)
    });
    if other_tool
        && turns
            .get(at)
            .is_some_and(|turn| turn.body.starts_with("<tool_use_error>"))
    {
        return;
    }
    let mut expected = at;
    let mut minute = None;
    for run in runs.iter_mut().rev() {
        // Other calls and failures may stand between, words may not.
        let between = turns.get(run.turn + 1..expected).unwrap_or_default();
        let joined = between.iter().all(|turn| {
            matches!(
                turn.speaker,
                Speaker::Call | Speaker::Shell | Speaker::Failure
            )
        });
        if !joined || minute.is_some_and(|minute| minute != run.minute) {
            break;
        }
        minute = Some(run.minute);
        expected = run.turn;
        if run.failed {
            break;
        }
        run.failed = true;
    }
}

/// The value of a string argument, still escaped; of a list of strings its last one.
fn argument<'a>(arguments: &'a str, keys: &[&str]) -> Option<&'a str> {
    let at = keys.iter().find_map(|key| {
        memmem::find(arguments.as_bytes(), key.as_bytes()).map(|at| at + key.len())
    })?;
    let value = arguments
        .get(at..)?
        .trim_start()
        .strip_prefix(':')?
        .trim_start();
    let Some(list) = value.strip_prefix('[') else {
        return string(value).map(|(text, _)| text);
    };
    let (mut rest, mut last) = (list, None);
    while let Some((text, after)) = string(rest.trim_start_matches([',', ' '])) {
        last = Some(text);
        rest = after;
    }
    last
}

/// A JSON string at the beginning of a text: what stands between its quotes, and what follows.
fn string(text: &str) -> Option<(&str, &str)> {
    let inner = text.strip_prefix('"')?;
    let mut at = 0;
    loop {
        at += memchr2(b'"', b'\\', inner.as_bytes().get(at..)?)?;
        if inner.as_bytes().get(at) == Some(&b'"') {
            return Some((inner.get(..at)?, inner.get(at + 1..)?));
        }
        at += 2;
    }
}

/// The command line of a run, if it is one short line; escapes of its JSON string undone.
fn decoded(run: &Run<'_>) -> Option<String> {
    if run.line.len() > 2 * COMMAND_BYTES {
        return None;
    }
    let line = match run.escaped {
        false => run.line.to_owned(),
        true => serde_json::from_str(&format!("\"{}\"", run.line)).ok()?,
    };
    let line = line.trim();
    (!line.is_empty() && line.len() <= COMMAND_BYTES && !line.contains('\n'))
        .then(|| line.to_owned())
}

/// Takes off what only shortens or joins the output: `2>&1 | tail -30`.
fn without_output_trimming(line: &str) -> &str {
    let mut line = line.trim();
    while let Some((before, last)) = line.rsplit_once('|') {
        let last = last.trim();
        let trims = ["tail", "head", "cat", "less"].iter().any(|tool| {
            last.strip_prefix(tool)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
        });
        if !trims || before.ends_with('|') {
            break;
        }
        line = before.trim_end();
    }
    line.strip_suffix("2>&1").unwrap_or(line).trim_end()
}

/// Words of programs and tasks, with what running them is worth.
const WORTH: &[(&[&str], i32)] = &[
    (
        &[
            "deploy",
            "publish",
            "migrate",
            "migration",
            "upgrade",
            "downgrade",
            "rollback",
            "release",
            "apply",
            "helm",
            "terraform",
            "ansible-playbook",
            "alembic",
            "flyway",
            "kubectl",
            "flyctl",
            "vercel",
            "wrangler",
            "twine",
        ],
        6,
    ),
    (
        &[
            "test",
            "tests",
            "pytest",
            "jest",
            "vitest",
            "mocha",
            "tox",
            "nox",
            "rspec",
            "phpunit",
            "ctest",
            "nextest",
            "build",
            "make",
            "cmake",
            "ninja",
            "tsc",
            "gradle",
            "gradlew",
            "mvn",
            "bazel",
            "check",
            "clippy",
            "lint",
            "ruff",
            "mypy",
            "eslint",
            "golangci-lint",
            "vet",
            "e2e",
            "bench",
            "playwright",
            "cypress",
            "ci",
            "verify",
            "validate",
            "compile",
        ],
        5,
    ),
    (
        &[
            "run",
            "start",
            "serve",
            "up",
            "install",
            "add",
            "sync",
            "restart",
            "docker",
            "podman",
            "systemctl",
            "psql",
            "sqlite3",
            "redis-cli",
            "ffmpeg",
            "aws",
            "gcloud",
            "az",
            "gh",
            "format",
            "fmt",
            "generate",
            "seed",
            "backup",
            "restore",
            "import",
            "export",
            "init",
        ],
        3,
    ),
    (
        &[
            "python", "python3", "node", "cargo", "npm", "pnpm", "yarn", "bun", "uv", "go", "ruby",
            "php", "java", "deno", "curl", "rsync", "ssh", "mise", "just", "npx", "poetry",
        ],
        2,
    ),
];
/// Programs that look around or tidy up.
const LOOKING: &[&str] = &[
    "ls", "cat", "grep", "rg", "find", "cd", "head", "tail", "sed", "awk", "wc", "echo", "pwd",
    "which", "type", "rm", "mkdir", "sleep", "stat", "file", "tree", "diff", "less", "printf",
    "touch", "cp", "mv", "chmod", "env", "export", "true", "date", "ps", "kill", "pkill", "lsof",
    "sort", "uniq", "jq", "xargs", "tee", "test", "[", "for", "while", "if", "then", "do", "done",
    "source", ".", "set", "man", "du", "df",
];
/// What of Git changes more than the working copy's record.
const GIT: &[&str] = &[
    "push",
    "rebase",
    "bisect",
    "cherry-pick",
    "revert",
    "merge",
    "filter-repo",
    "submodule",
    "worktree",
];

fn score(line: &str) -> i32 {
    line.split(['|', ';', '&']).map(step).max().unwrap_or(0)
}

/// What one step of a command line is worth.
fn step(step: &str) -> i32 {
    let mut words = step.split_whitespace().skip_while(|word| {
        word.contains('=')
            || matches!(
                *word,
                "sudo" | "time" | "exec" | "nohup" | "timeout" | "!" | "("
            )
    });
    let Some(first) = words.next() else { return 0 };
    let program = first.rsplit('/').next().unwrap_or(first);
    if LOOKING.contains(&program) {
        return 0;
    }
    if program == "git" {
        let verb = words
            .find(|word| !word.starts_with('-'))
            .unwrap_or_default();
        return if GIT.contains(&verb) { 2 } else { 1 };
    }
    if matches!(step.trim(), s if s.ends_with("--version") || s.ends_with("--help") || s.ends_with(" -h"))
    {
        return 1;
    }
    // The program and its first words tell; later ones are names of files and patterns.
    let told = [program].into_iter().chain(words.take(4));
    told.flat_map(|word| word.trim_start_matches('-').split([':', '/', '.']))
        .map(worth)
        .max()
        .unwrap_or(0)
        .max(i32::from(first.contains('/')) * 2)
}

fn worth(word: &str) -> i32 {
    WORTH
        .iter()
        .find(|(words, _)| words.contains(&word))
        .map_or(0, |(_, worth)| *worth)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::summarizer::extractive::turns;

    fn lines(text: &str) -> Vec<String> {
        let (commands, _) = of(&turns::read(text));
        commands.into_iter().map(|command| command.line).collect()
    }

    fn call(minute: u8, command: &str) -> String {
        format!(
            "[2026-10-19 21:{minute:02}] tool call: Bash {{\"command\": \"{command}\", \"timeout\": 5}}\n"
        )
    }

    #[test]
    fn commands_that_matter_come_first_and_looking_around_is_left_out() {
        let text = [
            call(1, "ls -la"),
            call(2, "uv run pytest tests/test_export.py -q 2>&1 | tail -30"),
            call(3, "cd app && cat a.txt"),
            call(4, "kubectl apply -f shop.yaml"),
            call(5, "git status"),
        ]
        .concat();
        assert_eq!(
            lines(&text),
            [
                "kubectl apply -f shop.yaml",
                "uv run pytest tests/test_export.py -q"
            ]
        );
    }

    #[test]
    fn a_command_that_failed_counts_once_it_succeeds() {
        let failed = format!(
            "{}[2026-10-19 21:01] tool error: Exit code 1\n",
            call(1, "cargo test")
        );
        assert_eq!(lines(&failed), [""; 0]);
        assert_eq!(
            lines(&format!("{failed}{}", call(2, "cargo test"))),
            ["cargo test"]
        );
        assert_eq!(
            lines(&format!("{}{failed}", call(0, "cargo test"))),
            [""; 0]
        );
    }

    #[test]
    fn of_calls_sent_together_none_counts_when_one_failed() {
        let text = format!(
            "{}{}{}[2026-10-19 21:02] tool error: Exit code 1\n",
            call(1, "make lint"),
            call(2, "make build"),
            call(2, "make test")
        );
        assert_eq!(lines(&text), ["make lint"]);
    }

    #[test]
    fn escapes_are_undone_and_commands_over_lines_left_out() {
        assert_eq!(
            lines(&call(1, r#"make test NAME=\"a b\""#)),
            [r#"make test NAME="a b""#]
        );
        assert_eq!(lines(&call(1, r"make test\nmake build")), [""; 0]);
        assert_eq!(lines(&call(1, r"make test \ud800")), [""; 0]);
    }

    #[test]
    fn lists_and_plain_command_lines_of_other_agents_are_read() {
        let text = "[2026-10-19 21:01] tool call: shell {\"command\":[\"bash\",\"-lc\",\"npm test\"]}\n\
            [2026-10-19 21:02] shell: go build ./...\n\
            [2026-10-19 21:03] shell (failed): go vet ./...";
        assert_eq!(lines(text), ["go build ./...", "npm test"]);
    }

    #[test]
    fn files_written_are_counted_once() {
        let edit =
            "[2026-10-19 21:01] tool call: Edit {\"file_path\": \"a.rs\", \"old_string\": \"x\"}\n";
        let (_, tally) = of(&turns::read(&format!("{edit}{edit}{}", call(1, "ls"))));
        assert_eq!(
            tally,
            Tally {
                files: 1,
                commands: 1,
                calls: 3
            }
        );
    }
}
