//! `relo explain`: what a diagnostic's code means. Each code has a page in `docs/codes/`, which lies in the binary.

use clap::Args;
use miette::Diagnostic;

use crate::error::{CliError, Failure};
use crate::report::Reporter;

/// Explain a diagnostic's code: what it is about, why it matters, a wrong and a right example
///
/// Without a code, lists all of them. `relo::check::sigil`, `check::sigil` and `sigil` are the same code.
#[derive(Args)]
pub struct Arguments {
    /// The codes, as diagnostics show them
    #[arg(value_name = "CODE")]
    codes: Vec<String>,
}

#[derive(rust_embed::RustEmbed)]
#[folder = "../docs/codes"]
#[include = "*.md"]
struct Embedded;

struct Page {
    code: String,
    /// Markdown; the first line is a heading that sums it up.
    text: String,
}

impl Page {
    fn summary(&self) -> &str {
        self.text.lines().next().unwrap_or_default().trim_start_matches("# ")
    }
}

pub fn run(arguments: &Arguments, reporter: &Reporter) -> Result<(), Failure> {
    let pages = pages();
    if arguments.codes.is_empty() {
        let width = pages.iter().map(|page| page.code.len()).max().unwrap_or_default();
        for page in &pages {
            if reporter.is_json() {
                reporter.line(serde_json::json!({ "code": page.code, "summary": page.summary() }));
            } else {
                reporter.line(format_args!("{:width$}  {}", page.code, page.summary()));
            }
        }
    }
    for (index, code) in arguments.codes.iter().enumerate() {
        let page = find(&pages, code)?;
        if reporter.is_json() {
            let line = serde_json::json!({ "code": page.code, "summary": page.summary(), "text": page.text });
            reporter.line(line);
        } else {
            let gap = if index == 0 { "" } else { "\n" };
            reporter.line(format_args!("{gap}{}\n\n{}", page.code, page.text.trim_end()));
        }
    }
    Ok(())
}

/// The codes of a diagnostic and of those in it that have none in them, each once: those that say the most.
pub fn codes(diagnostic: &dyn Diagnostic) -> Vec<String> {
    let mut codes = Vec::new();
    collect(diagnostic, &mut codes);
    codes
}

fn collect(diagnostic: &dyn Diagnostic, codes: &mut Vec<String>) {
    let mut inner = diagnostic.related().into_iter().flatten().peekable();
    if inner.peek().is_none()
        && let Some(code) = diagnostic.code().map(|code| code.to_string())
        && !codes.contains(&code)
    {
        codes.push(code);
    }
    inner.for_each(|diagnostic| collect(diagnostic, codes));
}

fn pages() -> Vec<Page> {
    let mut pages: Vec<Page> = Embedded::iter()
        .filter_map(|name| {
            let code = format!("relo::{}", name.strip_suffix(".md")?.replace('/', "::"));
            let text = String::from_utf8_lossy(&Embedded::get(&name)?.data).into_owned();
            Some(Page { code, text })
        })
        .collect();
    pages.sort_by(|one, other| one.code.cmp(&other.code));
    pages
}

fn find<'a>(pages: &'a [Page], name: &str) -> Result<&'a Page, CliError> {
    let exact = pages.iter().find(|page| page.code == name || page.code.strip_prefix("relo::") == Some(name));
    if let Some(page) = exact {
        return Ok(page);
    }
    let last = |page: &Page| page.code.rsplit("::").next().unwrap_or_default().to_owned();
    let same: Vec<&Page> = pages.iter().filter(|page| last(page) == name).collect();
    if let [page] = same[..] {
        return Ok(page);
    }
    let help = if same.is_empty() {
        let wanted = name.rsplit("::").next().unwrap_or(name);
        let near = pages.iter().min_by_key(|page| {
            strsim::damerau_levenshtein(&page.code, name)
                .min(strsim::damerau_levenshtein(&last(page), wanted))
        });
        let near = near.map_or_else(String::new, |page| format!("did you mean `{}`? ", page.code));
        format!("{near}`relo explain` lists them")
    } else {
        let codes: Vec<String> = same.iter().map(|page| format!("`{}`", page.code)).collect();
        format!("there are {}", codes.join(" and "))
    };
    Err(CliError::Argument { message: format!("no code is called `{name}`"), help })
}
