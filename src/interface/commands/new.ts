/** `new`: creates a standalone agent that works in the current folder. */
import { backendNames } from "../../protocol/backend/backend-name.ts";
import type { AgentInput } from "../../protocol/definition/agent-definition.ts";
import { AppError } from "../../protocol/error.ts";
import { promptFileBytes } from "../../protocol/limits.ts";
import { nameProblem } from "../../protocol/target.ts";
import { readTextFile } from "../../system/text-file.ts";
import { defineCommand, required } from "../command-line/command.ts";
import { text } from "../command-line/options.ts";
import { readDefaultTarget, writeDefaultTarget } from "../command-line/target.ts";

export const command = defineCommand({
  arguments: { name: required("name of the agent: letters, digits, _ and -") },
  options: {
    model: text("-m, --model <model>", "model to use"),
    backend: text("-b, --backend <backend>", `backend: ${backendNames.join(", ")}`),
    system: text("-s, --system <text>", "system prompt"),
    promptFile: text("-f, --file <file>", "file with the system prompt"),
    schedule: text("--schedule <when>", "schedule: an interval (5m) or a cron expression"),
    script: text("--script <file>", "script for a mock agent: a YAML or JSON file"),
  },
  details: "The agent works in the current folder. The first agent becomes the default target.",
  examples: [
    ['agent-worker new alice -b mock -s "You are brief."', "create an agent that needs no API key"],
    ["agent-worker new tester -b mock --script tester.yaml", "create a mock agent that follows a script"],
  ],
  async run({ args, options, session }) {
    const { output, home } = session;
    const problem = nameProblem(args.name, "agent");
    if (problem !== undefined) throw new AppError("usage", problem);
    if (options.system !== undefined && options.promptFile !== undefined) {
      throw new AppError("usage", "two system prompts: --system and --file", { hint: "use only one of them" });
    }
    const prompt = options.promptFile === undefined ? options.system : readShortFile(options.promptFile);
    const definition = {
      ...(options.backend !== undefined && { backend: options.backend }),
      ...(options.model !== undefined && { model: options.model }),
      ...(prompt !== undefined && { system_prompt: prompt }),
      ...(options.schedule !== undefined && { schedule: options.schedule }),
      ...(options.script !== undefined && { script: await readScript(options.script) }),
    };
    await check(args.name, definition);
    const client = await session.connect();
    const agent = await client.createAgent({
      name: args.name,
      definition: definition as AgentInput,
      cwd: session.cwd,
      env: session.env,
    });
    const first = readDefaultTarget(home) === undefined;
    if (first) writeDefaultTarget(home, agent.target);
    if (output.json) return output.printJson(agent);
    output.print(`created ${agent.target}${first ? ", the default target" : ""}`);
    output.next(`agent-worker send ${agent.target} "Hello" --wait`, "talk to it");
  },
});

/** The same checks as for an agent in a workflow file, so that the same mistakes get the same errors. */
async function check(name: string, definition: object): Promise<void> {
  const [{ parseDefinition }, { findProblems }] = await Promise.all([
    import("../../workflow/diagnostics/schema-issues.ts"),
    import("../../workflow/check/check.ts"),
  ]);
  const workflow = { name: "standalone", agents: { [name]: definition } };
  const findings = [...parseDefinition(workflow).findings, ...findProblems(workflow, {})];
  const [first] = findings.filter(({ severity }) => severity === "error");
  if (first) throw new AppError("usage", first.message, { hint: first.hint });
}

async function readScript(file: string): Promise<unknown> {
  const source = readShortFile(file);
  const [{ readYaml }, { formatDiagnostics }] = await Promise.all([
    import("../../workflow/yaml/yaml-reader.ts"),
    import("../../workflow/diagnostics/diagnostic.ts"),
  ]);
  const { value, diagnostics } = readYaml(source);
  if (diagnostics.length > 0)
    throw new AppError("usage", `${file} cannot be read:\n${formatDiagnostics(diagnostics, source, file)}`);
  return value;
}

function readShortFile(file: string): string {
  const read = readTextFile(file, promptFileBytes);
  if ("text" in read) return read.text;
  throw new AppError(read.problem === "too-large" ? "too-large" : "usage", read.sentence);
}
