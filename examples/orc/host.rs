//! A JIT on LLVM's ORC that runs what relo compiled in another session: `orc program.o`.
//!
//! Imported words are cells at absolute symbols; words inside data are in the object before it is linked.
#![allow(unsafe_code, reason = "loaded code is called")]

use std::error::Error;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use relo_loader::{Callback, Image as _, Manifest, Resolved};
use relo_orc::JitImage;
use relo_referent::Referent;

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args_os().nth(1).ok_or("give the object that relo compiled")?;
    println!("{:?}", run(Path::new(&path))?);
    Ok(())
}

/// What the code computes, before and after one of the session's objects changes.
pub fn run(artifact: &Path) -> Result<[i64; 2], Box<dyn Error>> {
    // This session's objects. The image keeps those that its code refers to.
    let (base, rates) = (Arc::new(AtomicI64::new(1000)), Arc::new(AtomicI64::new(7)));
    let resolver = Callback(|referent: &Referent| {
        let object = match referent {
            Referent::Object { key, .. } if key == "base" => &base,
            Referent::Object { key, .. } if key == "type of rates" => &rates,
            _ => return Err("this session has no such object".to_owned()),
        };
        Ok(Resolved { word: Arc::as_ptr(object) as u64, root: Some(object.clone()) })
    });

    let name = format!("{}.reloc.json", artifact.display());
    let manifest = Manifest::parse(&std::fs::read_to_string(&name)?, &name)?;
    let image = JitImage::load(&std::fs::read(artifact)?, &manifest, &resolver)?;
    let address = image.entry("value")? as *const ();
    // SAFETY: `value` is of this type, and the image outlives its calls.
    let value: extern "C" fn() -> i64 = unsafe { std::mem::transmute(address) };

    let first = value();
    base.fetch_add(1, Ordering::Relaxed);
    Ok([first, value()])
}
