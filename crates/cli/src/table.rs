//! Tables: columns aligned by spaces, nothing else.

/// Rows below a header. Columns are as wide as their widest cell; the last one is not padded.
pub(crate) fn table<const N: usize>(header: [&str; N], rows: &[[String; N]]) -> String {
    let mut widths = header.map(width);
    for row in rows {
        for (most, cell) in widths.iter_mut().zip(row) {
            *most = (*most).max(width(cell));
        }
    }
    let mut out = line(&header.map(|name| name.to_uppercase()), &widths);
    for row in rows {
        out.push('\n');
        out.push_str(&line(row, &widths));
    }
    out
}

fn line<const N: usize>(cells: &[String; N], widths: &[usize; N]) -> String {
    let mut out = String::new();
    for (cell, wide) in cells.iter().zip(widths) {
        out.push_str(cell);
        out.extend(std::iter::repeat_n(' ', wide - width(cell) + 2));
    }
    out.trim_end().to_owned()
}

fn width(text: &str) -> usize {
    text.chars().count()
}

/// `1 project`, `3 projects`.
pub(crate) fn counted(number: u32, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_aligned_and_nothing_hangs_over() {
        let rows = [["Lab 4".to_owned(), "é".to_owned()], ["x".to_owned(), String::new()]];
        assert_eq!(table(["name", "lease"], &rows), "NAME   LEASE\nLab 4  é\nx");
    }
}
