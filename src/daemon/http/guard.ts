/** The one place where requests are admitted: checks Host, Origin, content type, token and size. */
import type { MiddlewareHandler } from "hono";
import { AppError, reasonOf } from "../../protocol/error.ts";
import { KiB, MiB, jsonDepth, jsonValues, requestBytes } from "../../protocol/limits.ts";
import { createJsonCheck } from "../../text/json-shape.ts";
import type { DaemonTokens, Identity } from "../kernel/identity.ts";
import type { Operations } from "../kernel/operations.ts";

export type Env = {
  /** The Host headers that this listener accepts. */
  Bindings: { hosts: string[] };
  Variables: {
    identity: Identity;
    /** The request's JSON; an empty body is an empty object. */
    body: unknown;
  };
};

export type GuardOptions = DaemonTokens & Pick<Operations, "identify">;

const mcpPath = "/mcp";
/** A body up to this size is read at once. */
const smallBytes = 64 * KiB;

export function guard({ identify, clientToken, spareToken }: GuardOptions): MiddlewareHandler<Env> {
  return async (context, next) => {
    const { req } = context;
    checkOrigin(req.raw.headers, context.env.hosts);
    checkContentType(req.raw);
    const identity = await identify(readToken(req.header("authorization")), { clientToken, spareToken });
    if (identity.kind !== "client" && req.path !== mcpPath) {
      throw new AppError("forbidden", "a turn's token can only call context tools");
    }
    context.set("identity", identity);
    context.set("body", await readJson(req.raw));
    await next();
  };
}

function readToken(header: string | undefined): string {
  const token = /^Bearer ([\x21-\x7e]{1,256})$/.exec(header ?? "")?.[1];
  if (!token) throw new AppError("unauthorized", "missing token");
  return token;
}

/** A browser sends the origin of its page, and a rebound DNS name arrives as a foreign Host: both are refused. */
function checkOrigin(headers: Headers, hosts: string[]): void {
  const host = headers.get("host") ?? "";
  if (!hosts.includes(host)) throw new AppError("forbidden", `'${host.slice(0, 80)}' is not a host of this daemon`);
  const origin = headers.get("origin");
  if (origin !== null && !hosts.some((own) => origin === `http://${own}`)) {
    throw new AppError("forbidden", "requests from other origins are refused");
  }
}

function checkContentType(request: Request): void {
  if (request.body === null) return;
  const type = request.headers.get("content-type")?.split(";")[0]?.trim().toLowerCase();
  if (type !== "application/json")
    throw new AppError("unsupported-media-type", "the content type is not application/json");
}

async function readJson(request: Request): Promise<unknown> {
  const text = await readText(request);
  if (text === "") return {};
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new AppError("usage", `the body is not valid JSON: ${reasonOf(error)}`);
  }
}

/** Reads no more than the limit, whatever Content-Length claims. Text that is not UTF-8 is refused, not guessed at. */
async function readText(request: Request): Promise<string> {
  const bytes = await readBytes(request).catch((error: unknown) => {
    throw error instanceof AppError ? error : new AppError("usage", "the body ended early", { cause: error });
  });
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (error) {
    throw new AppError("usage", "the body is not valid UTF-8", { cause: error });
  }
}

/** Checks the JSON's shape while reading, so that a body that is refused is not collected first. */
async function readBytes(request: Request): Promise<Uint8Array> {
  const check = createShapeCheck();
  // The server enforces Content-Length, so reading at once is safe; it is also faster than chunk by chunk.
  if (Number(request.headers.get("content-length") ?? Number.NaN) <= smallBytes) {
    const bytes = await request.bytes();
    check(bytes);
    return bytes;
  }
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request.body ?? []) {
    size += chunk.length;
    if (size > requestBytes) throw new AppError("too-large", `the body is larger than ${requestBytes / MiB} MiB`);
    check(chunk);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function createShapeCheck(): (bytes: Uint8Array) => void {
  const check = createJsonCheck({ depth: jsonDepth, values: jsonValues });
  return (bytes) => {
    const exceeded = check(bytes);
    if (exceeded === "depth") {
      throw new AppError("usage", `the body is nested too deeply: at most ${jsonDepth} levels`);
    }
    if (exceeded === "values") throw new AppError("usage", `the body is too complex: at most ${jsonValues} values`);
  };
}
