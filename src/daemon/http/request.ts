/** What requests say, parsed on entry. */
import type { Context } from "hono";
import { z } from "zod";
import { AppError } from "../../protocol/error.ts";
import { Origin } from "../../protocol/http.ts";
import { type Kernel } from "../kernel/kernel.ts";
import { findTarget } from "../kernel/instances.ts";
import type { Instance } from "../store/store.ts";

/** The JSON body in the given shape. `raw` is the same before defaults and units were applied. */
export async function readBody<Schema extends z.ZodType>(
  context: Context,
  schema: Schema,
): Promise<{ body: z.output<Schema>; raw: z.input<Schema> }> {
  const text = await context.req.text();
  const raw = parseJson(text === "" ? "{}" : text);
  return { body: parseShape(schema, raw, "the body"), raw: raw as z.input<Schema> };
}

export function readQuery<Schema extends z.ZodType>(context: Context, schema: Schema): z.output<Schema> {
  return parseShape(schema, context.req.query(), "the query");
}

/** The instance, and perhaps the agent, that the path's `:target` means. */
export async function readTarget(
  { store }: Kernel,
  context: Context,
  origin: Origin = readQuery(context, Origin),
): Promise<{ instance: Instance; agent: string | null }> {
  return findTarget(store, context.req.param("target") ?? "", origin);
}

/** The same, where only an agent will do. */
export async function readAgentTarget(
  kernel: Kernel,
  context: Context,
  origin?: Origin,
): Promise<{ instance: Instance; agent: string }> {
  const { instance, agent } = await readTarget(kernel, context, origin);
  if (agent === null) {
    throw new AppError("usage", "this needs an agent, not a whole workflow", {
      hint: `name one as agent@${instance.name}`,
    });
  }
  return { instance, agent };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new AppError(
      "usage",
      `the body is not valid JSON: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}

function parseShape<Schema extends z.ZodType>(schema: Schema, value: unknown, what: string): z.output<Schema> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const place = issue?.path.join(".");
  throw new AppError(
    "usage",
    `${what} is not valid${place ? ` at ${place}` : ""}: ${issue?.message ?? "unknown reason"}`,
    {
      details: parsed.error.issues.slice(0, 20).map(({ path, message }) => ({ path: path.join("."), message })),
    },
  );
}
