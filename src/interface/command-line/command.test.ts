import { describe, expect, test } from "bun:test";
import { defineCommand, optional, required, rest } from "./command.ts";
import { count, duration, flag, hidden, text } from "./options.ts";
import { parseCommandLine } from "./parse.ts";
import { plain } from "../render/style.ts";

const command = defineCommand({
  arguments: { file: required("the file"), further: rest("more of them") },
  options: {
    wait: flag("-w, --wait", "wait"),
    limit: duration("--time-limit <duration>", "how long"),
    lines: count("-n, --lines <count>", "how many"),
    name: text("--name <name>", "how it is called"),
    secret: hidden(flag("--secret", "not shown")),
  },
  details: "Some details.",
  examples: [["agent-worker try x", "tries it"]],
  run: () => Promise.resolve(),
});
const title = { name: "try", aliases: ["attempt"], summary: "Try something" };
const parse = (...argv: string[]) => parseCommandLine(title, command, argv, plain);

describe("a command line", () => {
  test("is parsed into words, options and global options", () => {
    expect(
      parse("a", "--wait", "b", "--time-limit", "5s", "-n", "3", "--json", "--instance", "pr-1", "--no-color"),
    ).toMatchObject({
      words: ["a", "b"],
      raw: { wait: true, limit: "5s", lines: "3" },
      globals: {
        json: true,
        instance: "pr-1",
        quiet: false,
        verbose: false,
        input: true,
        color: false,
      },
    });
  });

  test("takes a lone dash, and everything after --, as words", () => {
    expect(parse("a", "--", "--wait", "-")).toMatchObject({ words: ["a", "--wait", "-"], raw: {} });
  });

  test.each([
    [["a", "--wiat"], "unknown option '--wiat'", "Did you mean --wait?"],
    [[], "missing required argument 'file'", "agent-worker try --help"],
    [["a", "--name"], "argument missing", "agent-worker try --help"],
  ])("with a mistake is refused with a suggestion: %p", (argv, problem, help) => {
    expect(() => parse(...argv)).toThrow(
      expect.objectContaining({
        code: "usage",
        message: expect.stringContaining(problem),
        hint: expect.stringContaining(help),
      }),
    );
  });

  test("with --help shows the help, with an example and without hidden options", () => {
    const parsed = parse("--help");
    const help = "help" in parsed ? parsed.help : "";
    expect(help).toContain("Usage: agent-worker try");
    expect(help).toContain("(also: attempt)");
    expect(help).toContain("Some details.");
    expect(help).toContain("agent-worker try x\n      tries it");
    expect(help).toContain("--home <folder>");
    expect(help).not.toContain("--secret");
    expect(help).not.toContain("--instance");
  });
});

describe("arguments and options", () => {
  test("have their declared types", () => {
    expect(required("").read(["a", "b"])).toBe("a");
    expect(optional("").read([])).toBeUndefined();
    expect(rest("").read(["a", "b"])).toEqual(["a", "b"]);
    expect(duration("", "").read("1m")).toBe(60_000);
    expect(count("", "").read("7")).toBe(7);
  });

  test.each(["0", "-1", "1.5", "many"])("a count of %p is refused", (value) => {
    expect(() => count("-n", "").read(value)).toThrow("not a positive whole number");
  });
});
