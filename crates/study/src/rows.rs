//! Lists whose entries may be written once for many: `for` names values, `{name}` stands for one of them in a text.

use std::cell::Cell;
use std::rc::Rc;

use dumbbell_core::config::{At, Errors, Field, need_table, refuse_unknown_keys};
use dumbbell_core::json::{self, json};
use dumbbell_core::{Config, ConfigError, Value};

use crate::limits::{MOST_VALUES, thousands};

/// What an entry may be written for, and the entries that have it in common.
const FOR: &str = "for";
const EACH: &str = "each";

/// A list. An entry with `for` stands for as many as its values have combinations, the last name fastest; one with
/// `each` for the entries in there, which `for` fills all.
#[derive(Clone, PartialEq, Debug)]
pub struct Rows<T>(pub Vec<T>);

impl<T: Config> Config for Rows<T> {
    const KIND: &'static str = "list";
    fn from_value(v: &Value, at: &At<'_>) -> Result<Rows<T>, ConfigError> {
        let Value::List(items) = v else {
            return Err(
                at.error(format!("{} stands where a list is needed", v.kind()), "write it in [[brackets]]")
            );
        };
        let mut found = Vec::new();
        unfold_all(items, at, &Fill::default(), &mut found).map(|()| Rows(found))
    }
    fn to_value(&self) -> Value {
        Value::List(self.0.iter().map(T::to_value).collect())
    }
    fn schema() -> json::Value {
        let mut one = fillable(T::schema());
        let values = json!({
            "type": "object", "minProperties": 1, "maxProperties": 1,
            "additionalProperties": {"anyOf": [{"type": "array", "minItems": 1}, {"type": "string"}]},
        });
        let values = json!({
            "anyOf": [values, {"type": "array", "items": values}],
            "description": "Names with their values: the entry stands there for each combination, with a value for `{name}`.",
        });
        for schema in entries_of(&mut one) {
            schema["properties"][FOR] = values.clone();
        }
        let block = json!({
            "type": "object", "required": [EACH], "additionalProperties": false,
            "properties": {FOR: values, EACH: {"type": "array", "items": {"type": ["object", "string"]}}},
        });
        json!({"type": "array", "items": {"anyOf": [one, block]}})
    }
    fn remedy(name: &str) -> String {
        Vec::<T>::remedy(name)
    }
    fn nested() -> Vec<Field> {
        T::nested()
    }
}

/// The schemas of tables among those that an entry may have.
fn entries_of(schema: &mut json::Value) -> Vec<&mut json::Value> {
    if schema.get("properties").is_some() {
        return vec![schema];
    }
    let members = schema.get_mut("anyOf").and_then(json::Value::as_array_mut);
    members.into_iter().flatten().filter(|member| member.get("properties").is_some()).collect()
}

/// The schema with a text in braces wherever something else than a text may stand.
fn fillable(mut schema: json::Value) -> json::Value {
    for key in ["properties", "anyOf"] {
        match schema.get_mut(key) {
            Some(json::Value::Object(below)) => {
                below.values_mut().for_each(|part| *part = fillable(part.take()));
            }
            Some(json::Value::Array(below)) => {
                below.iter_mut().for_each(|part| *part = fillable(part.take()));
            }
            _ => {}
        }
    }
    let stays = ["properties", "anyOf", "const"].iter().any(|key| schema.get(key).is_some());
    if stays || schema["type"] == "string" {
        return schema;
    }
    json!({"anyOf": [schema, {"type": "string", "pattern": "^\\{.+\\}$"}]})
}

/// What all that names stand for may amount to in a list: values, and pieces of 16 bytes of texts.
const MOST_FILLED: usize = 1_000_000;

/// What names stand for, and how much they have stood for.
#[derive(Clone, Default)]
struct Fill {
    names: Vec<(String, Value)>,
    spent: Rc<Cell<usize>>,
}

fn unfold_all<T: Config>(
    items: &[Value],
    at: &At<'_>,
    above: &Fill,
    found: &mut Vec<T>,
) -> Result<(), ConfigError> {
    let mut errors = Errors::default();
    for (i, item) in items.iter().enumerate() {
        errors.note(unfold(item, &at.index(i), above, found));
        if errors.is_full() {
            break;
        }
    }
    errors.settle()
}

/// Reads an entry, or all that it stands for up to the first that is wrong: the others are wrong alike.
fn unfold<T: Config>(item: &Value, at: &At<'_>, above: &Fill, found: &mut Vec<T>) -> Result<(), ConfigError> {
    let each = item.get(EACH);
    if each.is_some() {
        refuse_unknown_keys(item, &[FOR, EACH], |_, _| None, at)?;
    }
    let factors = item.get(FOR).map_or(Ok(Vec::new()), |factors| above.factors(factors, &at.key(FOR)))?;
    let combinations: u128 =
        factors.iter().map(|(_, values)| values.len() as u128).fold(1, u128::saturating_mul);
    if combinations.saturating_add(found.len() as u128) > MOST_VALUES as u128 {
        let wrong = format!("more than {} entries", thousands(MOST_VALUES));
        return Err(at.key(FOR).error(wrong, "give fewer values"));
    }
    for combination in 0..combinations as usize {
        let mut fill = above.clone();
        let mut rest = combination;
        for (name, values) in factors.iter().rev() {
            fill.names.push((name.clone(), values[rest % values.len()].clone()));
            rest /= values.len();
        }
        match each {
            Some(Value::List(items)) => unfold_all(items, &at.key(EACH), &fill, found)?,
            Some(_) => {
                return Err(at.key(EACH).error("is not a list", "write the entries as a list of tables"));
            }
            None => found.push(T::from_value(&fill.entry(item, at)?, at)?),
        }
    }
    Ok(())
}

impl Fill {
    /// Values by name, as an entry gives them; those above may fill them. Tables of files have no order, lists have.
    fn factors(&self, v: &Value, at: &At<'_>) -> Result<Vec<(String, Vec<Value>)>, ConfigError> {
        let one = |v: &Value, at: &At<'_>| {
            let [(name, values)] = need_table(v, at)? else {
                let remedy = "write one name, or a list of tables with one name each, the last fastest";
                return Err(at.error("not one name with its values", remedy));
            };
            match self.value(values, &at.key(name))? {
                // A list from above may be empty: the entry is for none.
                Value::List(list) if !list.is_empty() || matches!(values, Value::Str(_)) => {
                    Ok((name.clone(), list))
                }
                _ => Err(at.key(name).error("is not a list of values", "give one or more in [brackets]")),
            }
        };
        match v {
            Value::List(items) => items.iter().enumerate().map(|(i, item)| one(item, &at.index(i))).collect(),
            _ => one(v, at).map(|factor| vec![factor]),
        }
    }

    /// The entry without its `for`.
    fn entry(&self, item: &Value, at: &At<'_>) -> Result<Value, ConfigError> {
        let Value::Table(entries) = item else { return self.value(item, at) };
        let kept = entries.iter().filter(|(key, _)| key != FOR);
        let filled = kept.map(|(key, value)| Ok((key.clone(), self.value(value, &at.key(key))?)));
        filled.collect::<Result<_, _>>().map(Value::Table)
    }

    /// The value with what names in braces stand for. A text that is one name alone becomes what that stands for, a number
    /// too. Names that no `for` has stay: settings have axes in braces.
    fn value(&self, v: &Value, at: &At<'_>) -> Result<Value, ConfigError> {
        match v {
            Value::Str(text) if text.contains('{') => self.text(text, at),
            Value::List(items) => {
                let mut filled = Vec::with_capacity(items.len());
                for (i, item) in items.iter().enumerate() {
                    match (item, self.value(item, &at.index(i))?) {
                        // A name that stands for a list stands for its items: settings, for example.
                        (Value::Str(_), Value::List(more)) => filled.extend(more),
                        (_, one) => filled.push(one),
                    }
                }
                Ok(Value::List(filled))
            }
            Value::Table(entries) => {
                let entries =
                    entries.iter().map(|(key, value)| Ok((key.clone(), self.value(value, &at.key(key))?)));
                entries.collect::<Result<_, _>>().map(Value::Table)
            }
            _ => Ok(v.clone()),
        }
    }

    fn text(&self, text: &str, at: &At<'_>) -> Result<Value, ConfigError> {
        if let Some(name) = text.strip_prefix('{').and_then(|rest| rest.strip_suffix('}'))
            && !name.contains('}')
            && let Some(value) = self.look_up(name, at)?
        {
            return Ok(value.clone());
        }
        let mut told = String::with_capacity(text.len());
        let mut rest = text;
        while let Some((before, after)) = rest.split_once('{') {
            told.push_str(before);
            let inside = after.split_once('}');
            match inside.map(|(name, _)| self.look_up(name, at)).transpose()?.flatten() {
                Some(Value::Str(value)) => told.push_str(value),
                Some(value) => told.push_str(&value.to_string()),
                None => {
                    told.push('{');
                    rest = after;
                    continue;
                }
            }
            rest = inside.map_or("", |(_, after)| after);
        }
        told.push_str(rest);
        Ok(Value::Str(told))
    }

    /// What a name stands for, or the key of a table that it stands for: `{link.rate}`.
    fn look_up(&self, name: &str, at: &At<'_>) -> Result<Option<&Value>, ConfigError> {
        let (first, key) = name.split_once('.').map_or((name, None), |(first, key)| (first, Some(key)));
        // The innermost `for` counts.
        let Some((_, value)) = self.names.iter().rev().find(|(known, _)| known == first) else {
            return Ok(None);
        };
        let found = match (value, key) {
            (Value::Table(_), Some(key)) => value.get(key).ok_or_else(|| {
                at.error(format!("{{{name}}}: `for` gives {first:?} no {key:?}"), "add it there")
            })?,
            (Value::Table(_), None) => {
                let remedy = format!("name a key of it: {{{first}.key}}");
                return Err(at.error(format!("{{{name}}} stands for a table"), remedy));
            }
            (_, Some(_)) => {
                return Err(
                    at.error(format!("{{{name}}}: {first:?} is no table"), format!("write {{{first}}}"))
                );
            }
            (_, None) => value,
        };
        self.spent.set(self.spent.get().saturating_add(weight(found)));
        if self.spent.get() > MOST_FILLED {
            return Err(at.error(format!("{{{name}}}: all names stand for too much"), "give fewer values"));
        }
        Ok(Some(found))
    }
}

/// How much a value is: its parts, and pieces of 16 bytes of texts.
fn weight(v: &Value) -> usize {
    1 + match v {
        Value::Str(text) => text.len() / 16,
        Value::List(items) => items.iter().map(weight).sum(),
        Value::Table(entries) => entries.iter().map(|(key, value)| key.len() / 16 + weight(value)).sum(),
        _ => 0,
    }
}

/// The name or pattern of something that the study has, or an entry of its own.
#[derive(Clone, PartialEq, Debug)]
pub enum Chosen<T> {
    /// A name; `*` stands for any characters; `!` before it leaves out.
    Named(String),
    /// An entry of its own.
    Own(T),
}

impl<T: Config> Config for Chosen<T> {
    const KIND: &'static str = "name or table";
    fn from_value(v: &Value, at: &At<'_>) -> Result<Chosen<T>, ConfigError> {
        match v {
            Value::Str(_) => String::from_value(v, at).map(Chosen::Named),
            _ => T::from_value(v, at).map(Chosen::Own),
        }
    }
    fn to_value(&self) -> Value {
        match self {
            Chosen::Named(name) => Value::Str(name.clone()),
            Chosen::Own(own) => own.to_value(),
        }
    }
    fn schema() -> json::Value {
        let name = json!({"type": "string", "description": "The name of one of the study's, or a pattern."});
        match T::schema() {
            json::Value::Object(mut own) if own.contains_key("anyOf") => {
                if let Some(members) = own.get_mut("anyOf").and_then(json::Value::as_array_mut) {
                    members.push(name);
                }
                json::Value::Object(own)
            }
            own => json!({"anyOf": [own, name]}),
        }
    }
    fn nested() -> Vec<Field> {
        T::nested()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::claim::{Claim, Rule};

    fn claims(text: &str) -> Result<Vec<Claim>, String> {
        let table: Value = toml::from_str(text).expect("TOML");
        let list = table.get("claims").expect("claims").clone();
        Rows::<Claim>::from_value(&list, &At::root("claims"))
            .map(|rows| rows.0)
            .map_err(|error| error.to_string())
    }

    const ONE: &str = r#"
        statement = "{arm} at {link.words} holds."
        metric = "delay"
        rule = { kind = "level", arm = "{arm}", high = "{link.most}", at = { rate = "{link.rate}" } }
    "#;

    #[test]
    fn an_entry_stands_for_all_combinations() {
        let text = format!(
            r#"
            [[claims]]
            for = [
                {{ link = [{{ rate = 10, words = "10 kbit/s", most = 0.5 }}, {{ rate = 20, words = "more", most = 2 }}] }},
                {{ arm = ["a", "b"] }},
            ]
            id = "{{arm}}-{{link.rate}}"
            {ONE}"#
        );
        let found = claims(&text).expect("claims");
        let ids: Vec<&str> = found.iter().map(|claim| claim.id.0.as_str()).collect();
        assert_eq!(ids, ["a-10", "b-10", "a-20", "b-20"], "the last name fastest");
        assert_eq!(found[1].statement, "b at 10 kbit/s holds.");
        let Rule::Level(level) = &found[2].rule else { panic!("a level") };
        assert_eq!((level.arm.0.as_str(), level.high), ("a", Some(2.0)), "numbers stay numbers");
    }

    #[test]
    fn a_block_fills_its_entries() {
        let text = r#"
            [[claims]]
            for.r = [{ arm = "a", sizes = [1, 2] }, { arm = "b", sizes = [3] }, { arm = "c", sizes = [] }]
            [[claims.each]]
            for.size = "{r.sizes}"
            id = "{r.arm}{size}"
            statement = "It holds."
            metric = "delay"
            rule = { kind = "level", arm = "{r.arm}", low = 1 }
        "#;
        let ids: Vec<String> = claims(text).expect("claims").into_iter().map(|claim| claim.id.0).collect();
        assert_eq!(ids, ["a1", "a2", "b3"]);
    }

    #[test]
    fn what_for_does_not_have_is_told() {
        let entry = |names: &str, id: &str| {
            let text =
                format!("[[claims]]\n{names}\nid = '{id}'\nstatement = 'S {id}.'\nmetric = 'm'\n{RULE}");
            claims(&text).expect_err("an error")
        };
        const TABLE: &str = "for.r = [{ a = 1 }]";
        assert_eq!(entry(TABLE, "{r.b}"), r#"claims[0].id: {r.b}: `for` gives "r" no "b"; add it there"#);
        assert_eq!(entry(TABLE, "{r}"), "claims[0].id: {r} stands for a table; name a key of it: {r.key}");
        assert_eq!(
            entry("for.r = [1]", "x{s}"),
            r#"claims[0].id: "x{s}" is not an id; use letters, digits, -, _ and points, a letter first"#
        );
        let none = "claims[0].for.r: is not a list of values; give one or more in [brackets]";
        assert_eq!(entry("for.r = []", "x"), none);
        assert_eq!(entry("for.r = '{a}'", "x"), none);
        let ten = ["a", "b", "c", "d", "e"].map(|name| format!("{{ {name} = [1,2,3,4,5,6,7,8,9,0] }}"));
        let many = format!("for = [{}]", ten.join(", "));
        assert_eq!(entry(&many, "x"), "claims[0].for: more than 10,000 entries; give fewer values");
        assert_eq!(
            entry("for = { a = [1], b = [2] }", "x"),
            "claims[0].for: not one name with its values; write one name, or a list of tables with one name each, the \
             last fastest"
        );
    }

    #[test]
    fn names_do_not_stand_for_too_much() {
        let (ones, wide) = (vec!["1"; 2000].join(", "), vec!["'{a}'"; 2000].join(", "));
        let text = format!(
            "[[claims]]\nfor.a = [[{ones}]]\n[[claims.each]]\nfor.b = [[{wide}]]\nid = 'x'\nstatement = 'S.'\n\
             metric = 'm'\n{RULE}"
        );
        assert_eq!(
            claims(&text).expect_err("an error"),
            "claims[0].each[0].for.b[0][499]: {a}: all names stand for too much; give fewer values"
        );
    }

    const RULE: &str = "rule = { kind = 'level', arm = 'a', low = 1 }";
}
