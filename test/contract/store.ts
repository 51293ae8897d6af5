/** The contract of `src/daemon/store/store.ts`: one suite that every engine runs and has to pass. */
import { describe } from "bun:test";
import { append } from "./store/append.ts";
import { approvals } from "./store/approvals.ts";
import { behaviourOf, type OpenStore } from "./store/bench.ts";
import { claims } from "./store/claims.ts";
import { control } from "./store/control.ts";
import { ending } from "./store/ending.ts";
import { events } from "./store/events.ts";
import { failure } from "./store/failure.ts";
import { fence } from "./store/fence.ts";
import { finish } from "./store/finish.ts";
import { history } from "./store/history.ts";
import { inbox } from "./store/inbox.ts";
import { instances } from "./store/instances.ts";
import { proposals } from "./store/proposals.ts";
import { recovery } from "./store/recovery.ts";
import { repeats } from "./store/repeats.ts";
import { schedules } from "./store/schedules.ts";
import { resources } from "./store/resources.ts";
import { tasks } from "./store/tasks.ts";
import { tooling } from "./store/tooling.ts";

const sections = {
  instances,
  append,
  claims,
  inbox,
  finish,
  failure,
  repeats,
  fence,
  control,
  ending,
  recovery,
  tasks,
  events,
  schedules,
  resources,
  tooling,
  history,
  proposals,
  approvals,
};

export type Section = keyof typeof sections;

const playsAll = Boolean(process.env["AGENT_WORKER_TEST_ALL"]);

/**
 * `open` creates an empty store; each test gets its own and closes it. A store that differs from another only in
 * part runs only the sections that can detect the difference, and all of them with AGENT_WORKER_TEST_ALL=1.
 */
export function storeContract(name: string, open: OpenStore, only?: Section[]): void {
  describe(name, () => {
    const it = behaviourOf(open);
    for (const [section, declare] of Object.entries(sections)) {
      if (playsAll || (only?.some((each) => each === section) ?? true)) declare(it);
    }
  });
}
