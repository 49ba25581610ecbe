//! What stands behind the question mark of an address.

/// Names and values, decoded.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Query(Vec<(String, String)>);

impl Query {
    /// Reads `a=1&b=two%20words`; nothing if an escape is broken or stands for no text.
    pub(crate) fn parse(text: &str) -> Option<Query> {
        let pair = |part: &str| {
            let (name, value) = part.split_once('=').unwrap_or((part, ""));
            Some((decode(name)?, decode(value)?))
        };
        text.split('&').filter(|part| !part.is_empty()).map(pair).collect::<Option<_>>().map(Query)
    }

    /// The first value of that name.
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(own, _)| own == name).map(|(_, value)| value.as_str())
    }
}

fn decode(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, more)) = rest.split_first() {
        let byte;
        (byte, rest) = match first {
            b'%' => {
                let digits = std::str::from_utf8(more.get(..2)?).ok()?;
                let plain = digits.bytes().all(|digit| digit.is_ascii_hexdigit());
                (u8::from_str_radix(digits, 16).ok().filter(|_| plain)?, &more[2..])
            }
            b'+' => (b' ', more),
            other => (other, more),
        };
        bytes.push(byte);
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn queries_are_decoded_or_refused() {
        let query = Query::parse("q=caf%C3%A9+au%20lait&k=5&&flag").unwrap();
        assert_eq!(query.get("q"), Some("café au lait"));
        assert_eq!(
            (query.get("k"), query.get("flag"), query.get("x")),
            (Some("5"), Some(""), None)
        );
        for broken in ["q=%", "q=%4", "q=%zz", "q=%+1", "q=%ff"] {
            assert_eq!(Query::parse(broken), None, "{broken}");
        }
    }
}
