/**
 * Which calls of a tool are asked about: an agent's `approval` applied to one call.
 *
 * A rule names a tool (`bash`), some of its calls (`bash(git push*)`), or tools at large (`*`, `github_*`); `*` stands
 * for any text, and names compare without case. Rules about calls come before rules about tools, and those before rules
 * with `*` in the name; of several that fit, the strictest holds. What no rule speaks of is done without asking.
 */
import type { ApprovalRule } from "../protocol/approval.ts";
import { canonicalJson } from "../system/canonical-json.ts";

export type ApprovalRules = Record<string, ApprovalRule>;

const ruleForm = /^([\w*.:/-]{1,200})(?:\(([^]{1,1000})\))?$/;
const strictness: ApprovalRule[] = ["auto", "ask", "deny"];
/**
 * The argument that says what a call of a tool is about, ours by their names and Claude Code's by theirs. Of all other
 * tools all arguments as JSON are meant: which of theirs matter nobody knows here.
 */
const subjectKeys: Record<string, string> = {
  bash: "command",
  read_file: "path",
  write_file: "path",
  edit_file: "path",
  list_files: "path",
  search_code: "path",
  Bash: "command",
  Read: "file_path",
  Write: "file_path",
  Edit: "file_path",
  NotebookEdit: "notebook_path",
  Glob: "path",
  Grep: "path",
};
/** What makes one command of several, or hides one in another: the shell would run more than a pattern has seen. */
const compound = /[;&|<>`\n\r\\()]|\$[({]/;
const separators = /(?:[;&|\n\r`(){}]|\$\()+/;
/** What may stand before a command without being it: the shell's own words, and variables for it. */
const prelude =
  /^\s*(?:(?:if|then|elif|else|while|until|do|time|!)\s+|[A-Za-z_]\w*\+?=(?:"[^"]*"|'[^']*'|[^\s"'])*\s+)/;
const mostPreludes = 20;

/** Why a rule is none; undefined when it is one. */
export function ruleProblem(rule: string): string | undefined {
  if (ruleForm.test(rule)) return undefined;
  return `'${rule}' is not a rule: name a tool (bash), some of its calls ("bash(git push*)") or all tools ("*")`;
}

/** The tool that a rule names; undefined when it stands for several. */
export function toolOfRule(rule: string): string | undefined {
  const name = ruleForm.exec(rule)?.[1];
  return name === undefined || name.includes("*") ? undefined : name;
}

/** One thing that a call is about, in the ways to say it. */
export type Subject = {
  /** As it is, such as the path of a file without links: what a pattern with `auto` has to fit. */
  is: string[];
  /** As it was said: what `ask` and `deny` look at as well. */
  said: string[];
};

export type Call = {
  tool: string;
  /** Other names of the tool, such as ours for one of Claude Code's. */
  also?: string[];
  args: Record<string, unknown>;
  /** Where whoever makes the call knows better than its arguments say. */
  subjects?: Subject[] | undefined;
};

export function decideCall(rules: ApprovalRules | undefined, call: Call): ApprovalRule {
  return ruleFor(rules, call) ?? "auto";
}

/** Undefined: no rule speaks of such a call. Of several names of a tool, `*` stands for those that no rule has. */
export function ruleFor(rules: ApprovalRules | undefined, call: Call): ApprovalRule | undefined {
  const found = [call.tool, ...(call.also ?? [])].map((name) => fittingRules(rules, name, call));
  const named = found.flatMap(({ ofCalls, ofTool }) => (ofCalls.length > 0 ? ofCalls : ofTool));
  return strictest(named.length > 0 ? named : found.flatMap(({ ofMany }) => ofMany));
}

function fittingRules(rules: ApprovalRules | undefined, tool: string, call: Call) {
  const found: Record<"ofCalls" | "ofTool" | "ofMany", ApprovalRule[]> = { ofCalls: [], ofTool: [], ofMany: [] };
  for (const [rule, wanted] of Object.entries(rules ?? {})) {
    const [, name = "", calls] = ruleForm.exec(rule) ?? [];
    if (!fits(name.toLowerCase(), tool.toLowerCase())) continue;
    if (calls !== undefined && !fitsCall(calls, call, wanted)) continue;
    found[calls !== undefined ? "ofCalls" : name.includes("*") ? "ofMany" : "ofTool"].push(wanted);
  }
  return found;
}

function strictest(rules: ApprovalRule[]): ApprovalRule | undefined {
  return strictness.findLast((rule) => rules.includes(rule));
}

/** The argument that says what a call of this tool is about; undefined where all of them do. */
export function subjectKey(tool: string): string | undefined {
  return Object.hasOwn(subjectKeys, tool) ? subjectKeys[tool] : undefined;
}

/** A pattern lets through only what it has seen whole, and holds back what has a part that it fits. */
function fitsCall(pattern: string, call: Call, wanted: ApprovalRule): boolean {
  const { tool, subjects = subjectsIn(call) } = call;
  if (subjects.length === 0) return wanted !== "auto";
  const isCommand = subjectKey(tool) === "command";
  if (wanted === "auto") {
    return subjects.every(({ is }) => is.some((text) => !(isCommand && compound.test(text)) && fits(pattern, text)));
  }
  const texts = subjects.flatMap(({ is, said }) => [...is, ...said]);
  const parts = isCommand ? texts.flatMap((text) => [text, ...text.split(separators)].flatMap(withoutPrelude)) : [];
  return [...texts, ...parts].some((text) => fits(pattern, text.trim()));
}

/** The command with each that is left when what stands before it is taken away. */
function withoutPrelude(command: string): string[] {
  const found = [command];
  for (let rest = command; found.length <= mostPreludes; found.push(rest)) {
    const [start] = prelude.exec(rest) ?? [];
    if (start === undefined) break;
    rest = rest.slice(start.length);
  }
  return found;
}

/** By the arguments alone; none where they cannot be seen. */
function subjectsIn({ tool, args }: Call): Subject[] {
  const key = subjectKey(tool);
  if (key === undefined) return [{ is: [canonicalJson(args)], said: [] }];
  const given = args[key] ?? (key === "path" ? "." : undefined);
  if (typeof given !== "string") return [];
  return [{ is: [key === "command" ? given.trim() : followed(given.trim())], said: [] }];
}

/** A path without its detours, so that none leads out of what a pattern names. */
function followed(path: string): string {
  const parts: string[] = [];
  const isAbsolute = path.startsWith("/");
  for (const part of path.split("/")) {
    if (part === "" || part === ".") continue;
    if (part !== "..") parts.push(part);
    else if (parts.length > 0 && parts.at(-1) !== "..") parts.pop();
    else if (!isAbsolute) parts.push(part);
  }
  return `${isAbsolute ? "/" : ""}${parts.join("/")}`;
}

/** `*` stands for any text; a space before a last `*` may be missing, so that `git push *` is also `git push`. */
function fits(pattern: string, text: string): boolean {
  if (pattern.endsWith(" *") && fits(pattern.slice(0, -2), text)) return true;
  const [start = "", ...parts] = pattern.split("*");
  const end = parts.pop();
  if (end === undefined) return text === pattern;
  if (!text.startsWith(start) || !text.endsWith(end)) return false;
  // The first place of each part is as good as any later one, so nothing is tried twice.
  let place = start.length;
  for (const part of parts) {
    const found = text.indexOf(part, place);
    if (found < 0) return false;
    place = found + part.length;
  }
  return place <= text.length - end.length;
}
