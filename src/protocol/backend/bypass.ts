/** Flags that let a program bypass approvals and mocks. They cannot be combined with either. */
import type { BackendName } from "./backend-name.ts";
import { isProgramBackend, programFacts } from "./programs.ts";

/** The first such flag in a `command`; undefined if there is none. */
export function bypassIn(backend: BackendName, command: string[] | undefined): string | undefined {
  const [, ...args] = command ?? [];
  const flags = isProgramBackend(backend) ? programFacts(backend).bypass : [];
  return args.find((arg, index) =>
    flags.some(({ names, unless }) => {
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
