import { afterEach, beforeEach, expect, test } from "bun:test";
import { join } from "node:path";
import { type ContextServer, startContextServer } from "../../../test/fixtures/context-server.ts";
import { temporaryFolder } from "../../../test/fixtures/folder.ts";
import { skillText, writeFiles } from "../../../test/fixtures/skill-repository.ts";
import { turnSpec } from "../../../test/fixtures/specs.ts";
import { openToolbox } from "./toolbox.ts";

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let server: ContextServer;
beforeEach(async () => {
  folder = await temporaryFolder();
  server = startContextServer();
});
afterEach(async () => {
  await server.stop();
  await folder[Symbol.asyncDispose]();
});

const { signal } = new AbortController();
function open(agent: object = {}) {
  const env = {
    PATH: process.env.PATH ?? "",
    HOME: join(folder.path, "home"),
    AGENT_WORKER_HOME: join(folder.path, "aw"),
  };
  return openToolbox(turnSpec(server, agent, { cwd: join(folder.path, "project"), env }), signal);
}
async function use(args: object, agent?: object) {
  const { tools } = await open(agent);
  return tools.find(({ name }) => name === "skill")?.run(args, { signal });
}

beforeEach(() =>
  writeFiles(folder.path, {
    "project/.agents/skills/pdf/SKILL.md": skillText("pdf", "Reads PDF files", "# Steps\n1. Open it."),
    "project/.agents/skills/pdf/forms.md": "About forms",
    secret: "secret",
  }),
);

test("returns the skill's instructions and lists its other files", async () => {
  const { ok, text } = (await use({ name: "pdf" })) ?? { ok: false, text: "" };
  expect(ok).toBe(true);
  expect(text).toStartWith("# Steps\n1. Open it.");
  expect(text).toContain("forms.md");
  expect(await use({ name: "pdf", file: "forms.md" })).toEqual({ ok: true, text: "About forms" });
});

test("reads nothing outside the skill", async () => {
  for (const file of ["../../../../secret", join(folder.path, "secret"), "missing"]) {
    expect(await use({ name: "pdf", file })).toMatchObject({ ok: false });
  }
});

test("an unknown name gets a suggestion", async () => {
  expect(await use({ name: "pfd" })).toMatchObject({ ok: false, text: expect.stringContaining("did you mean pdf?") });
});

test("agents have it if there is a skill or if they list it, but not with skills: false alone", async () => {
  const has = async (agent?: object) => (await open(agent)).tools.some(({ name }) => name === "skill");
  expect(await has()).toBe(true);
  expect(await has({ skills: false })).toBe(false);
  expect(await use({ name: "pdf" }, { skills: false, tools: ["skill"] })).toMatchObject({
    text: "skill: there are no skills",
  });
});

test("a source that is not available ends the turn with the reason", async () => {
  const opening = open({ skills: [join(folder.path, "none")] });
  await expect(opening).rejects.toMatchObject({
    kind: "permanent",
    message: expect.stringContaining("fix the agent's"),
  });
});
