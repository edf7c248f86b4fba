//! What makes a native answer, answer this, or not answer. A native that has no recipe is left to chance: it only costs
//! witnesses.

use relo_engine::normal::Term;
use relo_engine::{Datum, Host, as_word};
use relo_referent::Referent;

use super::mend::Mend;
use super::sample::samples;
use super::scene::{GLOBAL, Given, LLVM_FUNCTION, Origin, RECORD, SLOT, Scene, Words, object};

/// An address that no other number is by accident.
const ADDRESS: u64 = 0x7f00_0000_1000;

impl Mend<'_, '_> {
    /// Ways to make a native answer.
    pub(super) fn answer_native(&mut self, native: &str, arguments: &[Term]) -> Vec<Scene> {
        let missing = arguments.iter().find(|argument| {
            !matches!(argument, Term::Regex(_)) && !is_value(self, argument) && self.value(argument).is_none()
        });
        if let Some(missing) = missing.cloned() {
            return self.answer(&missing);
        }
        let Some(first) = arguments.first() else { return Vec::new() };
        match native {
            "session" => match self.value(first) {
                Some(Datum::Int(number)) => {
                    // A number that is an address by accident would be one in many places.
                    if let Some(address) = as_word(number).filter(|address| *address > 4095) {
                        return self.with(|scene| {
                            scene.addresses.insert(address, object());
                        });
                    }
                    self.set(first, &Datum::Int(ADDRESS.into()))
                }
                _ => match self.symbol(first) {
                    Some(symbol) => self.with(|scene| {
                        scene.globals.insert(symbol, object());
                    }),
                    None => Vec::new(),
                },
            },
            "is_word" => {
                let word = self.word.clone();
                [self.set_type(first, &word), self.set_type(first, "!llvm.ptr")].concat()
            }
            "is_slot" => self.of_kind(first, &[SLOT]),
            "is_record" => self.of_kind(first, &[RECORD]),
            "is_data" => self.of_kind(first, &[GLOBAL]),
            "is_declaration" => self.words(first, Words::Declared),
            "used" | "needed" => self.used(first, true),
            "constant_address" | "base" => self.origin(first, |scene| {
                let symbol = scene.symbol(GLOBAL);
                Origin::Address { symbol, offset: 0 }
            }),
            "constant_word" => self.origin(first, |_| Origin::Number(ADDRESS)),
            "initial_address" => self.words(first, Words::Numbers(vec![ADDRESS])),
            "initial_word" => match arguments.get(1).and_then(|offset| self.value(offset)) {
                Some(Datum::Int(offset)) => self.words(first, Words::Numbers(words_to(offset, ADDRESS))),
                _ => Vec::new(),
            },
            "session_sites" => {
                let scenes = self.words(first, Words::Numbers(vec![ADDRESS]));
                scenes
                    .into_iter()
                    .map(|mut scene| {
                        scene.addresses.insert(ADDRESS, object());
                        scene
                    })
                    .collect()
            }
            "symbol_sites" => self.symbol_sites(first, arguments.get(1)),
            "recorded_sites" => match self.symbol(first) {
                Some(symbol) => self.with(|scene| {
                    let sites = format!("[#reloc.site<0 : 64 -> #reloc.{}>]", object());
                    scene.symbols[symbol].attributes.insert("reloc.sites".into(), Given::Text(sites));
                }),
                None => Vec::new(),
            },
            "mark" => self.section(first, Some("reloc.host".to_owned())),
            "spelled" => self.set(first, &Datum::Str("object:host:object".into())),
            "identity" => self.set(first, &Datum::Referent(object())),
            "has" => self.member(first, arguments.get(1), true),
            _ => Vec::new(),
        }
    }

    /// Ways to make a native not answer.
    pub(super) fn refuse_native(&mut self, native: &str, arguments: &[Term]) -> Vec<Scene> {
        let Some(first) = arguments.first() else { return Vec::new() };
        match native {
            "session" => match self.value(first) {
                Some(Datum::Int(number)) => self.with(|scene| {
                    as_word(number).map(|address| scene.addresses.remove(&address));
                }),
                _ => match self.symbol(first) {
                    Some(symbol) => self.with(|scene| {
                        scene.globals.remove(&symbol);
                    }),
                    None => Vec::new(),
                },
            },
            "is_word" => ["i32", "f64", "i16"].into_iter().flat_map(|ty| self.set_type(first, ty)).collect(),
            "is_slot" => self.of_kind(first, &[RECORD, GLOBAL]),
            "is_record" => self.of_kind(first, &[SLOT, GLOBAL]),
            "is_data" => self.of_kind(first, &[LLVM_FUNCTION, SLOT, RECORD]),
            "is_declaration" => self.words(first, Words::Numbers(vec![0])),
            "used" | "needed" => self.used(first, false),
            "constant_address" => self.origin(first, |scene| {
                let symbol = scene.symbol(GLOBAL);
                Origin::Indexed { symbol }
            }),
            "base" | "constant_word" => self.origin(first, |_| Origin::Argument),
            "initial_address" | "initial_word" | "session_sites" | "symbol_sites" => {
                self.words(first, Words::Declared)
            }
            "recorded_sites" => match self.symbol(first) {
                Some(symbol) => self.with(|scene| {
                    scene.symbols[symbol].attributes.remove("reloc.sites");
                }),
                None => Vec::new(),
            },
            "mark" => self.section(first, None),
            "has" => self.member(first, arguments.get(1), false),
            _ => Vec::new(),
        }
    }

    /// Ways to make one of a native's results this.
    pub(super) fn set_result(
        &mut self,
        native: &str,
        arguments: &[Term],
        position: usize,
        datum: &Datum,
    ) -> Vec<Scene> {
        let Some(first) = arguments.first() else { return Vec::new() };
        match (native, position, datum) {
            ("name", _, Datum::Str(text) | Datum::Symbol(text)) => match self.symbol(first) {
                Some(symbol) => self.renamed(symbol, text),
                None => Vec::new(),
            },
            ("constant_address", 1, Datum::Int(number)) => {
                let Ok(number) = i64::try_from(*number) else { return Vec::new() };
                let Some(value) = self.origin_of(first) else { return Vec::new() };
                let Origin::Address { symbol, .. } = self.scene.values[value].origin else {
                    return Vec::new();
                };
                self.with(|scene| scene.values[value].origin = Origin::Address { symbol, offset: number })
            }
            ("constant_word", _, Datum::Int(number)) => match as_word(*number) {
                Some(word) => self.origin(first, |_| Origin::Number(word)),
                None => Vec::new(),
            },
            ("initial_address", _, Datum::Int(number)) => match as_word(*number) {
                Some(word) => self.words(first, Words::Numbers(vec![word])),
                None => Vec::new(),
            },
            ("initial_word", _, Datum::Int(number)) => {
                let offset = arguments.get(1).and_then(|offset| self.value(offset));
                match (offset, as_word(*number)) {
                    (Some(Datum::Int(offset)), Some(word)) => {
                        self.words(first, Words::Numbers(words_to(offset, word)))
                    }
                    _ => Vec::new(),
                }
            }
            // Itself, or a little above it.
            ("aligned_down", _, Datum::Int(number)) => {
                [self.set(first, &Datum::Int(number + 1)), self.set(first, &Datum::Int(*number))].concat()
            }
            ("referent", _, Datum::Referent(referent)) => match self.symbol(first) {
                Some(symbol) => self.with(|scene| {
                    let text = format!("#reloc.{referent}");
                    scene.symbols[symbol].attributes.insert("referent".into(), Given::Text(text));
                }),
                None => Vec::new(),
            },
            ("session", _, Datum::Referent(referent)) => match self.value(first) {
                Some(Datum::Int(number)) => self.with(|scene| {
                    as_word(number).map(|address| scene.addresses.insert(address, referent.clone()));
                }),
                _ => match self.symbol(first) {
                    Some(symbol) => self.with(|scene| {
                        scene.globals.insert(symbol, referent.clone());
                    }),
                    None => Vec::new(),
                },
            },
            ("identity", _, Datum::Str(text)) => {
                let (mut runtime, mut key) = match self.value(first) {
                    Some(Datum::Referent(Referent::Object { runtime, key, .. })) => (runtime, key),
                    _ => ("host".to_owned(), "object".to_owned()),
                };
                *(if position == 0 { &mut runtime } else { &mut key }) = text.clone();
                self.set(first, &Datum::Referent(Referent::Object { runtime, key, addend: 0 }))
            }
            ("spelled", _, Datum::Referent(Referent::Object { runtime, key, addend: 0 })) => {
                self.set(first, &Datum::Str(format!("object:{runtime}:{key}")))
            }
            ("mark", _, Datum::Str(text)) => {
                match text.strip_prefix("object:").and_then(|rest| rest.split_once(':')) {
                    Some((runtime, _)) => self.section(first, Some(format!("reloc.{runtime}"))),
                    None => Vec::new(),
                }
            }
            _ => Vec::new(),
        }
    }

    /// The value behind an argument that can be chosen: through casts and address arithmetic, which keep what natives ask of
    /// it.
    fn origin_of(&self, term: &Term) -> Option<usize> {
        let Term::Binding(binding) = term else { return None };
        let mut value = (*self.places.values.get(binding.0)?)?;
        while self.scene.values[value].is_result {
            let definition =
                self.scene.operations.iter().find(|operation| operation.results.contains(&value))?;
            let follows = [
                "llvm.getelementptr",
                "llvm.bitcast",
                "llvm.addrspacecast",
                "llvm.ptrtoint",
                "llvm.inttoptr",
            ];
            if !follows.contains(&definition.name.as_str()) {
                return None;
            }
            value = *definition.operands.first()?;
        }
        Some(value)
    }

    fn origin(&self, term: &Term, make: impl FnOnce(&mut Scene) -> Origin) -> Vec<Scene> {
        let Some(value) = self.origin_of(term) else { return Vec::new() };
        let word = self.word.clone();
        self.with(|scene| {
            let origin = make(scene);
            match origin {
                Origin::Address { .. } | Origin::Indexed { .. } => {
                    "!llvm.ptr".clone_into(&mut scene.values[value].ty)
                }
                Origin::Number(_) => scene.values[value].ty = word,
                Origin::Argument => {}
            }
            scene.values[value].origin = origin;
        })
    }

    pub(super) fn set_type(&mut self, term: &Term, text: &str) -> Vec<Scene> {
        match self.host.parse_type(text) {
            Some(ty) => self.set(term, &Datum::Type(ty)),
            None => Vec::new(),
        }
    }

    /// The symbol as another operation; what a pattern names it stays.
    fn of_kind(&mut self, term: &Term, kinds: &[&'static str]) -> Vec<Scene> {
        let Some(symbol) = self.symbol(term) else { return Vec::new() };
        if self.scene.operations.iter().any(|operation| operation.defines == Some(symbol)) {
            return Vec::new();
        }
        kinds
            .iter()
            .filter(|kind| **kind != self.scene.symbols[symbol].operation)
            .flat_map(|kind| self.with(|scene| scene.symbols[symbol].operation = kind))
            .collect()
    }

    fn words(&mut self, term: &Term, words: Words) -> Vec<Scene> {
        match self.symbol(term) {
            Some(symbol) => self.with(|scene| scene.symbols[symbol].words = words),
            None => Vec::new(),
        }
    }

    fn used(&mut self, term: &Term, used: bool) -> Vec<Scene> {
        match self.symbol(term) {
            Some(symbol) => self.with(|scene| scene.symbols[symbol].used = used),
            None => Vec::new(),
        }
    }

    fn section(&mut self, term: &Term, section: Option<String>) -> Vec<Scene> {
        let Some(symbol) = self.symbol(term).filter(|symbol| self.scene.symbols[*symbol].operation == GLOBAL)
        else {
            return Vec::new();
        };
        self.with(|scene| {
            let attributes = &mut scene.symbols[symbol].attributes;
            match section {
                Some(section) => {
                    attributes.insert("section".into(), Given::Text(format!("{section:?}")));
                }
                None => {
                    attributes.remove("section");
                }
            }
        })
    }

    /// Data that holds the address of a declared symbol.
    fn symbol_sites(&mut self, term: &Term, names: Option<&Term>) -> Vec<Scene> {
        let Some(symbol) = self.symbol(term) else { return Vec::new() };
        let pattern = match names {
            Some(Term::Regex(pattern)) => pattern.0.as_str().to_owned(),
            Some(term) => match self.value(term) {
                Some(Datum::Str(text)) => text,
                _ => return Vec::new(),
            },
            None => return Vec::new(),
        };
        samples(&pattern)
            .into_iter()
            .flat_map(|name| {
                self.with(|scene| {
                    let declared = scene.symbol(GLOBAL);
                    scene.symbols[declared].name = name;
                    scene.symbols[symbol].words = Words::Address(declared);
                })
            })
            .collect()
    }

    /// A member of a dictionary that an operation has.
    fn member(&mut self, dictionary: &Term, name: Option<&Term>, wanted: bool) -> Vec<Scene> {
        let Some((operation, attribute)) = self.dictionary(dictionary) else { return Vec::new() };
        let Some(Datum::Str(name)) = name.and_then(|name| self.value(name)) else { return Vec::new() };
        self.with(|scene| {
            let attributes = scene.attributes(operation);
            let Some(Given::Text(text)) = attributes.get(&attribute).cloned() else { return };
            let inner = text.trim_start_matches('{').trim_end_matches('}');
            let mut members: Vec<String> = inner.split(", ").map(str::to_owned).collect();
            members.retain(|member| member.split(" = ").next() != Some(name.as_str()));
            if wanted {
                members.push(name);
            }
            attributes.insert(attribute, Given::Text(format!("{{{}}}", members.join(", "))));
        })
    }
}

fn is_value(mend: &Mend<'_, '_>, term: &Term) -> bool {
    matches!(term, Term::Binding(binding) if mend.places.values.get(binding.0).is_some_and(Option::is_some))
}

/// Words with this one at a byte offset, as far as such globals are made.
fn words_to(offset: i128, word: u64) -> Vec<u64> {
    match usize::try_from(offset) {
        Ok(offset) if offset % 8 == 0 && offset < 64 => {
            let mut words = vec![0; offset / 8 + 1];
            words[offset / 8] = word;
            words
        }
        _ => vec![word],
    }
}
