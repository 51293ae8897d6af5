/** The page of what each backend does, from the contract suite: what a setup does not lack is a case that it has to pass. */
import { type CaseName, cases } from "../../test/contract/backends/cases.ts";
import { setups } from "../../test/contract/backends/setups.ts";
import { programSetups } from "../../test/contract/backends/setups/programs.ts";
import { table } from "./fields.ts";

/** A second setup of a backend plays only a part of the suite. */
const columns = [...setups, ...programSetups].filter(({ only }) => only === undefined);

export function renderBackends(): string {
  const names = Object.keys(cases) as CaseName[];
  const rows = names.map((name) => [
    cases[name],
    ...columns.map(({ lacks }) => (lacks[name] === undefined ? "yes" : "–")),
  ]);
  const reasons = columns.flatMap(({ backend, lacks }) =>
    names.flatMap((name) => (lacks[name] === undefined ? [] : [`* **${backend}**, "${cases[name]}": ${lacks[name]}.`])),
  );
  return `# What each backend does

<!-- Written by scripts/reference.ts; do not edit. -->

All backends run one suite, \`test/contract/backends.ts\`. A "yes" is a case of it: \`scripts/check\` plays the short
ones, \`AGENT_WORKER_TEST_ALL=1\` all. A "–" has its [reason](#reasons). \`claude\`, \`codex\` and \`opencode\` are tested
with the real programs, \`acp\` with \`opencode acp\`, \`cursor\` with a stub that speaks as its documentation says,
\`command\` with a program of ours.

${table(["", ...columns.map(({ backend }) => `\`${backend}\``)], rows)}

## Reasons

${reasons.join("\n")}
`;
}
