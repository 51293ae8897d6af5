/** `tool`: what an agent can use. */
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

const verbs = ["list", "add", "import", "mock", "remove"];

export const command = defineCommand({
  arguments: {
    verb: required("list, add, import, mock or remove"),
    target: optional("an agent (coder@review); for list also a workflow (@review)"),
    words: rest("add: built-in tools; import: files; mock: a tool and its answer as JSON; remove: what was added"),
  },
  options: {},
  details:
    "What is changed here counts from the agent's next turn on. Starting the workflow file again sets what the file says. " +
    "A mocked tool does nothing but answer; listing loads no module and asks no server.",
  examples: [
    ["agent-worker tool list coder@review", "what it has, and from where"],
    ["agent-worker tool add alice bash read_file", "gives it built-in tools"],
    ["agent-worker tool import alice ./my-tools.ts", "gives it the tools of a module"],
    [`agent-worker tool mock alice bash '"all tests pass"'`, "bash answers that and runs nothing"],
    ["agent-worker tool remove alice bash", "takes back what was added or mocked"],
  ],
  async run({ args, session }) {
    const { output } = session;
    const { verb } = args;
    if (!verbs.includes(verb)) {
      const hint = "agent-worker tool list <target>";
      throw new AppError("usage", `'${verb}' is none of ${verbs.join(", ")}`, { hint });
    }
    const change = verb === "list" ? undefined : readChange(verb, args.words, session.cwd);
    const target = formatTarget(await chooseTarget(session, args.target));
    const client = await session.connect();
    const { agents } = await (change
      ? client.call("PATCH /tools/:target", { target, body: change })
      : client.call("GET /tools/:target", { target }));
    if (output.json) return output.printJson({ agents });
    for (const agent of agents) show(agent, agents.length > 1, output);
    for (const name of Object.keys(change?.mocks ?? {})) noteUnseen(name, agents, output);
    if (change) output.next(`agent-worker tool list ${target}`, "shows this again");
    else output.next(`agent-worker tool add ${target} bash`, "gives an agent another one");
  },
});

function readChange(verb: string, words: string[], cwd: string): Partial<ToolingChange> {
  const [name, json, ...others] = words;
  if (name === undefined) throw new AppError("usage", "which tool?", { hint: `agent-worker tool ${verb} --help` });
  if (verb === "add") return { add: words };
  if (verb === "remove") return { remove: words.map((word) => (isFile(word) ? resolve(cwd, word) : word)) };
  if (verb === "import") return { add: words.map((word) => modulePath(word, cwd)) };
  const hint = `agent-worker tool mock <target> ${name} '{"answer": 42}'`;
  if (json === undefined || others.length > 0)
    throw new AppError("usage", "a mock has a tool and one answer", { hint });
  return { mocks: { [name]: readAnswer(json, hint) } };
}

function readAnswer(json: string, hint: string): unknown {
  try {
    return JSON.parse(json);
  } catch (cause) {
    throw new AppError("usage", `the answer is not JSON: ${oneLine(json, 60)}`, {
      hint: `${hint}; a text is '"…"'`,
      cause,
    });
  }
}

function modulePath(word: string, cwd: string): string {
  const file = resolve(cwd, word);
  if (!/\.[mc]?[jt]s$/.test(file))
    throw new AppError("usage", `${word} is no module`, { hint: "give a .ts or .js file" });
  if (!existsSync(file)) throw new AppError("usage", `there is no ${word}`);
  return file;
}

function isFile(word: string): boolean {
  return /^\.{0,2}\//.test(word);
}

/** Modules are not loaded for a command: a name that is none of the known ones may be mistyped. */
function noteUnseen(name: string, agents: AgentTools[], { note }: Output): void {
  const tools = agents.flatMap((agent) => agent.tools);
  const modules = tools.flatMap(({ kind, name: file }) => (kind === "module" ? [basename(file)] : []));
  const isKnown = name === "skill" || tools.some((tool) => tool.kind === "built-in" && tool.name === name);
  const isOfServer = tools.some(({ kind, name: server }) => kind === "server" && name.startsWith(`${server}_`));
  if (isKnown || isOfServer || modules.length === 0) return;
  note(`nobody has looked whether ${printable(modules.join(" or "))} has a tool called ${printable(name)}`);
}

const kinds = { "built-in": "built-in", module: "module", server: "MCP server", skills: "skills", mock: "mocked" };

function show({ target, tools }: AgentTools, isOneOfMany: boolean, { print, note, stdout }: Output): void {
  const { style, width } = stdout;
  if (isOneOfMany) print(style.bold(printable(target)));
  if (tools.length === 0) return note(`${printable(target)} has no tools but those of its team`);
  // Names last: those of modules are whole paths.
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
