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

    /// Whether it is passed in a floating-point register.
    pub(crate) fn is_float(self) -> bool {
        matches!(self, Self::F32 | Self::F64)
    }

    /// A value from its text.
    ///
    /// # Errors
    /// When the text is no such value.
    pub fn value(self, text: &str) -> Result<Value, LoadError> {
        let parsed = if self.is_float() {
            text.parse().ok().map(Value::Float)
        } else if let Some(digits) = text.strip_prefix("0x") {
            u64::from_str_radix(digits, 16).ok().map(|number| Value::Int(number.cast_signed()))
        } else {
            text.parse().ok().map(Value::Int)
        };
        parsed.ok_or_else(|| LoadError::Signature { message: format!("`{text}` is no {self}") })
    }

    /// The bits that a register holds for a value.
    pub(crate) fn bits(self, value: Value) -> u64 {
        match (self, value) {
            (Self::F32, Value::Float(number)) => u64::from((number as f32).to_bits()),
            (Self::F32, Value::Int(number)) => u64::from((number as f32).to_bits()),
            (Self::F64, Value::Float(number)) => number.to_bits(),
            (Self::F64, Value::Int(number)) => (number as f64).to_bits(),
            (_, Value::Int(number)) => number.cast_unsigned(),
            (_, Value::Float(number)) => (number as i64).cast_unsigned(),
        }
    }

    /// The value that a register's bits are.
    pub(crate) fn read_bits(self, bits: u64) -> Value {
        match self {
            Self::F32 => Value::Float(f32::from_bits(bits as u32).into()),
            Self::F64 => Value::Float(f64::from_bits(bits)),
            Self::Int(8) => Value::Int((bits as i8).into()),
            Self::Int(16) => Value::Int((bits as i16).into()),
            Self::Int(32) => Value::Int((bits as i32).into()),
            Self::Int(_) | Self::Pointer => Value::Int(bits.cast_signed()),
        }
    }
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
    /// Reads `f64 (f64, i64, out f64)`.
    ///
    /// # Errors
    /// When it is not of this form, or has more parameters than registers hold.
    pub fn parse(text: &str) -> Result<Self, LoadError> {
        let fail = |message: String| LoadError::Signature { message };
        let (result, rest) =
            text.split_once('(').ok_or_else(|| fail(format!("`{text}` has no parameters in parentheses")))?;
        let inside =
            rest.trim_end().strip_suffix(')').ok_or_else(|| fail(format!("`{text}` does not end in `)`")))?;
        let scalar = |text: &str| Scalar::parse(text).ok_or_else(|| fail(format!("`{text}` is no type")));
        let result = match result.trim() {
            "void" => None,
            text => Some(scalar(text)?),
        };
        let mut parameters = Vec::new();
        for part in inside.split(',').map(str::trim).filter(|part| !part.is_empty()) {
            parameters.push(match part.strip_prefix("out ") {
                Some(part) => (scalar(part.trim())?, true),
                None => (scalar(part)?, false),
            });
        }
        let floats = parameters.iter().filter(|(scalar, out)| scalar.is_float() && !out).count();
        if floats > 8 || parameters.len() - floats > 6 {
            return Err(fail("more parameters than six integers and eight floating-point numbers".into()));
        }
        Ok(Self { result, parameters })
    }
}
