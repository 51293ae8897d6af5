/** Keeps requests to this machine away from the proxy of the environment. */

const loopback = ["127.0.0.1", "localhost", "::1"];
const isProxy = /^(https?|all)_proxy$/i;

/**
 * The environment variables that make a process connect to the daemon directly: a proxy would see its tokens. Empty if
 * there is no proxy.
 */
export function directLoopback(env: Record<string, string | undefined>): Record<string, string> {
  if (!Object.entries(env).some(([name, value]) => isProxy.test(name) && value)) return {};
  const before = env.no_proxy || env.NO_PROXY;
  const direct = [...(before ? [before] : []), ...loopback].join(",");
  // Programs read one or the other.
  return { no_proxy: direct, NO_PROXY: direct };
}
