/** Splits a bill, in cents, as evenly as possible. */
export function split(cents, people) {
  const share = Math.floor(cents / people);
  return Array.from({ length: people }, () => share);
}
