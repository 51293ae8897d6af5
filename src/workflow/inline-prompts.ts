/** Replaces prompts that are paths by the content of their files, and finds positions inside those files. */
import type { Finding, Locate, Path } from "./diagnostics/diagnostic.ts";
import { fieldOf, isRecord, type JsonRecord } from "../text/json.ts";

/** Reads a prompt file that a workflow file refers to; `file` is its path for display. */
export type ReadPrompt = (path: string) => { text: string; file: string } | { problem: string };

type Prompt = { text: string; file: string };

/** A single line that ends in .md or .txt; a template is never a path. */
function isPromptPath(prompt: string): boolean {
  return /^[^\n]+\.(?:md|txt)$/i.test(prompt) && !prompt.includes("${{");
}

export function inlinePrompts(
  workflow: JsonRecord,
  locate: Locate,
  readPrompt: ReadPrompt,
): { workflow: JsonRecord; findings: Finding[]; locate: Locate } {
  const agents = fieldOf(workflow, "agents");
  if (!isRecord(agents)) return { workflow, findings: [], locate };
  const findings: Finding[] = [];
  const prompts = new Map<string, Prompt>();
  const inlined = Object.entries(agents).map(([name, agent]) => {
    const path = fieldOf(agent, "system_prompt");
    if (!isRecord(agent) || typeof path !== "string" || !isPromptPath(path)) return [name, agent];
    const prompt = readPrompt(path);
    if ("problem" in prompt) {
      const hint = "a prompt that ends in .md or .txt is a path: change its ending to use it as text";
      findings.push({ severity: "error", message: prompt.problem, path: ["agents", name, "system_prompt"], hint });
      return [name, agent];
    }
    prompts.set(name, prompt);
    return [name, { ...agent, system_prompt: prompt.text }];
  });
  return {
    workflow: { ...workflow, agents: Object.fromEntries(inlined) },
    findings,
    locate: (where, part) => positionInPrompt(prompts, where, part) ?? locate(where, part),
  };
}

function positionInPrompt(
  prompts: ReadonlyMap<string, Prompt>,
  [top, name, key]: Path,
  part: Parameters<Locate>[1],
): ReturnType<Locate> {
  const prompt = top === "agents" && key === "system_prompt" ? prompts.get(String(name)) : undefined;
  if (!prompt || typeof part !== "object") return undefined;
  const before = prompt.text.slice(0, part.offset);
  const lineStart = before.lastIndexOf("\n") + 1;
  return { line: before.split("\n").length, column: part.offset - lineStart + 1, file: prompt.file };
}
