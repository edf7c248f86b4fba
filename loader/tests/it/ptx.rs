//! PTX through a driver that says what it is asked: there is no device here.
#![allow(unsafe_code, reason = "the driver is a library of C")]

use std::ffi::{CStr, CString, c_char};
use std::sync::Arc;

use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW};
use miette::Diagnostic as _;
use relo_loader::{Callback, Driver, Image, LoadError, Manifest, PTX_KIND, PtxModule, Resolved, Root};
use relo_referent::{Action, Referent};

use crate::support::{Artifact, artifact, object};

const TEXT: &str = "\
.version 7.0
.target sm_80
.address_size 64
.visible .global .align 16 .b8 header[40] = {7};
.weak .const .align 8 .b8 words[24];
.weak .global .align 8 .u64 slot;
.visible .entry kernel(.param .u64 out) { ret; }
";

/// The driver, compiled for one test: its state is the library's.
struct Fake {
    artifact: Artifact,
    driver: Driver,
}

impl Fake {
    fn new() -> Self {
        let artifact = artifact("driver");
        let driver = Driver::open(artifact.path.to_str().expect("UTF-8")).expect("it is there");
        Self { artifact, driver }
    }

    fn library(&self) -> Library {
        // SAFETY: it is loaded already.
        unsafe { Library::open(Some(&self.artifact.path), RTLD_NOW | RTLD_LOCAL) }.expect("it loads")
    }

    fn said(&self) -> String {
        // SAFETY: that is its type, and its text ends in a NUL.
        unsafe {
            let said = self.library().get::<extern "C" fn() -> *const c_char>(b"fake_said\0").expect("it");
            CStr::from_ptr(said()).to_str().expect("ASCII").to_owned()
        }
    }

    fn fail(&self, function: &str) {
        let function = CString::new(function).expect("no NUL").into_raw();
        // SAFETY: that is its type. The text is never freed.
        unsafe {
            let fail =
                self.library().get::<extern "C" fn(*const c_char)>(b"fake_fail\0").expect("it is there");
            fail(function);
        }
    }

    fn load(&self, manifest: &Manifest) -> Result<PtxModule<'_>, LoadError> {
        PtxModule::load(&self.driver, 1, TEXT.as_bytes(), manifest, &Callback(word))
    }
}

/// A key's first byte is the word's.
fn word(referent: &Referent) -> Result<Resolved, String> {
    match referent {
        Referent::Object { key, .. } if !key.starts_with('?') => {
            Ok(Resolved { word: key.as_bytes()[0].into(), root: None })
        }
        _ => Err("nobody knows it".into()),
    }
}

/// A manifest with these sites: symbol, offset, width, key of an object, action.
fn manifest(sites: &[(&str, u64, u32, &str, Action)]) -> Manifest {
    let native = artifact("words");
    let places: Vec<_> =
        sites.iter().map(|(_, _, _, key, _)| ("slot_object", 0, 64, object(key, 0))).collect();
    let mut manifest = native.manifest(&places);
    let template = manifest.sites[0].clone();
    let mut index = 0..;
    let site = |(symbol, offset, width, key, action): &(&str, u64, u32, &str, Action)| {
        let mut site = template.clone();
        (site.symbol, site.offset, site.width, site.action, site.at) =
            ((*symbol).to_owned(), *offset, *width, *action, None);
        site.index = action.is_ordered().then(|| index.next().expect("endless"));
        let referent = object(key, 0);
        site.referent = manifest.referents.binary_search(&referent).expect("it is among them");
        site
    };
    manifest.sites = sites.iter().map(site).collect();
    manifest.entries = vec!["kernel".into()];
    manifest.artifact.kind = PTX_KIND.into();
    manifest.artifact.size = TEXT.len() as u64;
    manifest.artifact.blake3 = blake3::hash(TEXT.as_bytes()).to_hex().to_string();
    manifest
}

fn code(result: Result<PtxModule<'_>, LoadError>) -> String {
    result.err().and_then(|error| error.code().map(|code| code.to_string())).expect("an error with a code")
}

#[test]
fn words_are_written_before_a_kernel_can_be_had() {
    let fake = Fake::new();
    let manifest = manifest(&[
        ("header", 24, 64, "a", Action::Write),
        ("header", 32, 32, "b", Action::Write),
        ("slot", 0, 64, "c", Action::Write),
        ("words", 0, 64, "d", Action::Table),
        ("words", 8, 64, "e", Action::Table),
    ]);
    let image = fake.load(&manifest).expect("it loads");
    let zeros = |count: usize| " 00".repeat(count);
    let written = format!(
        "retain 1\nload\nwrite header+24: 61{} 62{}\nwrite slot+0: 63{}\nwrite words+0: 64{} 65{}\nsynchronize\n",
        zeros(7),
        zeros(3),
        zeros(7),
        zeros(7),
        zeros(7)
    );
    assert_eq!(fake.said(), written);
    assert_eq!(image.entries(), ["kernel"]);
    assert_ne!(image.entry("kernel").expect("it is there"), 0);
    let missing = image.entry("colonel").expect_err("there is none");
    assert!(missing.help().expect("help").to_string().contains("kernel"));
    drop(image);
    assert_eq!(fake.said(), format!("{written}function kernel\nfunction colonel\nunload\nrelease 1\n"));
}

#[test]
fn roots_live_as_long_as_the_module() {
    let fake = Fake::new();
    let manifest = manifest(&[("slot", 0, 64, "a", Action::Write)]);
    let root: Root = Arc::new(());
    let resolver = Callback(|_: &Referent| Ok(Resolved { word: 1, root: Some(root.clone()) }));
    let image = PtxModule::load(&fake.driver, 0, TEXT.as_bytes(), &manifest, &resolver).expect("it loads");
    assert_eq!(Arc::strong_count(&root), 2);
    drop(image);
    assert_eq!(Arc::strong_count(&root), 1);
}

#[test]
fn all_that_is_unresolved_is_told_and_the_driver_not_asked() {
    let fake = Fake::new();
    let manifest =
        manifest(&[("slot", 0, 64, "?first", Action::Write), ("words", 0, 64, "?second", Action::Table)]);
    match fake.load(&manifest).err() {
        Some(LoadError::Unresolved(all)) => assert_eq!(all.len(), 2),
        other => panic!("{other:?}"),
    }
    assert_eq!(fake.said(), "");
}

#[test]
fn nothing_is_written_where_a_site_has_no_place() {
    for site in [
        ("nothing", 0, 64, "b", Action::Write),
        ("slot", 8, 64, "b", Action::Write),
        ("slot", 4, 64, "b", Action::Write),
        ("words", 24, 64, "b", Action::Table),
    ] {
        let fake = Fake::new();
        let sites = [("header", 24, 64, "a", Action::Write), site];
        assert_eq!(code(fake.load(&manifest(&sites))), "relo::load::site", "{site:?}");
        assert_eq!(fake.said(), "retain 1\nload\nunload\nrelease 1\n", "{site:?}");
    }
}

#[test]
fn what_the_driver_refuses_is_told_and_nothing_stays() {
    let manifest = manifest(&[("slot", 0, 64, "a", Action::Write)]);
    let loaded = "retain 1\nload\nwrite slot+0: 61 00 00 00 00 00 00 00\n";
    for (function, said) in [
        ("load", "retain 1\nrelease 1\n".to_owned()),
        ("write", format!("{loaded}unload\nrelease 1\n")),
        ("synchronize", format!("{loaded}synchronize\nunload\nrelease 1\n")),
    ] {
        let fake = Fake::new();
        fake.fail(function);
        let error = fake.load(&manifest).err().expect("an error");
        assert!(error.to_string().contains("an illegal memory access was encountered"), "{error}");
        assert_eq!(fake.said(), said, "{function}");
    }
    let fake = Fake::new();
    let result = PtxModule::load(&fake.driver, 7, TEXT.as_bytes(), &manifest, &Callback(word));
    assert!(result.err().expect("an error").to_string().contains("can't find the device: error 101"));
    assert_eq!(fake.said(), "");
}

#[test]
fn what_is_not_for_this_loader_is_refused() {
    let fake = Fake::new();
    for action in [Action::Define, Action::Specialize, Action::Apply] {
        assert_eq!(code(fake.load(&manifest(&[("slot", 0, 64, "a", action)]))), "relo::load::action");
    }
    let good = manifest(&[("slot", 0, 64, "a", Action::Write)]);
    let mut other = good.clone();
    other.artifact.kind = "spirv".into();
    assert_eq!(code(fake.load(&other)), "relo::load::kind");
    let altered = TEXT.replace("kernel", "cornel");
    let result = PtxModule::load(&fake.driver, 0, altered.as_bytes(), &good, &Callback(word));
    assert_eq!(code(result), "relo::load::hash");
    assert_eq!(fake.said(), "");
}

#[test]
fn a_driver_that_is_not_there_is_told() {
    let error = Driver::open("libnot_here.so.1").err().expect("there is none");
    assert_eq!(error.code().expect("a code").to_string(), "relo::load::driver");
    assert!(error.to_string().contains("`libnot_here.so.1`"), "{error}");
    let error = Driver::open("libm.so.6").err().expect("it is no driver");
    assert!(error.to_string().contains("it has no function `cuInit`"), "{error}");
}
