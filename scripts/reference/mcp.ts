/** `docs/reference/mcp.md`, written from the tools themselves. */
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

const managementTitle = "## Management\n\nFor clients: the token of `daemon.json`. What they say is said by the user.";

function notificationSection(notes: Notes): string {
  return `## Notifications

A client of 2026-07-28 can hold a stream open (\`subscriptions/listen\`) and is then told of each new message as it is stored:

| who | subscribes to | is told of |
| --- | --- | --- |
| a turn | \`${inboxUri}\` | messages that address its agent, until the turn ends |
| a client | \`${messagesUri}\` | every message that addresses somebody, in all workflows |

Each is a \`notifications/mention\`, followed by a \`notifications/resources/updated\` for clients that know only that one; the
resource can be read. Nothing is queued for a client that does not read: it gets what it missed when it reads on, and whatever it
is told or not, its inbox has everything. Clients of 2025 have no such stream and ask.

${fieldTable(toolSchema(Mention, "output"), "Mention", notes)}`;
}

const introduction = `# The MCP door

<!-- Written by scripts/reference.ts; do not edit. -->

\`/mcp\` of the daemon speaks the Model Context Protocol over streamable HTTP, without sessions: the version of 2026-07-28, and those of
2025. Who calls is said by the bearer token and by nothing else. A worker is given the token of its turn; it is good until the turn
ends, and a call that comes later is refused and changes nothing. A client's token finds the [tools of management](#management) instead.

Every tool answers in words and, with the same meaning, in a structured result. What goes wrong is told in words, with \`isError\`.

## Tools`;

function toolSection(
  { name, description, input, output, readOnly, idempotent }: Omit<Tool, "run">,
  notes: Notes,
): string {
  const traits = [readOnly && "Changes nothing.", !readOnly && idempotent && "Twice is the same as once."];
  const given = fieldTable(toolSchema(input, "input"), nameOf(input), notes);
  return [
    `### ${name}`,
    [description, ...traits].filter(Boolean).join(" "),
    given === "" ? "It takes no arguments." : `Arguments:\n\n${given}`,
    `Result:\n\n${fieldTable(toolSchema(output, "output"), nameOf(output), notes)}`,
  ].join("\n\n");
}

/** What a tool's schema is called where it is defined, beside its comments. */
function nameOf(schema: unknown): string {
  return Object.entries(schemas).find(([, known]) => known === schema)?.[0] ?? "";
}
