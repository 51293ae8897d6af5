/**
 * Sends a request to a fake model, so that a spare worker has loaded and compiled the loop and the vendor's package.
 */
import { jsonSchema, dynamicTool, streamText } from "ai";
import type { ProviderName } from "../../../protocol/backend/model.ts";
import type { WorkerProfile } from "../../../protocol/worker/worker-input.ts";
import type { DaemonTools } from "../../daemon-tools.ts";
import { vendorOf } from "../../model/models.ts";
import { cacheEnd, cacheSystem } from "./caching.ts";
import { loadModel } from "./vendors.ts";

const tool = dynamicTool({ description: "", inputSchema: jsonSchema({ type: "object" }), execute: () => "" });

/** Sends nothing over the network. A stream that ends at once runs the same code as a real one. */
const fakeFetch = Object.assign(
  async () => new Response("data: {}\n\n", { headers: { "content-type": "text/event-stream" } }),
  { preconnect: () => {} },
);

/** A running daemon answers immediately. */
const listTimeoutMs = 2_000;

export async function prepare(profile: WorkerProfile, daemonTools: DaemonTools): Promise<void> {
  const vendor = vendorOf(profile);
  await Promise.all([daemonTools.listTools(AbortSignal.timeout(listTimeoutMs)), vendor && warmUp(vendor, profile)]);
}

async function warmUp(vendor: ProviderName, profile: WorkerProfile): Promise<void> {
  const model = await loadModel({
    vendor,
    provider: vendor,
    model: profile.model ?? "",
    baseUrl: "http://127.0.0.1",
    apiKey: "none",
    fetch: fakeFetch,
  });
  const result = streamText({
    model,
    instructions: cacheSystem("."),
    messages: [{ role: "user", content: "." }],
    tools: { tool },
    prepareStep: (step) => ({ messages: cacheEnd(step.messages) }),
    maxRetries: 0,
    onError: () => {},
  });
  await result.consumeStream({ onError: () => {} });
}
