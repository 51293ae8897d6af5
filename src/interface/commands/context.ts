/** `context`: what an agent can do with its context, as commands, for programs that do not speak MCP. */
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
type Verb = (words: string[], options: Options) => ToolCall | Promise<ToolCall>;

const verbs: Record<string, Verb> = {
  async send(words, { to, private: isPrivate, replyTo }) {
    if (words.length === 0) throw new AppError("usage", "what should be said?", { hint: 'context send "@name …"' });
    const message = await wordsOrStdin(words, messageBytes, "a message");
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
      throw new AppError("usage", "which messages are handled?", { hint: "context ack <id…>, or --until <id>" });
    }
    return { tool: "inbox_ack", args: { ids: words.length > 0 ? words : undefined, until } };
  },
  doc([verb = "read", ...words], options) {
    return choose(documentVerbs, verb, "context doc")(words, options);
  },
  agents: (words) => ({ tool: "workflow_agents", args: none(words) }),
  status: (words) => ({ tool: "status_set", args: { text: words.join(" ") } }),
  call([tool, json = "{}", ...more]) {
    if (tool === undefined) throw new AppError("usage", "which tool?", { hint: "context call <tool> '<json>'" });
    return {
      tool,
      args: { ...none(more), ...parseJsonObject(json, "what the tool is given", `such as '{"limit": 5}'`) },
    };
  },
};

const documentVerbs: Record<string, Verb> = {
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
    verb: required("send, read, inbox, ack, doc, agents, status or call"),
    words: rest("a message, ids, or a document's verb, name and text; text of - or none is read from stdin"),
  },
  options: {
    to: text("--to <names>", "send: agents that it is for, separated by commas"),
    private: flag("--private", "send: only they see it"),
    replyTo: text("--reply-to <message>", "send: the message that this answers"),
    since: text("--since <message>", "read: only what came after this one"),
    limit: count("-n, --limit <count>", "read: at most so many"),
    until: text("--until <message>", "ack: all up to this one"),
    at: count("--at <version>", "doc read: an earlier version"),
    base: count("--base <version>", "doc write, doc delete: the version that the change was made from"),
  },
  details:
    "Works where an agent has started the program: the turn's secret is in its environment, and what is said is said " +
    "by that agent. `doc` knows read, write, append, create, suggest, delete and list; `call` reaches every other tool.",
  examples: [
    ["agent-worker context inbox", "what the agent is owed"],
    ['agent-worker context send "@coder line 42 fails"', "hands over to a teammate"],
    ["make 2>&1 | agent-worker context doc append build.md -", "keeps a log for all to read"],
    ['agent-worker context call resource_create \'{"content": "…"}\'', "any tool, by its name"],
  ],
  async run({ args, options, session: { env, output } }) {
    // Before stdin is read: without a turn there is nothing to read it for.
    const tools = openTurnTools(env);
    const { tool, args: given } = await choose(verbs, args.verb, "context")(args.words, options);
    const answer = await tools.call(tool, given);
    if (output.json) output.printJson(answer.result);
    else output.printText(answer.text);
  },
});

function choose(known: Record<string, Verb>, word: string, where: string): Verb {
  const verb = Object.hasOwn(known, word) ? known[word] : undefined;
  if (verb) return verb;
  const names = Object.keys(known);
  throw new AppError("usage", `${where} does not know '${word}'${didYouMean(word, names)}`, {
    hint: `one of ${names.join(", ")}`,
  });
}

function none([word]: string[]): Record<string, never> {
  if (word === undefined) return {};
  throw new AppError("usage", `'${word}' is one word too many`, { hint: "agent-worker context --help" });
}

function content(words: string[]): Promise<string> {
  return wordsOrStdin(words, documentBytes, "a document");
}

async function wordsOrStdin(words: string[], mostBytes: number, what: string): Promise<string> {
  const isStdin = words.length === 0 || (words.length === 1 && words[0] === "-");
  return isStdin ? readStdin(mostBytes, what, "store it with `context call resource_create`") : words.join(" ");
}
