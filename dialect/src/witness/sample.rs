//! Texts that a regular expression matches.

use regex_syntax::hir::{Class, Hir, HirKind};

/// No more texts than these are made of one expression.
const MOST: usize = 8;

/// A few different texts that match, the simplest first. Each is checked: what look-around makes of an expression is not
/// followed.
pub(super) fn samples(pattern: &str) -> Vec<String> {
    let (Ok(hir), Ok(regex)) = (regex_syntax::parse(pattern), relo_engine::regex(pattern)) else {
        return Vec::new();
    };
    let mut texts = some(&hir);
    // An expression that is not anchored matches inside a text, too.
    texts.extend(texts.clone().into_iter().flat_map(|text| [format!("{text}_x"), format!("x_{text}")]));
    texts.retain(|text| !text.is_empty() && regex.is_match(text));
    texts.dedup();
    texts
}

fn some(hir: &Hir) -> Vec<String> {
    let mut texts = match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => vec![String::new()],
        HirKind::Literal(literal) => vec![String::from_utf8_lossy(&literal.0).into_owned()],
        HirKind::Class(class) => letters(class),
        HirKind::Repetition(repetition) => {
            let once = some(&repetition.sub);
            let times = |count: u32| {
                let count = usize::try_from(count).unwrap_or(MOST).min(64);
                once.iter().map(|text| text.repeat(count)).collect::<Vec<_>>()
            };
            let mut texts = times(repetition.min);
            if repetition.max.is_none_or(|max| max > repetition.min) {
                texts.extend(times(repetition.min + 1));
            }
            texts
        }
        HirKind::Capture(capture) => some(&capture.sub),
        HirKind::Concat(parts) => parts.iter().fold(vec![String::new()], |texts, part| {
            let next = some(part);
            let join = |text: &String| next.iter().map(|part| format!("{text}{part}")).collect::<Vec<_>>();
            texts.iter().flat_map(join).take(MOST).collect()
        }),
        HirKind::Alternation(parts) => parts.iter().flat_map(some).collect(),
    };
    texts.truncate(MOST);
    texts
}

/// Letters and digits of a class before its other characters.
fn letters(class: &Class) -> Vec<String> {
    let all = ('a'..='z').chain('A'..='Z').chain('0'..='9').chain("_.$-:/ ".chars());
    let fits = |character: &char| match class {
        Class::Unicode(class) => class.iter().any(|range| (range.start()..=range.end()).contains(character)),
        Class::Bytes(class) => u8::try_from(*character)
            .is_ok_and(|byte| class.iter().any(|range| (range.start()..=range.end()).contains(&byte))),
    };
    all.filter(fits).take(2).map(String::from).collect()
}

#[cfg(test)]
mod tests {
    use super::samples;

    #[test]
    fn samples_match() {
        for pattern in
            ["^i?jl_", "_box$", "^(sym|bool):", "[0-9]{3}", "a+b*", "^rt_[a-z]+$", r"^_ZN\d", "(?i)x"]
        {
            let texts = samples(pattern);
            assert!(!texts.is_empty(), "{pattern}");
            let regex = regex::Regex::new(pattern).expect("a pattern");
            assert!(texts.iter().all(|text| regex.is_match(text)), "{pattern}: {texts:?}");
        }
        assert!(samples("^$").is_empty(), "no symbol has an empty name");
    }
}
