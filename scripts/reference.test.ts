/** Checks that the generated reference pages match the code. */
import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { listRoutes } from "../test/security/routes.ts";
import { routes } from "../src/protocol/http/routes.ts";
import { openTestDaemon } from "../test/fixtures/open-daemon.ts";
import { readNotes } from "./reference/notes.ts";
import { pages } from "./reference/pages.ts";

const regenerate = "npm run reference";

test.each(pages)("$path is up to date", async ({ path, render }) => {
  const written = await Bun.file(join(import.meta.dir, "..", path)).text();
  if (written !== render()) throw new Error(`${path} does not match the code; regenerate it with\n  ${regenerate}`);
});

test("describes exactly the routes of the router", async () => {
  await using daemon = await openTestDaemon();
  const described = Object.keys(routes).sort();
  const real = listRoutes(daemon.kernel).map(({ method, path }) => `${method} ${path}`);
  expect(described, "src/protocol/http/routes.ts lists the routes").toEqual(real.sort());
});

describe("every page", () => {
  test.each(pages)("$path links only to its own headings", ({ render }) => {
    const page = render();
    const headings = new Set([...page.matchAll(/^#+ (.*)$/gm)].map(([, heading = ""]) => anchorOf(heading)));
    const links = [...page.matchAll(/\]\(#([^)]*)\)/g)].map(([, link = ""]) => link);
    expect(links.length).toBeGreaterThan(0);
    expect(links.filter((link) => !headings.has(link))).toEqual([]);
  });

  test.each(pages)("$path has the same number of columns in every row of a table", ({ render }) => {
    for (const part of render().split("\n\n")) {
      const rows = part.split("\n").filter((line) => line.startsWith("|"));
      const widths = new Set(rows.map((row) => row.replaceAll("\\|", "").split("|").length));
      expect(widths.size, part.slice(0, 200)).toBeLessThanOrEqual(1);
    }
  });
});

test("finds the comments above schemas and their fields", () => {
  const notes = readNotes("http/messages.ts");
  expect(notes.get("SendRequest")).toContain("POST /messages");
  expect(notes.get("SendRequest.wait")).toContain("waits for the reply");
  expect(notes.has("SendResponse.wait")).toBe(false);
  const all = readNotes("definition/agent-definition.ts", "definition/definition.ts", "message.ts", "tools/inbox.ts");
  expect([...all.values()].filter((note) => note.includes("*/"))).toEqual([]);
  expect(all.get("UnknownMention")).toBe("A mention that matches no name, with the most similar names.");
});

function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(" ", "-")
    .replaceAll(/[^\w-]/g, "");
}
