import { describe, expect, test } from "bun:test";
import { sampleMessage } from "../../../test/fixtures/message.ts";
import type { Event } from "../../protocol/event.ts";
import type { RunResult } from "../../protocol/instance.ts";
import type { Message } from "../../protocol/message.ts";
import { createLog, type LogOptions } from "./event-log.ts";
import { coloured, plain } from "./style.ts";

const head = { at: 1_000, workflow: "review", tag: "main", project: "/code", run: 1 };
const start: Event = {
  type: "workflow-start",
  seq: 1,
  ...head,
  data: { mode: "run", agents: ["reviewer", "coder"] },
};

function message(fields: Partial<Message>): Event {
  const data = sampleMessage({ content: "hello", createdAt: 1_000, ...fields });
  return { type: "message", seq: 2, ...head, message: data.id, turn: data.turn, data };
}

function render(events: Event[], options: Partial<LogOptions> = {}): string {
  const log = createLog({ style: plain, width: 80, verbose: false, clock: "elapsed", several: false, ...options });
  return events.map(log).join("");
}

describe("the log", () => {
  test("begins with the workflow and its agents", () => {
    expect(render([start])).toBe("@review · reviewer, coder\n\n");
  });

  test("shows who wrote which version of a document, and who deleted it", () => {
    const data = { file: "notes.md", version: 2, author: "coder", bytes: 5, deleted: false };
    const written: Event = { type: "document-write", seq: 3, ...head, turn: "t1", data };
    const deleted: Event = { ...written, turn: null, data: { ...data, version: 3, author: "user", deleted: true } };
    expect(render([start, written, deleted]).split("\n").slice(2)).toEqual([
      "    0ms  coder     ✎ notes.md v2",
      "    0ms  user      deleted notes.md",
      "",
    ]);
  });

  test("aligns names, and indents all lines of a message alike", () => {
    const events = [
      start,
      message({ content: "@reviewer look\n\nat this" }),
      message({ sender: "reviewer", content: "fine" }),
    ];
    expect(render(events).split("\n").slice(2)).toEqual([
      "    0ms  user      @reviewer look",
      "",
      "                   at this",
      "    0ms  reviewer  fine",
      "",
    ]);
  });

  test("wraps long messages to the terminal width, but not in a pipe", () => {
    const long = message({ content: "word ".repeat(60) });
    expect(
      render([long], { width: 60 })
        .split("\n")
        .every((line) => line.length <= 60),
    ).toBe(true);
    expect(render([long], { width: Number.POSITIVE_INFINITY }).trimEnd().split("\n")).toHaveLength(1);
  });

  test("shows the beginning of a very long message, and where to find the rest", () => {
    const long = message({ content: "line\n".repeat(100) });
    expect(render([long])).toContain("… 70 more lines: agent-worker why m1");
    expect(render([long], { verbose: true }).trimEnd().split("\n")).toHaveLength(100);
  });

  test("names recipients that the text does not mention", () => {
    expect(render([message({ recipients: ["coder"], content: "please look" })])).toContain("→ coder please look");
    expect(render([message({ recipients: ["coder"], content: "@Coder please look" })])).not.toContain("→");
    expect(render([message({ recipients: ["coder"], content: "x", private: true })])).toContain("(private) → coder x");
  });

  test("gives each agent its own colour, also in mentions", () => {
    const text = render([start, message({ content: "@reviewer and @Coder, not @nobody" })], { style: coloured });
    expect(text).toContain(coloured.bold(coloured.cyan("@reviewer")));
    expect(text).toContain(coloured.bold(coloured.magenta("@Coder")));
    expect(text).toContain("not @nobody");
  });

  test("removes control sequences", () => {
    const evil = "a\x1b[2Jb\x1b]0;title\x07c\u009b1md";
    const events: Event[] = [
      message({ content: evil, sender: `x${evil}` }),
      { type: "turn-end", seq: 3, ...head, agent: evil, turn: "t", data: end({ status: "failed", reason: evil }) },
      { type: "tool-call", seq: 4, ...head, agent: "a", turn: "t", data: { call: "c", tool: evil, args: evil } },
      {
        type: "tool-result",
        seq: 5,
        ...head,
        agent: "a",
        turn: "t",
        data: { call: "c", tool: evil, ok: false, text: evil },
      },
      {
        type: "delivery-dead",
        seq: 6,
        ...head,
        agent: "a",
        turn: "t",
        message: "m1",
        data: { attempts: 3, reason: evil },
      },
      { type: "work-parked", seq: 7, ...head, agent: "a", message: "m1", data: { kind: "limit", reason: evil } },
      { type: "task-end", seq: 8, ...head, data: { step: "1", title: evil, ok: false, reason: evil, duration: 1 } },
      { type: "thread-lost", seq: 9, ...head, agent: "a", turn: "t", data: { reason: evil } },
      { type: "workflow-end", seq: 10, ...head, data: result({ reason: evil }) },
    ];
    for (const verbose of [false, true]) {
      const text = render(events, { verbose });
      expect(text).not.toMatch(/[^\P{Cc}\n]/u);
      expect(text).toContain("abcd");
    }
  });

  test("shows how long a turn took after its final text, or on its own line without one", () => {
    const ended: Event = {
      type: "turn-end",
      seq: 3,
      ...head,
      agent: "coder",
      turn: "t1",
      data: end({ text: "Fixed." }),
    };
    expect(render([ended, message({ sender: "coder", content: "Fixed.", turn: "t1" })])).toBe(
      "    0ms  coder   Fixed. ✓ 1.2s\n",
    );
    const silent: Event = { type: "turn-end", seq: 3, ...head, agent: "coder", turn: "t1", data: end({ text: "" }) };
    expect(render([silent])).toContain("✓ done in 1.2s");
  });

  test("highlights retries, dead letters and parked work, and suggests a command", () => {
    const text = render([
      { type: "turn-end", seq: 2, ...head, agent: "coder", turn: "t", data: end({ status: "failed", reason: "boom" }) },
      {
        type: "turn-retry",
        seq: 3,
        ...head,
        agent: "coder",
        turn: "t",
        message: "m1",
        data: { attempt: 2, attempts: 3, reason: "boom", at: 3_000 },
      },
      {
        type: "delivery-dead",
        seq: 4,
        ...head,
        agent: "coder",
        turn: "t",
        message: "m1",
        data: { attempts: 3, reason: "boom" },
      },
      {
        type: "work-parked",
        seq: 5,
        ...head,
        agent: "coder",
        message: "m2",
        data: { kind: "loop", reason: "going in circles" },
      },
      {
        type: "work-parked",
        seq: 6,
        ...head,
        agent: "coder",
        message: "m3",
        data: { kind: "usage-limit", reason: "that was all for today", until: new Date(2026, 0, 2, 3, 4, 5).getTime() },
      },
    ]);
    expect(text).toContain("↻ failed; attempt 2 of 3 in 2.0s: boom");
    expect(text).toContain("✗ dead letter after 3 attempts: boom");
    expect(text).toContain("→ agent-worker why m1");
    expect(text).toContain("■ parked: going in circles");
    expect(text).toContain("■ held until 2026-01-02 03:04:05: that was all for today");
    expect(text).not.toContain("agent-worker resume");
  });

  test("shows the command that continues after a missing key or an interruption", () => {
    const parked: Event = {
      type: "work-parked",
      seq: 5,
      ...head,
      agent: "coder",
      message: "m2",
      data: { kind: "credentials", reason: "set LAB_KEY in the environment, then resume" },
    };
    const shown = render([parked]);
    expect(shown).toContain("■ parked: set LAB_KEY in the environment, then resume");
    expect(shown).toContain("→ agent-worker resume @review once they are set");
    const data = result({ status: "interrupted", reason: "the daemon exited while tasks[2] was running" });
    expect(render([{ type: "workflow-end", seq: 6, ...head, data }])).toContain(
      "  the daemon exited while tasks[2] was running; agent-worker resume @review runs it again\n",
    );
  });

  test("shows tool calls as short lines, arguments only with --verbose, and hides channel tools", () => {
    expect(render([call("bash")])).toBe("    0ms  coder   · bash\n");
    expect(render([call("channel_send")])).toBe("");
    expect(render([call("bash")], { verbose: true })).toContain('· bash {"command":"make"}');
    expect(render([call("inbox_check")], { verbose: true })).toContain("inbox_check");
  });

  test("distinguishes workflows when it shows several", () => {
    expect(render([start, message({ sender: "coder" })], { several: true })).toContain("coder@review");
  });

  test("says so when the cost is unknown", () => {
    const data = result({ usage: { inputTokens: 1_000, outputTokens: 500 } });
    expect(render([{ type: "workflow-end", seq: 9, ...head, data }])).toContain("1.5k tokens · cost unknown");
  });

  test("ends with figures and what is unfinished", () => {
    const text = render([
      { type: "workflow-end", seq: 9, ...head, data: result({ dead: 1, parked: 2, reason: "one gave up" }) },
    ]);
    expect(text).toBe(
      "\n✗ failed in 3.0s · 2 turns · 1 message · 1.5k tokens · $0.02\n  1 dead letter · 2 parked\n  one gave up\n",
    );
  });
});

function call(tool: string): Event {
  const data = { call: "c", tool, args: '{"command":"make"}' };
  return { type: "tool-call", seq: 2, ...head, agent: "coder", turn: "t", data };
}

function end(fields: object) {
  const ended = { attempt: 1, status: "succeeded" as const, reason: null, text: null, usage: null, duration: 1_200 };
  return { ...ended, ...fields };
}

function result(fields: Partial<RunResult>): RunResult {
  return {
    status: "failed",
    exitCode: 1,
    output: "",
    results: {},
    duration: 3_000,
    usage: { inputTokens: 1_000, outputTokens: 500, cost: 0.02 },
    turns: 2,
    messages: 1,
    dead: 0,
    parked: 0,
    reason: null,
    ...fields,
  };
}
