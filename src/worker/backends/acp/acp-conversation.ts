/** Turns what an ACP agent does in one turn into events: its text, its tool calls and its permission requests. */
import { z } from "zod";
import type { Usage } from "../../../protocol/turn.ts";
import type { BackendEvent } from "../backend.ts";
import type { Permission } from "../../approval/permission.ts";
import { callKey, requiredToolsFor, ownCallOf } from "./acp-tools.ts";
import type { OwnCall } from "../../program/authorize-own-tool.ts";
import { plainName, type Server } from "../../program/servers.ts";

/** The fields of the protocol's updates that are used; the others are for editors. */
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
type PermissionQuestion = {
  toolCall: Omit<Update, "sessionUpdate">;
  options: { optionId: string; kind: string }[];
};
type PermissionAnswer = { outcome: { outcome: "cancelled" } | { outcome: "selected"; optionId: string } };

export type Conversation = {
  update(update: Update): void;
  /**
   * With an approval policy, the policy or a person decides. Without one, allows calls of listed tools and calls that
   * change nothing.
   */
  permit(question: PermissionQuestion): Promise<PermissionAnswer>;
  /** Sees every message, because the protocol has not settled yet where usage is reported. */
  observe(message: unknown): void;
  /** Calls that a person approved with other arguments, each returned once: the protocol cannot transfer the edit. */
  takeEdits(): OwnCall[];
  /** Its text since its last tool call. */
  text(): string;
  steps(): number;
  denied(): string[];
  usage(): Usage | undefined;
};

type Call = { tool: string; args: unknown; isReported: boolean; kind?: string; paths: Set<string> };

/** Authorizes calls of an agent with an approval policy; `cwd` is the folder of its relative paths. */
export type Authorization = { authorize: (call: OwnCall) => Promise<Permission>; cwd: string };

/** The cost of the session, which lasts one turn. Some agents report an unknown cost as 0. */
const UsdCost = z.object({ amount: z.number().positive(), currency: z.literal("USD") });
const Diff = z.object({ type: z.literal("diff"), path: z.string() });
const TextBlock = z.object({ type: z.literal("text"), text: z.string() });
const Content = z.array(z.object({ type: z.literal("content"), content: TextBlock }));
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
  emit: (event: BackendEvent) => void,
  authorization?: Authorization,
): Conversation {
  const calls = new Map<string, Call>();
  const deniedTools: string[] = [];
  /** Calls that were approved with other arguments and not requested yet. */
  const approved = new Set<string>();
  let edits: OwnCall[] = [];
  let text = "";
  let usage: Usage | undefined;
  let cost: number | undefined;

  return {
    update(update) {
      if (update.sessionUpdate === "agent_message_chunk") {
        const { data: piece } = TextBlock.safeParse(update.content);
        if (!piece || piece.text === "") return;
        text += piece.text;
        emit({ type: "text-delta", text: piece.text });
      } else if (update.sessionUpdate === "usage_update") cost = UsdCost.safeParse(update.cost).data?.amount ?? cost;
      else if (update.toolCallId !== undefined) updateToolCall(update.toolCallId, update);
    },
    async permit({ toolCall, options }) {
      const isAllowed = authorization ? await decide(toolCall, authorization) : isListed(toolCall);
      const kind = isAllowed ? "allow_once" : "reject_once";
      const option = options.find((each) => each.kind === kind);
      return { outcome: option ? { outcome: "selected", optionId: option.optionId } : { outcome: "cancelled" } };
    },
    takeEdits() {
      const taken = edits;
      edits = [];
      return taken;
    },
    observe(message) {
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
    denied: () => deniedTools,
    usage: () => usage && { ...usage, ...(cost !== undefined && { cost }) },
  };

  function isListed(toolCall: PermissionQuestion["toolCall"]): boolean {
    const needs = requiredToolsFor(kindOf(toolCall));
    if (needs.length === 0 || needs.some((name) => own.has(name))) return true;
    deniedTools.push(nameOf(toolCall));
    return false;
  }

  /**
   * The model sees a denial, so it does not fail the turn. An approval is valid for these arguments, or for the edited
   * ones.
   */
  async function decide(toolCall: PermissionQuestion["toolCall"], { authorize, cwd }: Authorization): Promise<boolean> {
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
    if (approved.delete(callKey(call))) return true;
    const permission = await authorize(call);
    if (!permission.allowed) return false;
    const edited = { ...call, args: permission.args };
    if (callKey(edited) === callKey(call)) return true;
    approved.add(callKey(edited));
    edits.push(edited);
    return false;
  }

  /** A request may leave out what earlier updates of the call contained. */
  function kindOf({ kind, toolCallId }: PermissionQuestion["toolCall"]): string | null | undefined {
    return kind ?? calls.get(toolCallId ?? "")?.kind;
  }

  function nameOf({ name, title, kind }: PermissionQuestion["toolCall"]): string {
    return plainName(name ?? title ?? kind ?? "a tool", servers);
  }

  /** Arguments may arrive after the call. It is reported once they are known, or when it starts. */
  function updateToolCall(id: string, update: Update): void {
    const { title, name, kind, status, rawInput, rawOutput, content } = update;
    const tool = plainName(name ?? title ?? "tool", servers);
    const call = calls.get(id) ?? { tool, args: {}, isReported: false, paths: new Set<string>() };
    calls.set(id, call);
    if (kind) call.kind = kind;
    for (const path of pathsOf(update)) call.paths.add(path);
    if (rawInput !== undefined && !call.isReported) call.args = rawInput;
    const isDone = status === "completed" || status === "failed";
    if (!call.isReported && (isDone || status === "in_progress")) {
      call.isReported = true;
      text = "";
      emit({ type: "tool-call", call: id, tool: call.tool, args: JSON.stringify(call.args) });
    }
    if (!isDone) return;
    const { data: parts = [] } = Content.safeParse(content);
    const output = parts.map((part) => part.content.text).join("\n") || JSON.stringify(rawOutput ?? "");
    emit({ type: "tool-result", call: id, tool: call.tool, ok: status === "completed", text: output });
  }
}

/** The files that a call names outside its arguments. */
function pathsOf({ locations, content }: Pick<Update, "locations" | "content">): string[] {
  const parts: unknown[] = Array.isArray(content) ? content : [];
  const changed = parts.flatMap((part) => Diff.safeParse(part).data ?? []);
  return [...(locations ?? []), ...changed].map(({ path }) => path);
}
