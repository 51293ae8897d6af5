import { expect, test } from "bun:test";
import { toolMessage } from "../../test/fixtures/context-server.ts";
import { turnSpec } from "../../test/fixtures/specs.ts";
import { buildPrompt } from "./prompt.ts";

const server = { url: "", token: "" };
const empty = { messages: [], earlier: [] };

test("the agent's own prompt comes first, then its name and its teammates", () => {
  const { system } = buildPrompt(turnSpec(server, { system_prompt: "Be kind.\n" }), empty);
  expect(system).toStartWith('Be kind.\n\nYou are "alice", an agent in the workflow "review".');
  expect(system).toContain("- @bob: Fixes bugs");
});

test("describes documents, and resources for long text", () => {
  const { system } = buildPrompt(turnSpec(server), empty);
  for (const tool of ["document_read", "document_write", "document_append", "document_list", "resource_create"]) {
    expect(system).toContain(tool);
  }
});

test("stays near 600 tokens, regardless of the number of teammates", () => {
  const teammates = Array.from({ length: 1_000 }, (_, index) => ({
    name: `agent${index}`,
    description: "does\nthings ".repeat(50),
  }));
  const { system } = buildPrompt(turnSpec(server, {}, { teammates }), empty);
  expect(system.length).toBeLessThan(2_600);
  expect(system).toMatch(/and \d+ more: workflow_agents/);
});

test("the first prompt is the inbox in order, with the properties of each message", () => {
  const messages = [
    toolMessage("fire!", { id: "m2", priority: "high", sender: "bob", inReplyTo: "m1" }),
    toolMessage("hello", { id: "m3", private: true }),
  ];
  const { first } = buildPrompt(turnSpec(server), { messages, earlier: [] });
  expect(first).toBe(
    "Your inbox:\n\n[m2] from bob (high priority, in reply to m1):\n  fire!\n\n[m3] from user (private):\n  hello",
  );
});

test("a retry lists what earlier attempts did", () => {
  const { first } = buildPrompt(turnSpec(server), { messages: [], earlier: ["sent m7 to bob:\n'done'"] });
  expect(first).toContain("do not repeat it:\n- sent m7 to bob: 'done'");
});

test("lists skills by name and description, within limits", () => {
  const skill = (name: string, description: string) => ({ name, description, folder: "", from: "" });
  const { system } = buildPrompt(turnSpec(server), empty, [skill("pdf", "Reads\nPDF files")]);
  expect(system).toContain("- pdf: Reads PDF files");
  const many = Array.from({ length: 200 }, (_, index) => skill(`skill-${index}`, "x".repeat(500)));
  const long = buildPrompt(turnSpec(server), empty, many).system;
  expect(long.length).toBeLessThan(8_000);
  expect(long).toContain("- and skill-");
});
