//! Many loads at once.
#![allow(unsafe_code, reason = "foreign code is called")]

use relo_loader::{Callback, Resolved, Signature, Value, load};

use crate::support::{artifact, object};

#[test]
fn eight_threads_load_one_artifact() {
    let artifact = artifact("words");
    let manifest = artifact.manifest(&[("slot_object", 0, 64, object("thing", 0))]);
    let signature = Signature::parse("i64 ()").expect("a signature");
    std::thread::scope(|scope| {
        for thread in 0..8u32 {
            let (artifact, manifest, signature) = (&artifact, &manifest, &signature);
            scope.spawn(move || {
                for round in 0..50u32 {
                    // An address, so not null.
                    let number = i64::from(thread * 1000 + round + 1);
                    let resolver =
                        Callback(|_: &_| Ok(Resolved { word: number.cast_unsigned(), root: None }));
                    let image = load(&artifact.path, manifest, &resolver).expect("it loads");
                    // SAFETY: that is its type.
                    let (result, _) =
                        unsafe { image.call("object", signature, &[]) }.expect("it can be called");
                    assert_eq!(result, Some(Value::Int(number)));
                }
            });
        }
    });
}
