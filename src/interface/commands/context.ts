/** `context`: an agent's context tools as commands, for programs that do not speak MCP. */
import { AppError } from "../../protocol/error.ts";
import { documentBytes, messageBytes } from "../../protocol/limits.ts";
import { didYouMean } from "../../text/suggest.ts";
import { defineCommand, required, rest } from "../command-line/command.ts";
import { parseJsonObject } from "../command-line/json-object.ts";
import { count, flag, text } from "../command-line/options.ts";
import { readStdin } from "../command-line/stdin.ts";
import { openTurnTools } from "../client/turn-tools.ts";

type Options = {
  to: string | undefined;
  private: boolean;
  replyTo: string | undefined;
  since: string | undefined;
  limit: number | undefined;
  until: string | undefined;
  base: number | undefined;
  at: number | undefined;
};
type ToolCall = { tool: string; args: Record<string, unknown> };
type Subcommand = (words: string[], options: Options) => ToolCall | Promise<ToolCall>;

const subcommands: Record<string, Subcommand> = {
  async send(words, { to, private: isPrivate, replyTo }) {
    if (words.length === 0)
      throw new AppError("usage", "missing message", { hint: 'agent-worker context send "@name …"' });
    const message = await textOrStdin(words, messageBytes, "a message");
    const names = to?.split(",").map((name) => name.trim());
    return {
      tool: "channel_send",
      args: { message, to: names, private: isPrivate || undefined, in_reply_to: replyTo },
    };
  },
  read: (words, { since, limit }) => ({ tool: "channel_read", args: { ...none(words), since, limit } }),
  inbox: (words) => ({ tool: "inbox_check", args: none(words) }),
  ack(words, { until }) {
    if (words.length === 0 && until === undefined) {
      throw new AppError("usage", "missing message ids", { hint: "agent-worker context ack <id…>, or --until <id>" });
    }
    return { tool: "inbox_ack", args: { ids: words.length > 0 ? words : undefined, until } };
  },
  doc([subcommand = "read", ...words], options) {
    return choose(documentSubcommands, subcommand, "context doc")(words, options);
  },
  agents: (words) => ({ tool: "workflow_agents", args: none(words) }),
  status: (words) => ({ tool: "status_set", args: { text: words.join(" ") } }),
  call([tool, json = "{}", ...more]) {
    if (tool === undefined)
      throw new AppError("usage", "missing tool", { hint: "agent-worker context call <tool> '<json>'" });
    return {
      tool,
      args: { ...none(more), ...parseJsonObject(json, "the input of the tool", `such as '{"limit": 5}'`) },
    };
  },
};

const documentSubcommands: Record<string, Subcommand> = {
  read: ([file, ...more], { at }) => ({ tool: "document_read", args: { ...none(more), file, version: at } }),
  async write([file, ...words], { base }) {
    return { tool: "document_write", args: { file, content: await content(words), base_version: base } };
  },
  append: async ([file, ...words]) => ({ tool: "document_append", args: { file, content: await content(words) } }),
  create: async ([file, ...words]) => ({ tool: "document_create", args: { file, content: await content(words) } }),
  suggest: async ([file, ...words]) => ({ tool: "document_suggest", args: { file, content: await content(words) } }),
  delete: ([file, ...more], { base }) => ({
    tool: "document_delete",
    args: { ...none(more), file, base_version: base },
  }),
  list: (words) => ({ tool: "document_list", args: none(words) }),
};

export const command = defineCommand({
  arguments: {
    subcommand: required("send, read, inbox, ack, doc, agents, status or call"),
    words: rest("a message, message ids, or a document subcommand with a file and text; - or no text reads stdin"),
  },
  options: {
    to: text("--to <names>", "send: recipients, separated by commas"),
    private: flag("--private", "send: only the recipients see it"),
    replyTo: text("--reply-to <message>", "send: the message to reply to"),
    since: text("--since <message>", "read: only messages after this one"),
    limit: count("-n, --limit <count>", "read: maximum number of messages"),
    until: text("--until <message>", "ack: all messages up to this one"),
    at: count("--at <version>", "doc read: the version to read"),
    base: count("--base <version>", "doc write, doc delete: the version that the change is based on"),
  },
  details:
    "Works in programs that an agent has started: the turn's token is in their environment, and they act as that agent. " +
    "`doc` takes read, write, append, create, suggest, delete and list; `call` calls any other tool.",
  examples: [
    ["agent-worker context inbox", "list the messages that the agent has to handle"],
    ['agent-worker context send "@coder line 42 fails"', "send a message to a teammate"],
    ["make 2>&1 | agent-worker context doc append build.md -", "append to a document that the team can read"],
    ['agent-worker context call resource_create \'{"content": "…"}\'', "call any tool by its name"],
  ],
  async run({ args, options, session: { env, output } }) {
    // Checked before stdin is read: outside a turn the input is of no use.
    const tools = openTurnTools(env);
    const { tool, args: given } = await choose(subcommands, args.subcommand, "context")(args.words, options);
    const answer = await tools.call(tool, given);
    if (output.json) output.printJson(answer.result);
    else output.printText(answer.text);
  },
});

function choose(known: Record<string, Subcommand>, word: string, where: string): Subcommand {
  const subcommand = Object.hasOwn(known, word) ? known[word] : undefined;
  if (subcommand) return subcommand;
  const names = Object.keys(known);
  throw new AppError("usage", `unknown subcommand '${word}' for ${where}${didYouMean(word, names)}`, {
    hint: `one of ${names.join(", ")}`,
  });
}

function none([word]: string[]): Record<string, never> {
  if (word === undefined) return {};
  throw new AppError("usage", `unexpected argument '${word}'`, { hint: "agent-worker context --help" });
}

function content(words: string[]): Promise<string> {
  return textOrStdin(words, documentBytes, "a document");
}

async function textOrStdin(words: string[], maxBytes: number, what: string): Promise<string> {
  const isStdin = words.length === 0 || (words.length === 1 && words[0] === "-");
  return isStdin ? readStdin(maxBytes, what, "store it with `context call resource_create`") : words.join(" ");
}
