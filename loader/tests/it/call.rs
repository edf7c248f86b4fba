//! Every type of a signature, passed, returned and written.
#![allow(unsafe_code, reason = "foreign code is called")]

use std::fmt::Write as _;

use relo_loader::{Callback, LoadError, SharedObject, Signature, Value, load};

use crate::support::artifact;

fn image() -> SharedObject {
    let artifact = artifact("calls");
    let nobody = Callback(|_: &_| Err("nobody is to ask".to_owned()));
    load(&artifact.path, &artifact.manifest(&[]), &nobody).expect("it loads")
}

fn call(image: &SharedObject, name: &str, signature: &str, arguments: &[&str]) -> Result<String, LoadError> {
    let signature = Signature::parse(signature)?;
    let inputs = signature.parameters.iter().filter(|(_, out)| !out);
    let values = inputs
        .zip(arguments)
        .map(|((scalar, _), text)| scalar.value(text))
        .collect::<Result<Vec<Value>, _>>()?;
    // SAFETY: the cases give the functions' own types.
    let (result, outs) = unsafe { image.call(name, &signature, &values) }?;
    let mut text = result.map_or_else(|| "void".to_owned(), |value| value.to_string());
    for out in outs {
        write!(text, ", {out}").expect("text takes all");
    }
    Ok(text)
}

#[test]
fn values_go_there_and_back() {
    let image = image();
    for (name, signature, arguments, wanted) in [
        ("negate8", "i8 (i8)", &["-128"][..], "-128"),
        ("negate8", "i8 (i8)", &["127"], "-127"),
        ("negate8", "i8 (i8)", &["255"], "1"),
        ("negate16", "i16(i16)", &["-32767"], "32767"),
        ("negate32", " i32  ( i32 ) ", &["0xffffffff"], "1"),
        ("negate64", "i64 (i64)", &["0x8000000000000000"], "-9223372036854775808"),
        ("not1", "i1 (i1)", &["0"], "1"),
        ("half", "f32 (f32)", &["-3"], "-1.5"),
        ("half", "f32 (f32)", &["inf"], "inf"),
        ("third", "f64 (f64)", &["1"], "0.3333333333333333"),
        ("third", "f64 (f64)", &["nan"], "NaN"),
        ("same", "ptr (ptr)", &["0x7fff00001000"], "140733193392128"),
        ("nothing", "void ()", &[], "void"),
        (
            "digits",
            "i64 (i64,i64,i64,i64,i64,i64,i64,i64,i64)",
            &["1", "2", "3", "4", "5", "6", "7", "8", "9"],
            "123456789",
        ),
        (
            "tenth",
            "f64 (f64, f64, f64, f64, f64, f64, f64, f64, f64, f64)",
            &["1", "2", "3", "4", "5", "6", "7", "8", "9", "10.5"],
            "10.5",
        ),
        ("mixed", "f64 (i8, f32, i64, f64, i16)", &["-1", "0.5", "100", "1000", "-10000"], "-8900.5"),
        (
            "out_all",
            "i32 (out i8, out i16, i32, out i32, out i64, out f32, out f64, out ptr)",
            &["3"],
            "9, -1, -2, 3, -4, 0.5, 0.25, 16",
        ),
    ] {
        let found =
            call(&image, name, signature, arguments).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(found, wanted, "{name} {arguments:?}");
        assert_eq!(
            Signature::parse(&Signature::parse(signature).expect("parsed").to_string()).ok(),
            Signature::parse(signature).ok()
        );
    }
}

#[test]
fn what_does_not_fit_is_told() {
    let image = image();
    let mut told = String::new();
    for (name, signature, arguments) in [
        ("negate8", "i8", &[][..]),
        ("negate8", "i8 (i8", &[]),
        ("negate8", "i8 (int)", &["1"]),
        ("negate8", "i8 (i8,)", &["1"]),
        ("negate8", "i8 (void)", &["1"]),
        ("negate8", "(i8)", &["1"]),
        ("negate8", "i8 (out)", &[]),
        ("negate8", "i8 (i8)", &["256"]),
        ("negate8", "i8 (i8)", &["-129"]),
        ("negate8", "i8 (i8)", &["1.5"]),
        ("negate64", "i64 (i64)", &["0x10000000000000000"]),
        ("third", "f64 (f64)", &["one"]),
        ("third", "f64 (f64)", &[]),
        ("thrid", "f64 (f64)", &["1"]),
        ("nul\0inside", "f64 (f64)", &["1"]),
    ] {
        let error = call(&image, name, signature, arguments).expect_err(signature);
        writeln!(told, "{}\n", relo_testkit::render(&error)).expect("text takes all");
    }
    // Values that hosts make are checked like those from text.
    let signature = Signature::parse("i8 (i8)").expect("a signature");
    for value in [Value::Int(1000), Value::Float(1.0)] {
        // SAFETY: the function is not called.
        let error = unsafe { image.call("negate8", &signature, &[value]) }.expect_err("it does not fit");
        writeln!(told, "{}\n", relo_testkit::render(&error)).expect("text takes all");
    }
    relo_testkit::snapshots("loader", || insta::assert_snapshot!("calls_that_do_not_fit", told));
}
