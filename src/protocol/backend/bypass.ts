/** Flags that let a program bypass approvals and mocks. They cannot be combined with either. */
import type { BackendName } from "./backend-name.ts";

/** Its value follows `=` or is the next argument; values that `unless` matches bypass nothing. */
type Flag = { names: string[]; unless?: RegExp };

const flags: Partial<Record<BackendName, Flag[]>> = {
  codex: [
    { names: ["--dangerously-bypass-approvals-and-sandbox", "--yolo", "--full-auto"] },
    { names: ["--sandbox", "-s"], unless: /^read-only$/ },
    { names: ["--config", "-c"], unless: /^(?!\s*["']?(?:sandbox|approval|profile|permission|default_permission))/ },
    // A profile can set another sandbox.
    { names: ["--profile", "-p"] },
  ],
  claude: [
    { names: ["--dangerously-skip-permissions", "--allow-dangerously-skip-permissions"] },
    { names: ["--permission-mode"], unless: /^(?:default|plan|dontAsk)$/ },
    { names: ["--allowedTools", "--allowed-tools", "--settings"] },
  ],
  cursor: [{ names: ["--force", "-f", "--yolo"] }],
};

/** The first such flag in a `command`; undefined if there is none. */
export function bypassIn(backend: BackendName, command: string[] | undefined): string | undefined {
  const [, ...args] = command ?? [];
  return args.find((arg, index) =>
    flags[backend]?.some(({ names, unless }) => {
      const name = names.find((each) => isFlag(arg, each));
      if (name === undefined) return false;
      const value = arg === name ? args[index + 1] : arg.slice(name.length).replace(/^=/, "");
      return value === undefined || unless?.test(value) !== true;
    }),
  );
}

/** Short flags can be joined with their value: `-sworkspace-write` is `-s workspace-write`. */
function isFlag(arg: string, name: string): boolean {
  if (name.startsWith("--")) return arg === name || arg.startsWith(`${name}=`);
  return arg.startsWith(name) && !arg.startsWith("--");
}

/** The error message for the author of the workflow. */
export function bypassProblem(flag: string, what: string): string {
  return `${flag} in \`command\` lets the program bypass ${what}: remove the flag, or ${what}`;
}
