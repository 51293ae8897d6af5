/** Decides which environment variables an agent's tools can see. */

/** Excludes model keys, tokens and everything else in the caller's environment. */
const allowed = new Set(["PATH", "HOME", "LANG", "TERM", "TMPDIR", "SHELL", "USER", "LOGNAME", "TZ", "CI"]);
const allowedPrefix = "LC_";

export const defaultPath = "/usr/local/bin:/usr/bin:/bin";

/** The environment of an agent's tools: the allowed part of the caller's, and everything in the agent's `env`. */
export function toolEnvironment(caller: Record<string, string>, agent: Record<string, string>): Record<string, string> {
  const passed = Object.entries(caller).filter(([name]) => allowed.has(name) || name.startsWith(allowedPrefix));
  return { PATH: defaultPath, ...Object.fromEntries(passed), ...agent };
}
