/** `send` with one argument: a message to the default target, unless it can only be a target without a message. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import type { SendResponse } from "../../../src/protocol/http/messages.ts";
import type { MessageList } from "../../../src/protocol/http/workflows.ts";
import { openProgram, type Program } from "../../fixtures/program.ts";

let program: Program;
beforeAll(async () => {
  program = await openProgram();
  program.write("desk.yaml", "agents:\n  clerk: { backend: mock }\n");
  await program.give(["start", "desk.yaml", "-d"]);
  await program.give(["use", "@desk"]);
  await program.give(["new", "bob", "-b", "mock"]);
});
afterAll(() => program[Symbol.asyncDispose]());

test.each(["clerk@desk", "@desk", "clerk@desk:pr-1", "@elsewhere", "bob", "BOB"])(
  "%s alone is a target without a message, and nothing is sent",
  async (target) => {
    const { exitCode, stdout, stderr } = await program.give(["send", target], { stdin: "When?\n" });
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: "" });
    expect(stderr).toContain("missing message");
    expect(stderr).toContain(`agent-worker send ${target} "…"`);
    expect(stderr).toContain(`agent-worker send --to @desk ${target}`);
    for (const place of ["@desk", "bob"]) {
      const { messages } = await program.ask<MessageList>("peek", place);
      expect(messages.filter(({ content }) => content === target || content.includes("When?"))).toEqual([]);
    }
  },
);

test.each(["@clerk please look", "@desk\nplease look", "clerk@example.com", "clerk@", "@all", "clerk", "hello"])(
  "%j alone is the message",
  async (content) => {
    const { target, message } = await program.ask<SendResponse>("send", content);
    expect({ target, content: message.content }).toEqual({ target: "@desk", content });
  },
);

test("- alone is a message from stdin", async () => {
  const { exitCode, stdout } = await program.give(["send", "-", "--json"], { stdin: "@desk" });
  expect(exitCode).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ target: "@desk", message: { content: "@desk" } });
});

test.each(["clerk@desk", "@desk", "bob"])("%s is the message with --to", async (word) => {
  const { message } = await program.ask<SendResponse>("send", "--to", "clerk@desk", word);
  expect(message).toMatchObject({ recipients: ["clerk"], content: word });
});

test("without a default target, the hint names none", async () => {
  await using other = await openProgram();
  const { exitCode, stderr } = await other.give(["send", "clerk@desk"]);
  expect(exitCode).toBe(2);
  expect(stderr).toContain("agent-worker send --to <target> clerk@desk");
  // This error needs no daemon, so none is started.
  expect(other.processes()).toEqual([]);
});
