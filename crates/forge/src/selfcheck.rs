//! Checks the forge's own answers against GitHub's OpenAPI description, trimmed to the operations served here.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use jsonschema::Validator;
use serde_json::Value;

use crate::options::ForgeError;

const DESCRIPTION: &str = include_str!("../schema/openapi.json");

/// Validators by `METHOD template status`, compiled on first use.
pub(crate) struct SelfCheck {
    description: Value,
    validators: Mutex<HashMap<String, Option<Arc<Validator>>>>,
    failures: Mutex<Vec<String>>,
}

impl SelfCheck {
    /// Reads the description.
    pub(crate) fn new() -> Result<Self, ForgeError> {
        let mut description: Value =
            serde_json::from_str(DESCRIPTION).map_err(|error| ForgeError::State(error.to_string()))?;
        correct(&mut description);
        Ok(Self { description, validators: Mutex::default(), failures: Mutex::default() })
    }

    /// Compares one answer; a difference is kept. Answers without a documented JSON body pass.
    pub(crate) fn check(&self, method: &str, route: &str, status: u16, body: &Value) {
        let key = format!("{method} {} {status}", described(route));
        let Some(validator) = self.validator(&key, method, route, status) else { return };
        let mut lines = validator.iter_errors(body).take(5).map(|error| {
            let path = error.instance_path().to_string();
            let text = error.to_string().chars().take(300).collect::<String>();
            format!("{key}: at {path:?}: {text}")
        });
        let mut failures = self.failures.lock().unwrap_or_else(PoisonError::into_inner);
        failures.extend(&mut lines);
    }

    fn validator(&self, key: &str, method: &str, route: &str, status: u16) -> Option<Arc<Validator>> {
        let mut validators = self.validators.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = validators.get(key) {
            return found.clone();
        }
        let operation = format!("{method} {}", described(route));
        let schema = self.description.get("operations")?.get(operation)?.get(status.to_string()).cloned();
        let compiled = schema.and_then(|mut schema| {
            if let Some(object) = schema.as_object_mut() {
                object.insert("$defs".into(), self.description.get("$defs").cloned().unwrap_or_default());
            }
            match jsonschema::draft202012::new(&schema) {
                Ok(validator) => Some(Arc::new(validator)),
                Err(error) => {
                    let mut failures = self.failures.lock().unwrap_or_else(PoisonError::into_inner);
                    failures.push(format!("{key}: the description does not compile: {error}"));
                    None
                }
            }
        });
        validators.insert(key.to_owned(), compiled.clone());
        compiled
    }

    /// The differences so far.
    pub(crate) fn failures(&self) -> Vec<String> {
        self.failures.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// The description names some path parameters differently.
fn described(route: &str) -> String {
    route
        .replace("/commits/{sha}", "/commits/{ref}")
        .replace("{user}", "{username}")
        .replace("{*ref}", "{ref}")
        .replace("{*branch}", "{branch}")
        .replace("{*basehead}", "{basehead}")
        .replace("{number}", if route.contains("/issues/") { "{issue_number}" } else { "{pull_number}" })
        .replace("/repositories/{repository_id}", "/repos/{owner}/{repo}")
}

/// Known errors of the description: the repository of a pull request's head may be gone; the account of a listed
/// installation is a user or an enterprise, and not both at once.
fn correct(description: &mut Value) {
    for name in ["pull-request", "pull-request-simple"] {
        let path = format!("/$defs/{name}/properties/head/properties/repo");
        if let Some(schema) = description.pointer_mut(&path) {
            let original = schema.take();
            *schema = serde_json::json!({ "anyOf": [original, { "type": "null" }] });
        }
    }
    if let Some(items) = description.pointer_mut("/operations/GET ~1app~1installations/200/items") {
        *items = serde_json::json!({ "$ref": "#/$defs/installation" });
    }
}
