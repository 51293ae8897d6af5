/** What requests say, parsed on entry. */
import type { Context } from "hono";
import { z } from "zod";
import { AppError } from "../../protocol/error.ts";
import { Origin } from "../../protocol/http/bodies.ts";
import type { Operations } from "../kernel/operations.ts";
import type { Env } from "./guard.ts";

/** The JSON body in the given shape. `raw` is the same before defaults and units were applied. */
export function readBody<Schema extends z.ZodType>(
  context: Context<Env>,
  schema: Schema,
): { body: z.output<Schema>; raw: z.input<Schema> } {
  const raw = context.get("body");
  // Accepted by the schema, so it has the shape of its input.
  return { body: parseShape(schema, raw, "the body"), raw: raw as z.input<Schema> };
}

export function readQuery<Schema extends z.ZodType>(context: Context, schema: Schema): z.output<Schema> {
  return parseShape(schema, context.req.query(), "the query");
}

/** The instance, and perhaps the agent, that the path's `:target` means. */
export async function readTarget(
  kernel: Pick<Operations, "findTarget">,
  context: Context,
  origin: Origin = readQuery(context, Origin),
) {
  return kernel.findTarget(context.req.param("target") ?? "", origin);
}

/** The same, where only an agent will do. */
export async function readAgentTarget(kernel: Pick<Operations, "findTarget">, context: Context, origin?: Origin) {
  const { instance, agent } = await readTarget(kernel, context, origin);
  if (agent === null) {
    throw new AppError("usage", "this needs an agent, not a whole workflow", {
      hint: `name one as agent@${instance.name}`,
    });
  }
  return { instance, agent };
}

function parseShape<Schema extends z.ZodType>(schema: Schema, value: unknown, what: string): z.output<Schema> {
  const parsed = parseBounded(schema, value, what);
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

/** Tasks can be nested, so a hostile body could go deeper than the stack does. */
function parseBounded<Schema extends z.ZodType>(schema: Schema, value: unknown, what: string) {
  try {
    return schema.safeParse(value);
  } catch (error) {
    if (error instanceof RangeError) throw new AppError("usage", `${what} is nested too deeply`, { cause: error });
    throw error;
  }
}
