/** What is said to this machine stays on it, whatever proxy the environment names. */

const loopback = ["127.0.0.1", "localhost", "::1"];
const isProxy = /^(https?|all)_proxy$/i;

/**
 * The variables by which a process, told of a proxy, still speaks to the daemon itself: a proxy would be shown its tokens.
 * None where there is no proxy.
 */
export function directLoopback(env: Record<string, string | undefined>): Record<string, string> {
  if (!Object.entries(env).some(([name, value]) => isProxy.test(name) && value)) return {};
  const before = env.no_proxy || env.NO_PROXY;
  const direct = [...(before ? [before] : []), ...loopback].join(",");
  // Programs read the one or the other.
  return { no_proxy: direct, NO_PROXY: direct };
}
