/** Flags by which a program does unasked what approvals and mocks are about: beside those they may not stand. */
import type { BackendName } from "./backend-name.ts";

/** With `=value` or the value behind it; `unless` fits the values that bypass nothing. */
type Flag = { names: string[]; unless?: RegExp };

const flags: Partial<Record<BackendName, Flag[]>> = {
  codex: [
    { names: ["--dangerously-bypass-approvals-and-sandbox", "--yolo", "--full-auto"] },
    { names: ["--sandbox", "-s"], unless: /^read-only$/ },
    { names: ["--config", "-c"], unless: /^(?!\s*["']?(?:sandbox|approval|profile|permission|default_permission))/ },
    // May hold another sandbox.
    { names: ["--profile", "-p"] },
  ],
  claude: [
    { names: ["--dangerously-skip-permissions", "--allow-dangerously-skip-permissions"] },
    { names: ["--permission-mode"], unless: /^(?:default|plan|dontAsk)$/ },
    { names: ["--allowedTools", "--allowed-tools", "--settings"] },
  ],
  cursor: [{ names: ["--force", "-f", "--yolo"] }],
};

/** The first such flag in a `command`; undefined when it has none. */
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

/** `-sworkspace-write` is `-s workspace-write`. */
function isFlag(arg: string, name: string): boolean {
  if (name.startsWith("--")) return arg === name || arg.startsWith(`${name}=`);
  return arg.startsWith(name) && !arg.startsWith("--");
}

/** Why a turn cannot be played so, in words for whoever wrote the workflow. */
export function bypassProblem(flag: string, what: string): string {
  return `${flag} in \`command\` lets the program act past ${what}: remove the flag, or ${what}`;
}
