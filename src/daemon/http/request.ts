/** Parses the body and the query of a request. */
import type { Context } from "hono";
import type { z } from "zod";
import { AppError } from "../../protocol/error.ts";
import type { Env } from "./guard.ts";

/** The JSON body in the given shape. `raw` is the body before defaults and units were applied. */
export function readBody<Output, Input>(
  context: Context<Env>,
  schema: z.ZodType<Output, Input>,
): { body: Output; raw: Input } {
  const raw = context.get("body");
  // Accepted by the schema, so it has the shape of its input.
  return { body: parseShape(schema, raw, "the body"), raw: raw as Input };
}

export function readQuery<Output>(context: Context<Env>, schema: z.ZodType<Output>): Output {
  return parseShape(schema, context.req.query(), "the query");
}

function parseShape<Output>(schema: z.ZodType<Output>, value: unknown, what: string): Output {
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

/** Tasks can be nested, so a hostile body could be nested deeper than the stack allows. */
function parseBounded<Output>(schema: z.ZodType<Output>, value: unknown, what: string) {
  try {
    return schema.safeParse(value);
  } catch (error) {
    if (error instanceof RangeError) throw new AppError("usage", `${what} is nested too deeply`, { cause: error });
    throw error;
  }
}
