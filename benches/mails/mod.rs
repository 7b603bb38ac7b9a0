//! Makes mail of realistic shape for benchmarks: the same bytes for the same seed.
//!
//! Shares follow what was counted in real boxes: a third single mails, the rest threads of a few;
//! half with an HTML form beside the plain one, an eighth with HTML alone, a tenth with an
//! attachment, most answers with a full quotation below.

use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::Path;

/// A small source of numbers; quality does not matter here, repeatability does.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % limit
    }
}

const WORDS: &str = "the import fails when a file has no date because the server reads it as local time we \
    should decide whether to keep the old format or to convert all of it in one night after the release \
    customers wrote that invoices arrive late and the new page is slow with many orders naïve größe";

fn prose(numbers: &mut Numbers, words: u64) -> String {
    let known: Vec<&str> = WORDS.split_whitespace().collect();
    let mut out = String::new();
    for at in 1..=words {
        let index = usize::try_from(numbers.below(known.len() as u64)).unwrap_or(0);
        out.push_str(known.get(index).copied().unwrap_or("word"));
        out.push_str(match at {
            at if at % 80 == 0 => ".\n\n",
            at if at % 13 == 0 => "\n",
            _ => " ",
        });
    }
    out.trim_end().to_owned()
}

/// Says a line to whoever has mail made.
#[expect(clippy::print_stdout, reason = "the bench's own output")]
pub(crate) fn say(line: &str) {
    println!("{line}");
}

/// Makes a Maildir with that many mails; with `huge` also a mail of 100 MB and a thread of 5,000.
/// Returns the number of bytes.
pub(crate) fn make(folder: &Path, count: u64, huge: bool) -> u64 {
    let cur = folder.join("cur");
    fs::create_dir_all(&cur).unwrap_or_default();
    fs::create_dir_all(folder.join("new")).unwrap_or_default();
    let mut numbers = Numbers(0x5eed_1234_5678_9abc);
    let mut bytes = 0;
    let mut at = 0;
    let mut thread = 0;
    while at < count {
        thread += 1;
        let length = match numbers.below(3) {
            0 => 1,
            _ => 2 + numbers.below(8),
        };
        bytes += one_thread(&cur, &mut numbers, thread, length.min(count - at), at);
        at += length;
    }
    if huge {
        bytes += one_thread(&cur, &mut numbers, thread + 1, 5000, at);
        bytes += huge_mail(&cur);
    }
    bytes
}

fn one_thread(cur: &Path, numbers: &mut Numbers, thread: u64, length: u64, first: u64) -> u64 {
    let mut before: Option<String> = None;
    let mut bytes = 0;
    for at in 0..length {
        let words = 40 + numbers.below(180);
        let own = prose(numbers, words);
        let quoted = before.as_ref().map(|text| {
            let lines: String = text.lines().fold(String::new(), |mut out, line| {
                let _written = writeln!(out, "> {line}");
                out
            });
            format!(
                "\nOn Mon, Oct 19, 2026 at 9:05 PM Ana <ana{thread}@example.org> wrote:\n{lines}"
            )
        });
        let text = format!("{own}\n{}", quoted.unwrap_or_default());
        let number = first + at;
        let mail = mail(numbers, &text, thread, at, number);
        let name = format!("{}.M{number}P7.box,U={number}:2,S", 1_700_000_000 + number);
        bytes += mail.len() as u64;
        fs::write(cur.join(name), mail).unwrap_or_default();
        before = Some(text.chars().take(6000).collect());
    }
    bytes
}

fn mail(numbers: &mut Numbers, text: &str, thread: u64, at: u64, number: u64) -> String {
    let (day, hour, minute) = (1 + number % 28, number / 60 % 24, number % 60);
    let month =
        ["Jan", "Mar", "May", "Jul", "Sep", "Oct"][usize::try_from(number % 6).unwrap_or(0)];
    let mut out = format!(
        "Return-Path: <ana{at}@example.org>\nReceived: from mx.example.org (mx.example.org [192.0.2.{}])\n\tby box.example.net (Postfix) with ESMTPS id {number:X}\n\tfor <ben@example.net>; Mon, {day} {month} 2026 {hour:02}:{minute:02}:09 +0000 (UTC)\nDKIM-Signature: v=1; a=rsa-sha256; d=example.org; s=s1; bh=47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=;\n\tb={}\nFrom: =?utf-8?Q?Ana_P=C3=A9rez_{at}?= <ana{at}@example.org>\nTo: Ben <ben@example.net>, Team <team@example.net>\nDate: {day} {month} 2026 {hour:02}:{minute:02}:07 +0000\nMessage-ID: <{thread}.{at}@example.org>\nMIME-Version: 1.0\n",
        number % 250,
        "QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVphYmNkZWZnaGlqa2xtbm9wcXJzdHV2".repeat(3),
    );
    if at > 0 {
        let first = at.saturating_sub(10);
        let ids: Vec<String> = (first..at)
            .map(|at| format!("<{thread}.{at}@example.org>"))
            .collect();
        let _written = writeln!(
            out,
            "In-Reply-To: <{thread}.{}@example.org>\nReferences: {}",
            at - 1,
            ids.join("\n\t")
        );
    }
    let answer = if at > 0 { "Re: " } else { "" };
    let _written = writeln!(out, "Subject: {answer}Import of the orders, part {thread}");
    let html = || {
        let body = text.replace('\n', "<br>\n");
        format!(
            "<html><head><style>p {{ margin: 0 }}</style></head><body><div dir=\"ltr\"><p style=\"font-family:sans-serif\">{body}</p></div></body></html>"
        )
    };
    match numbers.below(8) {
        0 => {
            let _written = writeln!(out, "Content-Type: text/html; charset=utf-8\n\n{}", html());
        }
        1..=4 => {
            let _written = writeln!(
                out,
                "Content-Type: multipart/alternative; boundary=\"alt{number}\"\n\n--alt{number}\nContent-Type: text/plain; charset=utf-8\n\n{text}\n--alt{number}\nContent-Type: text/html; charset=utf-8\n\n{}\n--alt{number}--",
                html()
            );
        }
        5 => {
            let line = "QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVphYmNkZWZnaGlqa2xtbm9wcXJzdHV2d3h5\n";
            let file = line.repeat(usize::try_from(100 + numbers.below(1500)).unwrap_or(0));
            let _written = writeln!(
                out,
                "Content-Type: multipart/mixed; boundary=\"mix{number}\"\n\n--mix{number}\nContent-Type: text/plain; charset=utf-8\n\n{text}\n--mix{number}\nContent-Type: application/pdf; name=\"report.pdf\"\nContent-Transfer-Encoding: base64\nContent-Disposition: attachment\n\n{file}--mix{number}--"
            );
        }
        _ => {
            let _written = writeln!(
                out,
                "Content-Type: text/plain; charset=utf-8; format=flowed\n\n{text}"
            );
        }
    }
    out
}

fn huge_mail(cur: &Path) -> u64 {
    let Ok(file) = File::create(cur.join("1900000000.M1P7.box,U=1:2,S")) else {
        return 0;
    };
    let mut file = BufWriter::new(file);
    let head = "From: Ana <ana@example.org>\nDate: 1 Oct 2026 10:00:00 +0000\nMessage-ID: <huge@example.org>\nSubject: The film\nContent-Type: multipart/mixed; boundary=b\n\n--b\nContent-Type: text/plain\n\nHere is the film of the meeting, in full length.\n--b\nContent-Type: video/mp4; name=film.mp4\nContent-Transfer-Encoding: base64\n\n";
    let line =
        "QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVphYmNkZWZnaGlqa2xtbm9wcXJzdHV2d3h5\n".repeat(1000);
    let mut bytes = head.len();
    let _written = file.write_all(head.as_bytes());
    while bytes < 100 * 1024 * 1024 {
        let _written = file.write_all(line.as_bytes());
        bytes += line.len();
    }
    let _written = file.write_all(b"--b--\n");
    bytes as u64
}
