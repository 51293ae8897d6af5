/** What an ACP agent does in one turn, told as events: its text, its tool calls, what it asked leave for. */
import { z } from "zod";
import type { Usage } from "../../protocol/turn.ts";
import type { BackendEvent } from "../backends/backend.ts";
import { plainName, type Server } from "./servers.ts";

/** The parts of the protocol's updates that are looked at; the others are for editors. */
type Update = {
  sessionUpdate: string;
  content?: unknown;
  toolCallId?: string;
  title?: string | null;
  name?: string | null;
  status?: string | null;
  rawInput?: unknown;
  rawOutput?: unknown;
};
type Question = {
  toolCall: { title?: string | null; name?: string | null; kind?: string | null; rawInput?: unknown };
  options: { optionId: string; kind: string }[];
};
type Answer = { outcome: { outcome: "cancelled" } | { outcome: "selected"; optionId: string } };

export type Conversation = {
  update(update: Update): void;
  /** By whoever decides for this agent; else what its `tools` list is allowed, and so is all that changes nothing. */
  permit(question: Question): Promise<Answer>;
  /** Looks at everything that passes: usage is told where the protocol is not settled yet. */
  overhear(message: unknown): void;
  /** What it has said since its last tool call. */
  text(): string;
  steps(): number;
  denied(): string[];
  usage(): Usage | undefined;
};

type Call = { tool: string; args: unknown; isTold: boolean };

/** Which local tool stands for a kind of call. */
const needed: Record<string, string[]> = {
  execute: ["bash"],
  edit: ["write_file", "edit_file"],
  delete: ["write_file", "edit_file", "bash"],
  move: ["write_file", "edit_file", "bash"],
};

const Arguments = z.record(z.string(), z.unknown());
const Text = z.object({ type: z.literal("text"), text: z.string() });
const Content = z.array(z.object({ type: z.literal("content"), content: Text }));
const PromptAnswer = z.object({
  result: z.object({
    stopReason: z.string(),
    usage: z.object({
      inputTokens: z.number().default(0),
      outputTokens: z.number().default(0),
      cachedReadTokens: z.number().nullish(),
      cachedWriteTokens: z.number().nullish(),
      thoughtTokens: z.number().nullish(),
    }),
  }),
});

export function createConversation(
  own: Set<string>,
  servers: Server[],
  tell: (event: BackendEvent) => void,
  ask?: (tool: string, args: Record<string, unknown>) => Promise<boolean>,
): Conversation {
  const calls = new Map<string, Call>();
  const refused: string[] = [];
  let text = "";
  let usage: Usage | undefined;

  return {
    update(update) {
      if (update.sessionUpdate === "agent_message_chunk") {
        const { data: piece } = Text.safeParse(update.content);
        if (!piece || piece.text === "") return;
        text += piece.text;
        tell({ type: "text-delta", text: piece.text });
      } else if (update.toolCallId !== undefined) follow(update.toolCallId, update);
    },
    async permit({ toolCall, options }) {
      const wanted = needed[toolCall.kind ?? ""];
      const tool = plainName(toolCall.name ?? toolCall.title ?? toolCall.kind ?? "a tool", servers);
      const { data: args = {} } = Arguments.safeParse(toolCall.rawInput);
      const isAllowed = ask ? await ask(tool, args) : wanted === undefined || wanted.some((name) => own.has(name));
      // What our own queue denies, the model is told: that fails no turn.
      if (!isAllowed && !ask) refused.push(tool);
      const kind = isAllowed ? "allow_once" : "reject_once";
      const option = options.find((each) => each.kind === kind);
      return { outcome: option ? { outcome: "selected", optionId: option.optionId } : { outcome: "cancelled" } };
    },
    overhear(message) {
      const { data } = PromptAnswer.safeParse(message);
      if (!data) return;
      const { inputTokens, outputTokens, cachedReadTokens, cachedWriteTokens, thoughtTokens } = data.result.usage;
      usage = {
        inputTokens: inputTokens + (cachedReadTokens ?? 0) + (cachedWriteTokens ?? 0),
        outputTokens: outputTokens + (thoughtTokens ?? 0),
      };
    },
    text: () => text,
    steps: () => calls.size,
    denied: () => refused,
    usage: () => usage,
  };

  /** Arguments may come after the call; it is told once they are there, or when it runs. */
  function follow(id: string, { title, name, status, rawInput, rawOutput, content }: Update): void {
    const call = calls.get(id) ?? { tool: plainName(name ?? title ?? "tool", servers), args: {}, isTold: false };
    calls.set(id, call);
    if (rawInput !== undefined && !call.isTold) call.args = rawInput;
    const isDone = status === "completed" || status === "failed";
    if (!call.isTold && (isDone || status === "in_progress")) {
      call.isTold = true;
      text = "";
      tell({ type: "tool-call", call: id, tool: call.tool, args: JSON.stringify(call.args) });
    }
    if (!isDone) return;
    const { data: parts = [] } = Content.safeParse(content);
    const said = parts.map((part) => part.content.text).join("\n") || JSON.stringify(rawOutput ?? "");
    tell({ type: "tool-result", call: id, tool: call.tool, ok: status === "completed", text: said });
  }
}
