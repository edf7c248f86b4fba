//! What MLIR's parser can't be given: it would end the process, or stop reading without a word.

/// How deep brackets may lie in each other. MLIR reads, verifies and prints recursively, with up to 4 KiB of stack a
/// level, and the smallest stacks have 2 MiB. Code that compilers make stays far below.
const DEEPEST: usize = 256;

/// What is wrong with a text, and at which byte.
pub(crate) fn unreadable(text: &[u8]) -> Option<(usize, String)> {
    // To MLIR's lexer this is the end, whatever comes after it.
    if let Some(at) = text.iter().position(|byte| *byte == 0) {
        return Some((at, "a NUL stands in the text".into()));
    }
    let mut depth = 0_usize;
    let mut at = 0;
    while let Some(&byte) = text.get(at) {
        let next = text.get(at + 1).copied();
        match byte {
            b'"' => {
                at += 1;
                while let Some(&inside) = text.get(at) {
                    match inside {
                        // At the end of the line MLIR says that the string does not end.
                        b'"' | b'\n' => break,
                        b'\\' => at += 1,
                        _ => {}
                    }
                    at += 1;
                }
                if text.get(at) != Some(&b'"') {
                    continue;
                }
            }
            b'/' if next == Some(b'/') => {
                while text.get(at).is_some_and(|inside| *inside != b'\n') {
                    at += 1;
                }
                continue;
            }
            // Arrows and comparisons are no brackets.
            b'-' | b'<' | b'>' if matches!((byte, next), (b'-', Some(b'>')) | (_, Some(b'='))) => at += 1,
            b'(' | b'[' | b'{' | b'<' => {
                depth += 1;
                if depth > DEEPEST {
                    return Some((at, format!("brackets lie in each other more than {DEEPEST} deep")));
                }
            }
            b')' | b']' | b'}' | b'>' => depth = depth.saturating_sub(1),
            _ => {}
        }
        at += 1;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::unreadable;

    #[test]
    fn only_brackets_of_the_code_count() {
        let deep = "(".repeat(super::DEEPEST + 1);
        assert_eq!(unreadable(deep.as_bytes()).map(|(at, _)| at), Some(super::DEEPEST));
        for fine in [
            format!("\"{deep}\""),
            format!("\"\\\"{deep}\""),
            format!("// {deep}\n"),
            "(->)".repeat(1000),
            "(() -> ())".repeat(1000),
            "<= ".repeat(1000),
            "a = \"unfinished\n".to_owned(),
        ] {
            assert_eq!(unreadable(fine.as_bytes()), None, "{fine}");
        }
        assert!(unreadable(format!("\"closed\" {deep}").as_bytes()).is_some());
        assert!(unreadable(format!("\"unfinished\n{deep}").as_bytes()).is_some());
    }

    #[test]
    fn a_nul_is_found_wherever_it_stands() {
        for (text, at) in [("\0", 0), ("a\0b", 1), ("\"a\0\"", 2), ("// a\0", 4), ("\"\\\0\"", 2)] {
            assert_eq!(unreadable(text.as_bytes()).map(|(at, _)| at), Some(at), "{text:?}");
        }
    }
}
