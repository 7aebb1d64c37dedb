"""Trims GitHub's OpenAPI description to the answers the practice forge gives.

Usage: npm pack @octokit/openapi, unpack, then
    python3 trim-openapi.py package/generated/api.github.com.json > openapi.json

Kept: the JSON schema of every documented answer of the listed operations, with the components they need, as JSON
Schema 2020-12 (`nullable` becomes a type list). Dropped: prose, examples, formats, links.
"""
import json
import sys

OPERATIONS = """
GET /user
GET /app
GET /app/installations
GET /app/installations/{installation_id}
POST /app/installations/{installation_id}/access_tokens
GET /installation/repositories
GET /rate_limit
GET /orgs/{org}/repos
POST /orgs/{org}/repos
GET /user/repos
POST /user/repos
GET /orgs/{org}/installation
GET /users/{username}/installation
GET /repos/{owner}/{repo}/installation
GET /users/{username}/repos
GET /repos/{owner}/{repo}
GET /repos/{owner}/{repo}/branches
GET /repos/{owner}/{repo}/branches/{branch}
GET /repos/{owner}/{repo}/git/ref/{ref}
GET /repos/{owner}/{repo}/git/matching-refs/{ref}
GET /repos/{owner}/{repo}/commits
GET /repos/{owner}/{repo}/commits/{ref}
GET /repos/{owner}/{repo}/compare/{basehead}
GET /repos/{owner}/{repo}/pulls
POST /repos/{owner}/{repo}/pulls
GET /repos/{owner}/{repo}/pulls/{pull_number}
PATCH /repos/{owner}/{repo}/pulls/{pull_number}
GET /repos/{owner}/{repo}/pulls/{pull_number}/commits
GET /repos/{owner}/{repo}/pulls/{pull_number}/files
PUT /repos/{owner}/{repo}/pulls/{pull_number}/merge
GET /repos/{owner}/{repo}/issues/{issue_number}/comments
POST /repos/{owner}/{repo}/issues/{issue_number}/comments
PATCH /repos/{owner}/{repo}/issues/comments/{comment_id}
""".split("\n")
DROP = {"description", "example", "examples", "title", "format", "externalDocs", "deprecated", "x-github",
        "x-githubEnterpriseOnly", "default", "readOnly", "x-github-breaking-changes", "summary"}

source = json.load(open(sys.argv[1]))
components, pending = {}, []


def clean(node, is_map=False):
    """A schema without prose; `is_map`: the keys are property names and not keywords."""
    if isinstance(node, list):
        return [clean(v) for v in node]
    if not isinstance(node, dict):
        return node
    if is_map:
        return {k: clean(v) for k, v in node.items()}
    if "$ref" in node:
        name = node["$ref"].rsplit("/", 1)[1]
        pending.append(name)
        return {"$ref": "#/$defs/" + name}
    out = {}
    for key, value in node.items():
        if key in DROP or key.startswith("x-") or key == "nullable":
            continue
        if key == "properties":
            value = clean(value, True)
            # A property that may be anything says nothing here.
            out[key] = {k: v for k, v in value.items() if v != {}}
        elif key in ("enum", "required"):
            out[key] = value
        else:
            out[key] = clean(value)
    if node.get("nullable"):
        if isinstance(out.get("type"), str):
            out["type"] = [out["type"], "null"]
            if "enum" in out and None not in out["enum"]:
                out["enum"] = out["enum"] + [None]
        else:
            out = {"anyOf": [out, {"type": "null"}]}
    return out


operations = {}
for line in filter(None, OPERATIONS):
    method, path = line.split()
    op = source["paths"][path][method.lower()]
    answers = {}
    for code, answer in op["responses"].items():
        if "$ref" in answer:
            answer = source["components"]["responses"][answer["$ref"].rsplit("/", 1)[1]]
        media = (answer.get("content") or {}).get("application/json")
        if media and "schema" in media:
            answers[code] = clean(media["schema"])
    operations[f"{method} {path}"] = answers
while pending:
    name = pending.pop()
    if name not in components:
        components[name] = None
        components[name] = clean(source["components"]["schemas"][name])
json.dump({
    "$comment": "Trimmed by trim-openapi.py from npm @octokit/openapi 23.0.2. MIT License, Copyright (c) 2020 Octokit "
                "contributors; the notice is in LICENSE-octokit.md.",
    "operations": operations, "$defs": components}, sys.stdout, separators=(",", ":"), sort_keys=True)
