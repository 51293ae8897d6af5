/** How a backend is put on the suite's stage: what differs between one and another, and nothing else. */
import type { AgentInput } from "../../../src/protocol/definition/agent-definition.ts";
import type { BackendName } from "../../../src/protocol/backend/backend-name.ts";
import type { ModelApi, Rule } from "../../fixtures/model-api/model-api.ts";
import type { CaseName } from "./cases.ts";

/** Where a turn is played. */
export type Place = {
  api: ModelApi;
  /** The address to ask, in most cases the API's own. */
  apiUrl: string;
  /** The caller's HOME, with the user's files in it. */
  home: string;
  /** The agent's working folder. */
  folder: string;
};

/** The key that the scripted API is asked with; it must be seen nowhere else. */
export const apiKey = "key-0123456789abcdef";
/** A script in the working folder: says in a file that it runs, and does not end when it is asked to. */
export const stubbornScript = "stubborn.sh";

export type BackendSetup = {
  /** As the support table calls it. */
  name: string;
  backend: BackendName;
  /** The agent, pointed at the scripted API. */
  agent(place: Place): Partial<AgentInput>;
  /** What the caller's environment holds besides PATH and HOME; the key, as a rule. */
  env(place: Place): Record<string, string>;
  /** The variable without which there is no key. */
  keyVariable: string;
  /** An agent, and what its model says, so that the turn runs `stubbornScript` as a child or as the program itself. */
  stubborn(place: Place): { agent: Partial<AgentInput>; rules: Rule[] };
  /** The same for a turn in which the runtime denies a permission; where it asks for any. */
  denied?(place: Place): { agent: Partial<AgentInput>; rules: Rule[] };
  /** Files of the user's home that the runtime reads or could write, by path. */
  userFiles: Record<string, string>;
  /** Where in the home its sessions are, for one that keeps them. */
  sessions?: string[];
  /** What it does not do, and why. The suite skips exactly these, and the support table shows the reasons. */
  lacks: Partial<Record<CaseName, string>>;
  /** Only these, for a second setup of a backend: what would be the same again is not played twice. */
  only?: CaseName[];
  /** What every check plays, for a runtime that is slow; the rest with AGENT_WORKER_TEST_ALL=1. */
  brief?: CaseName[];
  /** Why this machine cannot run it; said loudly. */
  unavailable?: string;
  /** The longest that one case may take. */
  timeoutMs?: number;
};
