/** What an ACP agent does in one turn, told as events: its text, its tool calls, what it asked leave for. */
import { z } from "zod";
import type { Usage } from "../../../protocol/turn.ts";
import type { BackendEvent } from "../backend.ts";
import type { Permission } from "../../approval/permission.ts";
import { deedOf, neededFor, ownCallOf } from "./acp-tools.ts";
import type { OwnCall } from "../../program/judge-own.ts";
import { plainName, type Server } from "../../program/servers.ts";

/** The parts of the protocol's updates that are looked at; the others are for editors. */
type Update = {
  sessionUpdate: string;
  content?: unknown;
  toolCallId?: string;
  title?: string | null;
  name?: string | null;
  kind?: string | null;
  locations?: { path: string }[] | null;
  status?: string | null;
  rawInput?: unknown;
  rawOutput?: unknown;
  cost?: unknown;
};
type Question = {
  toolCall: Omit<Update, "sessionUpdate">;
  options: { optionId: string; kind: string }[];
};
type Answer = { outcome: { outcome: "cancelled" } | { outcome: "selected"; optionId: string } };

export type Conversation = {
  update(update: Update): void;
  /** By whoever decides for this agent; else what its `tools` list is allowed, and so is all that changes nothing. */
  permit(question: Question): Promise<Answer>;
  /** Looks at everything that passes: usage is told where the protocol is not settled yet. */
  overhear(message: unknown): void;
  /** What people have approved in other words than it asked for, each told once: the protocol cannot carry them. */
  takeEdits(): OwnCall[];
  /** What it has said since its last tool call. */
  text(): string;
  steps(): number;
  denied(): string[];
  usage(): Usage | undefined;
};

type Call = { tool: string; args: unknown; isTold: boolean; kind?: string; paths: Set<string> };

/** Decides for an agent with an approval policy, and the folder that its paths are relative to. */
export type Deciding = { judge: (call: OwnCall) => Promise<Permission>; cwd: string };

/** Of the session, which is the turn's. What an agent cannot price, some give as 0. */
const Dollars = z.object({ amount: z.number().positive(), currency: z.literal("USD") });
const Diff = z.object({ type: z.literal("diff"), path: z.string() });
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
  deciding?: Deciding,
): Conversation {
  const calls = new Map<string, Call>();
  const refused: string[] = [];
  /** What was approved in other words and not asked for yet. */
  const approved = new Set<string>();
  let edits: OwnCall[] = [];
  let text = "";
  let usage: Usage | undefined;
  let cost: number | undefined;

  return {
    update(update) {
      if (update.sessionUpdate === "agent_message_chunk") {
        const { data: piece } = Text.safeParse(update.content);
        if (!piece || piece.text === "") return;
        text += piece.text;
        tell({ type: "text-delta", text: piece.text });
      } else if (update.sessionUpdate === "usage_update") cost = Dollars.safeParse(update.cost).data?.amount ?? cost;
      else if (update.toolCallId !== undefined) follow(update.toolCallId, update);
    },
    async permit({ toolCall, options }) {
      const isAllowed = deciding ? await decide(toolCall, deciding) : isListed(toolCall);
      const kind = isAllowed ? "allow_once" : "reject_once";
      const option = options.find((each) => each.kind === kind);
      return { outcome: option ? { outcome: "selected", optionId: option.optionId } : { outcome: "cancelled" } };
    },
    takeEdits() {
      const taken = edits;
      edits = [];
      return taken;
    },
    overhear(message) {
      const { data } = PromptAnswer.safeParse(message);
      if (!data) return;
      const { inputTokens, outputTokens, cachedReadTokens, cachedWriteTokens, thoughtTokens } = data.result.usage;
      // One turn may take several prompts.
      usage = {
        cacheReadTokens: (usage?.cacheReadTokens ?? 0) + (cachedReadTokens ?? 0),
        cacheWriteTokens: (usage?.cacheWriteTokens ?? 0) + (cachedWriteTokens ?? 0),
        inputTokens: (usage?.inputTokens ?? 0) + inputTokens + (cachedReadTokens ?? 0) + (cachedWriteTokens ?? 0),
        outputTokens: (usage?.outputTokens ?? 0) + outputTokens + (thoughtTokens ?? 0),
      };
    },
    text: () => text,
    steps: () => calls.size,
    denied: () => refused,
    usage: () => usage && { ...usage, ...(cost !== undefined && { cost }) },
  };

  function isListed(toolCall: Question["toolCall"]): boolean {
    const needs = neededFor(kindOf(toolCall));
    if (needs.length === 0 || needs.some((name) => own.has(name))) return true;
    refused.push(nameOf(toolCall));
    return false;
  }

  /** What is denied here the model is told: that fails no turn. A yes is for these arguments, or those of the edit. */
  async function decide(toolCall: Question["toolCall"], { judge, cwd }: Deciding): Promise<boolean> {
    const before = calls.get(toolCall.toolCallId ?? "");
    const call = await ownCallOf(
      {
        name: nameOf(toolCall),
        kind: kindOf(toolCall),
        inputs: [before?.args, toolCall.rawInput],
        paths: [...(before?.paths ?? []), ...pathsOf(toolCall)],
      },
      cwd,
    );
    if (approved.delete(deedOf(call))) return true;
    const permission = await judge(call);
    if (!permission.allowed) return false;
    const edited = { ...call, args: permission.args };
    if (deedOf(edited) === deedOf(call)) return true;
    approved.add(deedOf(edited));
    edits.push(edited);
    return false;
  }

  /** A request need not repeat what the call's own messages have said. */
  function kindOf({ kind, toolCallId }: Question["toolCall"]): string | null | undefined {
    return kind ?? calls.get(toolCallId ?? "")?.kind;
  }

  function nameOf({ name, title, kind }: Question["toolCall"]): string {
    return plainName(name ?? title ?? kind ?? "a tool", servers);
  }

  /** Arguments may come after the call; it is told once they are there, or when it runs. */
  function follow(id: string, update: Update): void {
    const { title, name, kind, status, rawInput, rawOutput, content } = update;
    const tool = plainName(name ?? title ?? "tool", servers);
    const call = calls.get(id) ?? { tool, args: {}, isTold: false, paths: new Set<string>() };
    calls.set(id, call);
    if (kind) call.kind = kind;
    for (const path of pathsOf(update)) call.paths.add(path);
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

/** The files that a call names beside its arguments. */
function pathsOf({ locations, content }: Pick<Update, "locations" | "content">): string[] {
  const parts: unknown[] = Array.isArray(content) ? content : [];
  const changed = parts.flatMap((part) => Diff.safeParse(part).data ?? []);
  return [...(locations ?? []), ...changed].map(({ path }) => path);
}
