//! Which strategy delivers which site.

use regex::Regex;
use relo_referent::Referent;

use crate::pack::TargetSpec;
use crate::ruleset::StrategySpec;

/// The kinds of site.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SiteKind {
    /// A word-sized global that is one site.
    Slot,
    /// A word inside a global with contents of its own.
    Record,
}

impl SiteKind {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::Slot, Self::Record];

    /// The name that rule files and packs use.
    pub fn name(self) -> &'static str {
        match self {
            Self::Slot => "slot",
            Self::Record => "record",
        }
    }
}

/// One line of a target's `strategies`: conditions, all of which must hold, and the strategy.
#[derive(Clone, Debug)]
pub struct Choice {
    /// The kind of referent.
    pub referent: Option<String>,
    /// The kind of site.
    pub site: Option<SiteKind>,
    /// The object's runtime.
    pub runtime: Option<Regex>,
    /// The library; one that is not named matches as empty text.
    pub library: Option<Regex>,
    /// The key, name or symbol.
    pub name: Option<Regex>,
    /// The strategy to use.
    pub strategy: String,
}

impl PartialEq for Choice {
    fn eq(&self, other: &Self) -> bool {
        let text = |regex: &Option<Regex>| regex.as_ref().map(|regex| regex.as_str().to_owned());
        self.referent == other.referent
            && self.site == other.site
            && text(&self.runtime) == text(&other.runtime)
            && text(&self.library) == text(&other.library)
            && text(&self.name) == text(&other.name)
            && self.strategy == other.strategy
    }
}

impl Choice {
    /// A choice that always fits.
    pub fn always(strategy: impl Into<String>) -> Self {
        Self {
            referent: None,
            site: None,
            runtime: None,
            library: None,
            name: None,
            strategy: strategy.into(),
        }
    }

    /// Whether it fits a site.
    pub fn fits(&self, referent: &Referent, site: SiteKind) -> bool {
        let (kind, runtime, library, name) = match referent {
            Referent::Object { runtime, key, .. } => ("object", runtime.as_str(), "", key),
            Referent::Symbol { name, library, .. } => ("symbol", "", library.as_deref().unwrap_or(""), name),
            Referent::Word { symbol, library, .. } => ("word", "", library.as_deref().unwrap_or(""), symbol),
        };
        let matches = |pattern: &Option<Regex>, text: &str| {
            pattern.as_ref().is_none_or(|pattern| pattern.is_match(text))
        };
        self.referent.as_deref().is_none_or(|wanted| wanted == kind)
            && self.site.is_none_or(|wanted| wanted == site)
            && matches(&self.runtime, runtime)
            && matches(&self.library, library)
            && matches(&self.name, name)
    }
}

/// No strategy delivers a site.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlanError {
    /// Why, as a sentence without a full stop.
    pub reason: String,
    /// The strategies of the target that deliver such a site.
    pub would: Vec<String>,
}

/// The strategy of a site: that of the first choice that fits. A choice whose strategy does not deliver such a site
/// does not fit it.
///
/// # Errors
/// When no choice fits, or the target's loaders can't do what the strategy asks for.
pub(crate) fn strategy<'a>(
    choices: &[Choice],
    strategies: &'a [StrategySpec],
    target: &TargetSpec,
    referent: &Referent,
    site: SiteKind,
) -> Result<&'a StrategySpec, PlanError> {
    let named = |name: &str| strategies.iter().find(|strategy| strategy.name == name);
    let fitting: Vec<&StrategySpec> = choices
        .iter()
        .filter(|choice| choice.fits(referent, site))
        .filter_map(|choice| named(&choice.strategy))
        .collect();
    let chosen = fitting.iter().find(|strategy| strategy.sites.contains(&site));
    let reason = match (chosen, fitting.first()) {
        (Some(strategy), _) if target.can(strategy.action) => return Ok(strategy),
        (Some(StrategySpec { name, action, .. }), _) => {
            format!("`{name}` asks the loader to {}, which those of `{}` can't", action.name(), target.name)
        }
        (None, Some(first)) => format!("`{}` does not deliver a {}", first.name, site.name()),
        (None, None) => "no line of the target's `strategies` fits".to_owned(),
    };
    let able = |strategy: &&StrategySpec| strategy.sites.contains(&site) && target.can(strategy.action);
    let would = strategies.iter().filter(able).map(|strategy| strategy.name.clone()).collect();
    Err(PlanError { reason, would })
}
