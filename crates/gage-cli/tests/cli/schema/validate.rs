//! A validator of JSON against a JSON Schema, for the keywords that our schema has. An unknown
//! keyword fails, so that no rule of the schema goes unchecked.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

/// Keywords that only tell people something.
const ANNOTATIONS: [&str; 6] = ["$schema", "$id", "$defs", "title", "description", "else"];

/// Members of an object that some rule spoke of.
type Evaluated = BTreeSet<String>;

/// A schema with its definitions.
pub struct Schema<'a> {
    root: &'a Value,
}

impl<'a> Schema<'a> {
    pub fn new(root: &'a Value) -> Schema<'a> {
        Schema { root }
    }

    /// What is wrong with a value, and where.
    pub fn check(&self, value: &Value) -> Result<(), String> {
        self.validate(self.root, value, "").map(drop)
    }

    fn validate(&self, schema: &Value, value: &Value, at: &str) -> Result<Evaluated, String> {
        let rules = match schema {
            Value::Bool(true) => return Ok(Evaluated::new()),
            Value::Object(rules) => rules,
            other => return Err(format!("{at}: {value} is refused by {other}")),
        };
        let mut evaluated = Evaluated::new();
        for (keyword, rule) in rules {
            let ok = match keyword.as_str() {
                "type" => has_type(rule, value),
                "const" => rule == value,
                "enum" => list(rule).contains(value),
                "minimum" => value.as_f64().is_none_or(|x| Some(x) >= rule.as_f64()),
                "required" => value.as_object().is_none_or(|members| has_all(members, rule)),
                _ => {
                    evaluated.extend(self.apply(keyword, rule, rules, value, at)?);
                    true
                }
            };
            if !ok {
                return Err(format!("{at}: {value} breaks {keyword}: {rule}"));
            }
        }
        if let (Some(Value::Bool(false)), Value::Object(members)) =
            (rules.get("unevaluatedProperties"), value)
            && let Some(name) = members.keys().find(|name| !evaluated.contains(*name))
        {
            return Err(format!("{at}: `{name}` is in no rule"));
        }
        Ok(evaluated)
    }

    /// A keyword that holds schemas.
    fn apply(
        &self,
        keyword: &str,
        rule: &Value,
        rules: &Map<String, Value>,
        value: &Value,
        at: &str,
    ) -> Result<Evaluated, String> {
        let mut evaluated = Evaluated::new();
        match keyword {
            "$ref" => {
                let path = rule.as_str().and_then(|path| path.strip_prefix('#')).unwrap();
                let found = self.root.pointer(path).unwrap_or_else(|| panic!("no {rule}"));
                return self.validate(found, value, at);
            }
            "allOf" => {
                for part in list(rule) {
                    evaluated.extend(self.validate(part, value, at)?);
                }
            }
            "anyOf" => {
                let tried = list(rule).iter().map(|part| self.validate(part, value, at));
                let tried: Vec<_> = tried.collect();
                if tried.iter().all(Result::is_err) {
                    return Err(format!("{at}: {value} fits none of anyOf: {tried:?}"));
                }
                tried.into_iter().flatten().for_each(|found| evaluated.extend(found));
            }
            "if" => {
                let found = self.validate(rule, value, at);
                let next = rules.get(if found.is_ok() { "then" } else { "else" });
                evaluated.extend(found.unwrap_or_default());
                if let Some(next) = next {
                    evaluated.extend(self.validate(next, value, at)?);
                }
            }
            "properties" => {
                for (name, rule) in rule.as_object().unwrap() {
                    let Some(member) = value.get(name) else { continue };
                    self.validate(rule, member, &format!("{at}/{name}"))?;
                    evaluated.insert(name.clone());
                }
            }
            "items" => {
                for (place, item) in value.as_array().into_iter().flatten().enumerate() {
                    self.validate(rule, item, &format!("{at}/{place}"))?;
                }
            }
            "additionalProperties" => {
                let known = rules.get("properties").and_then(Value::as_object);
                for (name, member) in value.as_object().into_iter().flatten() {
                    if !known.is_some_and(|known| known.contains_key(name)) {
                        self.validate(rule, member, &format!("{at}/{name}"))?;
                        evaluated.insert(name.clone());
                    }
                }
            }
            "then" | "unevaluatedProperties" => {}
            _ => assert!(ANNOTATIONS.contains(&keyword), "the validator does not know {keyword}"),
        }
        Ok(evaluated)
    }
}

fn list(rule: &Value) -> &Vec<Value> {
    rule.as_array().unwrap()
}

fn has_all(members: &Map<String, Value>, names: &Value) -> bool {
    list(names).iter().all(|name| members.contains_key(name.as_str().unwrap()))
}

fn has_type(rule: &Value, value: &Value) -> bool {
    let is = |name: &str| match name {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "string" => value.is_string(),
        "integer" => value.is_u64() || value.is_i64(),
        "number" => value.is_number(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        other => panic!("no type is called {other}"),
    };
    match rule {
        Value::String(name) => is(name),
        names => list(names).iter().any(|name| is(name.as_str().unwrap())),
    }
}

#[test]
fn the_validator_refuses_what_it_must() {
    let schema = serde_json::json!({
        "type": "object",
        "required": ["a"],
        "properties": { "a": { "type": ["integer", "null"], "minimum": 1 } },
        "if": { "required": ["b"] },
        "then": { "properties": { "b": { "items": { "enum": ["x"] } } } },
        "else": { "properties": { "c": { "$ref": "#/$defs/text" } } },
        "unevaluatedProperties": false,
        "$defs": { "text": { "type": "string" } },
    });
    let schema = Schema::new(&schema);
    let fits = |text: &str| schema.check(&serde_json::from_str(text).unwrap()).is_ok();
    for good in [r#"{"a": 1}"#, r#"{"a": null, "c": "t"}"#, r#"{"a": 2, "b": ["x", "x"]}"#] {
        assert!(fits(good), "{good}");
    }
    for bad in [
        "[]",
        "{}",
        r#"{"a": 0}"#,
        r#"{"a": 1.5}"#,
        r#"{"a": 1, "b": ["y"]}"#,
        r#"{"a": 1, "b": [], "c": "t"}"#,
        r#"{"a": 1, "c": 3}"#,
        r#"{"a": 1, "d": 3}"#,
    ] {
        assert!(!fits(bad), "{bad}");
    }
}
