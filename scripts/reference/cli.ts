/** Renders the command line reference from the command table and the definition of each command. */
import { commandTable } from "../../src/interface/cli.ts";
import type { Command, CommandEntry } from "../../src/interface/command-line/command.ts";
import { type Option, globalOptions } from "../../src/interface/command-line/options.ts";
import { errorTable } from "../../src/protocol/error.ts";

const loaded = await Promise.all(commandTable.map(async (entry) => ({ entry, command: (await entry.load()).command })));

export function renderCli(): string {
  const list = commandTable.map(
    ({ name, syntax, summary }) =>
      `| [\`${name}\`](#${name}) | ${syntax === "" ? "" : `\`${cell(syntax)}\``} | ${cell(summary)} |`,
  );
  return `# The command line

<!-- Written by scripts/reference.ts; do not edit. -->

\`agent-worker <command>\`. Results go to stdout, everything else to stderr. Colours are used only on terminals, and not with
\`NO_COLOR\`. A target is \`alice\`, \`alice@review\`, \`@review\` or \`@review:tag\`. It means the instance of the current folder, or else
the only one with that name. See also [global options](#global-options) and [exit codes](#exit-codes).

| command | arguments | description |
| --- | --- | --- |
${list.join("\n")}

${loaded.map(({ entry, command }) => renderCommand(entry, command)).join("\n\n")}

## Global options

${renderOptions(globalOptions)}

## Exit codes

| code | meaning |
| --- | --- |
| 0 | success |
${renderExitCodes()}
| 130, 143 | ended by Ctrl-C, by SIGTERM |
`;
}

function renderCommand({ name, aliases, syntax, summary }: CommandEntry, command: Command): string {
  const also = aliases.length > 0 ? ` Also: ${aliases.map((alias) => `\`${alias}\``).join(", ")}.` : "";
  const examples = command.examples.map(([line, purpose]) => `${line}  # ${purpose}`);
  const parts = [
    `## ${name}`,
    `\`agent-worker ${`${name} ${syntax}`.trim()}\``,
    `${summary}.${also}${command.details === undefined ? "" : ` ${command.details}`}`,
    ...(Object.keys(command.options).length > 0 ? [renderOptions(command.options)] : []),
    `\`\`\`sh\n${examples.join("\n")}\n\`\`\``,
  ];
  return parts.join("\n\n");
}

function renderOptions(options: Record<string, Option<unknown>>): string {
  const rows = Object.values(options).map(({ flags, description }) => `| \`${cell(flags)}\` | ${cell(description)} |`);
  return `| option | description |\n| --- | --- |\n${rows.join("\n")}`;
}

/** Error codes by exit code. */
function renderExitCodes(): string {
  const codes = Object.entries(errorTable).map(([name, { exit }]) => ({ name, exit }));
  const byExit = [...Map.groupBy(codes, ({ exit }) => exit)].sort(([a], [b]) => a - b);
  return byExit.map(([exit, names]) => `| ${exit} | ${names.map(({ name }) => `\`${name}\``).join(", ")} |`).join("\n");
}

function cell(text: string): string {
  return text.replaceAll("|", "\\|");
}
