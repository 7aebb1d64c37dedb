//! Users, organizations, bots, apps, installations.

use serde_json::{Map, Value, json};

use super::Shapes;
use crate::ids::{Node, timestamp};
use crate::world::{Account, AccountKind, App, Author, Installation, Selection};

impl Shapes<'_> {
    /// `simple-user`.
    pub(crate) fn account(&self, account: &Account) -> Value {
        let (kind, node) = match account.kind {
            AccountKind::User => ("User", Node::User(account.id)),
            AccountKind::Organization => ("Organization", Node::Organization(account.id)),
        };
        self.user(account.id, &account.login, kind, &node.encode())
    }

    /// `simple-user` by account id; null when the account is gone.
    pub(crate) fn account_by_id(&self, id: u64) -> Value {
        self.world.accounts.get(&id).map_or(Value::Null, |account| self.account(account))
    }

    /// The author of a pull request, comment or merge.
    pub(crate) fn author(&self, author: &Author) -> Value {
        match author {
            Author::User(id) => self.account_by_id(*id),
            Author::App(id) => self.world.apps.get(id).map_or(Value::Null, |app| {
                let login = format!("{}[bot]", app.slug);
                self.user(app.bot, &login, "Bot", &Node::Bot(app.bot).encode())
            }),
        }
    }

    fn user(&self, id: u64, login: &str, kind: &str, node: &str) -> Value {
        let path = crate::http::call::escape(login);
        let url = format!("{}/users/{path}", self.api);
        let page = match login.strip_suffix("[bot]") {
            Some(app) => format!("apps/{app}"),
            None => login.to_owned(),
        };
        json!({
            "login": login,
            "id": id,
            "node_id": node,
            "avatar_url": self.html(&format!("avatars/u/{id}")),
            "gravatar_id": "",
            "url": url,
            "html_url": self.html(&page),
            "followers_url": format!("{url}/followers"),
            "following_url": format!("{url}/following{{/other_user}}"),
            "gists_url": format!("{url}/gists{{/gist_id}}"),
            "starred_url": format!("{url}/starred{{/owner}}{{/repo}}"),
            "subscriptions_url": format!("{url}/subscriptions"),
            "organizations_url": format!("{url}/orgs"),
            "repos_url": format!("{url}/repos"),
            "events_url": format!("{url}/events{{/privacy}}"),
            "received_events_url": format!("{url}/received_events"),
            "type": kind,
            "user_view_type": "public",
            "site_admin": false,
        })
    }

    /// `private-user`: the answer of `GET /user`.
    pub(crate) fn private_user(&self, account: &Account) -> Value {
        let mut user = self.account(account);
        let owned = self.world.repositories.values().filter(|found| found.owner == account.id);
        let (private, public): (Vec<_>, Vec<_>) = owned.partition(|found| found.private);
        let created = timestamp(account.created_at);
        if let Some(object) = user.as_object_mut() {
            for name in ["name", "company", "location", "email", "hireable", "bio"] {
                object.insert(name.into(), Value::Null);
            }
            object.insert("user_view_type".into(), json!("private"));
            object.insert("blog".into(), json!(""));
            object.insert("created_at".into(), json!(created));
            object.insert("updated_at".into(), json!(created));
            object.insert("two_factor_authentication".into(), json!(false));
            for name in
                ["public_gists", "followers", "following", "private_gists", "disk_usage", "collaborators"]
            {
                object.insert(name.into(), json!(0));
            }
            object.insert("public_repos".into(), json!(public.len()));
            object.insert("total_private_repos".into(), json!(private.len()));
            object.insert("owned_private_repos".into(), json!(private.len()));
        }
        user
    }

    /// `integration`.
    pub(crate) fn app(&self, app: &App) -> Value {
        let created = timestamp(app.created_at);
        let installed = self.world.installations.values().filter(|found| found.app == app.id).count();
        json!({
            "id": app.id,
            "client_id": app.client_id,
            "slug": app.slug,
            "node_id": format!("A_{}", app.id),
            "owner": self.account_by_id(app.owner),
            "name": app.name,
            "description": null,
            "external_url": self.html(""),
            "html_url": self.html(&format!("apps/{}", app.slug)),
            "created_at": created,
            "updated_at": created,
            "permissions": words(&app.permissions),
            "events": [],
            "installations_count": installed,
        })
    }

    /// `installation`.
    pub(crate) fn installation(&self, installation: &Installation) -> Value {
        let app = self.world.apps.get(&installation.app);
        let account = self.world.accounts.get(&installation.account);
        let kind = account.map_or("User", |account| match account.kind {
            AccountKind::User => "User",
            AccountKind::Organization => "Organization",
        });
        let created = timestamp(installation.created_at);
        json!({
            "id": installation.id,
            "client_id": app.map_or("", |app| app.client_id.as_str()),
            "account": self.account_by_id(installation.account),
            "repository_selection": selection(&installation.selection),
            "access_tokens_url": format!("{}/app/installations/{}/access_tokens", self.api, installation.id),
            "repositories_url": format!("{}/installation/repositories", self.api),
            "html_url": self.html(&format!("settings/installations/{}", installation.id)),
            "app_id": installation.app,
            "app_slug": app.map_or("", |app| app.slug.as_str()),
            "target_id": installation.account,
            "target_type": kind,
            "permissions": words(&installation.permissions),
            "events": [],
            "created_at": created,
            "updated_at": created,
            "single_file_name": null,
            "has_multiple_single_files": false,
            "single_file_paths": [],
            "suspended_by": installation.suspended_at.map(|_| self.account_by_id(installation.account)),
            "suspended_at": installation.suspended_at.map(timestamp),
        })
    }
}

/// `all` or `selected`.
pub(crate) fn selection(selection: &Selection) -> &'static str {
    match selection {
        Selection::All => "all",
        Selection::Selected(_) => "selected",
    }
}

/// A permission list as GitHub shows it: without what is not granted.
pub(crate) fn words<'a>(grants: impl IntoIterator<Item = (&'a String, &'a crate::world::Level)>) -> Value {
    let mut map = Map::new();
    for (name, level) in grants {
        if *level > crate::world::Level::None {
            map.insert(name.clone(), json!(level.word()));
        }
    }
    Value::Object(map)
}
