//! A stream of choices: what is generated is a function of it, so that a shorter stream is a smaller case.

/// Numbers that decide, one after the other; zeros when they are used up.
pub struct Choices<'a>(std::slice::Iter<'a, u16>);

impl<'a> Choices<'a> {
    pub fn new(numbers: &'a [u16]) -> Self {
        Self(numbers.iter())
    }

    /// One of so many.
    pub fn below(&mut self, count: usize) -> usize {
        usize::from(self.0.next().copied().unwrap_or(0)) % count
    }

    /// One of these.
    pub fn of<'b, T: ?Sized>(&mut self, all: &[&'b T]) -> &'b T {
        all[self.below(all.len())]
    }

    /// Once in so many times.
    pub fn once_in(&mut self, count: usize) -> bool {
        self.below(count) == count - 1
    }
}
