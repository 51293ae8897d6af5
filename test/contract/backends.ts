/** The contract of `src/worker/backends/backend.ts`: one suite that every backend runs and has to pass. */
import { describe, test } from "bun:test";
import { type CaseName, cases } from "./backends/cases.ts";
import type { BackendSetup } from "./backends/setup.ts";
import { openStage } from "./backends/stage.ts";
import { checks } from "./backends/suite.ts";

const usualTimeoutMs = 20_000;

const playsAll = Boolean(process.env["AGENT_WORKER_TEST_ALL"]);

export function backendContract(setup: BackendSetup): void {
  describe(`the backend ${setup.name}`, () => {
    if (setup.unavailable !== undefined) {
      process.stderr.write(`SKIPPED: the backend ${setup.name}: ${setup.unavailable}\n`);
      return test.skip(setup.unavailable, () => {});
    }
    for (const name of Object.keys(cases) as CaseName[]) {
      if (setup.lacks[name] !== undefined || !(playedOf(setup)?.includes(name) ?? true)) continue;
      test(
        cases[name],
        async () => {
          await using stage = await openStage(setup);
          await checks[name](stage);
        },
        setup.timeoutMs ?? usualTimeoutMs,
      );
    }
  });
}

/** Undefined where all cases are. */
function playedOf({ only, brief }: BackendSetup): CaseName[] | undefined {
  return playsAll ? only : (brief ?? only);
}
