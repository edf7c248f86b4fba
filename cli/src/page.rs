//! The frame of every page that relo writes: one file, which asks nothing of any network.

use maud::{DOCTYPE, Markup, PreEscaped, html};

/// What a page is made of.
pub struct Page<'a> {
    /// What it is called.
    pub title: &'a str,
    /// Its own style, behind that of all pages.
    pub style: &'a str,
    /// What it shows.
    pub body: Markup,
    /// What it does.
    pub script: Option<&'a str>,
}

/// Style and script stand in the page; the browser is told to load nothing else.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'";

/// The page as HTML.
pub fn page(page: Page<'_>) -> String {
    let markup = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta http-equiv="Content-Security-Policy" content=(POLICY);
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { (page.title) }
                style { (PreEscaped(include_str!("page/page.css"))) (PreEscaped(page.style)) }
            }
            body {
                (page.body)
                @if let Some(script) = page.script {
                    script { (PreEscaped(script)) }
                }
            }
        }
    };
    markup.into_string()
}

/// Data for a page's script: nothing in it ends the element that it stands in.
pub fn data(id: &str, value: &serde_json::Value) -> Markup {
    let text = value.to_string().replace('<', "\\u003c");
    html! { script type="application/json" id=(id) { (PreEscaped(text)) } }
}
