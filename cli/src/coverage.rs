//! `relo check --coverage`: what becomes of each kind of site and referent under each strategy.

use comfy_table::Table;
use comfy_table::presets::NOTHING;
use relo_engine::{Cell, REFERENT_KINDS};

use crate::report::Reporter;

/// Prints the table of a target; as JSON one object a cell.
pub fn print(target: &str, cells: &[Cell], reporter: &Reporter) {
    if reporter.is_json() {
        for cell in cells {
            let mut object = serde_json::json!(cell);
            object["target"] = target.into();
            reporter.line(object);
        }
        return;
    }
    let mut table = Table::new();
    let referents = REFERENT_KINDS.map(str::to_uppercase);
    let header = ["STRATEGY", "SITE"].map(str::to_owned).into_iter().chain(referents);
    table.load_preset(NOTHING).set_header(header);
    for row in cells.chunk_by(|one, other| (&one.strategy, one.site) == (&other.strategy, other.site)) {
        let answers = row.iter().map(|cell| cell.answer.to_string());
        table.add_row([row[0].strategy.clone(), row[0].site.to_owned()].into_iter().chain(answers));
    }
    reporter.line(format_args!("{target}"));
    reporter.line(table);
}
