/** The tools that wait for people: what they take and give. */
import { z } from "zod";
import { approvalSchemaChars, approvalTextChars, questionOptions } from "../limits.ts";

export const AskUserInput = z.object({
  question: z
    .string()
    .min(1)
    .max(approvalTextChars)
    .describe("What you need to know, with all that is needed to answer."),
  options: z
    .array(z.string().min(1).max(200))
    .max(questionOptions)
    .optional()
    .describe("Answers to choose from; any other is possible."),
});
export const AskUserResult = z.object({
  approval: z.string(),
  /** Null: nobody could answer, did, or wanted to; `reason` says which. */
  answer: z.string().nullable(),
  reason: z.string().nullable(),
});

/** The form that Claude Code calls; `cwd`, `why`, `ask` and `input_schema` are added by workers of ours. */
export const PermissionPromptInput = z.object({
  tool_name: z.string().min(1).max(200),
  input: z.record(z.string(), z.unknown()),
  tool_use_id: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .describe("Asking again with the same id waits for the same decision."),
  cwd: z.string().max(4_096).optional(),
  why: z.string().max(approvalTextChars).optional(),
  ask: z.boolean().optional().describe("A person is asked in any case: the rules were applied where the files are."),
  input_schema: z
    .record(z.string(), z.unknown())
    .refine((schema) => JSON.stringify(schema).length <= approvalSchemaChars, "the schema is too long: leave it out")
    .optional()
    .describe("JSON Schema of `input`, by which other arguments of a person are checked."),
});
export const PermissionPromptResult = z.object({
  behavior: z.enum(["allow", "deny"]),
  /** What the call is to be made with: what was asked for, unless a person has changed it. */
  updatedInput: z.record(z.string(), z.unknown()).optional(),
  message: z.string().optional(),
  /** Of `updatedInput`: what the decision is bound to. */
  hash: z.string().optional(),
  approval: z.string().optional(),
});
export type PermissionPromptResult = z.infer<typeof PermissionPromptResult>;
