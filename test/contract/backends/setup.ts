/** A backend's setup for the suite: only what differs between backends. */
import type { AgentInput } from "../../../src/protocol/definition/agent-definition.ts";
import type { BackendName } from "../../../src/protocol/backend/backend-name.ts";
import type { ModelApi, Rule } from "../../fixtures/model-api/model-api.ts";
import type { CaseName } from "./cases.ts";

/** Where a turn runs. */
export type Place = {
  api: ModelApi;
  /** The URL that the backend uses; the API's own, except in cases about an unreachable API. */
  apiUrl: string;
  /** The caller's HOME, which contains the user's files. */
  home: string;
  /** The agent's working folder. */
  folder: string;
};

/** The key for the scripted API; it must not appear anywhere else. */
export const apiKey = "key-0123456789abcdef";
/** A script in the working folder: creates a file to show that it runs, and ignores SIGTERM. */
export const stubbornScript = "stubborn.sh";

export type BackendSetup = {
  /** Its name in the test output. */
  name: string;
  backend: BackendName;
  /** The agent, configured to use the scripted API. */
  agent(place: Place): Partial<AgentInput>;
  /** The caller's environment besides PATH and HOME; usually the key. */
  env(place: Place): Record<string, string>;
  /** The variable that holds the key. */
  keyVariable: string;
  /** An agent and its model's replies that make the turn run `stubbornScript`, as a child or as the program itself. */
  stubborn(place: Place): { agent: Partial<AgentInput>; rules: Rule[] };
  /** The same for a turn in which the runtime denies a permission; absent if it never asks for one. */
  denied?(place: Place): { agent: Partial<AgentInput>; rules: Rule[] };
  /** Files in the user's home that the runtime reads or could write, by path. */
  userFiles: Record<string, string>;
  /** Where in the home its sessions are, if it keeps any. */
  sessions?: string[];
  /** Cases that it does not support, and why. The suite skips exactly these, and the support table shows the reasons. */
  lacks: Partial<Record<CaseName, string>>;
  /** Runs only these: for a second setup of a backend, whose other cases would repeat those of the first. */
  only?: CaseName[];
  /** For a slow runtime: the cases that run by default; AGENT_WORKER_TEST_ALL=1 runs the rest. */
  brief?: CaseName[];
  /** Why this machine cannot run it; printed as a warning. */
  unavailable?: string;
  /** The timeout of one case. */
  timeoutMs?: number;
};
