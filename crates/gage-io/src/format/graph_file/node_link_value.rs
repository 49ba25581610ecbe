//! A value of node-link JSON.

use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};

use crate::error::excerpt;

/// A value in a node or link.
pub(super) enum Value {
    Missing,
    Bool(bool),
    /// a number, and whether it is a whole one
    Number(String, bool),
    Text(String),
    Fields(Vec<(String, Value)>),
    List,
}

impl Value {
    /// The text of a field of an object.
    pub(super) fn field(self, wanted: &str) -> Option<String> {
        let Value::Fields(fields) = self else { return None };
        fields.into_iter().find(|(name, _)| name == wanted)?.1.text()
    }

    /// The value, for messages.
    pub(super) fn told(&self) -> String {
        match self {
            Value::Number(text, _) | Value::Text(text) => excerpt(text.as_bytes()),
            _ => "something else".to_owned(),
        }
    }

    /// The text of a cell; `None` for lists and objects.
    pub(super) fn text(self) -> Option<String> {
        match self {
            Value::Missing => Some(String::new()),
            Value::Bool(value) => Some(value.to_string()),
            Value::Number(text, _) | Value::Text(text) => Some(text),
            Value::Fields(_) | Value::List => None,
        }
    }
}

/// A node or a link: an object, or an id alone.
pub(super) type Part = Value;

impl<'de> Deserialize<'de> for Value {
    fn deserialize<D: Deserializer<'de>>(json: D) -> Result<Value, D::Error> {
        json.deserialize_any(ValueVisitor)
    }
}

struct ValueVisitor;

impl<'de> Visitor<'de> for ValueVisitor {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_unit<E: Error>(self) -> Result<Value, E> {
        Ok(Value::Missing)
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Value, E> {
        Ok(Value::Number(value.to_string(), true))
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Value, E> {
        Ok(Value::Number(value.to_string(), true))
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Value, E> {
        Ok(Value::Number(value.to_string(), false))
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<Value, E> {
        Ok(Value::Text(value.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Value, A::Error> {
        while seq.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Value::List)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Value, A::Error> {
        let mut fields = Vec::new();
        while let Some(name) = map.next_key::<String>()? {
            fields.push((name, map.next_value::<Value>()?));
        }
        Ok(Value::Fields(fields))
    }
}
