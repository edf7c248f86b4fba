//! Where each key and value of a YAML text stands, so that a finding can point at it.

use std::collections::BTreeMap;

use relo_grammar::span::Span;
use saphyr_parser::{Event, Parser};

/// Places by path: `targets/x/strategies/0/use`.
#[derive(Clone, Debug, Default)]
pub(crate) struct Places {
    keys: BTreeMap<String, Span>,
    values: BTreeMap<String, Span>,
}

enum Frame {
    /// In a mapping: the key read last, if its value is still to come.
    Mapping(Option<String>),
    /// In a sequence: how many items came before.
    Sequence(usize),
}

impl Places {
    /// The places of a text; those up to the first error where it is not well formed.
    pub(crate) fn new(text: &str) -> Self {
        let offsets: Vec<usize> = text.char_indices().map(|(offset, _)| offset).chain([text.len()]).collect();
        let byte = |index: usize| offsets.get(index).copied().unwrap_or(text.len());
        let mut places = Self::default();
        let mut stack: Vec<(Frame, String, usize)> = Vec::new();
        for event in Parser::new_from_str(text) {
            let Ok((event, span)) = event else { break };
            let place = Span::new(byte(span.start.index()), byte(span.end.index()));
            match event {
                Event::Scalar(text, ..) => {
                    if let Some((Frame::Mapping(key @ None), path, _)) = stack.last_mut() {
                        places.keys.insert(join(path, &text), place);
                        *key = Some(text.into_owned());
                    } else {
                        let path = next_path(&mut stack);
                        places.values.insert(path, place);
                    }
                }
                Event::MappingStart(..) | Event::SequenceStart(..) => {
                    let path = next_path(&mut stack);
                    let frame = match event {
                        Event::MappingStart(..) => Frame::Mapping(None),
                        _ => Frame::Sequence(0),
                    };
                    places.values.insert(path.clone(), place);
                    stack.push((frame, path, place.start));
                }
                Event::MappingEnd | Event::SequenceEnd => {
                    if let Some((_, path, start)) = stack.pop() {
                        places.values.insert(path, Span::new(start, place.end.max(start)));
                    }
                }
                Event::Alias(_) => {
                    next_path(&mut stack);
                }
                _ => {}
            }
        }
        places
    }

    /// The place of a key, or of the nearest thing around it that has one.
    pub(crate) fn key(&self, path: &str) -> Span {
        self.keys.get(path).copied().unwrap_or_else(|| self.value(path))
    }

    /// The place of a value, or of the nearest thing around it that has one.
    pub(crate) fn value(&self, path: &str) -> Span {
        let mut path = path;
        loop {
            if let Some(span) = self.values.get(path) {
                return *span;
            }
            match path.rfind('/') {
                Some(end) => path = &path[..end],
                None => return Span::default(),
            }
        }
    }
}

/// The path of the value that comes next, which it is taken note of.
fn next_path(stack: &mut [(Frame, String, usize)]) -> String {
    match stack.last_mut() {
        None => String::new(),
        Some((Frame::Mapping(key), path, _)) => join(path, &key.take().unwrap_or_default()),
        Some((Frame::Sequence(index), path, _)) => {
            *index += 1;
            join(path, &(*index - 1).to_string())
        }
    }
}

fn join(path: &str, name: &str) -> String {
    if path.is_empty() { name.to_owned() } else { format!("{path}/{name}") }
}
