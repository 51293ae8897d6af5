/** People: what a turn asks them. The call lasts until it is decided, which its deadline does if nobody else. */
import {
  AskUserInput,
  AskUserResult,
  PermissionPromptInput,
  PermissionPromptResult,
} from "../../../protocol/tools/people.ts";
import { denial } from "../../kernel/approvals/ask.ts";
import { defineTool } from "../tool.ts";

const askUser = defineTool({
  name: "ask_user",
  title: "Ask the human",
  description:
    "Ask the human a question and wait for the answer. Use it only for what you cannot find out or decide yourself; it may take minutes, and there may be no answer.",
  input: AskUserInput,
  output: AskUserResult,
  readOnly: false,
  idempotent: true,
  async run({ kernel, claim }, { question, options = [] }) {
    const asked = await kernel.askQuestion(claim, { question, options });
    const { id, answer, reason } = asked;
    return { text: answer ?? denial(asked), result: { approval: id, answer, reason } };
  },
});

const permissionPrompt = defineTool({
  name: "permission_prompt",
  title: "Ask for approval",
  description:
    "Decides whether a tool call is allowed: by this agent's approval policy or, if the policy says so, by asking a person. Runtimes call this; agents do not need to.",
  input: PermissionPromptInput,
  output: PermissionPromptResult,
  readOnly: false,
  idempotent: true,
  async run({ kernel, claim }, asked) {
    const { tool_name: tool, input: args, tool_use_id: request = null, cwd = null, why = null, ask = false } = asked;
    const { input_schema: inputSchema = null } = asked;
    const decision = await kernel.approveCall(claim, { tool, args, request, inputSchema, cwd, why, ask });
    const approval = decision.approval ? { approval: decision.approval.id } : {};
    if (!decision.allowed) {
      const answer = { behavior: "deny" as const, message: decision.message };
      return { text: JSON.stringify(answer), result: { ...answer, ...approval } };
    }
    // The text is what Claude Code reads, and it takes no other fields.
    const answer = { behavior: "allow" as const, updatedInput: decision.args };
    return { text: JSON.stringify(answer), result: { ...answer, hash: decision.hash, ...approval } };
  },
});

export const peopleTools = [askUser, permissionPrompt];
