/** Checks `/openapi.json` against the router and the daemon's real answers. */
import { Ajv } from "@modelcontextprotocol/client/validators/ajv";
import { describe, expect, test } from "bun:test";
import { z } from "zod";
import { readEvents } from "../../../src/system/sse.ts";
import { askForCall } from "../../fixtures/approval.ts";
import { claimTurn, openTeam, owe } from "../../fixtures/claimed-turn.ts";
import { type OpenDaemon, openTestDaemon } from "../../fixtures/open-daemon.ts";
import { askUser } from "../../fixtures/proposal.ts";
import { listRoutes, type Sample, samplesOf } from "../../security/routes.ts";

const Schema = z.looseObject({});
const Answers = z.record(z.string(), z.object({ content: z.record(z.string(), z.object({ schema: Schema })) }));
const Document = z.looseObject({
  paths: z.record(z.string(), z.record(z.string(), z.looseObject({ responses: Answers }))),
  components: z.looseObject({ schemas: z.record(z.string(), Schema) }),
});
type Document = z.infer<typeof Document>;

/** How long a stream can be silent before it counts as broken. */
const silenceMs = 10_000;
const accept = "application/json, text/event-stream";
/** Reads before changes, and deletions last. */
const order = ["PUT", "GET", "POST", "PATCH", "DELETE"];

describe("the document", () => {
  test("has every route of the router, and no other", async () => {
    await using daemon = await openTestDaemon();
    const { paths } = await readDocument(daemon);
    const described = Object.entries(paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    const real = listRoutes(daemon.kernel).map(({ method, path }) => nameOf(method, path));
    const advice = "give each route its entry in src/protocol/http/, and its handler in src/daemon/http/";
    expect(described.sort(), advice).toEqual(real.sort());
  });

  test("refers only to schemas that it contains", async () => {
    await using daemon = await openTestDaemon();
    const document = await readDocument(daemon);
    const known = Object.keys(document.components.schemas).map((name) => `#/components/schemas/${name}`);
    const used = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)].map(([, ref = ""]) => ref);
    expect(used.length).toBeGreaterThan(50);
    expect(used.filter((ref) => !known.includes(ref))).toEqual([]);
  });

  test("is only for clients, like every route", async () => {
    await using daemon = await openTestDaemon();
    expect((await daemon.ask("GET", "/openapi.json", { token: "" })).status).toBe(401);
  });
});

test("every route answers as documented, when it succeeds and when it refuses", async () => {
  await using daemon = await openTestDaemon();
  const check = createCheck(await readDocument(daemon));
  const acted = new Set<string>();
  const samples = await furnish(daemon);
  const ask = async (sample: Sample, route: string, asking: { body?: object; token?: string }) => {
    const response = await daemon.fetch(sample.method, route, { ...asking, headers: { accept } });
    if (response.ok) acted.add(nameOf(sample.method, sample.path));
    await check(sample, response);
    return response.status;
  };
  for (const sample of samples) {
    const { route, body } = sample;
    await ask(sample, route, { body });
    expect(await ask(sample, route, { body, token: "" })).toBe(401);
    if (body) expect(await ask(sample, route, { body: { nonsense: 1 } })).toBeGreaterThanOrEqual(200);
    if (sample.path.includes(":")) {
      const lost = sample.path.replaceAll(/:(\w+)(\{[^}]*\})?/g, "nowhere");
      expect(await ask(sample, lost, { body })).toBeGreaterThanOrEqual(400);
    }
    if (sample.path.includes(":file") && sample.method === "GET") {
      expect(await ask(sample, `${route}?history=1`, {})).toBe(200);
    }
  }
  const names = new Set(samples.map(({ method, path }) => nameOf(method, path)));
  expect([...names].filter((name) => !acted.has(name))).toEqual([]);
}, 30_000);

/** Creates a team with everything that the samples need; returns the samples in an order in which each can succeed. */
async function furnish(daemon: OpenDaemon): Promise<Sample[]> {
  const { store, kernel, project } = daemon;
  const team = await openTeam(store, project, ["alice", "bob"]);
  const { claim } = await claimTurn(store, team, "alice");
  const { id: message } = await owe(store, team, "bob");
  const { id: second } = await owe(store, team, "bob");
  const { id: resource } = await store.createResource(claim, { content: "kept", type: "text/plain" });
  const proposal = await askUser(daemon, team);
  const approval = await askForCall(store, claim);
  const samples = samplesOf(kernel, { project, message, turn: claim.turn, resource, proposal, approval })
    // The document has the method that the stateless protocol uses.
    .filter(({ method, path }) => path !== "/mcp" || method === "POST")
    // Only a standalone agent can be removed: the one that another sample creates.
    .map((sample) => (isRemoval(sample) ? { ...sample, route: "/agents/newcomer" } : sample))
    .map((sample) => (sample.path.endsWith("/discard") ? { ...sample, body: { messages: [second] } } : sample));
  const rank = ({ method, path }: Sample) => {
    if (path === "/shutdown") return 99;
    // Other samples wake bob, who then handles the messages that these need.
    if (path.startsWith("/inbox")) return -1;
    // A running workflow cannot be cleared.
    if (path.endsWith("/clear")) return 50;
    return order.indexOf(method) + (path === "/workflows/:target" ? 10 : 0);
  };
  return samples.sort((a, b) => rank(a) - rank(b));
}

function isRemoval({ method, path }: Sample): boolean {
  return method === "DELETE" && path === "/agents/:target";
}

/** Checks a real answer: its status and type are described, and its body has that shape. */
function createCheck({ paths, components }: Document) {
  const ajv = new Ajv({ strict: false, allErrors: true, validateFormats: false });
  const compiled = new Map<string, ReturnType<typeof ajv.compile>>();
  const fits = (schema: object, value: unknown, what: string) => {
    const key = JSON.stringify(schema);
    const validate = compiled.get(key) ?? ajv.compile({ ...schema, components });
    compiled.set(key, validate);
    if (!validate(value)) {
      const problems = validate.errors?.map(({ instancePath, message }) => `${instancePath} ${message}`).join("\n");
      throw new Error(`${what} is not as in /openapi.json:\n${problems}\n${JSON.stringify(value).slice(0, 2_000)}`);
    }
  };
  return async ({ method, path }: Sample, response: Response): Promise<void> => {
    const name = nameOf(method, path);
    const [verb = "", place = ""] = name.split(" ");
    const responses = paths[place]?.[verb.toLowerCase()]?.responses ?? {};
    const described = responses[response.status] ?? (response.ok ? undefined : responses["default"]);
    const type = response.headers.get("content-type")?.split(";")[0] ?? "";
    const schema = described?.content[type]?.schema;
    if (!schema) throw new Error(`${name} answered ${response.status} ${type}, which /openapi.json does not have`);
    if (type !== "text/event-stream") return fits(schema, await response.json(), `${name}: ${response.status}`);
    if (!response.body || path === "/mcp") return void (await response.body?.cancel());
    for await (const { data } of readEvents(response.body, silenceMs)) {
      fits({ $ref: "#/components/schemas/Event" }, JSON.parse(data), `an event of ${name}`);
    }
  };
}

/** As the document names it; `ALL` is listed as POST. */
function nameOf(method: string, path: string): string {
  return `${method === "ALL" ? "POST" : method} ${path.replaceAll(/:(\w+)(\{[^}]*\})?/g, "{$1}")}`;
}

function readDocument(daemon: OpenDaemon): Promise<Document> {
  return daemon.call("GET", "/openapi.json", Document);
}
