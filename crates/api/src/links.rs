//! Addresses that a window may open in the person's browser.

use url::Url;

use crate::app::App;
use crate::error::Result;
use crate::pages;
use crate::wire::ApiError;

/// The address, when it is a page at the host of one of our connections. Nothing else is ever opened.
///
/// # Errors
/// `bad_input`.
pub async fn checked(app: &App, url: &str) -> Result<Url> {
    let refused = || {
        ApiError::bad_input("This address is not a page of one of the connections.")
            .hinted("Only pages of connected forges are opened from here.")
    };
    let parsed = Url::parse(url).map_err(|_no_url| refused())?;
    let connections = app.store().connections().await?;
    if pages::is_ours(&connections, &parsed) { Ok(parsed) } else { Err(refused()) }
}
