/** `skill`: which skills agents find, and where new ones come from. */
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

const into = ".agents/skills";

export const command = defineCommand({
  arguments: {
    verb: required("list or import"),
    what: optional("list: an agent, whose own skills are shown too; import: a repository or a folder"),
  },
  options: {
    user: flag("--user", "import into the home folder, for all projects"),
    force: flag("--force", "replace skills of the same names"),
  },
  details:
    "Agents find skills in .agents/skills and .claude/skills of their folder and of the home folder, and in the `skills` of their definition. " +
    "Importing copies them into .agents/skills; nothing of a repository is run.",
  examples: [
    ["agent-worker skill list", "what agents of this folder find"],
    ["agent-worker skill import owner/repo@v1:{pdf,charts}", "two skills of a repository on GitHub"],
    ["agent-worker skill import git@example.com:team/skills.git --user", "all of any repository, for every project"],
  ],
  async run({ args, options, session }) {
    const { output } = session;
    if (args.verb === "list") return list(args.what, session);
    if (args.verb !== "import") {
      throw new AppError("usage", `'${args.verb}' is neither list nor import`, { hint: "agent-worker skill list" });
    }
    const source = parseSkillSource(args.what ?? "");
    if ("problem" in source) {
      const problem = args.what === undefined ? "import from where?" : source.problem;
      throw new AppError("usage", problem, { hint: skillSourceForms });
    }
    const home = homeOf(session);
    const folder = join(options.user ? home : session.cwd, into);
    const { importSkills } = await import("../../skills/import-skills.ts");
    const leaving = new AbortController();
    let left: SignalExit | undefined;
    onFirstSignal((code) => {
      left = code;
      leaving.abort();
    });
    const given = { into: folder, force: options.force, home, env: session.env, signal: leaving.signal };
    const skills = await importSkills(args.what ?? "", given).catch((error: unknown) => {
      if (left === undefined) throw error;
      return [];
    });
    if (left !== undefined) return left;
    if (output.json) return output.printJson({ skills });
    output.print(`imported ${skills.map(({ name }) => printable(name)).join(", ")} into ${printable(folder)}`);
    output.next("agent-worker skill list", "shows what agents find");
  },
});

async function list(target: string | undefined, session: Session): Promise<void> {
  const { output } = session;
  const { findSkills } = await import("../../skills/find-skills.ts");
  const agent = target === undefined ? undefined : await findAgent(target, session);
  const declared = agent?.tools.filter(({ kind }) => kind === "skills").map(({ name }) => name) ?? [];
  const sources = declared.filter((source) => source.startsWith("/") || source.startsWith("~"));
  const home = homeOf(session);
  // Listing fetches nothing: repositories are left to the agent's turn.
  const { skills, problems } = await findSkills({ sources, cwd: agent?.cwd ?? session.cwd, home });
  const others = declared.filter((source) => !sources.includes(source));
  if (output.json) return output.printJson({ skills, problems, fetchedByTurns: others });
  for (const problem of problems) output.warn(problem);
  if (skills.length === 0) output.note("there are no skills here");
  const { style, width } = output.stdout;
  const rows = skills.map(({ name, from, description }) => [
    printable(name),
    style.dim(printable(from)),
    oneLine(description, 200),
  ]);
  if (rows.length > 0) output.print(renderTable(rows, { width }));
  if (others.length > 0)
    output.note(`and ${plural(others.length, "source")} that its turns open: ${printable(others.join(", "))}`);
  output.next("agent-worker skill import owner/repo", "brings in more");
}

async function findAgent(target: string, session: Session) {
  const name = formatTarget(await chooseTarget(session, target));
  const client = await session.connect();
  const { agents } = await client.call("GET /tools/:target", { target: name });
  const [only, ...others] = agents;
  if (!only || others.length > 0) throw new AppError("usage", `${name} is not one agent`, { hint: "name an agent" });
  return only;
}

function homeOf({ env }: Session): string {
  if (!env.HOME) throw new AppError("usage", "HOME is not set, so there is no home folder");
  return env.HOME;
}
