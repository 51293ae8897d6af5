/** The environment of a worker process itself; what its tools are given comes with the spec. */

/** What Bun needs to start fast and to find its folders. Nothing here can change what code it runs. */
const passed = ["PATH", "HOME", "TMPDIR", "LANG", "TZ", "XDG_CACHE_HOME", "BUN_RUNTIME_TRANSPILER_CACHE_PATH"];

export function workerEnvironment(own: Record<string, string | undefined>): Record<string, string> {
  return Object.fromEntries(passed.flatMap((name) => (own[name] === undefined ? [] : [[name, own[name]]])));
}
