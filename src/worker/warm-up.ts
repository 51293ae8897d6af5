/** Runs a turn without a daemon, so that a spare worker has loaded and compiled all code before its real turn. */
import type { ToolMessage } from "../protocol/tools/message.ts";
import { WorkerInput } from "../protocol/worker/worker-input.ts";
import type { DaemonTools } from "./daemon-tools.ts";
import { runTurn } from "./turn.ts";

const spec = {
  kind: "turn",
  mcpUrl: "",
  token: "",
  turn: "",
  attempt: 1,
  entry: 0,
  workflow: "",
  tag: "",
  agent: "",
  definition: { backend: "mock", tools: [], mcp_servers: {}, skills: false, env: {} },
  teammates: [{ name: "" }],
  cwd: "",
  env: {},
};

const message: ToolMessage = {
  id: "",
  seq: 1,
  sender: "",
  recipients: [],
  content: "",
  kind: "message",
  priority: "normal",
  private: false,
  inReplyTo: null,
  createdAt: 0,
};

/** Answers every call with an inbox of one message. */
const daemonTools: DaemonTools = {
  callTool: async () => ({ ok: true, text: "", structured: { messages: [message], earlier: [] } }),
  listTools: async () => [],
  useToken: () => {},
};

export async function warmUp(): Promise<void> {
  const input = WorkerInput.parse(spec);
  if (input.kind !== "turn") return;
  const { signal } = new AbortController();
  await runTurn(input, {
    daemonTools,
    emit: () => {},
    signal,
    sabotage: () => Promise.reject(new Error("not available during warm-up")),
  });
}
