/** Paths that lead out of an agent's folder, passed to every tool that takes one, even while links are swapped. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { editFile } from "../../src/worker/tools/files/edit-file.ts";
import { listFiles } from "../../src/worker/tools/files/list-files.ts";
import { readFile } from "../../src/worker/tools/files/read-file.ts";
import { searchCode } from "../../src/worker/tools/files/search-code.ts";
import { writeFile } from "../../src/worker/tools/files/write-file.ts";
import { temporaryFolder } from "../fixtures/folder.ts";

const secret = "the-secret-outside";
const { signal } = new AbortController();

let outer: Awaited<ReturnType<typeof temporaryFolder>>;
let cwd: string;

beforeAll(async () => {
  outer = await temporaryFolder();
  cwd = join(outer.path, "zone");
  for (const folder of [cwd, `${cwd}-twin`, join(outer.path, "other"), join(cwd, "inner/deep")]) {
    mkdirSync(folder, { recursive: true });
  }
  for (const file of ["secret", "zone-twin/secret", "other/secret"]) writeFileSync(join(outer.path, file), secret);
  const links: Record<string, string> = {
    up: "..",
    "inner/up": "../..",
    "inner/deep/up": "../../..",
    file: "../secret",
    absolute: outer.path,
    root: "/",
    twin: "../zone-twin",
    chain1: "chain2",
    chain2: "chain3",
    chain3: "up",
    loop: "loop",
    self: ".",
    dangling: "../new",
    proc: "/proc/self/root",
    descriptor: "/proc/self/fd",
    home: process.env.HOME ?? "/root",
    "with space": "../other",
    "inner/back": "../inner/deep/up/other",
  };
  for (const [name, target] of Object.entries(links)) symlinkSync(target, join(cwd, name));
});
afterAll(() => outer[Symbol.asyncDispose]());

/** Ways to write a path outside the folder, with several endings and disguises. */
function payloads(): string[] {
  const ups = Array.from({ length: 8 }, (_, depth) => "../".repeat(depth + 1));
  const ends = ["secret", "other/secret", "zone-twin/secret", "new", "zone-twin/new", "zone-twin", "."];
  const roots = ["/", "//", "///", "/./", "/../", "/proc/self/root/", "/proc/self/cwd/../", "/dev/fd/../../"];
  const through = ["up", "inner/up", "inner/deep/up", "absolute", "chain1", "self/up", "self/self/chain1", "./up/."];
  return [
    ...ups.flatMap((up) => ends.map((end) => `${up}${end}`)),
    ...ups.flatMap((up) => [
      `inner/${up}../secret`,
      `inner/deep/../${up}../secret`,
      `./${up}secret`,
      `x/../${up}secret`,
    ]),
    ...through.flatMap((link) => ends.map((end) => `${link}/${end}`)),
    ...roots.flatMap((root) => [`${root}etc/passwd`, `${root}etc`, `${root}tmp`]),
    "file",
    "twin/secret",
    "with space/secret",
    "inner/back/secret",
    "root/etc/passwd",
    "proc/etc/passwd",
    "loop",
    "loop/x",
    "dangling",
    "descriptor/0",
    "home/.profile",
    "home",
    "root",
    "twin",
    "up",
    "..",
    "../",
    "../zone-twin",
    `${outer.path}/secret`,
    `${cwd}/../secret`,
    `${cwd}-twin/secret`,
    `${cwd}/up/secret`,
    "\0",
    "../secret\0",
    "a\0/../../secret",
    "secret\0.txt",
    "/proc/self/environ",
    "/proc/1/root/etc/passwd",
    "file:///etc/passwd",
    "~/../secret/../..",
    "~root/../../secret",
    "%2e%2e/secret/../../secret",
    "..\\..\\/../../secret",
    "\u2025/../../secret",
    "．．/../../secret",
    "../\u202Esecret",
    "inner/../../secret/",
    "../secret/.",
    "../secret/x",
    "../".repeat(2_000) + "secret",
    `${"a".repeat(5_000)}/../../secret`,
    `${"up/zone/".repeat(50)}../secret`,
  ];
}

describe("file tools", () => {
  test("there are at least 200 payloads", () => {
    expect(new Set(payloads()).size).toBeGreaterThanOrEqual(200);
  });

  test("read nothing and write nothing outside the folder", async () => {
    const place = { cwd, env: {} };
    const before = outside();
    const leaks: string[] = [];
    for (const path of payloads()) {
      const results = [
        await readFile(place).run({ path }, { signal }),
        await writeFile(place).run({ path, content: "overwritten" }, { signal }),
        await editFile(place).run({ path, old_string: secret, new_string: "overwritten" }, { signal }),
        await listFiles(place).run({ path, glob: "**/secret" }, { signal }),
      ];
      if (
        results.some(({ ok, text }) => text.includes(secret) || (ok && /(^|\n)(other|zone-twin)?\/?secret$/.test(text)))
      ) {
        leaks.push(path);
      }
      if (JSON.stringify(outside()) !== JSON.stringify(before)) leaks.push(`written: ${path}`);
    }
    expect(leaks).toEqual([]);
  });

  test("search nothing outside the folder", async () => {
    // Each search is a process; the ways out are the same for all tools.
    const some = payloads().filter((_, index) => index % 10 === 0);
    for (const path of [".", "up", "inner", ...some]) {
      const { text } = await searchCode({ cwd, env: {} }).run({ pattern: "the-secret", path }, { signal });
      expect({ path, leaked: text.includes(secret) }).toEqual({ path, leaked: false });
    }
  }, 60_000);

  test("access nothing outside while a folder is being swapped for a link", async () => {
    const swap = "while :; do mkdir race 2>/dev/null; rm -rf race; ln -s ../other race; rm -f race; done";
    const swapping = Bun.spawn(["sh", "-c", swap], { cwd, stderr: "ignore" });
    const place = { cwd, env: {} };
    const said: string[] = [];
    try {
      for (let round = 0; round < 300; round++) {
        for (const result of [
          await readFile(place).run({ path: "race/secret" }, { signal }),
          await editFile(place).run({ path: "race/secret", old_string: secret, new_string: "x" }, { signal }),
          await listFiles(place).run({ path: "race" }, { signal }),
          await writeFile(place).run({ path: "race/new", content: "x" }, { signal }),
        ]) {
          if (result.ok) said.push(result.text);
        }
      }
    } finally {
      swapping.kill("SIGKILL");
      await swapping.exited;
    }
    expect(said.filter((text) => text.includes("secret"))).toEqual([]);
    expect(readdirSync(join(outer.path, "other"))).toEqual(["secret"]);
    expect(readFileSync(join(outer.path, "other/secret"), "utf8")).toBe(secret);
  });
});

/** Everything around the folder that could have been changed or created. */
function outside(): unknown {
  const names = [".", "zone-twin", "other"].map((folder) => readdirSync(join(outer.path, folder)).sort());
  const contents = ["secret", "zone-twin/secret", "other/secret"].map((file) =>
    readFileSync(join(outer.path, file), "utf8"),
  );
  return [names, contents, existsSync("/etc/passwd") && readFileSync("/etc/passwd", "utf8").includes("overwritten")];
}
