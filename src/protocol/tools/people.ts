/** The tools that wait for a person: their inputs and results. */
import { z } from "zod";
import { approvalSchemaChars, approvalTextChars, questionOptions } from "../limits.ts";

export const AskUserInput = z.object({
  question: z
    .string()
    .min(1)
    .max(approvalTextChars)
    .describe("The question, with everything a person needs to answer it."),
  options: z
    .array(z.string().min(1).max(200))
    .max(questionOptions)
    .optional()
    .describe("Answers to choose from; the person can also give another."),
});
export const AskUserResult = z.object({
  approval: z.string(),
  /** Null if there is no answer; `reason` says why. */
  answer: z.string().nullable(),
  reason: z.string().nullable(),
});

/** The format that Claude Code uses; our workers add `cwd`, `why`, `ask` and `input_schema`. */
export const PermissionPromptInput = z.object({
  tool_name: z.string().min(1).max(200),
  input: z.record(z.string(), z.unknown()),
  tool_use_id: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .describe("A repeated request with the same id waits for the same decision."),
  cwd: z.string().max(4_096).optional(),
  why: z.string().max(approvalTextChars).optional(),
  ask: z
    .boolean()
    .optional()
    .describe("Always ask a person: the worker, which has the files, has already applied the approval policy."),
  input_schema: z
    .record(z.string(), z.unknown())
    .refine((schema) => JSON.stringify(schema).length <= approvalSchemaChars, "the schema is too long: leave it out")
    .optional()
    .describe("JSON Schema of `input`, used to check arguments that a person edits."),
});
export const PermissionPromptResult = z.object({
  behavior: z.enum(["allow", "deny"]),
  /** The arguments to call the tool with: the requested ones, unless a person has changed them. */
  updatedInput: z.record(z.string(), z.unknown()).optional(),
  message: z.string().optional(),
  /** Hash of `updatedInput`: the decision is valid only for these arguments. */
  hash: z.string().optional(),
  approval: z.string().optional(),
});
export type PermissionPromptResult = z.infer<typeof PermissionPromptResult>;
