//! Tells the language of what people wrote, and has the few words of ours that a reply needs in it.
//!
//! A text in any other language gets English words. What is told apart are seven languages by their
//! commonest small words or their script; a text that mixes them goes to the one with most of these.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::plain::{capitalised, head};

/// A language that replies have words in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Language {
    English,
    Spanish,
    German,
    French,
    Portuguese,
    Chinese,
    Japanese,
}

use Language::{Chinese, English, French, German, Japanese, Portuguese, Spanish};

/// Bytes looked at.
const SAMPLE_BYTES: usize = 800;
/// Small words that are frequent in one language and rare in the others.
const SMALL: &[(Language, &str)] = &[
    (
        English,
        " the and is are of to in it that this with for not can you we be was please how when does ",
    ),
    (
        Spanish,
        " el la los las del que por con una para es está hay puedes qué cómo pero cuando falla y en al ",
    ),
    (
        German,
        " der die das den dem und ist nicht ein eine einen mit für auf wir ich kannst bitte wird sind von zu wenn noch ",
    ),
    (
        French,
        " le la les des du et est une pour dans avec que peux ne pas nous vous qui sur au ce plus il ",
    ),
    (
        Portuguese,
        " o os as do da dos das que não uma um para com em por está você pode é ao e no na quando ",
    ),
];

/// The language of some pieces of text, of which the first [`SAMPLE_BYTES`] count.
pub(super) fn of<'a>(pieces: impl Iterator<Item = &'a str>) -> Language {
    let mut counts = [0_usize; SMALL.len()];
    let (mut left, mut letters, mut han, mut kana) = (SAMPLE_BYTES, 0_usize, 0_usize, 0_usize);
    for piece in pieces {
        let piece = head(piece, left);
        left -= piece.len();
        if !piece.is_ascii() {
            for c in piece.chars() {
                kana += usize::from(matches!(c, '\u{3040}'..='\u{30FF}'));
                han += usize::from(matches!(c, '\u{3400}'..='\u{9FFF}'));
            }
        }
        letters += piece.bytes().filter(u8::is_ascii_alphabetic).count();
        for word in piece.split(|c: char| !c.is_alphanumeric()) {
            count(word, &mut counts);
        }
        if left == 0 {
            break;
        }
    }
    // A character of these scripts says as much as a few letters of the names of code beside it.
    if (han + kana) * 5 > letters {
        return if kana > 0 { Japanese } else { Chinese };
    }
    let mut best = (English, 0);
    for ((language, _), count) in SMALL.iter().zip(counts) {
        if count > best.1 {
            best = (*language, count);
        }
    }
    best.0
}

/// Which languages each small word speaks for, a bit each in the order of [`SMALL`].
static SPEAKS_FOR: LazyLock<HashMap<&str, u8>> = LazyLock::new(|| {
    let mut words: HashMap<&str, u8> = HashMap::new();
    for (at, (_, small)) in SMALL.iter().enumerate() {
        for word in small.split_whitespace() {
            *words.entry(word).or_default() |= 1 << at;
        }
    }
    words
});

fn count(word: &str, counts: &mut [usize; SMALL.len()]) {
    // None of the small words is longer.
    if word.is_empty() || word.len() > 8 {
        return;
    }
    let known = match word.chars().any(char::is_uppercase) {
        true => SPEAKS_FOR.get(word.to_lowercase().as_str()),
        false => SPEAKS_FOR.get(word),
    };
    let Some(known) = known else { return };
    for (at, count) in counts.iter_mut().enumerate() {
        *count += usize::from(known >> at & 1);
    }
}

impl Language {
    fn choose<T>(self, words: [T; 7]) -> T {
        let [
            english,
            spanish,
            german,
            french,
            portuguese,
            chinese,
            japanese,
        ] = words;
        match self {
            English => english,
            Spanish => spanish,
            German => german,
            French => french,
            Portuguese => portuguese,
            Chinese => chinese,
            Japanese => japanese,
        }
    }

    /// What goes before the thing that was asked for.
    pub(super) fn asked(self) -> &'static str {
        self.choose([
            "Asked: ",
            "Petición: ",
            "Auftrag: ",
            "Demande : ",
            "Pedido: ",
            "请求：",
            "依頼：",
        ])
    }

    /// What goes before the thing that was asked for later.
    pub(super) fn later(self) -> &'static str {
        self.choose([
            "Later: ",
            "Después: ",
            "Später: ",
            "Puis : ",
            "Depois: ",
            "随后：",
            "その後：",
        ])
    }

    /// What goes before the status of a task.
    pub(super) fn status(self) -> &'static str {
        self.choose([
            "Status: ",
            "Estado: ",
            "Status: ",
            "Statut : ",
            "Estado: ",
            "状态：",
            "状態：",
        ])
    }

    /// What goes before the error that a text ends with.
    pub(super) fn failed_last(self) -> &'static str {
        self.choose([
            "The last call failed: ",
            "La última llamada falló: ",
            "Der letzte Aufruf schlug fehl: ",
            "Le dernier appel a échoué : ",
            "A última chamada falhou: ",
            "最后一次调用失败：",
            "最後の呼び出しは失敗：",
        ])
    }

    /// Says that the person stopped the work.
    pub(super) fn interrupted(self) -> &'static str {
        self.choose([
            "It was interrupted.",
            "Se interrumpió.",
            "Die Arbeit wurde unterbrochen.",
            "Le travail a été interrompu.",
            "Foi interrompido.",
            "工作被中断。",
            "作業は中断された。",
        ])
    }

    /// Asks what was done about a thing.
    pub(super) fn done_about(self, thing: &str) -> String {
        let form = self.choose([
            "What was done about “{}”?",
            "¿Qué se hizo con «{}»?",
            "Was wurde aus „{}“?",
            "Qu’a-t-on fait pour « {} » ?",
            "O que foi feito sobre “{}”?",
            "“{}”是如何处理的？",
            "「{}」はどう対応しましたか？",
        ]);
        form.replace("{}", thing)
    }

    /// Asks for the cause of an error.
    pub(super) fn cause_of(self, error: &str) -> String {
        let form = self.choose([
            "What causes “{}”?",
            "¿Qué causa «{}»?",
            "Was verursacht „{}“?",
            "Qu’est-ce qui cause « {} » ?",
            "O que causa “{}”?",
            "“{}”是什么原因？",
            "「{}」の原因は何ですか？",
        ]);
        form.replace("{}", error)
    }

    /// Asks how a request is done, where its form allows that: a verb in the infinitive, or one
    /// that needs no form.
    pub(super) fn how_to(self, request: &str) -> Option<String> {
        let first = request.split(' ').next().unwrap_or_default();
        let last = request.rsplit(' ').next().unwrap_or_default();
        let verb = |endings: &[&str], word: &str| {
            word.len() > 2 && endings.iter().any(|ending| word.ends_with(ending))
        };
        let (before, after, holds) = match self {
            Spanish => ("¿Cómo ", "?", verb(&["ar", "er", "ir"], first)),
            French => ("Comment ", " ?", verb(&["er", "ir", "re"], first)),
            Portuguese => ("Como ", "?", verb(&["ar", "er", "ir"], first)),
            German => ("Wie kann man ", "?", verb(&["en", "ern"], last)),
            Chinese => (
                "如何",
                "？",
                [
                    "修复", "添加", "实现", "优化", "删除", "更新", "部署", "迁移", "改进",
                ]
                .iter()
                .any(|verb| request.starts_with(verb)),
            ),
            English | Japanese => return None,
        };
        // Of "look at why it fails" the reason is asked for.
        let why = match self {
            Spanish => "por qué ",
            French => "pourquoi ",
            Portuguese => "por que ",
            _ => "",
        };
        let (before, request) = match request.find(why).filter(|at| *at > 0) {
            Some(at) => (
                before.trim_end_matches(|c: char| c.is_alphabetic() || c == ' '),
                request.get(at..)?,
            ),
            None => (before, request),
        };
        if request.starts_with(why) && !why.is_empty() {
            return holds.then(|| format!("{before}{}{after}", capitalised(request)));
        }
        let mut chars = request.chars();
        let opening = chars.next()?.to_lowercase();
        holds.then(|| {
            format!(
                "{before}{}{}{after}",
                opening.collect::<String>(),
                chars.as_str()
            )
        })
    }

    /// Counts things: files written, commands run, calls in all.
    pub(super) fn counted(self, files: usize, commands: usize, calls: usize) -> String {
        // Each for one, and for more than one.
        let counts = [
            (
                files,
                [
                    ("file written", "files written"),
                    ("archivo escrito", "archivos escritos"),
                    ("Datei geschrieben", "Dateien geschrieben"),
                    ("fichier écrit", "fichiers écrits"),
                    ("arquivo gravado", "arquivos gravados"),
                    ("个文件写入", "个文件写入"),
                    ("件のファイルを変更", "件のファイルを変更"),
                ],
            ),
            (
                commands,
                [
                    ("command run", "commands run"),
                    ("orden ejecutada", "órdenes ejecutadas"),
                    ("Befehl ausgeführt", "Befehle ausgeführt"),
                    ("commande lancée", "commandes lancées"),
                    ("comando executado", "comandos executados"),
                    ("条命令运行", "条命令运行"),
                    ("件のコマンドを実行", "件のコマンドを実行"),
                ],
            ),
            (
                calls,
                [
                    ("tool call in all", "tool calls in all"),
                    ("llamada en total", "llamadas en total"),
                    ("Aufruf insgesamt", "Aufrufe insgesamt"),
                    ("appel en tout", "appels en tout"),
                    ("chamada ao todo", "chamadas ao todo"),
                    ("次工具调用", "次工具调用"),
                    ("回のツール呼び出し", "回のツール呼び出し"),
                ],
            ),
        ];
        let told: Vec<String> = counts
            .into_iter()
            .filter(|(count, _)| *count > 0)
            .map(|(count, words)| match (count, self.choose(words)) {
                (1, (one, _)) => format!("1 {one}"),
                (_, (_, more)) => format!("{count} {more}"),
            })
            .collect();
        told.join(self.choose([", ", ", ", ", ", ", ", ", ", "，", "、"]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_language_is_that_of_the_small_words_or_the_script() {
        let cases = [
            ("please fix the export of the invoices", English),
            ("arregla la exportación de las facturas, por favor", Spanish),
            ("der Abgleich ist zu langsam und bricht ab", German),
            ("corriger le calcul de la TVA sur les avoirs", French),
            ("corrija o cálculo do imposto para os pedidos", Portuguese),
            ("修复 invoice_import 的编码问题", Chinese),
            ("請求書の取り込みを直してください", Japanese),
            ("لماذا يفشل استيراد الفواتير؟", English),
            ("", English),
        ];
        for (text, expected) in cases {
            assert_eq!(of([text].into_iter()), expected, "{text}");
        }
    }

    #[test]
    fn requests_become_questions_where_their_form_allows_it() {
        assert_eq!(
            Spanish.how_to("Arreglar la importación"),
            Some("¿Cómo arreglar la importación?".to_owned())
        );
        assert_eq!(
            German.how_to("den Abgleich schneller machen"),
            Some("Wie kann man den Abgleich schneller machen?".to_owned())
        );
        assert_eq!(
            Chinese.how_to("修复导入乱码"),
            Some("如何修复导入乱码？".to_owned())
        );
        assert_eq!(
            Spanish.how_to("mirar por qué falla la importación"),
            Some("¿Por qué falla la importación?".to_owned())
        );
        assert_eq!(Portuguese.how_to("a importação falha"), None);
        assert_eq!(Japanese.how_to("直してください"), None);
    }

    #[test]
    fn counts_leave_out_what_there_is_none_of() {
        assert_eq!(
            English.counted(1, 0, 12),
            "1 file written, 12 tool calls in all"
        );
        assert_eq!(
            German.counted(2, 1, 3),
            "2 Dateien geschrieben, 1 Befehl ausgeführt, 3 Aufrufe insgesamt"
        );
    }
}
