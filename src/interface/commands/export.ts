/** `export`: prints an instance's transcript and results, as Markdown or JSON. */
import type { DocumentInfo } from "../../protocol/document.ts";
import type { Transcript } from "../../protocol/http/history.ts";
import type { WorkflowInfo } from "../../protocol/instance.ts";
import type { Message } from "../../protocol/message.ts";
import type { Proposal } from "../../protocol/proposal.ts";
import { formatTarget } from "../../protocol/target.ts";
import { renderEntry } from "../../text/transcript.ts";
import { messageInvolves } from "../render/involves-agent.ts";
import type { Client } from "../client/client.ts";
import { defineCommand, optional } from "../command-line/command.ts";
import { to } from "../command-line/options.ts";
import { chooseTarget } from "../command-line/target.ts";
import { plural } from "../../text/terminal.ts";

export const command = defineCommand({
  arguments: { target: optional("a workflow (@review), or an agent: only messages it sent or received") },
  options: { to },
  details:
    "Prints Markdown: all messages of the channel, the list of documents, the proposals, and what steps captured.",
  examples: [
    ["agent-worker export @review > review.md", "save a transcript"],
    ["agent-worker export @review --json | jq '.messages[].sender'", "export it as JSON"],
  ],
  async run({ args, options, session }) {
    const { output } = session;
    const target = await chooseTarget(session, args.target, options.to);
    const { agent } = target;
    const client = await session.connect();
    const messages: Message[] = [];
    const proposals: Proposal[] = [];
    let head: Pick<Transcript, "workflow" | "documents" | "trouble"> | undefined;
    for await (const { messages: page, proposals: opened, next: _, ...rest } of pages(client, formatTarget(target))) {
      proposals.push(...opened);
      const shown = page.filter((message) => agent === undefined || messageInvolves(message, agent));
      if (output.json) messages.push(...shown);
      else {
        if (!head) output.printText(renderTitle(rest.workflow));
        output.printText(shown.map(renderEntry).join(""));
      }
      head ??= rest;
    }
    if (!head) return;
    if (output.json) return output.printJson({ ...head, proposals, messages });
    const { documents, trouble, workflow } = head;
    if (trouble !== null) output.note(`${trouble}: the documents are listed as they were last known`);
    output.printText(renderDocuments(documents) + renderProposals(proposals) + renderResults(workflow));
  },
});

async function* pages(client: Client, target: string): AsyncGenerator<Transcript, void> {
  let after: number | null = 0;
  while (after !== null) {
    const page: Transcript = await client.call("GET /workflows/:target/export", { target, query: { after } });
    yield page;
    after = page.next;
  }
}

function renderTitle({ target, state, run, result, project, messages }: WorkflowInfo): string {
  const facts = [
    `run ${run} ${state === "ended" ? (result?.status ?? state) : state}`,
    plural(messages, "message"),
    ...(project === "" ? [] : [project]),
  ];
  return `# ${target}\n\n${facts.join(" · ")}\n\n## Channel\n\n`;
}

function renderDocuments(documents: DocumentInfo[]): string {
  const lines = documents.map(
    ({ file, version, author, bytes }) => `* ${file}: version ${version}, by ${author}, ${plural(bytes, "byte")}`,
  );
  return lines.length === 0 ? "" : `## Documents\n\n${lines.join("\n")}\n\n`;
}

function renderProposals(proposals: Proposal[]): string {
  const lines = proposals.map(({ title, status, result }) => {
    const winner = result?.winner ?? null;
    return `* ${title.replaceAll(/\s+/g, " ")}: ${winner === null ? status : `${winner} (${status})`}`;
  });
  return lines.length === 0 ? "" : `## Proposals\n\n${lines.join("\n")}\n\n`;
}

/** The output, and what steps captured; each in a code fence that its text cannot close. */
function renderResults({ result }: WorkflowInfo): string {
  if (!result) return "";
  const named = [...(result.output === "" ? [] : [["output", result.output]]), ...Object.entries(result.results)];
  const blocks = named.map(([name, text = ""]) => {
    const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length));
    const fence = "`".repeat(longest + 1);
    return `### ${name}\n\n${fence}\n${text}\n${fence}\n\n`;
  });
  return blocks.length === 0 ? "" : `## Results\n\n${blocks.join("")}`;
}
