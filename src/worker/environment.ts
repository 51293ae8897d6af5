/** The one place that says which environment variables an agent's tools may see. */

/** Model keys, tokens and everything else in the caller's environment stay out of reach. */
const allowed = new Set(["PATH", "HOME", "LANG", "TERM", "TMPDIR", "SHELL", "USER", "LOGNAME", "TZ", "CI"]);
const allowedPrefix = "LC_";

export const defaultPath = "/usr/local/bin:/usr/bin:/bin";

/** What an agent's tools are given: the allowed part of the caller's environment, and all that the agent's `env` sets. */
export function toolEnvironment(caller: Record<string, string>, agent: Record<string, string>): Record<string, string> {
  const passed = Object.entries(caller).filter(([name]) => allowed.has(name) || name.startsWith(allowedPrefix));
  return { PATH: defaultPath, ...Object.fromEntries(passed), ...agent };
}
