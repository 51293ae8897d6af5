import { describe, expect, test } from "bun:test";
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { temporaryFolder } from "../../../test/fixtures/folder.ts";
import type { ApprovalPolicy } from "../../workflow/approval-policy.ts";
import { createAuthorizer } from "./authorize.ts";

const { signal } = new AbortController();

/** A folder with links, and a function that reports how a call in it is decided. */
async function setUp(policy: ApprovalPolicy) {
  const folder = await temporaryFolder();
  const cwd = join(folder.path, "real");
  await mkdir(join(cwd, "src"), { recursive: true });
  await writeFile(join(cwd, "secrets"), "");
  await symlink("..", join(cwd, "src/up"));
  await symlink("../nothing", join(cwd, "src/dangling"));
  await symlink("secrets", join(cwd, ".env"));
  await symlink("real", join(folder.path, "alias"));
  const authorize = createAuthorizer({ policy, cwd, ask: async () => ({ allowed: false, message: "asked" }) });
  const decide = async (tool: string, path: string): Promise<string> => {
    const permission = await authorize({ tool, args: { path } }, signal);
    if (permission.allowed) return "auto";
    return permission.message === "asked" ? "ask" : "deny";
  };
  return { cwd, decide, [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose]() };
}

describe("policy entries for files", () => {
  test("allow only files in their folder, however the path is written", async () => {
    await using at = await setUp({ write_file: "ask", "write_file(src/*)": "auto" });
    const { cwd, decide } = at;
    for (const path of ["src/new/a", join(cwd, "src/a"), join(cwd, "../alias/src/a"), "src/up/src/a"]) {
      expect([path, await decide("write_file", path)]).toEqual([path, "auto"]);
    }
    for (const path of ["src/up/x", "src/up/new/x", "src/dangling", join(cwd, "x"), "/src/x"]) {
      expect([path, await decide("write_file", path)]).toEqual([path, "ask"]);
    }
  });

  test("deny a file by its own name and by the name of a link", async () => {
    await using at = await setUp({ "read_file(secrets)": "deny", "read_file(.env)": "ask" });
    const { cwd, decide } = at;
    const paths = ["secrets", "src/up/secrets", join(cwd, "secrets"), ".env", join(cwd, "../alias/.env")];
    expect(await Promise.all(paths.map((path) => decide("read_file", path)))).toEqual(paths.map(() => "deny"));
    await using only = await setUp({ "read_file(.env)": "deny" });
    expect(await only.decide("read_file", join(only.cwd, ".env"))).toBe("deny");
    expect(await only.decide("read_file", "src")).toBe("auto");
  });

  test("can use absolute paths", async () => {
    await using at = await setUp({ "read_file(/*)": "deny" });
    expect(await at.decide("read_file", "src/a")).toBe("deny");
  });
});
