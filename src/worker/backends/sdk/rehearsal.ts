/** Asks a model that is not there, so that a spare has the loop and the vendor's package loaded and compiled. */
import { jsonSchema, dynamicTool, streamText } from "ai";
import type { ProviderName } from "../../../protocol/backend/model.ts";
import type { WorkerProfile } from "../../../protocol/worker/worker-input.ts";
import type { Context } from "../../context.ts";
import { vendorOf } from "../../model/models.ts";
import { cacheEnd, cacheSystem } from "./caching.ts";
import { loadModel } from "./vendors.ts";

const tool = dynamicTool({ description: "", inputSchema: jsonSchema({ type: "object" }), execute: () => "" });

/** Nothing leaves this process, and no answer counts: a stream that ends at once runs through everything that a real one does. */
const nowhere = Object.assign(
  async () => new Response("data: {}\n\n", { headers: { "content-type": "text/event-stream" } }),
  { preconnect: () => {} },
);

/** A daemon that is there answers at once. */
const listTimeoutMs = 2_000;

export async function prepare(profile: WorkerProfile, context: Context): Promise<void> {
  const vendor = vendorOf(profile);
  await Promise.all([context.listTools(AbortSignal.timeout(listTimeoutMs)), vendor && rehearse(vendor, profile)]);
}

async function rehearse(vendor: ProviderName, profile: WorkerProfile): Promise<void> {
  const model = await loadModel({
    vendor,
    provider: vendor,
    model: profile.model ?? "",
    baseUrl: "http://127.0.0.1",
    apiKey: "none",
    fetch: nowhere,
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
