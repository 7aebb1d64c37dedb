//! The window's size, remembered in the data folder.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use tauri::{LogicalSize, Runtime, WebviewWindow};

/// What is remembered.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
struct Place {
    width: f64,
    height: f64,
    maximized: bool,
}

/// The smallest and the largest size that make sense; a damaged file gives neither a speck nor a monster.
const SIZES: [std::ops::RangeInclusive<f64>; 2] = [900.0..=10_000.0, 600.0..=10_000.0];

fn file(data: &Path) -> PathBuf {
    data.join("window.json")
}

fn read(data: &Path) -> Option<Place> {
    let place: Place = serde_json::from_slice(&std::fs::read(file(data)).ok()?).ok()?;
    (SIZES[0].contains(&place.width) && SIZES[1].contains(&place.height)).then_some(place)
}

/// Gives the window its last size.
pub(crate) fn restore<R: Runtime>(window: &WebviewWindow<R>, data: &Path) {
    let Some(place) = read(data) else { return };
    let sized = window.set_size(LogicalSize::new(place.width, place.height));
    let done = sized.and_then(|()| if place.maximized { window.maximize() } else { Ok(()) });
    if let Err(error) = done {
        tracing::debug!(%error, "the window keeps its first size");
    }
}

/// Remembers the window's size.
pub(crate) fn remember<R: Runtime>(window: &WebviewWindow<R>, data: &Path) {
    let Ok((maximized, place)) = now(window) else { return };
    // The size of a maximised window is the screen's: the one before is kept.
    let place = match read(data).filter(|_| maximized) {
        Some(before) => Place { maximized, ..before },
        None => place,
    };
    let saved = serde_json::to_vec(&place).map_err(std::io::Error::other).and_then(|bytes| {
        let mut new = tempfile_beside(data)?;
        std::io::Write::write_all(&mut new.1, &bytes)?;
        std::fs::rename(new.0, file(data))
    });
    if let Err(error) = saved {
        tracing::debug!(%error, "the window's size is not remembered");
    }
}

fn now<R: Runtime>(window: &WebviewWindow<R>) -> tauri::Result<(bool, Place)> {
    let maximized = window.is_maximized()?;
    let size = window.inner_size()?.to_logical::<f64>(window.scale_factor()?);
    Ok((maximized, Place { width: size.width, height: size.height, maximized }))
}

fn tempfile_beside(data: &Path) -> std::io::Result<(PathBuf, std::fs::File)> {
    let path = data.join("window.json.new");
    Ok((path.clone(), std::fs::File::create(path)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_damaged_or_absurd_size_is_passed_over() {
        let folder = tempfile::tempdir().unwrap();
        let write = |text: &str| std::fs::write(file(folder.path()), text).unwrap();
        assert_eq!(read(folder.path()), None);
        for bad in [
            "",
            "{}",
            r#"{"width":1,"height":700,"maximized":false}"#,
            r#"{"width":1e9,"height":700,"maximized":false}"#,
        ] {
            write(bad);
            assert_eq!(read(folder.path()), None, "{bad}");
        }
        write(r#"{"width":1300,"height":700,"maximized":true}"#);
        assert_eq!(read(folder.path()), Some(Place { width: 1300.0, height: 700.0, maximized: true }));
    }
}
