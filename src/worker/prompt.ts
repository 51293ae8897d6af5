/** What an agent is told: who it is and how the team works, then what is in its inbox. */
import type { InboxCheckResult } from "../protocol/tools/inbox.ts";
import type { ToolMessage } from "../protocol/tools/message.ts";
import type { TurnSpec } from "../protocol/worker/worker-input.ts";
import type { Skill } from "../skills/skill.ts";
import { clip } from "../text/clip.ts";

export type Prompt = { system: string; first: string };

/** Keeps what is told about the team at about 600 tokens, however many teammates there are. */
const teammatesChars = 1_200;
const descriptionChars = 100;
/** What is told about skills: about 1,000 tokens at most. */
const skillsChars = 4_000;
const skillChars = 300;

export function buildPrompt(spec: TurnSpec, inbox: InboxCheckResult, skills: Skill[] = []): Prompt {
  const own = spec.definition.system_prompt?.trim();
  const system = [own, teamText(spec), skillText(skills)].filter(Boolean).join("\n\n");
  return { system, first: firstPrompt(inbox) };
}

/** Names and descriptions alone: what a skill says is loaded when it is needed. */
function skillText(skills: Skill[]): string {
  if (skills.length === 0) return "";
  const lines: string[] = [];
  let room = skillsChars;
  for (const { name, description } of skills) {
    const line = `- ${name}: ${clip(oneLine(description), skillChars)}`;
    room -= line.length;
    if (room < 0) break;
    lines.push(line);
  }
  const left = skills.slice(lines.length).map(({ name }) => name);
  if (left.length > 0) lines.push(`- and ${clip(left.join(", "), skillChars)}`);
  return `Skills, which the tool skill loads; load one before you begin a task that it is for:\n${lines.join("\n")}`;
}

function teamText({ agent, workflow, teammates }: TurnSpec): string {
  return `You are "${agent}", an agent of the workflow "${workflow}". The team shares one channel; what is addressed to you is in your inbox.

${teammates.length > 0 ? `Your teammates:\n${teammateLines(teammates)}` : "You have no teammates."}

How to work:
- Your inbox is given to you below. inbox_check shows it again, with what has arrived since; inbox_ack marks messages as handled.
- channel_send writes to the channel. @name in the text addresses a teammate and wakes it, @all wakes everyone, @user informs the human. Text without a mention wakes nobody.
- Handing work over means mentioning: say what is to be done and all that is needed for it. Do not mention anyone only to thank or to confirm.
- Documents hold what should last: document_read and document_write work on the team's notes, or on the file you name; read before you write. document_append adds lines, document_list shows what there is.
- What is too long for a message goes into resource_create; send its id. resource_read opens an id you are given.
- proposal_create lets the team decide something by vote; a proposal in your inbox is answered with vote.
- ask_user asks the human and waits for the answer: only for what you cannot find out or decide yourself.
- channel_read shows earlier messages, workflow_agents what each teammate is doing.
- Your work is done when everything in your inbox is handled. Then end with a short final text: it answers whoever asked, and a mention in it hands over as well.`;
}

function teammateLines(teammates: TurnSpec["teammates"]): string {
  const lines: string[] = [];
  let room = teammatesChars;
  for (const { name, description } of teammates) {
    const line = description ? `- @${name}: ${clip(oneLine(description), descriptionChars)}` : `- @${name}`;
    room -= line.length;
    if (room < 0) break;
    lines.push(line);
  }
  const left = teammates.length - lines.length;
  return [...lines, ...(left > 0 ? [`- and ${left} more: workflow_agents lists them`] : [])].join("\n");
}

function firstPrompt({ messages, earlier }: InboxCheckResult): string {
  const parts = [messages.length === 0 ? "Your inbox is empty." : `Your inbox:\n\n${messages.map(show).join("\n\n")}`];
  if (earlier.length > 0) {
    const did = earlier.map((line) => `- ${oneLine(line)}`).join("\n");
    parts.push(`An earlier attempt at this was cut off. It already did the following; do not do it again:\n${did}`);
  }
  return parts.join("\n\n");
}

function show(message: ToolMessage): string {
  const remarks = [
    message.priority === "high" && "high priority",
    message.private && "private",
    message.inReplyTo !== null && `in reply to ${message.inReplyTo}`,
  ].filter(Boolean);
  const about = remarks.length > 0 ? ` (${remarks.join(", ")})` : "";
  return `[${message.id}] from ${message.sender}${about}:\n${message.content}`;
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}
