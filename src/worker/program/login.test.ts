import { expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { temporaryFolder } from "../../../test/fixtures/folder.ts";
import { turnSpec } from "../../../test/fixtures/specs.ts";
import { codexHasLogin } from "../backends/codex/codex-login.ts";
import { opencodeHasLogin } from "../backends/opencode/opencode-login.ts";

const spec = turnSpec({ url: "http://127.0.0.1:1/mcp", token: "turn-token" }, { model: "openai/gpt-5" });

test("a login is a provider's key, a variable, or a login file", async () => {
  await using home = await temporaryFolder();
  const env = { HOME: home.path };
  const logins = (provider: { apiKey?: string }, more = {}) => {
    const known = { provider, env: { ...env, ...more } };
    return [codexHasLogin(known), opencodeHasLogin(spec, known)];
  };
  expect(logins({})).toEqual([false, false]);
  expect(logins({ apiKey: "key" })).toEqual([true, true]);
  expect(logins({}, { OPENAI_API_KEY: "key" })).toEqual([true, true]);
  for (const path of [".codex/auth.json", ".local/share/opencode/auth.json"]) {
    mkdirSync(dirname(join(home.path, path)), { recursive: true });
    writeFileSync(join(home.path, path), "{}");
  }
  expect(logins({})).toEqual([true, true]);
});
