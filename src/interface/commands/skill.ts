/** `skill`: lists the skills that agents find, and imports new ones. */
import { join } from "node:path";
import { AppError } from "../../protocol/error.ts";
import { parseSkillSource, skillSourceForms } from "../../protocol/definition/skill-source.ts";
import { formatTarget } from "../../protocol/target.ts";
import { defineCommand, optional, required } from "../command-line/command.ts";
import { flag } from "../command-line/options.ts";
import type { Session } from "../command-line/session.ts";
import { type SignalExit, onFirstSignal } from "../command-line/signals.ts";
import { renderTable } from "../render/table.ts";
import { chooseTarget } from "../command-line/target.ts";
import { oneLine, plural, printable } from "../../text/terminal.ts";

const skillsFolder = ".agents/skills";

export const command = defineCommand({
  arguments: {
    subcommand: required("list or import"),
    source: optional("list: an agent, to include its own skills; import: a repository or a folder"),
  },
  options: {
    user: flag("--user", "import into your home folder, for all projects"),
    force: flag("--force", "replace skills with the same names"),
  },
  details:
    "Agents find skills in .agents/skills and .claude/skills of their folder and of your home folder, and in the `skills` of their definition. " +
    "Importing copies skills into .agents/skills; nothing in a repository is run.",
  examples: [
    ["agent-worker skill list", "list the skills of agents in this folder"],
    ["agent-worker skill import owner/repo@v1:{pdf,charts}", "import two skills from a GitHub repository"],
    [
      "agent-worker skill import git@example.com:team/skills.git --user",
      "import all skills of any Git repository, for all projects",
    ],
  ],
  async run({ args, options, session }) {
    const { output } = session;
    if (args.subcommand === "list") return list(args.source, session);
    if (args.subcommand !== "import") {
      throw new AppError("usage", `unknown subcommand '${args.subcommand}' for skill`, { hint: "one of list, import" });
    }
    const source = parseSkillSource(args.source ?? "");
    if ("problem" in source) {
      const problem = args.source === undefined ? "missing source" : source.problem;
      throw new AppError("usage", problem, { hint: skillSourceForms });
    }
    const home = homeOf(session);
    const folder = join(options.user ? home : session.cwd, skillsFolder);
    const { importSkills } = await import("../../skills/import-skills.ts");
    const abort = new AbortController();
    let signal: SignalExit | undefined;
    onFirstSignal((code) => {
      signal = code;
      abort.abort();
    });
    const given = { into: folder, force: options.force, home, env: session.env, signal: abort.signal };
    const skills = await importSkills(args.source ?? "", given).catch((error: unknown) => {
      if (signal === undefined) throw error;
      return [];
    });
    if (signal !== undefined) return signal;
    if (output.json) return output.printJson({ skills });
    output.print(`imported ${skills.map(({ name }) => printable(name)).join(", ")} into ${printable(folder)}`);
    output.next("agent-worker skill list", "list the skills that agents find");
  },
});

async function list(target: string | undefined, session: Session): Promise<void> {
  const { output } = session;
  const { findSkills } = await import("../../skills/find-skills.ts");
  const agent = target === undefined ? undefined : await findAgent(target, session);
  const declared = agent?.tools.filter(({ kind }) => kind === "skills").map(({ name }) => name) ?? [];
  const sources = declared.filter((source) => source.startsWith("/") || source.startsWith("~"));
  const home = homeOf(session);
  // Listing fetches nothing: the agent's turn fetches repositories.
  const { skills, problems } = await findSkills({ sources, cwd: agent?.cwd ?? session.cwd, home });
  const others = declared.filter((source) => !sources.includes(source));
  if (output.json) return output.printJson({ skills, problems, fetchedByTurns: others });
  for (const problem of problems) output.warn(problem);
  if (skills.length === 0) output.note("no skills found");
  const { style, width } = output.stdout;
  const rows = skills.map(({ name, from, description }) => [
    printable(name),
    style.dim(printable(from)),
    oneLine(description, 200),
  ]);
  if (rows.length > 0) output.print(renderTable(rows, { width }));
  if (others.length > 0)
    output.note(`plus ${plural(others.length, "source")} that its turns fetch: ${printable(others.join(", "))}`);
  output.next("agent-worker skill import owner/repo", "import more");
}

async function findAgent(target: string, session: Session) {
  const name = formatTarget(await chooseTarget(session, target));
  const client = await session.connect();
  const { agents } = await client.call("GET /tools/:target", { target: name });
  const [only, ...others] = agents;
  if (!only || others.length > 0)
    throw new AppError("usage", `${name} is not a single agent`, { hint: "specify one, such as coder@review" });
  return only;
}

function homeOf({ env }: Session): string {
  if (!env.HOME) throw new AppError("usage", "HOME is not set, so there is no home folder");
  return env.HOME;
}
