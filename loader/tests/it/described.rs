//! Manifests for artifacts that were not compiled by relo: for the tests, and for the benchmark.

use relo_loader::{ARTIFACT_KIND, ArtifactRecord, Manifest, SiteRecord, TargetRecord, VERSION};
use relo_referent::{Action, Referent};

/// A manifest of this machine's for these bytes. Nobody says what they offer, or what made them.
pub fn described(bytes: &[u8], referents: Vec<Referent>, sites: Vec<SiteRecord>) -> Manifest {
    Manifest {
        relo: VERSION,
        target: TargetRecord {
            name: "here".into(),
            triple: format!("{}-unknown-{}-gnu", std::env::consts::ARCH, std::env::consts::OS),
            cpu: String::new(),
            features: String::new(),
        },
        artifact: ArtifactRecord {
            kind: ARTIFACT_KIND.into(),
            size: bytes.len() as u64,
            blake3: blake3::hash(bytes).to_hex().to_string(),
        },
        entries: Vec::new(),
        arguments: Vec::new(),
        packs: Vec::new(),
        rules: Vec::new(),
        referents,
        sites,
        portable: true,
    }
}

/// A word to write at an address of the artifact.
pub fn site(symbol: &str, offset: u64, width: u32, referent: usize, at: u64) -> SiteRecord {
    SiteRecord {
        symbol: symbol.to_owned(),
        offset,
        width,
        referent,
        action: Action::Write,
        strategy: "patch".into(),
        index: None,
        at: Some(at),
    }
}
