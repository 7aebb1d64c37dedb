// Extracts the part of GitHub's public GraphQL schema that the practice forge serves.
// Usage: npm i graphql@16 && npm pack @octokit/graphql-schema, unpack, then
//   node extract-graphql.mjs package/schema.graphql > github.graphql
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
const require = createRequire(process.cwd() + "/");
const { parse, print, visit } = require("graphql");

const keep = {
  Query: "node nodes rateLimit repository viewer",
  Mutation: "updateRefs",
  RateLimit: "*",
  Node: "*", Actor: "*", RepositoryOwner: "id login url resourcePath avatarUrl", GitObject: "id oid abbreviatedOid repository", PageInfo: "*",
  Repository: "id databaseId name nameWithOwner owner description url resourcePath sshUrl createdAt updatedAt pushedAt archivedAt isArchived isDisabled isEmpty isFork isLocked lockReason isPrivate isTemplate isMirror visibility viewerPermission viewerCanAdminister mergeCommitAllowed squashMergeAllowed rebaseMergeAllowed deleteBranchOnMerge autoMergeAllowed defaultBranchRef ref refs object pullRequest pullRequests diskUsage forkCount",
  Ref: "id name prefix repository target compare associatedPullRequests", RefConnection: "*", RefEdge: "*",
  Comparison: "id aheadBy behindBy status baseTarget headTarget commits", ComparisonCommitConnection: "nodes pageInfo totalCount",
  Commit: "id oid abbreviatedOid repository tree message messageHeadline messageBody committedDate authoredDate author committer parents url commitUrl resourcePath history", CommitConnection: "nodes pageInfo totalCount", CommitHistoryConnection: "nodes pageInfo totalCount", GitActor: "name email date",
  CommitHistoryConnection: "nodes pageInfo totalCount",
  Tree: "id oid abbreviatedOid repository", Blob: "id oid abbreviatedOid repository byteSize", Tag: "id oid abbreviatedOid repository name target message",
  PullRequest: "id databaseId fullDatabaseId number title body state merged mergeable isDraft closed closedAt createdAt updatedAt mergedAt mergedBy url resourcePath permalink headRefName headRefOid headRef headRepository headRepositoryOwner baseRefName baseRefOid baseRef baseRepository repository isCrossRepository author mergeCommit maintainerCanModify",
  PullRequestConnection: "nodes pageInfo totalCount edges", PullRequestEdge: "*",
  User: "id databaseId login name url resourcePath avatarUrl", Bot: "id databaseId login url resourcePath avatarUrl createdAt updatedAt", Organization: "id databaseId login name url resourcePath avatarUrl", Mannequin: "id databaseId login url resourcePath avatarUrl", EnterpriseUserAccount: "",
  UpdateRefsInput: "*", UpdateRefsPayload: "*", RefUpdate: "*",
  IssueOrder: "*", RefOrder: "*", PullRequestOrder: "*",
};
const doc = parse(readFileSync(process.argv[2], "utf8"), { noLocation: true });
const byName = new Map(doc.definitions.filter((d) => d.name).map((d) => [d.name.value, d]));
const out = new Map();
const leaf = /Scalar|Enum|InputObject/;
function named(t) { return t.kind === "NamedType" ? t.name.value : named(t.type); }
const builtin = new Set(["ID", "String", "Int", "Float", "Boolean"]);
const missing = [];
function pull(name) {
  if (builtin.has(name) || out.has(name)) return;
  const d = byName.get(name);
  if (!d || !leaf.test(d.kind)) { if (!keep[name]) missing.push(name); return; }
  out.set(name, d);
  for (const f of d.fields ?? []) pull(named(f.type));
}
for (const [name, list] of Object.entries(keep)) {
  const d = byName.get(name);
  if (!d || !list) continue;
  const want = new Set(list.split(" "));
  let fields = d.fields;
  if (list !== "*") {
    for (const w of want) if (!d.fields.some((f) => f.name.value === w)) missing.push(`${name}.${w}`);
    fields = d.fields.filter((f) => want.has(f.name.value));
  }
  out.set(name, { ...d, fields, interfaces: d.interfaces?.filter((i) => keep[i.name.value]) });
  for (const f of fields) { pull(named(f.type)); for (const a of f.arguments ?? []) pull(named(a.type)); }
}
// A field of a kept interface must exist on every kept type that implements it.
for (const [n, d] of out) for (const i of d.interfaces ?? []) {
  const iface = out.get(i.name.value);
  for (const f of iface.fields) if (!d.fields.some((g) => g.name.value === f.name.value)) {
    const src = byName.get(n).fields.find((g) => g.name.value === f.name.value);
    d.fields.push(src); for (const a of src.arguments ?? []) pull(named(a.type)); pull(named(src.type));
  }
}
const drop = new Set([...missing]);
const short = (s) => s && { ...s, value: s.value.split("\n\n")[0], block: s.value.includes("\n") };
const defs = [...out.values()].sort((a, b) => a.name.value.localeCompare(b.name.value)).map((d) => visit(d, {
  Directive: () => null,
  FieldDefinition: { leave: (f) => ({ ...f, description: short(f.description) }) },
  InputValueDefinition: { leave: (f) => ({ ...f, description: undefined }) },
}));
for (const m of drop) if (!m.includes(".")) console.error("type not kept:", m); else console.error("no such field:", m);
console.log(`# An extract of GitHub's public GraphQL schema, from npm @octokit/graphql-schema 15.26.1.
# Copyright (c) GitHub 2025 - Licensed as MIT. The notice is in LICENSE-octokit.md beside this file.
# Made by extract-graphql.mjs: types and fields are left out, none is changed. Do not edit by hand.
`);
console.log(defs.map(print).join("\n\n"));
