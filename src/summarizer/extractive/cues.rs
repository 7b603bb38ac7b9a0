//! Words that say what kind of knowledge a sentence holds, in several languages.
//!
//! English, Spanish, German, French, Portuguese, Chinese and Japanese. A cue is weighed from 1 (a
//! hint) to 9 (says it outright). Letters outside of ASCII match in lower case only.

use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};

use super::phrases::spelled;
use crate::item::AtomKind;
use crate::item::AtomKind::{Decision, Fact, Fix, Rationale, Risk};

/// Weight of a decision's cue that compares: what is so may be told by it as well as what is settled.
pub(super) const COMPARES: i32 = 5;
/// Up to this weight the cue of a decision is found in advice as well.
pub(super) const STRONG: i32 = 6;
/// Weight of a decision's cue that says what ought to be: of a person a decision, of an agent advice.
pub(super) const WANTS: i32 = 4;

/// Kind, weight, lines of cues parted by bars.
const CUES: &[(AtomKind, i32, &[&str])] = &[
    (
        Decision,
        8,
        &[
            "we decided|decision:|have decided|was decided|settled on|decidimos",
            "hemos decidido|se decidió|decisión:|wir haben entschieden|haben uns entschieden",
            "beschlossen|entscheidung:|nous avons décidé|on a décidé|décision :|decidido",
            "decisão:|决定|決定しました|ことにしました",
        ],
    ),
    (
        Decision,
        6,
        &[
            "decided to|let's go with|agreed to|agreed on|let's use|we'll use",
            "we will use|should use|do not use|don't use|never use|always use|from now on",
            "switched to|switch to|migrated to|opted for|now uses|going with|please use",
            "vamos a usar|usaremos|acordamos|quedamos en|a partir de ahora|vereinbart",
            "umgestellt auf|wir verwenden|wir nehmen|wir bleiben bei|ab jetzt|nous utiliserons",
            "désormais|convenu|vamos usar|passaremos a|combinamos|ficou combinado",
            "改用|改为|改成|采用|以后|ことにした|に変更しました|に切り替え|採用",
        ],
    ),
    (
        Decision,
        COMPARES,
        &[
            "instead of|rather than|prefer|replaced with|renamed to|go with|is now|are now",
            "no longer|en lugar de|en vez de|anstatt|anstelle|statt|au lieu de|plutôt que",
            "em vez de|ao invés de|而不是|代わりに",
        ],
    ),
    (
        Decision,
        WANTS,
        &[
            "replace the usage|should be|must be|needs to be|debe ser|muss|soll|doit être",
            "deve ser|应该|必须|べき",
        ],
    ),
    (
        Rationale,
        6,
        &[
            "because|the reason|that's why|which is why|this is why|due to|porque|debido a",
            "la razón|por eso|weil|der grund|deshalb|parce que|la raison|à cause de",
            "por causa d|a razão|devido|因为|由于|なぜなら|理由は",
        ],
    ),
    (
        Rationale,
        4,
        &[
            "so that|in order to|otherwise|to avoid|since the|since it|to ensure|ya que",
            "para evitar|damit|wegen|afin de|pour éviter|car il|já que|因此|以免|ため、",
        ],
    ),
    (
        Fix,
        9,
        &[
            "fixed by|the fix was|the fix is|solved by|resolved by|se arregló|behoben|已修复",
            "修正しました|解決しました",
        ],
    ),
    (
        Fix,
        7,
        &[
            "i fixed|i've fixed|was fixed|is fixed|fix:|fixed:|fixes the|fixed the|workaround",
            "the solution|now works|now pass|now passes|works now|arreglado|corregido",
            "solucionado|la solución|die lösung|gelöst|repariert|corrigé|résolu|la solution",
            "corrigido|resolvido|a solução|修复|修好|解决|直しました",
        ],
    ),
    (
        Fix,
        4,
        &[
            "i removed|i replaced|i changed|i updated|i added|now handles|no longer fails",
            "corrected|patched|cambié|geändert|j'ai changé|mudei|修改了",
        ],
    ),
    (
        Fact,
        9,
        &[
            "root cause|the cause was|the cause is|la causa era|la causa es|die ursache",
            "la cause était|la cause est|a causa era|a causa é|根本原因|原因是|原因は",
        ],
    ),
    (
        Fact,
        8,
        &[
            "the problem was|the issue was|the bug was|the problem is|the issue is|the bug is",
            "the real issue|fails because|turns out|was caused by|is caused by|caused by",
            "el problema era|el problema es|resulta que|das problem war|das problem ist",
            "das problem lag|lag an|liegt an|le problème était|le problème est",
            "le problème vient|o problema era|o problema é|问题是|问题在于|問題は",
        ],
    ),
    (
        Fact,
        5,
        &[
            "fails on|fails when|only works|does not support|doesn't support|not supported",
            "by design|note that|defaults to|confirmed that|is expected|already handles",
            "no soporta|por diseño|unterstützt nicht|ne prend pas en charge|não suporta|不支持",
            "默认|未対応",
        ],
    ),
    (
        Risk,
        8,
        &[
            "breaks if|break if|data loss|watch out|beware|be careful|will break",
            "breaking change|vorsicht|se rompe|quebra se|geht kaputt|壊れる",
        ],
    ),
    (
        Risk,
        6,
        &[
            "must not|would break|could break|may break|might break|risky|warning:",
            "race condition|known limitation|still fails|still failing|not yet tested",
            "untested|cuidado|no debe|riesgo|darf nicht|risiko|achtung|attention :",
            "ne doit pas|risque|não deve|risco|小心|风险|注意|リスク|回帰|careful with|careful not",
            "caveat:|a risk|the risk|risks",
        ],
    ),
];

/// Words that open a sentence and name its kind outright, as in `Decision for now: …`.
const LABELS: &[(AtomKind, &str)] = &[
    (
        Decision,
        "decision|decisión|entscheidung|décision|decisão|决定|決定",
    ),
    (
        Rationale,
        "rationale|reason|why|razón|motivo|grund|begründung|raison|razão|原因|理由",
    ),
    (
        Fix,
        "fix|fixed|solution|arreglo|solución|lösung|correction|correção|修复|修正",
    ),
    (
        Fact,
        "fact|finding|cause|learned|lesson|causa|hallazgo|ursache|constat|教訓",
    ),
    (
        Risk,
        "risk|caveat|warning|riesgo|risiko|risque|risco|风险|リスク",
    ),
];
/// Longest label with its qualifiers, in bytes.
const LABEL_BYTES: usize = 40;

/// The kind that a sentence's own label names, and the sentence without it.
pub(super) fn labelled(sentence: &str) -> Option<(AtomKind, &str)> {
    let colon = sentence.find([':', '：'])?;
    let (label, rest) = sentence
        .split_at_checked(colon)
        .filter(|_| colon <= LABEL_BYTES)?;
    let rest = rest.trim_start_matches([':', '：']).trim_start();
    let mut words = label.split_whitespace();
    let first = words.next()?.to_lowercase();
    // More than a few words before the colon are a sentence of their own.
    if words.count() > 3 || rest.is_empty() {
        return None;
    }
    let named = |(_, labels): &&(AtomKind, &str)| labels.split('|').any(|label| label == first);
    LABELS.iter().find(named).map(|(kind, _)| (*kind, rest))
}

struct Table {
    machine: AhoCorasick,
    /// Kind and weight of each pattern.
    meanings: Vec<(AtomKind, i32)>,
}

/// `None` only if the patterns were too many to number, which a test rules out.
static TABLE: LazyLock<Option<Table>> = LazyLock::new(|| {
    let cues = || {
        CUES.iter().flat_map(|(kind, weight, cues)| {
            cues.iter()
                .flat_map(|line| line.split('|'))
                .flat_map(spelled)
                .map(move |cue| (*kind, *weight, cue))
        })
    };
    let machine = AhoCorasick::builder()
        .ascii_case_insensitive(true)
        .match_kind(MatchKind::LeftmostLongest)
        .kind(Some(AhoCorasickKind::DFA))
        .build(cues().map(|(_, _, cue)| cue.into_owned()))
        .ok()?;
    let meanings = cues().map(|(kind, weight, _)| (kind, weight)).collect();
    Some(Table { machine, meanings })
});

/// The kind that a sentence's strongest cue stands for, with its weight; of equals the first.
pub(super) fn strongest(sentence: &str) -> Option<(AtomKind, i32)> {
    let table = TABLE.as_ref()?;
    let bytes = sentence.as_bytes();
    let letter = |at: Option<usize>| {
        at.and_then(|at| bytes.get(at))
            .is_some_and(u8::is_ascii_alphanumeric)
    };
    let mut best: Option<(AtomKind, i32)> = None;
    for found in table.machine.find_iter(sentence) {
        let (start, end) = (found.start(), found.end());
        let within = letter(Some(start)) && letter(start.checked_sub(1))
            || letter(end.checked_sub(1)) && letter(Some(end));
        if within {
            continue;
        }
        if let Some(meaning) = table.meanings.get(found.pattern().as_usize())
            && best.is_none_or(|(_, weight)| meaning.1 > weight)
        {
            best = Some(*meaning);
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_label_names_the_kind_and_is_left_out() {
        for (sentence, expected) in [
            ("Decision: plain UTF-8.", Some((Decision, "plain UTF-8."))),
            (
                "Decision for now: no annealing.",
                Some((Decision, "no annealing.")),
            ),
            (
                "Rationale: 49 instead of 38 come first.",
                Some((Rationale, "49 instead of 38 come first.")),
            ),
            ("Decisión: hora local.", Some((Decision, "hora local."))),
            ("决定：使用 UTF-8。", Some((Decision, "使用 UTF-8。"))),
            (
                "Decision makers were asked about this at length: yes.",
                None,
            ),
            ("The decision: keep it.", None),
            ("Decision:", None),
        ] {
            assert_eq!(labelled(sentence), expected, "{sentence}");
        }
    }

    #[test]
    fn the_strongest_cue_gives_the_kind() {
        let cases = [
            (
                "We decided to keep UTF-8 because readers expect it.",
                Some((Decision, 8)),
            ),
            ("It fails because the writer adds a BOM.", Some((Fact, 8))),
            ("Fixed by removing the BOM.", Some((Fix, 9))),
            ("This breaks if the file is empty.", Some((Risk, 8))),
            ("La causa era el BOM.", Some((Fact, 9))),
            ("Wir verwenden jetzt UTF-8.", Some((Decision, 6))),
            ("Nous avons décidé de garder UTF-8.", Some((Decision, 8))),
            ("O problema era o BOM.", Some((Fact, 8))),
            ("根本原因在于编码。", Some((Fact, 9))),
            ("UTF-8 に変更しました。", Some((Decision, 6))),
            ("The asterisk was drawn twice.", None),
        ];
        for (sentence, expected) in cases {
            assert_eq!(strongest(sentence), expected, "{sentence}");
        }
    }
}
