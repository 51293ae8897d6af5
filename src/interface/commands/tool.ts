/** `tool`: lists and changes an agent's tools. */
import { existsSync } from "node:fs";
import { basename, resolve } from "node:path";
import { AppError } from "../../protocol/error.ts";
import { formatTarget } from "../../protocol/target.ts";
import type { AgentTools, ToolingChange } from "../../protocol/tooling.ts";
import { defineCommand, optional, required, rest } from "../command-line/command.ts";
import type { Output } from "../render/output.ts";
import { renderTable } from "../render/table.ts";
import { chooseTarget } from "../command-line/target.ts";
import { oneLine, printable } from "../../text/terminal.ts";

const subcommands = ["list", "add", "import", "mock", "remove"];

export const command = defineCommand({
  arguments: {
    subcommand: required("list, add, import, mock or remove"),
    target: optional("an agent (coder@review); for list also a workflow (@review)"),
    words: rest(
      "add: built-in tools; import: files; mock: a tool and its answer as JSON; remove: added or mocked tools",
    ),
  },
  options: {},
  details:
    "Changes apply from the agent's next turn. Starting the workflow file again restores the tools of the file. " +
    "A mocked tool only returns its answer. Listing loads no module and contacts no server.",
  examples: [
    ["agent-worker tool list coder@review", "list its tools, and where they come from"],
    ["agent-worker tool add alice bash read_file", "add built-in tools"],
    ["agent-worker tool import alice ./my-tools.ts", "add the tools of a module"],
    [`agent-worker tool mock alice bash '"all tests pass"'`, "make bash return this text and run nothing"],
    ["agent-worker tool remove alice bash", "undo an add or a mock"],
  ],
  async run({ args, session }) {
    const { output } = session;
    const { subcommand } = args;
    if (!subcommands.includes(subcommand)) {
      const hint = `one of ${subcommands.join(", ")}`;
      throw new AppError("usage", `unknown subcommand '${subcommand}' for tool`, { hint });
    }
    const change = subcommand === "list" ? undefined : readChange(subcommand, args.words, session.cwd);
    const target = formatTarget(await chooseTarget(session, args.target));
    const client = await session.connect();
    const { agents } = await (change
      ? client.call("PATCH /tools/:target", { target, body: change })
      : client.call("GET /tools/:target", { target }));
    if (output.json) return output.printJson({ agents });
    for (const agent of agents) show(agent, agents.length > 1, output);
    for (const name of Object.keys(change?.mocks ?? {})) noteUnknownTool(name, agents, output);
    if (change) output.next(`agent-worker tool list ${target}`, "list its tools again");
    else output.next(`agent-worker tool add ${target} bash`, "add a tool");
  },
});

function readChange(subcommand: string, words: string[], cwd: string): Partial<ToolingChange> {
  const [name, json, ...others] = words;
  if (name === undefined) throw new AppError("usage", "missing tool", { hint: `agent-worker tool --help` });
  if (subcommand === "add") return { add: words };
  if (subcommand === "remove") return { remove: words.map((word) => (isFile(word) ? resolve(cwd, word) : word)) };
  if (subcommand === "import") return { add: words.map((word) => modulePath(word, cwd)) };
  const hint = `agent-worker tool mock <target> ${name} '{"answer": 42}'`;
  if (json === undefined || others.length > 0)
    throw new AppError("usage", "mock takes a tool and one answer", { hint });
  return { mocks: { [name]: readAnswer(json, hint) } };
}

function readAnswer(json: string, hint: string): unknown {
  try {
    return JSON.parse(json);
  } catch (cause) {
    throw new AppError("usage", `the answer is not JSON: ${oneLine(json, 60)}`, {
      hint: `${hint}; text is written as '"…"'`,
      cause,
    });
  }
}

function modulePath(word: string, cwd: string): string {
  const file = resolve(cwd, word);
  if (!/\.[mc]?[jt]s$/.test(file))
    throw new AppError("usage", `${word} is not a module`, { hint: "use a .ts or .js file" });
  if (!existsSync(file)) throw new AppError("usage", `no such file: ${word}`);
  return file;
}

function isFile(word: string): boolean {
  return /^\.{0,2}\//.test(word);
}

/** Modules are not loaded here: an unknown name may be a tool of a module, or mistyped. */
function noteUnknownTool(name: string, agents: AgentTools[], { note }: Output): void {
  const tools = agents.flatMap((agent) => agent.tools);
  const modules = tools.flatMap(({ kind, name: file }) => (kind === "module" ? [basename(file)] : []));
  const isKnown = name === "skill" || tools.some((tool) => tool.kind === "built-in" && tool.name === name);
  const isOfServer = tools.some(({ kind, name: server }) => kind === "server" && name.startsWith(`${server}_`));
  if (isKnown || isOfServer || modules.length === 0) return;
  note(`not checked: whether ${printable(modules.join(" or "))} has a tool named ${printable(name)}`);
}

const kinds = { "built-in": "built-in", module: "module", server: "MCP server", skills: "skills", mock: "mocked" };

function show({ target, tools }: AgentTools, isOneOfMany: boolean, { print, note, stdout }: Output): void {
  const { style, width } = stdout;
  if (isOneOfMany) print(style.bold(printable(target)));
  if (tools.length === 0) return note(`${printable(target)} has only its team's tools`);
  // Names come last: those of modules are whole paths.
  const rows = tools.map(({ name, kind, added, detail }) => [
    style.dim(kinds[kind]),
    [
      printable(name),
      detail !== null && style.dim(oneLine(detail, 100)),
      added && kind !== "mock" && style.dim("(added)"),
    ]
      .filter(Boolean)
      .join("  "),
  ]);
  print(renderTable(rows, { width, indent: isOneOfMany ? "  " : "" }));
}
