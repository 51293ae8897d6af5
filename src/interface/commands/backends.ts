/** `backends`: shows which backend programs are installed, their versions, and whether they are logged in. */
import type { BackendName } from "../../protocol/backend/backend-name.ts";
import type { ProgramBackend } from "../../protocol/backend/programs.ts";
import { defineCommand } from "../command-line/command.ts";
import { inspectPrograms, type ProgramState } from "../inspect-programs.ts";
import { renderTable } from "../render/table.ts";

/** The backends without a program of their own. */
const builtIn: Record<Exclude<BackendName, ProgramBackend>, string> = {
  sdk: "a model's API, with a key in the environment",
  acp: "any agent that speaks the Agent Client Protocol; needs `command`",
  command: "any program; needs `command`",
  mock: "a script instead of a model",
};

export const command = defineCommand({
  arguments: {},
  options: {},
  details: "The programs are called from an empty folder: nothing in the current folder is run.",
  examples: [
    ["agent-worker backends", "see what is installed and logged in, and how to get the rest"],
    ["agent-worker backends --json", "print it as JSON"],
  ],
  async run({ session: { env, output } }) {
    const states = await inspectPrograms(env, process.cwd());
    if (output.json) {
      const others = Object.entries(builtIn).map(([backend, about]) => ({ backend, builtIn: true, about }));
      return output.printJson([...states.map((state) => ({ ...state, builtIn: false })), ...others]);
    }
    const rows = [
      ...states.map(rowOf),
      ...Object.entries(builtIn).map(([backend, about]) => [backend, "built in", "", about]),
    ];
    output.print(renderTable([["BACKEND", "VERSION", "LOGGED IN", ""], ...rows], { width: output.stdout.width }));
  },
});

function rowOf({ backend, program, path, version, loggedIn, fix }: ProgramState): string[] {
  if (path === null) return [backend, "not found", "", `${program}: ${fix}`];
  const login = loggedIn === null ? "unknown" : loggedIn ? "yes" : "no";
  return [backend, version ?? "unknown", login, fix ?? path];
}
