/** Tools with which a turn asks a person. The call lasts until a person decides, or its deadline passes. */
import {
  AskUserInput,
  AskUserResult,
  PermissionPromptInput,
  PermissionPromptResult,
} from "../../../protocol/tools/people.ts";
import { defineTool } from "../tool.ts";

const askUser = defineTool({
  name: "ask_user",
  title: "Ask the user",
  description:
    "Ask the user a question and wait for the answer. Use it only for what you cannot find out or decide yourself: an answer can take minutes, or may not come at all.",
  input: AskUserInput,
  output: AskUserResult,
  readOnly: false,
  idempotent: true,
  async run({ operations, claim }, { question, options = [] }) {
    const { approval, text } = await operations.askQuestion(claim, { question, options });
    const { id, answer, reason } = approval;
    return { text, result: { approval: id, answer, reason } };
  },
});

const permissionPrompt = defineTool({
  name: "permission_prompt",
  title: "Ask for approval",
  description:
    "Decide whether a tool call is allowed: by this agent's approval policy or, where the policy requires it, by asking a person. Runtimes call this tool; agents do not need to.",
  input: PermissionPromptInput,
  output: PermissionPromptResult,
  readOnly: false,
  idempotent: true,
  async run({ operations, claim }, asked) {
    const { tool_name: tool, input: args, tool_use_id: request = null, cwd = null, why = null, ask = false } = asked;
    const { input_schema: inputSchema = null } = asked;
    const decision = await operations.approveCall(claim, { tool, args, request, inputSchema, cwd, why, ask });
    const approval = decision.approval ? { approval: decision.approval.id } : {};
    if (!decision.allowed) {
      const answer = { behavior: "deny" as const, message: decision.message };
      return { text: JSON.stringify(answer), result: { ...answer, ...approval } };
    }
    // Claude Code reads the text, and accepts no other fields in it.
    const answer = { behavior: "allow" as const, updatedInput: decision.args };
    return { text: JSON.stringify(answer), result: { ...answer, hash: decision.hash, ...approval } };
  },
});

export const peopleTools = [askUser, permissionPrompt];
