//! System packages: what this checkout needs, whether it is there, and how it comes.
//!
//! Presence is judged by what a package brings (a program, a pkg-config module), not by the package database: that
//! also holds for hand-made installations and other distributions.

use std::path::Path;

use crate::env;
use crate::failure::Failure;
use crate::run::Run;

/// Something that the system's package manager brings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Package {
    /// Headers of the web engine that the window is compiled against.
    WebEngine,
    /// Drives the real window in tests.
    WebDriver,
    /// A display without a screen.
    Display,
    /// xvfb-run's way to hand out access to that display.
    DisplayAccess,
    /// The browser for component tests.
    Browser,
    /// Server programs for the second database dialect.
    Postgres,
}

/// The package's name for each package manager, in the order of [`Manager`].
struct Names {
    apt: &'static str,
    dnf: &'static str,
    pacman: &'static str,
    brew: &'static str,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Manager {
    Apt,
    Dnf,
    Pacman,
    Brew,
}

impl Package {
    fn names(self) -> Names {
        let names = |apt, dnf, pacman, brew| Names { apt, dnf, pacman, brew };
        match self {
            Self::WebEngine => {
                names("libwebkit2gtk-4.1-dev", "webkit2gtk4.1-devel", "webkit2gtk-4.1", "(part of macOS)")
            }
            Self::WebDriver => {
                names("webkit2gtk-driver", "webkit2gtk4.1", "webkit2gtk-4.1", "(not on macOS: use --fast)")
            }
            Self::Display => {
                names("xvfb", "xorg-x11-server-Xvfb", "xorg-server-xvfb", "(not on macOS: use --fast)")
            }
            Self::DisplayAccess => {
                names("xauth", "xorg-x11-xauth", "xorg-xauth", "(not on macOS: use --fast)")
            }
            Self::Browser => names("chromium", "chromium", "chromium", "--cask chromium"),
            Self::Postgres => names("postgresql", "postgresql-server", "postgresql", "postgresql@17"),
        }
    }

    fn name(self, manager: Manager) -> &'static str {
        let names = self.names();
        match manager {
            Manager::Apt => names.apt,
            Manager::Dnf => names.dnf,
            Manager::Pacman => names.pacman,
            Manager::Brew => names.brew,
        }
    }

    fn is_present(self) -> bool {
        match self {
            Self::WebEngine => {
                !cfg!(target_os = "linux")
                    || Run::new("pkg-config").arguments(["--exists", "webkit2gtk-4.1"]).works()
            }
            Self::WebDriver => env::on_path("WebKitWebDriver"),
            Self::Display => env::on_path("Xvfb") && env::on_path("xvfb-run"),
            Self::DisplayAccess => env::on_path("xauth"),
            Self::Browser => {
                ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"]
                    .into_iter()
                    .any(env::on_path)
                    || Path::new("/Applications/Chromium.app").exists()
            }
            Self::Postgres => {
                (env::on_path("initdb") && env::on_path("postgres"))
                    || versioned_server(Path::new("/usr/lib/postgresql"))
            }
        }
    }
}

/// Debian keeps server programs outside the search path, one folder per version.
fn versioned_server(root: &Path) -> bool {
    std::fs::read_dir(root).is_ok_and(|entries| {
        entries
            .flatten()
            .map(|entry| entry.path().join("bin"))
            .any(|bin| bin.join("initdb").is_file() && bin.join("postgres").is_file())
    })
}

/// Makes sure that all of `wanted` are there; installs with apt when permitted, else says the exact command and stops.
pub(crate) fn ensure(wanted: &[Package]) -> Result<(), Failure> {
    let missing = missing_of(wanted);
    if missing.is_empty() {
        return Ok(());
    }
    let manager = manager().ok_or_else(|| unknown_system(&missing))?;
    let names: Vec<&str> = missing.iter().map(|package| package.name(manager)).collect();
    println!("    missing: {}", names.join(", "));
    if manager != Manager::Apt {
        return Err(Failure::new(
            "system packages are missing",
            format!("run `{}`, then start this command again", install_line(manager, &names)),
        ));
    }
    apt_install(&names)?;
    let still = missing_of(&missing);
    if still.is_empty() {
        return Ok(());
    }
    let names: Vec<&str> = still.iter().map(|package| package.name(manager)).collect();
    Err(Failure::new(
        format!("installed, but still not usable: {}", names.join(", ")),
        "see what apt said above; on a derivative of Debian the package may have another name",
    ))
}

fn missing_of(wanted: &[Package]) -> Vec<Package> {
    wanted.iter().copied().filter(|package| !package.is_present()).collect()
}

fn apt_install(names: &[&str]) -> Result<(), Failure> {
    let by_hand = install_line(Manager::Apt, names);
    let root = is_root();
    if !root && !Run::new("sudo").arguments(["-n", "true"]).works() {
        return Err(Failure::new(
            "system packages are missing, and this account may not install them without a password",
            format!("run `{by_hand}`, then start this command again"),
        ));
    }
    println!("    installing them with apt-get{}", if root { "" } else { " (sudo)" });
    let mut wrapper = if root { vec![] } else { vec!["sudo", "-n"] };
    wrapper.extend(["env", "DEBIAN_FRONTEND=noninteractive"]);
    let apt = |arguments: &[&str]| {
        Run::new("apt-get")
            .arguments(["-q", "-o", "DPkg::Lock::Timeout=300"])
            .arguments(arguments)
            .inside(&wrapper)
    };
    // An unreachable extra source must not stop us; whether the packages come is decided by the install.
    if apt(&["update"]).exit_code()? != 0 {
        println!("    `apt-get update` had complaints; trying to install anyway");
    }
    let mut install = vec!["install", "-y", "--no-install-recommends"];
    install.extend_from_slice(names);
    apt(&install).succeed(&format!("run `{by_hand}` by hand and read its answer"))
}

fn install_line(manager: Manager, names: &[&str]) -> String {
    let names = names.join(" ");
    match manager {
        Manager::Apt => {
            format!("sudo apt-get update && sudo apt-get install -y --no-install-recommends {names}")
        }
        Manager::Dnf => format!("sudo dnf install {names}"),
        Manager::Pacman => format!("sudo pacman -S --needed {names}"),
        Manager::Brew => format!("brew install {names}"),
    }
}

fn unknown_system(missing: &[Package]) -> Failure {
    let names: Vec<&str> = missing.iter().map(|package| package.name(Manager::Apt)).collect();
    Failure::new(
        "system packages are missing, and no package manager that this command knows was found",
        format!("install what Debian calls `{}`, then start this command again", names.join(" ")),
    )
}

fn manager() -> Option<Manager> {
    [("apt-get", Manager::Apt), ("dnf", Manager::Dnf), ("pacman", Manager::Pacman), ("brew", Manager::Brew)]
        .into_iter()
        .find(|(program, _)| env::on_path(program))
        .map(|(_, manager)| manager)
}

fn is_root() -> bool {
    Run::new("id").arguments(["-u"]).answer("").is_ok_and(|uid| uid.trim() == "0")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_to_type_names_every_missing_package() {
        let names = [Package::WebEngine, Package::Postgres].map(|package| package.name(Manager::Apt));
        assert_eq!(
            install_line(Manager::Apt, &names),
            "sudo apt-get update && sudo apt-get install -y --no-install-recommends libwebkit2gtk-4.1-dev postgresql"
        );
    }

    #[test]
    fn a_version_folder_without_server_programs_does_not_count() -> std::io::Result<()> {
        let root = std::env::temp_dir().join(format!("lockstep-xtask-packages-{}", std::process::id()));
        std::fs::create_dir_all(root.join("15/bin"))?;
        let client_only = versioned_server(&root);
        std::fs::write(root.join("15/bin/initdb"), "")?;
        std::fs::write(root.join("15/bin/postgres"), "")?;
        let complete = versioned_server(&root);
        std::fs::remove_dir_all(&root)?;
        assert!(!client_only && complete);
        Ok(())
    }
}
