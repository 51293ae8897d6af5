/** The environment of one case: a real worker process between a real MCP server and a scripted model API. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { launchWorker } from "../../../src/daemon/process/launch.ts";
import type { AgentInput } from "../../../src/protocol/definition/agent-definition.ts";
import type { WorkflowInput } from "../../../src/protocol/definition/definition.ts";
import type { Event } from "../../../src/protocol/event.ts";
import { findMarked, markOf, type ProcessIdentity } from "../../../src/system/process.ts";
import { selfCommand } from "../../../src/system/self.ts";
import type { Outcome } from "../../../src/protocol/turn.ts";
import type { TurnSpec } from "../../../src/protocol/worker/worker-input.ts";
import type { WorkerEvent } from "../../../src/protocol/worker/worker-event.ts";
import { type ContextServer, startContextServer } from "../../fixtures/context-server.ts";
import { temporaryFolder } from "../../fixtures/folder.ts";
import { startModelApi } from "../../fixtures/model-api/model-api.ts";
import { openTestDaemon } from "../../fixtures/open-daemon.ts";
import { turnSpec } from "../../fixtures/specs.ts";
import { type BackendSetup, type Place, stubbornScript } from "./setup.ts";

/** A running turn. */
export type Playing = {
  worker: ProcessIdentity;
  events: WorkerEvent[];
  ended: Promise<Outcome>;
  /** Stops it; resolves when all its processes have ended. */
  stop(): Promise<void>;
  /** Resolves when the worker and all its processes have ended. */
  gone: Promise<void>;
};

export type Stage = Place & {
  setup: BackendSetup;
  server: ContextServer;
  /** The caller's environment. */
  env: Record<string, string>;
  begin(agent?: Partial<AgentInput>, more?: Partial<TurnSpec>): Playing;
  play(agent?: Partial<AgentInput>, more?: Partial<TurnSpec>): Promise<{ outcome: Outcome; events: WorkerEvent[] }>;
  /** A whole run in a real daemon; each agent uses this backend with the given options. */
  run(agents: Record<string, Partial<AgentInput>>, kickoff: string): Promise<Event[]>;
  /** Command lines of the worker and of all processes it has started. */
  commandLines(worker: ProcessIdentity): Promise<string[]>;
} & AsyncDisposable;

/** The body of one case. */
export type Check = (stage: Stage) => Promise<void>;

const graceMs = 5_000;
const silenceMs = 30_000;

export async function openStage(setup: BackendSetup): Promise<Stage> {
  const own = await temporaryFolder();
  const [api, server] = [await startModelApi(), startContextServer()];
  const place: Place = { api, apiUrl: api.url, home: join(own.path, "home"), folder: join(own.path, "project") };
  for (const folder of [place.home, place.folder]) mkdirSync(folder);
  for (const [path, text] of Object.entries(setup.userFiles)) {
    mkdirSync(dirname(join(place.home, path)), { recursive: true });
    writeFileSync(join(place.home, path), text);
  }
  writeFileSync(
    join(place.folder, stubbornScript),
    "#!/bin/sh\ntrap '' TERM INT HUP\necho > running\nwhile :; do sleep 1; done\n",
    { mode: 0o755 },
  );
  const begun: Playing[] = [];

  const stage: Stage = {
    ...place,
    setup,
    server,
    env: {
      PATH: process.env.PATH ?? "",
      HOME: place.home,
      AGENT_WORKER_HOME: join(own.path, "agent-worker"),
      ...setup.env(place),
    },
    begin(agent = {}, more = {}) {
      const events: WorkerEvent[] = [];
      const launched = launchWorker({ command: selfCommand("worker"), graceMs, silenceMs });
      const definition = { backend: setup.backend, ...setup.agent(stage), ...agent };
      const spec = turnSpec(server, definition, { cwd: place.folder, env: stage.env, ...more });
      const worker = launched.run(spec, (event) => void events.push(event));
      const playing = { worker, events, ended: worker.ended, stop: () => worker.stop(), gone: launched.gone };
      begun.push(playing);
      return playing;
    },
    async play(agent, more) {
      const { ended, gone, events } = stage.begin(agent, more);
      const outcome = await ended;
      await gone;
      return { outcome, events: events.filter(({ type }) => type !== "heartbeat") };
    },
    async run(agents, kickoff) {
      await using daemon = await openTestDaemon();
      const definition: WorkflowInput = {
        name: "contract",
        agents: Object.fromEntries(
          Object.entries(agents).map(([name, agent]) => [
            name,
            { backend: setup.backend, ...setup.agent(stage), ...agent },
          ]),
        ),
        kickoff,
      };
      const body = { definition, project: place.folder, env: stage.env };
      const limitMs = setup.timeoutMs ?? 20_000;
      const signal = AbortSignal.timeout(limitMs);
      return await Array.fromAsync(daemon.events("/run", { method: "POST", body, signal, silenceMs: limitMs }));
    },
    async commandLines(worker) {
      const { marked } = await findMarked([markOf(worker)]);
      return [worker, ...marked].flatMap(({ pid }) => commandLine(pid));
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(begun.map(({ stop }) => stop()));
      await Promise.all([api.stop(), server.stop()]);
      await own[Symbol.asyncDispose]();
    },
  };
  return stage;
}

/** The current content of the user's files that existed before the turn. */
export function userFilesNow({ home, setup }: Stage): Record<string, string> {
  return Object.fromEntries(Object.keys(setup.userFiles).map((path) => [path, readFileSync(join(home, path), "utf8")]));
}

/** Whether the stubborn script has started. */
export function isStubbornRunning({ folder }: Stage): boolean {
  return readdirSync(folder).includes("running");
}

function commandLine(pid: number): string[] {
  try {
    return [readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ")];
  } catch {
    return [];
  }
}
