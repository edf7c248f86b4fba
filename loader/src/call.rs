//! Signatures and values, as text, for calling a function of an image.

use std::fmt;

use crate::error::LoadError;

/// A scalar type of C's calling convention.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Scalar {
    /// An integer of this many bits: 8, 16, 32 or 64.
    Int(u32),
    /// A pointer.
    Pointer,
    /// `float`.
    F32,
    /// `double`.
    F64,
}

/// What a function takes and gives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signature {
    /// The result; absent for `void`.
    pub result: Option<Scalar>,
    /// The parameters; `true` for one that points to where the callee writes.
    pub parameters: Vec<(Scalar, bool)>,
}

/// A value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value {
    /// An integer, or a pointer's address.
    Int(i64),
    /// A floating-point number.
    Float(f64),
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Int(number) => write!(f, "{number}"),
            Self::Float(number) => write!(f, "{number:?}"),
        }
    }
}

impl Scalar {
    fn parse(text: &str) -> Option<Self> {
        Some(match text {
            "i1" | "i8" => Self::Int(8),
            "i16" => Self::Int(16),
            "i32" => Self::Int(32),
            "i64" => Self::Int(64),
            "ptr" => Self::Pointer,
            "f32" => Self::F32,
            "f64" => Self::F64,
            _ => return None,
        })
    }

    /// A value from its text: a decimal or `0x…` number.
    ///
    /// # Errors
    /// When the text is no such value.
    pub fn value(self, text: &str) -> Result<Value, LoadError> {
        let value = match self {
            Self::F32 | Self::F64 => text.parse().ok().map(Value::Float),
            Self::Int(_) | Self::Pointer => match text.strip_prefix("0x") {
                Some(digits) => u64::from_str_radix(digits, 16).ok().map(u64::cast_signed),
                None => text.parse().ok(),
            }
            .map(Value::Int),
        };
        let value = value.ok_or_else(|| LoadError::Signature {
            message: format!("`{text}` is no value of type {self}"),
        })?;
        self.bytes(value)?;
        Ok(value)
    }

    /// A value as it lies in memory, from the first byte on.
    ///
    /// # Errors
    /// When it is no value of this type.
    pub(crate) fn bytes(self, value: Value) -> Result<[u8; 8], LoadError> {
        let fitting = match (self, value) {
            // An integer of fewer bits may be given with or without sign.
            (Self::Int(8), Value::Int(number)) if (-0x80..0x100).contains(&number) => {
                widen((number as u8).to_ne_bytes())
            }
            (Self::Int(16), Value::Int(number)) if (-0x8000..0x1_0000).contains(&number) => {
                widen((number as u16).to_ne_bytes())
            }
            (Self::Int(32), Value::Int(number)) if (-0x8000_0000..0x1_0000_0000).contains(&number) => {
                widen((number as u32).to_ne_bytes())
            }
            (Self::Int(64) | Self::Pointer, Value::Int(number)) => number.to_ne_bytes(),
            (Self::F32, Value::Float(number)) => widen((number as f32).to_ne_bytes()),
            (Self::F64, Value::Float(number)) => number.to_ne_bytes(),
            (Self::F32, Value::Int(number)) if (number as f32) as i128 == number.into() => {
                widen((number as f32).to_ne_bytes())
            }
            (Self::F64, Value::Int(number)) if (number as f64) as i128 == number.into() => {
                (number as f64).to_ne_bytes()
            }
            _ => return Err(LoadError::Signature { message: format!("{value} is no value of type {self}") }),
        };
        Ok(fitting)
    }

    /// The integer that a whole register holds.
    pub(crate) fn of_register(self, register: u64) -> Value {
        match self {
            Self::Int(8) => Value::Int((register as i8).into()),
            Self::Int(16) => Value::Int((register as i16).into()),
            Self::Int(32) => Value::Int((register as i32).into()),
            _ => Value::Int(register.cast_signed()),
        }
    }

    /// The value that memory holds.
    pub(crate) fn read(self, bytes: [u8; 8]) -> Value {
        match self {
            Self::F32 => Value::Float(f32::from_ne_bytes(narrow(bytes)).into()),
            Self::F64 => Value::Float(f64::from_ne_bytes(bytes)),
            Self::Int(8) => Value::Int(i8::from_ne_bytes(narrow(bytes)).into()),
            Self::Int(16) => Value::Int(i16::from_ne_bytes(narrow(bytes)).into()),
            Self::Int(32) => Value::Int(i32::from_ne_bytes(narrow(bytes)).into()),
            Self::Int(_) | Self::Pointer => Value::Int(i64::from_ne_bytes(bytes)),
        }
    }
}

fn widen<const N: usize>(bytes: [u8; N]) -> [u8; 8] {
    let mut wide = [0; 8];
    wide[..N].copy_from_slice(&bytes);
    wide
}

fn narrow<const N: usize>(bytes: [u8; 8]) -> [u8; N] {
    std::array::from_fn(|index| bytes[index])
}

impl fmt::Display for Scalar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Int(width) => write!(f, "i{width}"),
            Self::Pointer => f.write_str("ptr"),
            Self::F32 => f.write_str("f32"),
            Self::F64 => f.write_str("f64"),
        }
    }
}

impl Signature {
    /// Reads `f64 (f64, i64, out f64)`: a result or `void`, then parameters. `out` is one that the callee writes to.
    ///
    /// # Errors
    /// When it is not of this form.
    pub fn parse(text: &str) -> Result<Self, LoadError> {
        let fail = |message: String| LoadError::Signature { message };
        let (result, rest) =
            text.split_once('(').ok_or_else(|| fail(format!("`{text}` has no parameters in parentheses")))?;
        let inside = rest
            .trim_end()
            .strip_suffix(')')
            .ok_or_else(|| fail(format!("`{text}` does not end in `)`")))?
            .trim();
        let scalar = |text: &str| Scalar::parse(text).ok_or_else(|| fail(format!("`{text}` is no type")));
        let result = match result.trim() {
            "void" => None,
            text => Some(scalar(text)?),
        };
        let parameter = |text: &str| match text.trim().split_once(char::is_whitespace) {
            Some(("out", written)) => Ok((scalar(written.trim())?, true)),
            _ => Ok((scalar(text.trim())?, false)),
        };
        let parameters: Result<Vec<_>, LoadError> =
            if inside.is_empty() { Ok(Vec::new()) } else { inside.split(',').map(parameter).collect() };
        Ok(Self { result, parameters: parameters? })
    }
}

impl fmt::Display for Signature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parameter =
            |(scalar, out): &(Scalar, bool)| format!("{}{scalar}", if *out { "out " } else { "" });
        let parameters: Vec<String> = self.parameters.iter().map(parameter).collect();
        match self.result {
            Some(scalar) => write!(f, "{scalar} ({})", parameters.join(", ")),
            None => write!(f, "void ({})", parameters.join(", ")),
        }
    }
}
