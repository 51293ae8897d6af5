/** The environment of the worker process itself. The environment of its tools is part of its spec. */

/** What Bun needs to start fast and to find its folders. None of these can change which code it runs. */
const inherited = ["PATH", "HOME", "TMPDIR", "LANG", "TZ", "XDG_CACHE_HOME", "BUN_RUNTIME_TRANSPILER_CACHE_PATH"];

export function workerEnvironment(own: Record<string, string | undefined>): Record<string, string> {
  return Object.fromEntries(inherited.flatMap((name) => (own[name] === undefined ? [] : [[name, own[name]]])));
}
