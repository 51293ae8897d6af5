/** Divides a bill, given in cents, among people as evenly as cents allow. */
export function split(cents, people) {
  const share = Math.floor(cents / people);
  return Array.from({ length: people }, () => share);
}
