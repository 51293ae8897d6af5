import { expect, test } from "bun:test";
import { createRedactor } from "./redact.ts";

const env = {
  MY_API_KEY: "correct-horse-battery",
  DB_PASSWORD: "correct-horse",
  HOME: "/home/someone",
  TOKEN: "short",
};

const ofEnv = createRedactor([], env);
const ofNothing = createRedactor([], {});

test("redacts values of variables with a secret name, the longest first, but not other values or short ones", () => {
  expect(ofEnv.text("curl -u x:correct-horse-battery correct-horse /home/someone short")).toBe(
    "curl -u x:[redacted] [redacted] /home/someone short",
  );
});

test.each([
  `sk-ant-api03-${"a".repeat(20)}`,
  `ghp_${"A1".repeat(18)}`,
  `AKIA${"A".repeat(16)}`,
  `eyJhbGciOiJI.${"a".repeat(12)}.${"b".repeat(12)}`,
  `awt_w1_${"0".repeat(64)}`,
])("redacts what looks like a key: %s", (key) => {
  expect(ofNothing.text(`use ${key} now`)).toBe("use [redacted] now");
});

test("redacts a bearer token without the word before it, and a whole private key", () => {
  expect(ofNothing.text(`Authorization: Bearer ${"x".repeat(20)}`)).toBe("Authorization: Bearer [redacted]");
  expect(ofNothing.text("-----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY-----!")).toBe("[redacted]!");
});

test("does not change ordinary commands", () => {
  for (const text of ["git push origin main", "sk-learn and task-runner", "Bearer of news", "basket-of-things"])
    expect(ofEnv.text(text)).toBe(text);
});

test("redacts every text inside arguments", () => {
  expect(ofEnv.all({ a: ["correct-horse", { b: "correct-horse" }], n: 1, z: null })).toEqual({
    a: ["[redacted]", { b: "[redacted]" }],
    n: 1,
    z: null,
  });
});

test.each(["DB_PASSWD", "MY_AUTH", "AWS_ACCESS_KEY_ID", "GH_TOKEN_2"])("%s is a secret name", (name) => {
  expect(createRedactor([], { [name]: "correct-horse" }).text("correct-horse")).toBe("[redacted]");
});

test("redacts a secret that is not in the environment, also inside JSON, and ignores an empty one", () => {
  const { text } = createRedactor(['say "friend"', undefined, ""], {});
  expect(text(JSON.stringify({ a: 'say "friend"' }))).toBe('{"a":"[redacted]"}');
});

test("does not redact what only looks like a key in a text that is processed further", () => {
  const key = `sk-ant-api03-${"a".repeat(20)}`;
  expect(ofEnv.known(`${key} correct-horse`)).toBe(`${key} [redacted]`);
});

/** Every piece as it can be shown, and the rest. */
function inPieces(pieces: string[], of = ofEnv): string[] {
  const { push, rest } = of.pieces();
  return [...pieces.map(push), rest()];
}

test.each([
  "correct-horse-battery",
  `sk-ant-api03-${"a".repeat(20)}`,
  `github_pat_${"A1".repeat(18)}`,
  `AKIA${"A".repeat(16)}`,
  `AIza${"b".repeat(35)}`,
  `eyJhbGciOiJI.${"a".repeat(12)}.${"b".repeat(12)}`,
  `awt_w1_${"0".repeat(64)}`,
  `xoxb-${"1".repeat(20)}`,
])("redacts a secret in two pieces, wherever it is split: %s", (secret) => {
  const text = `use ${secret} now`;
  for (let cut = 0; cut <= text.length; cut++) {
    expect(inPieces([text.slice(0, cut), text.slice(cut)]).join("")).toBe("use [redacted] now");
  }
  expect(inPieces([...text]).join("")).toBe("use [redacted] now");
});

test("redacts a bearer token and a private key in pieces", () => {
  const bearer = `Authorization: Bearer ${"x".repeat(20)}!`;
  expect(inPieces([...bearer]).join("")).toBe("Authorization: Bearer [redacted]!");
  const key = "a -----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY-----!";
  expect(inPieces([...key]).join("")).toBe("a [redacted]!");
});

test("returns other pieces at once", () => {
  const pieces = ["One, ", "two", " (2", ") 三", "… done."];
  expect(inPieces(pieces)).toEqual([...pieces, ""]);
});

test("does not buffer an unfinished key forever", () => {
  const { push, rest } = ofNothing.pieces();
  const shown = Array.from({ length: 100 }, () => push(`sk-${".".repeat(997)}`)).join("");
  expect(shown.length + rest().length).toBe(100_000);
  const long = ofNothing.pieces();
  for (let count = 0; count < 100; count++) long.push("sk-".padEnd(1_000, "-"));
  expect(long.rest().length).toBeLessThan(9_000);
});
