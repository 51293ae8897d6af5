import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createPlace } from "../../../test/fixtures/place.ts";
import { mcpRequest } from "../../mcp/request.ts";
import { AppError, type ErrorCode, errorTable } from "../../protocol/error.ts";
import { version } from "../../protocol/version.ts";
import { homeFiles } from "../../system/home.ts";
import { openSession } from "../command-line/session.ts";
import { readOptions, globalOptions } from "../command-line/options.ts";
import { openMcpConnection } from "./mcp-connection.ts";

/** Posts to a daemon that refuses every MCP request with this error. */
async function post(code: ErrorCode): Promise<{ requests: number; response: Response }> {
  await using place = await createPlace();
  let requests = 0;
  const server = Bun.serve({
    unix: join(place.home, homeFiles.socket),
    fetch({ url }) {
      if (url.endsWith("/health")) return Response.json({ pid: 1, version, running: 0, turns: 0 });
      requests++;
      return Response.json(new AppError(code, "refused").toBody(), { status: errorTable[code].status });
    },
  });
  const file = { pid: 1, host: "127.0.0.1", port: 1, token: "x", version, startedAt: 0 };
  writeFileSync(join(place.home, homeFiles.daemon), JSON.stringify(file), { mode: 0o600 });
  const session = openSession(readOptions(globalOptions, { home: place.home }));
  try {
    const connection = await openMcpConnection({ ...session, env: place.env });
    const response = await connection.post(mcpRequest(1, "tools/list", {}), AbortSignal.timeout(5_000));
    return { requests, response };
  } finally {
    await server.stop(true);
  }
}

test.each<[ErrorCode, number]>([
  ["shutting-down", 3],
  ["unauthorized", 3],
  ["store-unavailable", 1],
])("a request that is refused with %s is sent %d times, and the caller gets the error", async (code, times) => {
  const { requests, response } = await post(code);
  expect(requests).toBe(times);
  expect(await response.json()).toMatchObject({ error: { code } });
});
