/** Sends a request to the daemon through the socket in its home: other users can take over its port, but not its socket. */

/** Where a daemon answers, and the token it accepts. */
export type DaemonAddress = { socket: string; token: string };

/** Throws if there is no answer. */
export function fetchDaemon(
  { socket, token }: DaemonAddress,
  route: string,
  { headers, ...request }: Omit<BunFetchRequestInit, "headers"> & { headers?: Record<string, string> },
): Promise<Response> {
  return fetch(`http://localhost${route}`, {
    ...request,
    headers: { authorization: `Bearer ${token}`, ...headers },
    redirect: "error",
    unix: socket,
  });
}

/** No process listens there: the socket is gone, or its process is (Bun reports a refusal by either code). */
export function isConnectionRefused(error: unknown): boolean {
  return (
    error instanceof Error &&
    "code" in error &&
    ["ENOENT", "ECONNREFUSED", "ConnectionRefused"].includes(String(error.code))
  );
}
