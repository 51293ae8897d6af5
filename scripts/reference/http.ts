/** `docs/reference/http.md`, written from the list of routes and the protocol's schemas. */
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
/** What every event has. */
const eventHead = ["type", "seq", "at", "workflow", "tag", "project", "run", "data"];

export function renderHttp(): string {
  const notes = readNotes(...files);
  const described = Object.entries<Route>(routes);
  const [inputs, outputs] = [requestSchemas(), responseSchemas()];
  const shape = (schemas: Record<string, JsonSchema>) => (name: string) =>
    [`### ${name}`, notes.get(name), fieldTable(schemas[name] ?? {}, name, notes)].filter(Boolean).join("\n\n");
  const sections = [
    introduction,
    table(["route", "", "body", "answers"], described.map(routeRow)),
    "A query can say more:",
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

const introduction = `# The HTTP door

<!-- Written by scripts/reference.ts; do not edit. -->

The daemon listens on \`127.0.0.1\`, at the port that \`daemon.json\` in its home names, and on \`daemon.sock\` beside that file. Every
request shows the token of \`daemon.json\` as \`Authorization: Bearer …\`. Bodies are JSON, of at most ${requestBytes / MiB} MiB, with
\`Content-Type: application/json\`. A foreign \`Host\` or \`Origin\` is refused, and no page of another origin may read an answer.

A \`:target\` is what people write, percent-encoded: \`alice@review:pr-1\`, \`@review\`. Where several folders have an instance of that
name, \`cwd\` (the folder one is in) or \`project\` (exactly that one) decides: a query parameter, or a field of the body if there is one.

## Routes`;

function routeRow([key, { summary, bodyName, response, status }]: [string, Route]): string[] {
  return [`\`${key}\``, summary, bodyName ? link(bodyName) : "", responseCell(response, status)];
}

/** Of several shapes the first: what a query asks for instead is told in the summary. */
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

What happened, in order; all that is stored can be read again. A stream is \`text/event-stream\`: a frame has the event's \`seq\` as its \`id\`, its type as its \`event\`, and the whole event as JSON in its
\`data\`. Go on where you were with the header \`Last-Event-ID\`, or with \`after\`. When nothing happens, a comment is requestShapes every 15
seconds. Every event has ${names(eventHead)}; \`at\` is in milliseconds.

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

All have one shape, \`{ "error": { "code", "message", "hint"?, "actions"?, "details"? } }\`. The code decides the status here, and the
exit code of the command line. \`hint\` and \`actions\` say what to do. These are the defaults; most errors have their own.

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
