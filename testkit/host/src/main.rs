//! A host that does as it is told: loads artifacts with given words, calls one function of each, and says what it wrote.
//! The tests build it for every machine that they have, and judge native artifacts by it.
//!
//! Standard input is a JSON list of calls, standard output one of results.
#![allow(unsafe_code)]

use std::error::Error;
use std::path::PathBuf;

use relo_loader::{Fixed, Manifest, Scalar, Signature, Value, load};
use relo_referent::Referent;
use serde::Deserialize;

/// An artifact, and a function `void entry(uint64_t *results, uint64_t …)` of it.
#[derive(Deserialize)]
struct Call {
    artifact: PathBuf,
    /// The words of this session.
    words: Vec<(Referent, u64)>,
    entry: String,
    /// What the function is given beside the place for its results.
    arguments: Vec<u64>,
    /// How many words it writes.
    results: usize,
}

fn main() -> Result<(), Box<dyn Error>> {
    let calls: Vec<Call> = serde_json::from_reader(std::io::stdin())?;
    let results: Vec<Result<Vec<u64>, String>> =
        calls.into_iter().map(|call| answer(call).map_err(|error| error.to_string())).collect();
    println!("{}", serde_json::to_string(&results)?);
    Ok(())
}

fn answer(call: Call) -> Result<Vec<u64>, Box<dyn Error>> {
    let mut path = call.artifact.clone().into_os_string();
    path.push(".reloc.json");
    let manifest = Manifest::parse(&std::fs::read_to_string(&path)?, &path.to_string_lossy())?;
    let image = load(&call.artifact, &manifest, &Fixed(call.words.into_iter().collect()))?;
    let mut results = vec![0u64; call.results];
    let mut arguments = vec![Value::Int(results.as_mut_ptr() as i64)];
    arguments.extend(call.arguments.iter().map(|argument| Value::Int(argument.cast_signed())));
    let numbers = std::iter::repeat_n(Scalar::Int(64), call.arguments.len());
    let parameters = std::iter::once(Scalar::Pointer).chain(numbers).map(|scalar| (scalar, false)).collect();
    // SAFETY: whoever says that the function is of this type, and writes so many words, has compiled it.
    unsafe { image.call(&call.entry, &Signature { result: None, parameters }, &arguments) }?;
    Ok(results)
}
