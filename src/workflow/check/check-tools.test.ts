import { expect, test } from "bun:test";
import { parseWorkflow } from "../parse.ts";

/** The diagnostics of an agent with these lines; the folder contains only `my-tools.ts`. */
function check(lines: string) {
  const text = `agents:\n  a:\n    backend: mock\n${lines.replaceAll(/^/gm, "    ")}\n`;
  const findFile = (path: string) =>
    path === "./my-tools.ts" ? undefined : { problem: `there is no ${path}`, similar: "my-tools.ts" };
  return parseWorkflow(text, { file: "w.yaml", findFile }).diagnostics;
}

test("accepts tools, modules, servers and skills as the reference shows them", () => {
  const lines = `tools: [read_file, search_code, bash, ./my-tools.ts]
mcp_servers:
  github: { command: npx, args: [-y, some-server], env: { TOKEN: $GITHUB_TOKEN } }
  docs: { type: http, url: https://example.com/mcp, headers: { Authorization: Bearer $DOCS_KEY }, timeout: 5s }
skills: [owner/repo@v1:{a,b}, git@example.com:a/b.git]`;
  expect(check(lines)).toEqual([]);
  expect(check("skills: false")).toEqual([]);
});

test("reads a repository with names the same in every form of list", () => {
  for (const skills of [
    "skills: [owner/repo@v1:{a,b}]",
    "skills:\n- owner/repo@v1:{a,b}",
    'skills: ["owner/repo@v1:{a,b}"]',
  ]) {
    const { definition } = parseWorkflow(`agents:\n  a:\n    backend: mock\n    ${skills.replace("\n", "\n    ")}`, {
      file: "w.yaml",
    });
    expect(definition?.agents.a?.skills).toEqual(["owner/repo@v1:{a,b}"]);
  }
});

test.each([
  ["tools: [read_fil]", "unknown tool 'read_fil': did you mean 'read_file'?", "one of bash"],
  ["tools: [my-tools.ts]", "'my-tools.ts' is neither a tool nor the path of a module", "./my-tools.ts"],
  ["tools: [./my-tools.py]", "'./my-tools.py' is neither", ".ts or .js"],
  ["tools: [./my-tool.ts]", "there is no ./my-tool.ts: did you mean 'my-tools.ts'?", "relative to the workflow file"],
  ["tools: [bash, bash]", "'bash' is listed twice", ""],
  ["tools: [3]", "expected one of bash", ""],
  ["mcp_servers: { x: {} }", "an MCP server needs a command or a url", "command: npx"],
  ["mcp_servers: { x: npx }", "an MCP server needs a command or a url", "command: npx"],
  ["mcp_servers: { x: { comand: npx } }", "an MCP server needs a command or a url", "command: npx"],
  ["mcp_servers: { x: { command: npx, arg: [] } }", "unknown key 'arg': did you mean 'args'?", ""],
  ["mcp_servers: { x: { url: example.com } }", "expected a URL such as", ""],
  ["mcp_servers: { x: { url: 'file:///etc/passwd' } }", "expected a URL such as", ""],
  ["mcp_servers: { 'a b': { command: npx } }", "'a b' is not a valid name", ""],
  ["mcp_servers: { x: { command: ./server.ts } }", "there is no ./server.ts", "relative to"],
  ["mcp_servers: { x: { command: npx -y server } }", "one program, with spaces", "args: [-y, server]"],
  ["mcp_servers: { x: { command: npx, env: { A: '${{ env.A }}' } } }", "${{ }} is not interpolated here", "$NAME"],
  ["skills: [pdf]", "'pdf' is not a source of skills", "owner/repo@ref"],
  ["skills: ['ext::sh -c x']", "is not a source of skills", "owner/repo@ref"],
  ["skills: [./none]", "there is no ./none", ""],
  ["skills: yes please", "expected a list of skills", "false: no skills"],
])("%s", (lines, message, hint) => {
  const [first, ...others] = check(lines);
  expect(others).toEqual([]);
  expect(first?.message).toContain(message);
  expect(first?.hint ?? "").toContain(hint);
  expect(first?.line).toBe(4);
});
