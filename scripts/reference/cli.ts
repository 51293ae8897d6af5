/** The page of the command line, from the command table and each command's own definition. */
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

\`agent-worker <command>\`. Results go to stdout, everything else to stderr; \`NO_COLOR\` and pipes are honoured. A target is
\`alice\`, \`alice@review\`, \`@review\` or \`@review:tag\`; it means the instance of the folder one is in, elsewhere the only one of that
name. See also [options that every command takes](#everywhere) and [exit codes](#exit-codes).

| command |  | what |
| --- | --- | --- |
${list.join("\n")}

${loaded.map(({ entry, command }) => renderCommand(entry, command)).join("\n\n")}

## Everywhere

${renderOptions(globalOptions)}

## Exit codes

| code | meaning |
| --- | --- |
| 0 | done |
${renderExitCodes()}
| 130, 143 | ended by Ctrl-C, by a signal |
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
  return `| option | meaning |\n| --- | --- |\n${rows.join("\n")}`;
}

/** Failures by the code they end with. */
function renderExitCodes(): string {
  const codes = Object.entries(errorTable).map(([name, { exit }]) => ({ name, exit }));
  const byExit = [...Map.groupBy(codes, ({ exit }) => exit)].sort(([a], [b]) => a - b);
  return byExit.map(([exit, names]) => `| ${exit} | ${names.map(({ name }) => `\`${name}\``).join(", ")} |`).join("\n");
}

function cell(text: string): string {
  return text.replaceAll("|", "\\|");
}
