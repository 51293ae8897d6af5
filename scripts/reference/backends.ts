/** The page of what each backend supports, from the contract suite: a setup must pass every case that it does not list in `lacks`. */
import { type CaseName, cases } from "../../test/contract/backends/cases.ts";
import { setups } from "../../test/contract/backends/setups.ts";
import { programSetups } from "../../test/contract/backends/setups/programs.ts";
import { table } from "./fields.ts";

/** A second setup of a backend runs only a part of the suite. */
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

All backends must pass one test suite, \`test/contract/backends.ts\`. Each row is a case of the suite, and a "yes" means
that the backend passes it: \`scripts/check\` runs the fast cases, and \`AGENT_WORKER_TEST_ALL=1 scripts/check\` runs all.
Each "–" has a [reason](#reasons). \`claude\`, \`codex\` and \`opencode\` are tested with the real programs, \`acp\` with
\`opencode acp\`, \`cursor\` with a stub that follows its documentation, and \`command\` with a small test program.

${table(["", ...columns.map(({ backend }) => `\`${backend}\``)], rows)}

## Reasons

${reasons.join("\n")}
`;
}
