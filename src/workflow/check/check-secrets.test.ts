import { expect, test } from "bun:test";
import { parseWorkflow } from "../parse.ts";

const key = "sk-literal-0123456789abcdef";
const random = "9f8e7d6c5b4a39281706abcd";

function check(lines: string) {
  const text = `agents:\n  a:\n    backend: mock\n${lines.replaceAll(/^/gm, "    ")}\n`;
  return parseWorkflow(text, { file: "w.yaml" }).diagnostics;
}

test.each([
  [`env: { LIT_KEY: ${key} }`, "agents.a.env.LIT_KEY", "${{ env.LIT_KEY }}"],
  [`env: { NOTE: "use ghp_0123456789abcdefghij" }`, "agents.a.env.NOTE", "${{ env.NOTE }}"],
  [
    `mcp_servers: { h: { url: "https://example.com/mcp", headers: { Authorization: "Bearer ${key}" } } }`,
    "agents.a.mcp_servers.h.headers.Authorization",
    "$MY_KEY",
  ],
  [`mcp_servers: { p: { command: npx, env: { TOKEN: ${key} } } }`, "agents.a.mcp_servers.p.env.TOKEN", "$TOKEN"],
  [`mcp_servers: { p: { command: npx, args: [--key, ${key}] } }`, "agents.a.mcp_servers.p.args[1]", "$NAME"],
])("rejects a key in %s and shows what to write", (lines, path, form) => {
  expect(check(lines)).toMatchObject([{ severity: "error", path, hint: expect.stringContaining(form) }]);
  expect(JSON.stringify(check(lines).map(({ message, hint }) => [message, hint]))).not.toContain("0123456789");
});

test("warns about a value whose name and format suggest a secret", () => {
  expect(check(`env: { DEPLOY_TOKEN: ${random} }`)).toMatchObject([{ severity: "warning" }]);
  const headers = `{ X-Api-Key: ${random}, Authorization: "Bearer ${random}" }`;
  const found = check(`mcp_servers: { h: { url: "https://example.com/mcp", headers: ${headers} } }`);
  expect(found.map(({ severity }) => severity)).toEqual(["warning", "error"]);
});

test("accepts variables, file names and plain words", () => {
  expect(
    check(`env: { A_KEY: "\${{ env.A_KEY }}", KEY_PATH: /etc/keys/of-the-team-2, SORT_KEY: name, COMMIT: ${random} }
mcp_servers: { p: { command: npx, env: { TOKEN: $TOKEN, B_KEY: "\${B_KEY}" } } }`),
  ).toEqual([]);
});

test("checks the env of steps too", () => {
  const text = `agents: { a: { backend: mock } }\nsetup:\n- { shell: "true", env: { LIT_KEY: ${key} } }\n`;
  expect(parseWorkflow(text, { file: "w.yaml" }).diagnostics).toMatchObject([{ path: "setup[0].env.LIT_KEY" }]);
});
