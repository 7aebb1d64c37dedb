//! Licence expressions (SPDX), as far as manifests use them: `AND`, `OR`, `WITH`, parentheses, and the old slash.

/// Whether an expression can be satisfied with licences for which `allowed` says yes. `Err` names what is unreadable.
pub(crate) fn satisfied(expression: &str, allowed: &dyn Fn(&str) -> bool) -> Result<bool, String> {
    let spaced = expression.replace('/', " OR ").replace('(', " ( ").replace(')', " ) ");
    let words: Vec<&str> = spaced.split_whitespace().collect();
    let mut reader = Reader { words: &words, at: 0, allowed };
    let answer = reader.any()?;
    if reader.at == words.len() { Ok(answer) } else { Err(format!("`{}` is out of place", words[reader.at])) }
}

struct Reader<'a> {
    words: &'a [&'a str],
    at: usize,
    allowed: &'a dyn Fn(&str) -> bool,
}

impl Reader<'_> {
    fn take(&mut self, word: &str) -> bool {
        let there = self.words.get(self.at) == Some(&word);
        self.at += usize::from(there);
        there
    }

    fn any(&mut self) -> Result<bool, String> {
        let mut answer = self.all()?;
        while self.take("OR") {
            answer |= self.all()?;
        }
        Ok(answer)
    }

    fn all(&mut self) -> Result<bool, String> {
        let mut answer = self.one()?;
        while self.take("AND") {
            answer &= self.one()?;
        }
        Ok(answer)
    }

    fn one(&mut self) -> Result<bool, String> {
        if self.take("(") {
            let answer = self.any()?;
            return if self.take(")") { Ok(answer) } else { Err("a parenthesis stays open".to_owned()) };
        }
        let name = match self.words.get(self.at) {
            Some(name) if !matches!(*name, ")" | "AND" | "OR" | "WITH") => *name,
            other => return Err(format!("a licence was expected, not {other:?}")),
        };
        self.at += 1;
        if !self.take("WITH") {
            return Ok((self.allowed)(name));
        }
        let exception = self.words.get(self.at).ok_or("nothing follows WITH")?;
        self.at += 1;
        Ok((self.allowed)(&format!("{name} WITH {exception}")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with_mit_and_isc(expression: &str) -> Result<bool, String> {
        satisfied(expression, &|name| matches!(name, "MIT" | "ISC" | "Apache-2.0 WITH LLVM-exception"))
    }

    #[test]
    fn a_choice_needs_one_and_a_sum_needs_all() {
        for (expression, expected) in [
            ("MIT", true),
            ("GPL-3.0-only", false),
            ("GPL-3.0-only OR MIT", true),
            ("Apache-2.0/MIT", true),
            ("Apache-2.0 / MIT", true),
            ("MIT AND ISC", true),
            ("MIT AND Unicode-3.0", false),
            ("(MIT OR Apache-2.0) AND ISC", true),
            ("MIT OR Apache-2.0 AND Unicode-3.0", true),
            ("(MIT OR Apache-2.0) AND (Unicode-3.0)", false),
            ("Apache-2.0 WITH LLVM-exception", true),
            ("MIT WITH LLVM-exception", false),
        ] {
            assert_eq!(with_mit_and_isc(expression), Ok(expected), "{expression}");
        }
    }

    #[test]
    fn what_cannot_be_read_is_never_taken_for_allowed() {
        for expression in ["", "MIT MIT", "(MIT", "MIT OR", "AND MIT", "MIT WITH"] {
            assert!(with_mit_and_isc(expression).is_err(), "{expression}");
        }
    }
}
