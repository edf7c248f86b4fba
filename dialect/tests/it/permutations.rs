//! Neither the order of files nor that of what stands in them changes what rules do.

use relo_dialect::{OdsSchema, signatures};
use relo_engine::{Library, PackSource, Request, RuleSet};
use relo_grammar::span::Source;
use relo_grammar::tree::Item;
use relo_grammar::{parse, print};
use relo_testkit::{packs, render};

use crate::differential::generated;

/// Repeatable chance: a linear congruential generator.
struct Dice(u64);

impl Dice {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).expect("31 bits") % bound
    }

    fn shuffle<T>(&mut self, list: &mut [T]) {
        for index in (1..list.len()).rev() {
            list.swap(index, self.below(index + 1));
        }
    }
}

/// A file in another order. What follows a `phase` belongs to it, and stays behind it.
fn shuffled(source: &Source, dice: &mut Dice) -> Source {
    let (mut file, errors) = parse(source);
    assert!(errors.is_empty(), "{}", source.name);
    for items in file.items.split_mut(|item| matches!(item, Item::Phase(_) | Item::Pack(_))) {
        for item in &mut *items {
            if let Item::Strategy(strategy) = item {
                dice.shuffle(&mut strategy.items);
            }
        }
        dice.shuffle(items);
    }
    Source::new(&*source.name, &*print(&file))
}

/// What decides about the result of any compilation: the rules in their order, strategies, and what planning goes by.
fn meaning(library: &Library, target: &str) -> String {
    let packs = library.packs().filter(|pack| pack.active.is_some()).map(|pack| pack.name.clone()).collect();
    let request = Request {
        target: target.to_owned(),
        packs,
        with_session: true,
        placeholders: true,
        ..Request::default()
    };
    let rules = match RuleSet::new(library, &request, &signatures(), &OdsSchema) {
        Ok((rules, _)) => rules,
        Err(error) => panic!("{}", render(&error)),
    };
    let mut strategies = rules.strategies.clone();
    strategies.sort();
    let order: Vec<_> = rules.rules().iter().map(|rule| (rule.phase, &rule.path, &rule.digest)).collect();
    format!("{order:#?}\n{strategies:?}\n{:?}\n{:?}", rules.choices, rules.cells)
}

#[test]
fn shipped_packs_mean_the_same_in_any_order() {
    let mut dice = Dice(1);
    let (library, _) = Library::new(&packs());
    let targets: Vec<String> = library.targets().map(|(_, target)| target.name.clone()).collect();
    let before: Vec<String> = targets.iter().map(|target| meaning(&library, target)).collect();
    for _ in 0..3 {
        let mut all: Vec<PackSource> = packs();
        dice.shuffle(&mut all);
        for pack in &mut all {
            // Files are read in the order of their names: other names are another order.
            let mut files: Vec<Source> = pack.files.iter().map(|file| shuffled(file, &mut dice)).collect();
            dice.shuffle(&mut files);
            for (index, file) in files.iter_mut().enumerate() {
                file.name = format!("{index}.relo").into();
            }
            pack.files = files;
        }
        let (library, findings) = Library::new(&all);
        assert!(findings.is_empty(), "{findings:#?}");
        for (target, before) in targets.iter().zip(&before) {
            assert_eq!(meaning(&library, target), *before, "{target}");
        }
    }
}

#[test]
fn generated_rules_do_the_same_in_any_order() {
    let mut dice = Dice(2);
    let mut compared = 0;
    for _ in 0..60 {
        let numbers: Vec<u16> =
            (0..160).map(|_| u16::try_from(dice.below(65536)).expect("16 bits")).collect();
        let (module, file) = generated::pair(&numbers);
        let Some(before) = generated::result(&module, &file) else { continue };
        let other = shuffled(&Source::new("t/t.relo", &*file), &mut dice);
        assert_eq!(generated::result(&module, &other.text).as_ref(), Some(&before), "{file}\n{}", other.text);
        compared += 1;
    }
    assert!(compared > 20, "{compared}");
}
