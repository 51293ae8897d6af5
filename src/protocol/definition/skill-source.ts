/** Sources of skills as people write them: a folder, `owner/repo[@ref][:{names}]`, or a git URL with the same suffixes. */

export type SkillSource =
  | { kind: "folder"; path: string }
  /** `names`: only these skills of the repository; null for all. */
  | { kind: "git"; url: string; ref: string | null; names: string[] | null };

export const skillSourceForms = "./folder, owner/repo@ref:{name,name} or a git URL";

const skillName = /^[a-zA-Z0-9][\w.-]{0,63}$/;
const gitRef = /^[\w][\w./-]{0,200}$/;
const suffixes = String.raw`(?:@(?<ref>[^@:{}\s]+))?(?::(?<names>\{[^{}]*\}|[\w.-]+))?$`;
const repository = new RegExp(String.raw`^(?<owner>[a-zA-Z0-9][\w-]*)/(?<name>[a-zA-Z0-9_][\w.-]*)${suffixes}`);
const address = new RegExp(String.raw`^(?<url>(?:https?|ssh|git|file)://[^/\s]*/[^@:{}\s]+)${suffixes}`);
/** `git@host:owner/repo.git`, the short form of an SSH URL. */
const secureShell = new RegExp(
  String.raw`^(?<url>[a-zA-Z0-9_][\w.-]*@[a-zA-Z0-9][\w.-]*:[^@:{}\s-][^@:{}\s]*)${suffixes}`,
);

/** An entry of `skills` as text, also if YAML has read `[owner/repo:{a,b}]` as a map. */
export function skillSourceText(entry: unknown): string | undefined {
  if (typeof entry === "string") return entry;
  const [[source, names] = [], ...others] = Object.entries(entry ?? {});
  if (source === undefined || others.length > 0 || typeof names !== "object" || names === null) return undefined;
  return `${source}:{${Object.keys(names).join(",")}}`;
}

/** Accepts only these forms of URL, because git would run programs for others. */
export function parseSkillSource(text: string): SkillSource | { problem: string } {
  if (hasCredentials(text))
    return { problem: "a git URL cannot contain credentials: use a git credential helper or SSH" };
  if (/^(?:\.{1,2}|~)?\//.test(text) || text === "." || text === "..") return { kind: "folder", path: text };
  const match = repository.exec(text) ?? address.exec(text) ?? secureShell.exec(text);
  const { owner, name, url, ref, names } = match?.groups ?? {};
  if (!match) return { problem: `'${text}' is not a source of skills` };
  if (ref !== undefined && (!gitRef.test(ref) || ref.includes(".."))) return { problem: `'${ref}' is not a git ref` };
  const listed = names?.replaceAll(/[{}]/g, "").split(",");
  const chosen = listed?.map((each) => each.trim()) ?? null;
  const odd = chosen?.find((each) => !skillName.test(each));
  if (odd !== undefined) return { problem: `'${odd}' is not a valid skill name` };
  return { kind: "git", url: url ?? `https://github.com/${owner}/${name}.git`, ref: ref ?? null, names: chosen };
}

/** A secret in a source would be stored and shown. With HTTPS a user name can be a token; with SSH it is no secret. */
function hasCredentials(text: string): boolean {
  const [, scheme = "", authority = ""] = /^([a-z][a-z\d+.-]*):\/\/([^/\s]*)/i.exec(text) ?? [];
  const user = /^(.*)@/.exec(authority)?.[1];
  if (user !== undefined) return /^https?$/i.test(scheme) || user.includes(":");
  // A slash in a password ends the authority early: what follows the colon is then not a port.
  return /:(?!\d*$)/.test(authority.replace(/^\[[^\]]*\]/, ""));
}
