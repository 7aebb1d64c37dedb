//! The frame of a page. Whatever comes from people is escaped.

/// A page under construction.
pub(super) struct Page {
    title: String,
    body: String,
}

const STYLE: &str = "\
:root{color-scheme:light dark;--ink:#1c2430;--soft:#5b6675;--line:#d9dee6;--paper:#fff;--wash:#f5f7fa;--accent:#2a5db0}\
@media(prefers-color-scheme:dark){:root{--ink:#e6eaf0;--soft:#9aa5b4;--line:#333c48;--paper:#151a21;--wash:#1c222b;\
--accent:#8ab4ff}}\
body{margin:0;font:16px/1.5 system-ui,sans-serif;color:var(--ink);background:var(--paper)}\
header{background:var(--wash);border-bottom:1px solid var(--line);padding:.75rem 1.5rem;display:flex;gap:1rem}\
header a{color:inherit;font-weight:600;text-decoration:none}header span{color:var(--soft)}\
main{max-width:60rem;margin:0 auto;padding:1.5rem}h1{font-size:1.5rem;margin:.25rem 0 1rem}h2{font-size:1.1rem;\
margin:2rem 0 .5rem}a{color:var(--accent)}table{border-collapse:collapse;width:100%}th{text-align:left;\
color:var(--soft);font-weight:500}th,td{padding:.5rem .75rem .5rem 0;border-bottom:1px solid var(--line);\
vertical-align:top}code{font:.9em ui-monospace,monospace}.soft{color:var(--soft)}.mark{border:1px solid var(--line);\
border-radius:1rem;padding:0 .5rem;font-size:.8rem;color:var(--soft);margin-left:.25rem}.state{border-radius:1rem;\
padding:.15rem .6rem;color:#fff;font-size:.85rem;white-space:nowrap}.open{background:#1a7f37}.closed{background:#b42318}\
.merged{background:#7446c9}.note{border:1px solid var(--line);border-radius:.5rem;margin:1rem 0}.note b{display:block;\
background:var(--wash);padding:.4rem .75rem;border-bottom:1px solid var(--line)}.note pre{margin:0;padding:.75rem;\
white-space:pre-wrap;overflow-wrap:anywhere;font:inherit}";

/// Makes text safe between tags and in quoted attributes.
pub(super) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            other => out.push(other),
        }
    }
    out
}

impl Page {
    pub(super) fn new(title: &str) -> Self {
        Self { title: title.to_owned(), body: String::new() }
    }

    /// Adds HTML that is known to be safe.
    pub(super) fn raw(mut self, html: &str) -> Self {
        self.body.push_str(html);
        self
    }

    pub(super) fn text(self, text: &str) -> Self {
        let safe = escape(text);
        self.raw(&format!("<p>{safe}</p>"))
    }

    pub(super) fn heading(self, text: &str) -> Self {
        let safe = escape(text);
        self.raw(&format!("<h2>{safe}</h2>"))
    }

    pub(super) fn link(self, to: &str, text: &str) -> Self {
        let (to, text) = (escape(to), escape(text));
        self.raw(&format!("<p><a href=\"{to}\">{text}</a></p>"))
    }

    /// What somebody wrote.
    pub(super) fn note(self, by: &str, text: &str) -> Self {
        let (by, text) = (escape(by), escape(text));
        self.raw(&format!("<div class=note><b>{by}</b><pre>{text}</pre></div>"))
    }

    /// Cells are HTML that the caller has escaped.
    pub(super) fn table(self, head: &[&str], rows: &[Vec<String>]) -> Self {
        if rows.is_empty() {
            return self.raw("<p class=soft>None.</p>");
        }
        let head = head.iter().map(|cell| format!("<th>{}</th>", escape(cell))).collect::<String>();
        let rows = rows.iter().map(|row| {
            let cells = row.iter().map(|cell| format!("<td>{cell}</td>")).collect::<String>();
            format!("<tr>{cells}</tr>")
        });
        let rows = rows.collect::<String>();
        self.raw(&format!("<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"))
    }

    pub(super) fn render(&self) -> String {
        let title = escape(&self.title);
        format!(
            "<!doctype html><html lang=en><meta charset=utf-8><meta name=viewport \
             content=\"width=device-width,initial-scale=1\"><title>{title} · Simulated GitHub (practice \
             forge)</title><style>{STYLE}</style><header><a href=\"/\">Simulated GitHub (practice \
             forge)</a><span>runs on this computer only; nothing here is on the internet</span></header>\
             <main><h1>{title}</h1>{}</main></html>",
            self.body
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_people_wrote_cannot_become_markup() {
        let page = Page::new("<script>").note("a\"b", "</pre><img src=x onerror=alert(1)>").render();
        assert!(!page.contains("<script>"));
        assert!(!page.contains("<img"));
        assert!(page.contains("Simulated GitHub (practice forge)"));
    }
}
