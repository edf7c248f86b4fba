//! What a host reference means, in terms that outlive the session that compiled it.
//!
//! The words that the compiling half of relo (rules, dialect, code generation) and the loading half
//! (manifest, resolver) share: [`Referent`], the [`SessionTable`] a front end hands over, and the closed
//! set of [`Action`]s a strategy may ask of a loader. It knows no IR, no artifact and no rule.

mod action;
mod mistake;
mod referent;
mod session;

pub use action::Action;
pub use mistake::SessionError;
pub use referent::Referent;
pub use session::SessionTable;
