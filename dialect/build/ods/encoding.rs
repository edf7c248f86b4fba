//! How the enumerators of an attribute are written in MLIR's text.

use std::fmt;

use super::records::{Record, Records};

/// Flags with more bits than this don't have every combination listed.
const MOST_BITS: u32 = 8;

/// The schema's `Encoding`; displayed, it is the Rust that makes one.
pub(super) enum Encoding {
    Integer { width: i64, cases: Vec<(String, i64)> },
    Dialect { prefix: String, cases: Vec<String> },
}

impl Encoding {
    /// The encoding of an attribute or a property, where it is an enumeration.
    pub(super) fn new(records: &Records, base: Record<'_>) -> Option<Self> {
        if base.is("Property") {
            let info = records.field(base, "enum")?;
            return match records.field(base, "attrForm") {
                Some(form) if base.set("storeInCustomAttribute") => Self::dialect(records, form),
                _ => Some(Self::integer(records, info)),
            };
        }
        if base.is("EnumAttrInfo") {
            return Some(Self::integer(records, base));
        }
        if base.is("AttrDef") {
            return Self::dialect(records, base);
        }
        // `LLVM::Linkage` and its like name the attribute by its C++ class only.
        let storage = base.text("storageType");
        let class = records.instances("AttrDef").find(|class| class.text("cppType") == storage)?;
        Self::dialect(records, class)
    }

    fn integer(records: &Records, info: Record<'_>) -> Self {
        Self::Integer { width: info.number("bitwidth").unwrap_or(64), cases: cases(records, info) }
    }

    /// An attribute whose only parameter is an enumeration: `#nvvm.mma_layout<row>`, `#nvvm<shfl_kind bfly>`.
    fn dialect(records: &Records, class: Record<'_>) -> Option<Self> {
        let parameters = class.dag("parameters");
        let [(parameter, name)] = parameters.as_slice() else { return None };
        let info = records.field(class, "enum").or_else(|| {
            let cpp = parameter.as_str().or_else(|| Some(records.follow(parameter)?.text("cppType")))?;
            enumeration(records, cpp, class.text("cppNamespace"))
        })?;
        let full = class.text("attrName");
        let format = class.text("assemblyFormat");
        let prefix = if format == format!("`<` ${name} `>`") {
            format!("#{full}<")
        } else if format == format!("${name}") {
            let (dialect, mnemonic) = full.split_once('.')?;
            format!("#{dialect}<{mnemonic} ")
        } else {
            return None;
        };
        let cases = cases(records, info).into_iter().map(|(case, _)| case).collect();
        Some(Self::Dialect { prefix, cases })
    }
}

/// The enumeration of a C++ class named as in the namespace, or one inside it: `linkage::Linkage` in `::mlir::LLVM`.
fn enumeration<'a>(records: &'a Records, cpp: &str, namespace: &str) -> Option<Record<'a>> {
    let class = cpp.rsplit("::").next()?;
    let mut all = records
        .instances("EnumInfo")
        .filter(|info| info.text("className") == class && info.text("cppNamespace").starts_with(namespace));
    match (all.next(), all.next()) {
        (Some(only), None) => Some(only),
        _ => None,
    }
}

fn cases(records: &Records, info: Record<'_>) -> Vec<(String, i64)> {
    let cases = records.list(info, "enumerants");
    let valid = info.number("validBits").filter(|bits| bits.count_ones() <= MOST_BITS);
    let Some(valid) = valid.filter(|_| info.set("printBitEnumPrimaryGroups")) else {
        return cases.iter().map(|case| (case.text("str").to_owned(), value(*case))).collect();
    };
    (0..=valid)
        .filter(|flags| flags & !valid == 0)
        .filter_map(|flags| Some((flags_text(&cases, flags, info.text("separator"))?, flags)))
        .collect()
}

/// Flags as mlir-tblgen's printer writes them: groups, the last one first, then what bits they leave, in order.
fn flags_text(cases: &[Record<'_>], flags: i64, separator: &str) -> Option<String> {
    if flags == 0 {
        return cases.iter().find(|case| value(**case) == 0).map(|none| none.text("str").to_owned());
    }
    let group = |case: &&Record<'_>| case.superclasses().any(|class| class.ends_with("CaseGroup"));
    let bit = |case: &&Record<'_>| value(**case) != 0 && !group(case);
    let (mut left, mut words) = (flags, Vec::new());
    for case in cases.iter().rev().filter(group).chain(cases.iter().filter(bit)) {
        if left & value(*case) == value(*case) {
            left &= !value(*case);
            words.push(case.text("str"));
        }
    }
    (left == 0).then(|| words.join(separator))
}

fn value(case: Record<'_>) -> i64 {
    case.number("value").unwrap_or_default()
}

impl fmt::Display for Encoding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Integer { width, cases } => {
                write!(f, "Encoding::Integer {{ width: {width}, cases: &{cases:?} }}")
            }
            Self::Dialect { prefix, cases } => {
                write!(f, "Encoding::Dialect {{ prefix: {prefix:?}, cases: &{cases:?} }}")
            }
        }
    }
}
