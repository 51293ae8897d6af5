/** Generates `docs/reference/http.md` from the list of routes and the protocol's schemas. */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { errorTable } from "../../src/protocol/error.ts";
import { MiB, requestBytes } from "../../src/protocol/limits.ts";
import { type Route, type RouteResponse, describedQuery } from "../../src/protocol/http/route.ts";
import { routes } from "../../src/protocol/http/routes.ts";
import {
  type JsonSchema,
  responseShapes,
  responseSchemas,
  requestShapes,
  requestSchemas,
} from "../../src/protocol/http/shapes.ts";
import { asSchema, fieldTable, table, typeOf } from "./fields.ts";
import { readNotes } from "./notes.ts";

const files = [
  "definition/agent-definition.ts",
  "definition/definition.ts",
  "definition/duration.ts",
  "definition/mock-script.ts",
  "delivery.ts",
  "event.ts",
  ...readdirSync(join(import.meta.dir, "../../src/protocol/http")).map((name) => `http/${name}`),
  "instance.ts",
  "message.ts",
  "proposal.ts",
  "schedule.ts",
  "document.ts",
  "resource.ts",
  "turn.ts",
];
/** The fields of every event. */
const eventHead = ["type", "seq", "at", "workflow", "tag", "project", "run", "data"];

export function renderHttp(): string {
  const notes = readNotes(...files);
  const described = Object.entries<Route>(routes);
  const [inputs, outputs] = [requestSchemas(), responseSchemas()];
  const shape = (schemas: Record<string, JsonSchema>) => (name: string) =>
    [`### ${name}`, notes.get(name), fieldTable(schemas[name] ?? {}, name, notes)].filter(Boolean).join("\n\n");
  const sections = [
    introduction,
    table(["route", "", "body", "response"], described.map(routeRow)),
    "Query parameters:",
    table(["route", "parameter", ""], described.flatMap(queryRows)),
    eventSection(outputs["Event"] ?? {}),
    "## Requests",
    "A workflow's definition is [its file](workflow-file.md) as JSON.",
    ...Object.keys(requestShapes).map(shape(inputs)),
    "## Responses",
    ...Object.keys(responseShapes).map(shape(outputs)),
    errorSection(outputs["Action"] ?? {}),
  ];
  return `${sections.join("\n\n")}\n`;
}

const introduction = `# HTTP API

<!-- Written by scripts/reference.ts; do not edit. -->

The daemon listens on \`127.0.0.1\`, on the port given in \`daemon.json\` in its home, and on the socket \`daemon.sock\` next to that file.
Every request sends the token of \`daemon.json\` as \`Authorization: Bearer …\`. Bodies are JSON, at most ${requestBytes / MiB} MiB, with
\`Content-Type: application/json\`. A request with a foreign \`Host\` or \`Origin\` is refused, and pages of other origins cannot read
responses.

A \`:target\` is a target as on the command line, percent-encoded: \`alice@review:pr-1\`, \`@review\`. If several projects have an instance
of that name, \`cwd\` (your current folder) or \`project\` (exactly that project) decides. Both are query parameters, or fields of the body
if the route takes one.

## Routes`;

function routeRow([key, { summary, bodyName, response, status }]: [string, Route]): string[] {
  return [`\`${key}\``, summary, bodyName ? link(bodyName) : "", responseCell(response, status)];
}

/** The first of several shapes; the summary describes the others, which a query asks for. */
function responseCell(response: RouteResponse, status: number): string {
  if (response === "events") return "[events](#event)";
  if (response === "MCP") return "";
  const [name = ""] = Object.keys(response);
  return `${status} ${link(name)}`;
}

function queryRows([key, { query }]: [string, Route]): string[][] {
  return describedQuery(query).map(([name, description]) => [`\`${key}\``, `\`${name}\``, description]);
}

function eventSection(event: JsonSchema): string {
  const rows = (event.oneOf ?? event.anyOf ?? []).map((kind) => {
    const { properties = {} } = asSchema(kind);
    const data = asSchema(properties["data"]);
    const extra = Object.keys(properties).filter((name) => !eventHead.includes(name));
    const fields = data.$ref ? typeOf(data) : names(Object.keys(data.properties ?? {}));
    return [names([String(asSchema(properties["type"]).const)]), names(extra), fields];
  });
  return `## Event

What happened, in order. Stored events can be read again at any time. A stream is \`text/event-stream\`: each frame has the event's
\`seq\` as \`id\`, its type as \`event\`, and the whole event as JSON in \`data\`. Continue where you stopped with the header
\`Last-Event-ID\`, or with \`after\`. When nothing happens, a comment is sent every 15 seconds. Every event has
${names(eventHead)}; \`at\` is in milliseconds.

${table(["type", "also has", "data"], rows)}`;
}

function errorSection(action: JsonSchema): string {
  const rows = Object.entries(errorTable).map(([code, { status, exit, hint = "", actions = [] }]) => [
    `\`${code}\``,
    String(status),
    String(exit),
    hint,
    names(actions.map((each) => each.do)),
  ]);
  const actionRows = (action.oneOf ?? action.anyOf ?? []).map((kind) => {
    const { properties: { do: name, ...others } = {}, description = "" } = asSchema(kind);
    return [names([String(asSchema(name).const)]), names(Object.keys(others)), description];
  });
  return `## Errors

All errors have one shape, \`{ "error": { "code", "message", "hint"?, "actions"?, "details"? } }\`. The code decides the HTTP status and
the exit code of the command line. \`hint\` and \`actions\` say what to do. The table shows their defaults; most errors have their own.

${table(["code", "status", "exit code", "hint", "actions"], rows)}

### Action

What a user can do about an error, for a client to show as a command or a button: \`{ "do": "attach", "target": "@review" }\`. Ignore
actions that you do not know: later versions may add some.

${table(["do", "also has", ""], actionRows)}`;
}

function link(name: string): string {
  return typeOf({ $ref: name });
}

function names(list: string[]): string {
  return list.map((name) => `\`${name}\``).join(", ");
}
