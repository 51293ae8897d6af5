/** Who can reach the daemon over the network, and who can read its files. */
import { expect, test } from "bun:test";
import { chmodSync, readdirSync, readFileSync, statSync } from "node:fs";
import { connect } from "node:net";
import { networkInterfaces } from "node:os";
import { join } from "node:path";
import { homeFiles } from "../../src/system/home.ts";
import { Health } from "../../src/protocol/http/health.ts";
import { startDaemon } from "../fixtures/daemon.ts";
import { createPlace } from "../fixtures/place.ts";

const loopback = "0100007F";
const heartbeat = ": heartbeat";

/** The addresses that listen on a TCP port, as the kernel writes them. */
function listeningAt(port: number): string[] {
  const wanted = port.toString(16).toUpperCase().padStart(4, "0");
  return ["/proc/net/tcp", "/proc/net/tcp6"].flatMap((table) =>
    readFileSync(table, "utf8")
      .split("\n")
      .slice(1)
      .map((line) => line.trim().split(/\s+/))
      .filter(([, local, , state]) => state === "0A" && local?.endsWith(`:${wanted}`))
      .map(([, local]) => local?.split(":")[0] ?? ""),
  );
}

/** Whether the address accepts a connection. */
function accepts(address: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: address, port, timeout: 1_000 });
    const end = (accepted: boolean) => {
      socket.destroy();
      resolve(accepted);
    };
    socket.on("connect", () => end(true));
    socket.on("error", () => end(false));
    socket.on("timeout", () => end(false));
  });
}

function modeOf(path: string): string {
  return (statSync(path).mode & 0o777).toString(8);
}

test.concurrent("the daemon listens on loopback only", async () => {
  await using place = await createPlace();
  const daemon = await startDaemon(place);
  expect(daemon.file.host).toBe("127.0.0.1");
  expect(listeningAt(daemon.file.port)).toEqual([loopback]);
  const outside = Object.values(networkInterfaces()).flatMap((each) =>
    (each ?? []).filter(({ internal, family }) => !internal && family === "IPv4").map(({ address }) => address),
  );
  for (const address of outside) expect(await accepts(address, daemon.file.port)).toBe(false);
  await daemon.shutDown();
});

test.concurrent("the home is closed to other users, even if it was open before", async () => {
  await using place = await createPlace();
  chmodSync(place.home, 0o755);
  const daemon = await startDaemon(place);
  await daemon.start({ name: "team", agents: { alice: { backend: "mock" } } });
  expect(modeOf(place.home)).toBe("700");
  expect(modeOf(join(place.home, homeFiles.daemon))).toBe("600");
  // No file in the folder can be reached by another path.
  for (const name of readdirSync(place.home)) expect(statSync(join(place.home, name)).nlink, name).toBe(1);
  await daemon.shutDown();
});

test.concurrent("no file in the home could be read by other users if the folder were open", async () => {
  await using place = await createPlace();
  const daemon = await startDaemon(place);
  await daemon.start({ name: "team", agents: { alice: { backend: "mock" } } });
  const open = readdirSync(place.home).filter((name) => (statSync(join(place.home, name)).mode & 0o077) !== 0);
  await daemon.shutDown();
  expect(open).toEqual([]);
});

test.concurrent("the socket serves the same API with the same token", async () => {
  await using place = await createPlace();
  const daemon = await startDaemon(place);
  const unix = join(place.home, homeFiles.socket);
  const ask = (headers: Record<string, string>) => fetch("http://localhost/health", { unix, headers });
  const own = { authorization: `Bearer ${daemon.file.token}` };
  expect(Health.parse(await (await ask(own)).json()).pid).toBe(daemon.pid);
  expect((await ask({})).status).toBe(401);
  expect((await ask({ authorization: "Bearer wrong" })).status).toBe(401);
  expect((await ask({ ...own, host: "evil.example" })).status).toBe(403);
  expect((await ask({ ...own, origin: "https://evil.example" })).status).toBe(403);
  await daemon.shutDown();
  expect(readdirSync(place.home)).not.toContain(homeFiles.socket);
});

test.concurrent("an event stream over the socket survives silence until its next heartbeat", async () => {
  await using place = await createPlace();
  const daemon = await startDaemon(place);
  const unix = join(place.home, homeFiles.socket);
  const headers = { authorization: `Bearer ${daemon.file.token}` };
  const response = await fetch("http://localhost/events", { unix, headers, signal: AbortSignal.timeout(30_000) });
  let text = "";
  for await (const chunk of response.body ?? []) {
    text += new TextDecoder().decode(chunk);
    if (text.includes(heartbeat)) break;
  }
  expect(text).toContain(heartbeat);
  await daemon.shutDown();
}, 40_000);

test.concurrent("a restarted daemon has a new token, and refuses the old one", async () => {
  await using place = await createPlace();
  const first = await startDaemon(place);
  await first.shutDown();
  expect(readdirSync(place.home)).not.toContain(homeFiles.daemon);
  const second = await startDaemon(place);
  expect(second.file.token).not.toBe(first.file.token);
  expect(second.file.token).toMatch(/^[0-9a-f]{64}$/);
  for (const [method, route] of [
    ["GET", "/health"],
    ["POST", "/shutdown"],
    ["GET", "/events"],
    ["POST", "/mcp"],
  ] as const) {
    const answer = await second.fetch(method, route, method === "POST" ? {} : undefined, {
      authorization: `Bearer ${first.file.token}`,
    });
    expect({ route, status: answer.status }).toEqual({ route, status: 401 });
  }
  expect((await second.health()).pid).toBe(second.pid);
  await second.shutDown();
});

test.concurrent("the token is in no argument, no environment and no log of the daemon", async () => {
  await using place = await createPlace();
  const daemon = await startDaemon(place);
  await daemon.run({ name: "once", agents: { alice: { backend: "mock" } }, kickoff: "@alice hello" });
  await daemon.until("workflow-end");
  for (const pid of place.processes()) {
    for (const file of ["cmdline", "environ"]) {
      expect(readFileSync(`/proc/${pid}/${file}`, "latin1")).not.toContain(daemon.file.token);
    }
  }
  const events = JSON.stringify(await daemon.storedEvents());
  expect(events).not.toContain(daemon.file.token);
  expect(events).not.toContain("awt_");
  await daemon.shutDown();
  for (const name of readdirSync(place.home)) {
    expect(readFileSync(join(place.home, name), "latin1"), name).not.toContain(daemon.file.token);
  }
});
