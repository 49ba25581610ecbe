//! The secret of one run.

use crate::error::ExplorerError;

/// Random bytes of a token.
const BYTES: usize = 24;

/// A secret that only the page opened from the printed address knows.
#[derive(Clone, Debug)]
pub(super) struct Token(String);

impl Token {
    pub(super) fn random() -> Result<Token, ExplorerError> {
        let mut bytes = [0u8; BYTES];
        getrandom::fill(&mut bytes).map_err(|error| ExplorerError::Random(error.to_string()))?;
        Ok(Token(bytes.iter().map(|byte| format!("{byte:02x}")).collect()))
    }

    pub(super) fn as_str(&self) -> &str {
        &self.0
    }

    /// Compares in a time that does not depend on where the first difference is.
    pub(super) fn is(&self, given: &str) -> bool {
        let differ = |sum: u8, (a, b): (u8, u8)| sum | (a ^ b);
        given.len() == self.0.len() && self.0.bytes().zip(given.bytes()).fold(0, differ) == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_differ_and_only_the_whole_one_fits() {
        let [one, other] = [(), ()].map(|()| Token::random().unwrap());
        assert_eq!(one.as_str().len(), 2 * BYTES);
        assert!(one.is(one.as_str()) && !one.is(other.as_str()));
        assert!(!one.is(&one.as_str()[1..]) && !one.is(""));
    }
}
