/** The help page: what agent-worker is, first steps, and all commands by group. */
import { AppError } from "../../protocol/error.ts";
import { version } from "../../protocol/version.ts";
import { didYouMean } from "../../text/suggest.ts";
import type { CommandEntry, CommandGroup } from "./command.ts";
import { createOutput } from "../render/output.ts";
import { renderTable } from "../render/table.ts";

const groups: Record<CommandGroup, string> = {
  run: "Workflows",
  talk: "Talk and watch",
  recover: "Troubleshoot",
  agents: "Agents and targets",
  system: "System",
};

export function renderHelp(table: CommandEntry[], flags: string[]): string {
  const color = !flags.includes("--no-color");
  const { style, width } = createOutput({ json: false, quiet: false, verbose: false, color }, process.env).stdout;
  const first = [
    ["agent-worker run examples/review.yaml", "run an example team; needs no API key"],
    ["agent-worker start team.yaml -d", "start a team that keeps running"],
    ['agent-worker send @team "@coder hello"', "send a message to one of its agents"],
    ["agent-worker ls", "see what is running and what is waiting for you"],
  ];
  const rows = (name: CommandGroup) =>
    table
      .filter((entry) => entry.group === name)
      .map(({ name: command, syntax, summary, aliases }) => [
        `${style.cyan(command)} ${syntax}`,
        summary + (aliases.length > 0 ? style.dim(` (${aliases.join(", ")})`) : ""),
      ]);
  const sections = (Object.keys(groups) as CommandGroup[]).map(
    (name) => `${style.bold(groups[name])}\n${renderTable(rows(name), { width, indent: "  " })}`,
  );
  return `${[
    `${style.bold("agent-worker")} ${style.dim(version)}  Run teams of AI agents from one YAML file.\n`,
    `${style.bold("First steps")}\n${renderTable(first, { width, indent: "  " })}`,
    ...sections,
    `Targets: ${style.cyan("alice")}, ${style.cyan("alice@review")}, ${style.cyan("@review")}, ${style.cyan("@review:tag")}.`,
  ].join("\n")}
Global options: --json --tag --project --to --quiet --verbose --no-input --no-color --home
Run agent-worker <command> --help for details and examples.
`;
}

export function unknownCommand(word: string, table: CommandEntry[]): AppError {
  const known = table.flatMap(({ name, aliases }) => [name, ...aliases]);
  return new AppError("usage", `unknown command '${word}'${didYouMean(word, known)}`, {
    hint: "agent-worker --help lists all commands",
  });
}

export function flagWithoutCommand(flag: string): AppError {
  return new AppError("usage", `${flag} needs a command`, { hint: "agent-worker --help lists all commands" });
}
