import { expect, test } from "bun:test";
import { redact, redactAll } from "./redact.ts";

const env = {
  MY_API_KEY: "correct-horse-battery",
  DB_PASSWORD: "correct-horse",
  HOME: "/home/someone",
  TOKEN: "short",
};

test("values of variables that are called secret are left out, the longest first; other values and short ones stay", () => {
  expect(redact("curl -u x:correct-horse-battery correct-horse /home/someone short", env)).toBe(
    "curl -u x:[redacted] [redacted] /home/someone short",
  );
});

test.each([
  `sk-ant-api03-${"a".repeat(20)}`,
  `ghp_${"A1".repeat(18)}`,
  `AKIA${"A".repeat(16)}`,
  `eyJhbGciOiJI.${"a".repeat(12)}.${"b".repeat(12)}`,
  `awt_w1_${"0".repeat(64)}`,
])("what looks like a key is left out: %s", (key) => {
  expect(redact(`use ${key} now`, {})).toBe("use [redacted] now");
});

test("a bearer token goes and the word before it stays; a private key goes whole", () => {
  expect(redact(`Authorization: Bearer ${"x".repeat(20)}`, {})).toBe("Authorization: Bearer [redacted]");
  expect(redact("-----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY-----!", {})).toBe("[redacted]!");
});

test("ordinary commands stay as they are", () => {
  for (const text of ["git push origin main", "sk-learn and task-runner", "Bearer of news", "basket-of-things"])
    expect(redact(text, env)).toBe(text);
});

test("every text within arguments is looked at", () => {
  expect(redactAll({ a: ["correct-horse", { b: "correct-horse" }], n: 1, z: null }, env)).toEqual({
    a: ["[redacted]", { b: "[redacted]" }],
    n: 1,
    z: null,
  });
});
