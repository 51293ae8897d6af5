import { expect, test } from "bun:test";
import { parseSkillSource } from "./skill-source.ts";

const git = (url: string, ref: string | null = null, names: string[] | null = null) => ({
  kind: "git",
  url,
  ref,
  names,
});
const hub = "https://github.com/owner/repo.git";

test.each([
  ["./skills", { kind: "folder", path: "./skills" }],
  ["../shared/skills", { kind: "folder", path: "../shared/skills" }],
  ["/opt/skills", { kind: "folder", path: "/opt/skills" }],
  ["~/skills", { kind: "folder", path: "~/skills" }],
  ["owner/repo", git(hub)],
  ["owner/repo@v1.2", git(hub, "v1.2")],
  ["owner/repo@feature/x:{a, b-c}", git(hub, "feature/x", ["a", "b-c"])],
  ["owner/repo:pdf", git(hub, null, ["pdf"])],
  ["https://git.example.com/a/b.git@main:{x}", git("https://git.example.com/a/b.git", "main", ["x"])],
  ["file:///srv/repo.git@v1", git("file:///srv/repo.git", "v1")],
  ["ssh://git@example.com:22/a/b.git", git("ssh://git@example.com:22/a/b.git")],
  ["git@github.com:owner/repo.git@v1:{a}", git("git@github.com:owner/repo.git", "v1", ["a"])],
])("%s", (text, source) => {
  expect(parseSkillSource(text)).toEqual(source as ReturnType<typeof parseSkillSource>);
});

test.each([
  "",
  "pdf",
  "-owner/repo",
  "--upload-pack=touch x",
  "ext::sh -c touch% /tmp/x",
  "fd::17",
  "transport::address",
  "owner/repo@-x",
  "owner/repo@a..b",
  "owner/repo:{../x}",
  "owner/repo:{}",
  "git@-oProxyCommand=x:a",
  "ssh://-oProxyCommand=x/a b",
  "https://example.com",
  "https://user@example.com/a/b.git",
  "owner/repo@v1:{a}; rm -rf /",
])("rejects %j", (text) => {
  expect(parseSkillSource(text)).toHaveProperty("problem");
});
