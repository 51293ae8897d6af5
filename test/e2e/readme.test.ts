/** The README's commands, in a copy of the checkout; the first one runs twice, and the checkout stays clean. */
import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Event } from "../../src/protocol/event.ts";
import { copyCheckout, git, linkPackages } from "../fixtures/checkout-copy.ts";
import { checkout } from "../fixtures/command.ts";
import { openProgram } from "../fixtures/program.ts";

/** Whether the tests of an example repository pass. */
async function testsPass(repository: string): Promise<boolean> {
  const child = Bun.spawn(["node", "--test"], { cwd: repository, stdout: "ignore", stderr: "ignore" });
  return (await child.exited) === 0;
}

test("the first command of the README works as described, repeatedly", async () => {
  await using sh = await openProgram("sh");
  const copy = join(sh.project, "copy");
  copyCheckout(copy);
  linkPackages(copy);
  const [, command = ""] =
    /```sh\n(bin\/agent-worker run \S+)/.exec(readFileSync(join(copy, "README.md"), "utf8")) ?? [];
  expect(command).toBe("bin/agent-worker run examples/review.yaml");
  expect(await testsPass(join(copy, "examples/repo"))).toBe(false);

  for (const time of ["first", "second"]) {
    const { exitCode, stdout, stderr } = await sh.give(["-c", command], { cwd: copy });
    expect({ time, exitCode }).toEqual({ time, exitCode: 0 });
    expect(stdout).toContain("@user Shared bills add up again.");
    for (const agent of ["lead", "reviewer", "coder"])
      expect(stderr).toMatch(new RegExp(`^ +\\S+ +${agent} +\\S`, "m"));
    expect(stderr).toContain("✓ completed in");
  }

  // The reviewer's tests failed before the coder's change and passed after it, both times.
  const logs = await sh.give(["-c", "bin/agent-worker logs @review --json"], { cwd: copy });
  const events = logs.stdout
    .trimEnd()
    .split("\n")
    .map((line): Event => JSON.parse(line));
  const verdicts = events.flatMap((event) => {
    if (event.type === "tool-result" && event.data.tool === "write_file") return ["changed"];
    const [, failures] = (event.type === "tool-result" && /^# fail (\d+)$/m.exec(event.data.text)) || [];
    return failures === undefined ? [] : [`${failures} failed`];
  });
  expect(verdicts).toEqual(["1 failed", "changed", "0 failed", "1 failed", "changed", "0 failed"]);
  expect(await testsPass(join(copy, ".workflow/review/main/repo"))).toBe(true);
  expect(await testsPass(join(copy, "examples/repo"))).toBe(false);
  expect(git(copy, "status", "--porcelain")).toBe("");
});

test("the commands of the README's tour work line by line", async () => {
  await using sh = await openProgram("sh");
  const readme = readFileSync(join(checkout, "README.md"), "utf8");
  const [, block = ""] = /## A tour.*?```sh\n(.*?)```/s.exec(readme) ?? [];
  const lines = block.trim().split("\n").slice(1);
  expect(lines).toHaveLength(6);
  const said: string[] = [];
  let question = "";
  for (const line of lines) {
    const command = line.replace(/^agent-worker/, "bin/agent-worker").replace("<id>", question);
    const { exitCode, stdout } = await sh.give(["-c", command], { cwd: checkout });
    expect({ line, exitCode }).toEqual({ line, exitCode: 0 });
    [question] = /m[0-9a-z]{12}/.exec(stdout) ?? [question];
    said.push(stdout);
  }
  const [started, reply, channel, list, story, stopped] = said;
  expect([started, reply, stopped]).toEqual(["started @desk\n", "I am asking our expert.\n", "stopped @desk\n"]);
  expect(channel).toContain("When do you open?");
  expect(list).toContain("● @desk  running");
  expect(story).toContain("clerk  ✓ done");
});

test("the README shows the same team as the example", async () => {
  const [, shown = ""] = /## A tour.*?```yaml\n(.*?)```/s.exec(readFileSync(join(checkout, "README.md"), "utf8")) ?? [];
  const example = readFileSync(join(checkout, "examples/desk.yaml"), "utf8");
  expect(Bun.YAML.parse(shown)).toEqual(Bun.YAML.parse(example));
});
