/** The contract of `src/worker/backends/backend.ts`: one suite that every backend must pass. */
import { describe, test } from "bun:test";
import { type CaseName, cases } from "./backends/cases.ts";
import type { BackendSetup } from "./backends/setup.ts";
import { openStage } from "./backends/stage.ts";
import { checks } from "./backends/suite.ts";

const defaultTimeoutMs = 20_000;

const runsAll = Boolean(process.env["AGENT_WORKER_TEST_ALL"]);

export function backendContract(setup: BackendSetup): void {
  describe(`the backend ${setup.name}`, () => {
    if (setup.unavailable !== undefined) {
      process.stderr.write(`SKIPPED: the backend ${setup.name}: ${setup.unavailable}\n`);
      return test.skip(setup.unavailable, () => {});
    }
    for (const name of Object.keys(cases) as CaseName[]) {
      if (setup.lacks[name] !== undefined || !(selectedCases(setup)?.includes(name) ?? true)) continue;
      test(
        cases[name],
        async () => {
          await using stage = await openStage(setup);
          await checks[name](stage);
        },
        setup.timeoutMs ?? defaultTimeoutMs,
      );
    }
  });
}

/** The cases to run; undefined: all. */
function selectedCases({ only, brief }: BackendSetup): CaseName[] | undefined {
  return runsAll ? only : (brief ?? only);
}
