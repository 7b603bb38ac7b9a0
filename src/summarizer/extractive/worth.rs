//! Says how much a command line matters: a deployment more than a test, a test more than a listing.

use std::collections::HashMap;
use std::sync::LazyLock;

/// Words of programs and of their tasks, parted by bars, with what running them is worth.
const WORTH: &[(&[&str], i32)] = &[
    (
        &[
            "deploy|publish|migrate|migration|upgrade|downgrade|rollback|release|apply|helm",
            "terraform|ansible-playbook|alembic|flyway|kubectl|flyctl|vercel|wrangler|twine",
        ],
        6,
    ),
    (
        &[
            "test|tests|pytest|jest|vitest|mocha|tox|nox|rspec|phpunit|ctest|nextest|build|make",
            "cmake|ninja|tsc|gradle|gradlew|mvn|bazel|check|clippy|lint|ruff|mypy|eslint",
            "golangci-lint|vet|e2e|bench|playwright|cypress|ci|verify|validate|compile",
        ],
        5,
    ),
    (
        &[
            "run|start|serve|up|install|sync|restart|docker|podman|systemctl|psql|sqlite3",
            "redis-cli|ffmpeg|aws|gcloud|format|fmt|generate|seed|backup|restore|create|merge",
        ],
        3,
    ),
    (
        &[
            "python|python3|node|cargo|npm|pnpm|yarn|bun|uv|go|ruby|php|java|deno|curl|rsync|ssh",
            "mise|just|npx|poetry",
        ],
        2,
    ),
];
/// Programs that look around or tidy up.
const LOOKING: &[&str] = &[
    "ls|cat|grep|rg|find|cd|head|tail|sed|awk|wc|echo|pwd|which|type|rm|mkdir|sleep|stat",
    "file|tree|diff|less|printf|touch|cp|mv|chmod|env|export|true|date|ps|kill|pkill|lsof",
    "sort|uniq|jq|xargs|tee|test|[|for|while|if|then|do|done|source|.|set|man|du|df",
];
/// What of Git reaches further than the working copy.
const GIT: &[&str] =
    &["push|rebase|bisect|cherry-pick|revert|merge|filter-repo|submodule|worktree"];

/// All words with their worth; looking around is worth nothing.
static WORDS: LazyLock<HashMap<&str, i32>> = LazyLock::new(|| {
    let parted = |lines: &'static [&str]| lines.iter().flat_map(|line| line.split('|'));
    WORTH
        .iter()
        .rev()
        .flat_map(|(lines, worth)| parted(lines).map(move |word| (word, *worth)))
        .collect()
});

/// From this worth a command is kept.
pub(super) const KEPT: i32 = 2;

/// What a command line is worth: that of its best step, less when its outcome is uncertain.
pub(super) fn of(line: &str) -> i32 {
    let best = line.split(['|', ';', '&']).map(step).max().unwrap_or(0);
    // What is filtered or caught succeeds also when the step that matters failed.
    let uncertain = line.contains("| grep") || line.contains("||") || line.contains(';');
    best - i32::from(uncertain)
}

fn is_one_of(lines: &[&str], word: &str) -> bool {
    lines
        .iter()
        .any(|line| line.split('|').any(|known| known == word))
}

/// The words of a step from its program on: settings and launchers before it are left out.
pub(super) fn words(step: &str) -> impl Iterator<Item = &str> {
    step.split_whitespace().skip_while(|word| {
        word.contains('=')
            || matches!(
                *word,
                "sudo" | "time" | "exec" | "nohup" | "timeout" | "!" | "("
            )
    })
}

fn step(step: &str) -> i32 {
    let mut words = words(step);
    let Some(first) = words.next() else { return 0 };
    let program = first.rsplit('/').next().unwrap_or(first);
    if is_one_of(LOOKING, program) {
        return 0;
    }
    if program == "git" {
        let verb = words
            .find(|word| !word.starts_with('-'))
            .unwrap_or_default();
        return if is_one_of(GIT, verb) { 2 } else { 1 };
    }
    let asked = ["--version", "--help", " -h", "-V"];
    let inline = step.contains(" -c ") || step.contains(" -e ");
    if inline || asked.iter().any(|flag| step.trim_end().ends_with(flag)) {
        return 1;
    }
    // The program and its first words tell; later ones are names of files and patterns.
    [program]
        .into_iter()
        .chain(words.take(4))
        .flat_map(|word| word.trim_start_matches('-').split([':', '/', '.']))
        .map(|word| WORDS.get(word).copied().unwrap_or(0))
        .max()
        .unwrap_or(0)
        .max(i32::from(first.contains('/')) * 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deployments_come_before_tests_and_tests_before_looking_around() {
        let worths = [
            "kubectl apply -f shop.yaml",
            "cd app && uv run pytest -q",
            "docker compose up -d",
            "./scripts/seed.sh",
            "git push",
            "git status",
            "python3 -c 'print(1)'",
            "ls -la",
        ]
        .map(of);
        assert_eq!(worths, [6, 5, 3, 3, 2, 1, 1, 0]);
        assert_eq!(of("make test || true"), 4);
    }
}
