//! An input without the addresses of its session.
//!
//! Two sessions of one program differ in addresses alone. In the text of IR an address of the session table stands as a
//! decimal number or, in a name, as hexadecimal digits: there its referent is read instead. Addresses that stand
//! elsewhere (in a string of bytes, inside bitcode) are left, so that the key is one session's: a miss, never a wrong hit.
//!
//! That two inputs read the same does not prove that they mean the same: a compiler may have folded an address. So an
//! artifact is kept under such a key only if it is the same when compiled from [`Symbolic::moved`], where all addresses
//! are others.

use std::collections::{BTreeMap, HashMap};

use relo_referent::SessionTable;

/// An input, and where addresses of the session stand in it.
pub struct Symbolic<'a> {
    input: &'a [u8],
    session: &'a SessionTable,
    /// In order: where, which address, and whether in hexadecimal.
    found: Vec<(std::ops::Range<usize>, u64, bool)>,
}

impl<'a> Symbolic<'a> {
    /// Looks for the session's addresses.
    pub fn new(input: &'a [u8], session: &'a SessionTable) -> Self {
        let mut found = Vec::new();
        let is_text = str::from_utf8(input).is_ok();
        if is_text && session.addresses().next().is_some() {
            let mut start = 0;
            while start < input.len() {
                let length =
                    input[start..].iter().take_while(|c| c.is_ascii_alphanumeric() || **c == b'_').count();
                let word = &input[start..start + length];
                let known = |(address, _): &(u64, bool)| session.by_address(*address).is_some();
                if let Some((address, hexadecimal)) = numbers(word).into_iter().flatten().find(known) {
                    found.push((start..start + length, address, hexadecimal));
                }
                start += length.max(1);
            }
        }
        Self { input, session, found }
    }

    /// Whether any address of the session was found.
    pub fn is_bound(&self) -> bool {
        !self.found.is_empty()
    }

    /// The hash of the text with referents for addresses. Each of several addresses of one referent stays apart.
    pub(crate) fn hash(&self) -> blake3::Hash {
        let mut hasher = blake3::Hasher::new();
        let mut part = |bytes: &[u8]| {
            hasher.update(&(bytes.len() as u64).to_le_bytes());
            hasher.update(bytes);
        };
        let (mut end, mut numbers) = (0, HashMap::new());
        for (range, address, hexadecimal) in &self.found {
            part(&self.input[end..range.start]);
            let count = numbers.len();
            let number = *numbers.entry(*address).or_insert(count);
            let referent = self.session.by_address(*address).map(ToString::to_string).unwrap_or_default();
            part(format!("{number} {hexadecimal} {referent}").as_bytes());
            end = range.end;
        }
        part(&self.input[end..]);
        hasher.finalize()
    }

    /// The input and the table of a made-up session, in which everything lies elsewhere, in another order.
    pub fn moved(&self) -> (Vec<u8>, SessionTable) {
        const BASE: u64 = 0x6000_0000_0000;
        // Odd, so that addresses are aligned otherwise too.
        const STEP: u64 = 0x10_0003;
        let count = self.session.addresses().count() as u64;
        let places: BTreeMap<u64, u64> = self
            .session
            .addresses()
            .zip(0..)
            .map(|((address, _), index)| (address, BASE + (count - index) * STEP))
            .collect();
        let (mut text, mut end) = (Vec::with_capacity(self.input.len()), 0);
        for (range, address, hexadecimal) in &self.found {
            text.extend_from_slice(&self.input[end..range.start]);
            let place = places[address];
            let digits = if *hexadecimal { format!("{place:x}") } else { place.to_string() };
            text.extend_from_slice(digits.as_bytes());
            end = range.end;
        }
        text.extend_from_slice(&self.input[end..]);
        (text, self.session.moved(|address| places[&address]))
    }
}

/// What a word of the text is as a decimal and as a hexadecimal number, and whether it is the latter.
fn numbers(word: &[u8]) -> [Option<(u64, bool)>; 2] {
    // Addresses shorter than this are sizes, types, counts.
    if word.len() < 6 || word.len() > 20 || word.iter().any(u8::is_ascii_uppercase) {
        return [None; 2];
    }
    let word = str::from_utf8(word).unwrap_or_default();
    [(word.parse().ok(), false), (u64::from_str_radix(word, 16).ok(), true)]
        .map(|(number, hexadecimal)| Some((number?, hexadecimal)))
}
