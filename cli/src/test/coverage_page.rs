//! Coverage on the rules' own text, as a page.

use maud::{Markup, html};
use relo_trial::{Coverage, RuleCoverage};

use crate::page::{Page, page};

/// The page.
pub fn coverage_page(coverage: &Coverage) -> String {
    let mut packs: Vec<&str> = coverage.rules.iter().map(|rule| rule.pack.as_str()).collect();
    packs.dedup();
    let body = html! { main {
        h1 { "How far the rules are tested" }
        p.faint {
            "A rule is covered where it fires, or rejects, in some test; a clause where it is the first that does not hold \
             in some test. "
            mark.good { "This clause" } " decides a test, " mark.bad { "this one" } " decides none."
        }
        table {
            tr { th { "pack" } th.number { "rules" } th.number { "covered" } th.number { "clauses" } th.number { "covered" } }
            @for pack in &packs { (line(html! { a href=(format!("#{pack}")) { (pack) } }, &coverage.of(pack))) }
            (line(html! { "all" }, coverage))
        }
        @for pack in &packs {
            h2 id=(pack) { (pack) }
            @for rule in coverage.of(pack).rules { (of_rule(&rule)) }
        }
    } };
    page(Page { title: "Coverage of rules", style: include_str!("coverage.css"), body, script: None })
}

fn line(name: Markup, coverage: &Coverage) -> Markup {
    let clauses: usize = coverage.rules.iter().map(|rule| rule.clauses.len()).sum();
    html! {
        tr {
            td { (name) }
            td.number { (coverage.rules.len()) }
            td.number { (format!("{:.1} %", coverage.rules_covered())) }
            td.number { (clauses) }
            td.number { (format!("{:.1} %", coverage.clauses_covered())) }
        }
    }
}

fn of_rule(rule: &RuleCoverage) -> Markup {
    let idle = rule.idle().count();
    let class = match (rule.fires, idle) {
        (false, _) => "idle",
        (true, 0) => "",
        (true, _) => "partly",
    };
    html! {
        section.rule.(class) id=(format!("{}/{}", rule.pack, rule.rule)) {
            h3 { (rule.rule) }
            p.faint {
                (rule.source.name) ":" (rule.line()) " · " (rule.tests) @if rule.tests == 1 { " test" } @else { " tests" }
                @if !rule.fires { " · " mark.bad { "fires in no test" } }
                @if idle > 0 { " · " mark.bad { (idle) " of " (rule.clauses.len()) " clauses decide no test" } }
            }
            pre { (marked(rule)) }
        }
    }
}

/// The rule's text, its clauses marked.
fn marked(rule: &RuleCoverage) -> Markup {
    let text = &rule.source.text;
    let mut at = rule.text.start;
    html! {
        @for (span, decides) in &rule.clauses {
            (&text[at..span.start])
            mark.(if *decides { "good" } else { "bad" }) { (&text[span.range()]) }
            ({ at = span.end; "" })
        }
        (text[at..rule.text.end].trim_end())
    }
}
