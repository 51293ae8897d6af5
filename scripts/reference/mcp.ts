/** Generates `docs/reference/mcp.md` from the tools themselves. */
import { inboxUri, messagesUri } from "../../src/daemon/mcp/mentions.ts";
import { clientTools, tools } from "../../src/daemon/mcp/tools.ts";
import type { Tool } from "../../src/daemon/mcp/tool.ts";
import { Mention } from "../../src/protocol/mention.ts";
import { toolSchema, toolShapes } from "../../src/protocol/http/shapes.ts";
import * as channel from "../../src/protocol/tools/channel.ts";
import * as document from "../../src/protocol/tools/document.ts";
import * as inbox from "../../src/protocol/tools/inbox.ts";
import * as management from "../../src/protocol/tools/management.ts";
import * as message from "../../src/protocol/tools/message.ts";
import * as people from "../../src/protocol/tools/people.ts";
import * as proposal from "../../src/protocol/tools/proposal.ts";
import * as resource from "../../src/protocol/tools/resource.ts";
import * as team from "../../src/protocol/tools/team.ts";
import { fieldTable } from "./fields.ts";
import { type Notes, readNotes } from "./notes.ts";

const schemas = {
  ...channel,
  ...document,
  ...inbox,
  ...management,
  ...message,
  ...people,
  ...proposal,
  ...resource,
  ...team,
};
const files = ["channel", "document", "inbox", "management", "message", "people", "proposal", "resource", "team"].map(
  (group) => `tools/${group}.ts`,
);

export function renderMcp(): string {
  const notes = readNotes(...files, "message.ts", "proposal.ts", "document.ts", "resource.ts", "mention.ts");
  const shapes = Object.entries(toolShapes()).map(([name, schema]) =>
    [`### ${name}`, notes.get(name), fieldTable(schema, name, notes)].filter(Boolean).join("\n\n"),
  );
  return `${[introduction, ...tools.map((tool) => toolSection(tool, notes)), managementTitle, ...clientTools.map((tool) => toolSection(tool, notes)), notificationSection(notes), "## Shapes", ...shapes].join("\n\n")}\n`;
}

const managementTitle =
  "## Management\n\nFor clients, with the token of `daemon.json`. Their messages are sent as the user.";

function notificationSection(notes: Notes): string {
  return `## Notifications

With MCP 2026-07-28, a caller can keep a stream open (\`subscriptions/listen\`) and gets a notification for each new message as soon as
it is stored:

| caller | subscribes to | is notified of |
| --- | --- | --- |
| a turn | \`${inboxUri}\` | messages that address its agent, until the turn ends |
| a client | \`${messagesUri}\` | every message that has a recipient, in all workflows |

Each message sends a \`notifications/mention\`, followed by a \`notifications/resources/updated\` for clients that support only that. The
resources can also be read. Nothing is queued for a client that stops reading: it gets what it missed when it reads again. The inbox
has every message, with or without notifications. The protocol versions of 2025 have no such stream; their clients poll.

${fieldTable(toolSchema(Mention, "output"), "Mention", notes)}`;
}

const introduction = `# MCP server

<!-- Written by scripts/reference.ts; do not edit. -->

The daemon serves the Model Context Protocol at \`/mcp\`, over streamable HTTP and without sessions, in version 2026-07-28 and the
versions of 2025. Callers are identified only by their bearer token. A worker gets the token of its turn. It is valid until the turn
ends; a later call is refused and changes nothing. A client's token gives access to the [management tools](#management) instead.

Every tool returns a text and a structured result with the same meaning. An error is a text with \`isError\`.

## Tools`;

function toolSection(
  { name, description, input, output, readOnly, idempotent }: Omit<Tool, "run">,
  notes: Notes,
): string {
  const traits = [readOnly && "Read-only.", !readOnly && idempotent && "Idempotent."];
  const given = fieldTable(toolSchema(input, "input"), nameOf(input), notes);
  return [
    `### ${name}`,
    [description, ...traits].filter(Boolean).join(" "),
    given === "" ? "It takes no arguments." : `Arguments:\n\n${given}`,
    `Result:\n\n${fieldTable(toolSchema(output, "output"), nameOf(output), notes)}`,
  ].join("\n\n");
}

/** The name under which a tool's schema is exported; its comments are found by it. */
function nameOf(schema: unknown): string {
  return Object.entries(schemas).find(([, known]) => known === schema)?.[0] ?? "";
}
