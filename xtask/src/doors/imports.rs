//! The window's door to its host: only `ui/src/ipc` imports `@tauri-apps/*`.

use std::fs;

use crate::house::House;

const ROOM: &str = "ui/src/ipc/";
const PACKAGES: &str = "@tauri-apps/";

pub(crate) fn complaints(house: &House, files: &[String]) -> Vec<String> {
    files
        .iter()
        .filter(|path| is_behind_the_door(path))
        .filter_map(|path| Some((path, fs::read_to_string(house.root().join(path)).ok()?)))
        .flat_map(|(path, text)| judge(path, &text))
        .collect()
}

fn is_behind_the_door(path: &str) -> bool {
    let script = [".ts", ".tsx", ".mts", ".js", ".jsx", ".mjs"].iter().any(|ending| path.ends_with(ending));
    script && path.starts_with("ui/src/") && !path.starts_with(ROOM)
}

fn judge(path: &str, text: &str) -> Vec<String> {
    text.lines()
        .enumerate()
        .filter(|(_, line)| ['"', '\'', '`'].iter().any(|quote| line.contains(&format!("{quote}{PACKAGES}"))))
        .map(|(number, line)| {
            format!("{path}:{} uses the host directly (`{}`): only {ROOM} may", number + 1, line.trim())
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_import_of_the_host_outside_its_room_is_named() {
        let text = "import { useMemo } from \"react\";\nimport { invoke } from '@tauri-apps/api/core';\n";
        let found = judge("ui/src/screens/projects.tsx", text);
        assert_eq!(found.len(), 1);
        assert!(found[0].starts_with("ui/src/screens/projects.tsx:2 "), "{found:?}");
        assert_eq!(judge("ui/src/a.ts", "const late = await import(`@tauri-apps/api/window`);").len(), 1);
        assert_eq!(judge("ui/src/a.ts", "// what @tauri-apps/api offers"), Vec::<String>::new());
    }

    #[test]
    fn only_scripts_of_the_window_outside_ipc_are_looked_at() {
        assert!(is_behind_the_door("ui/src/screens/projects.tsx"));
        assert!(!is_behind_the_door("ui/src/ipc/commands.ts"));
        assert!(!is_behind_the_door("ui/README.md"));
    }
}
