/** Failing setup steps and workers: `run` exits with 1, reports the reason, and keeps the messages. */
import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import type { DeliveryList } from "../../../src/protocol/http/inbox.ts";
import type { RunResult } from "../../../src/protocol/instance.ts";
import { openProgram } from "../../fixtures/program.ts";
import { until } from "../../fixtures/until.ts";

const setup = (...steps: string[]) => `agents:
  alice: { backend: mock }
setup:
${steps.map((step) => `  - ${step}\n`).join("")}kickoff: "@alice begin"
`;

/** Empty if the process has ended. */
function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "latin1");
  } catch {
    return "";
  }
}

test("a failed setup step is reported with its output, and no agent starts", async () => {
  await using program = await openProgram();
  const step = "{ shell: 'echo no such branch >&2; exit 7' }";
  program.write("branch.yaml", setup("{ shell: echo fine }", step, "{ shell: touch never }"));
  const { exitCode, stdout, stderr } = await program.give(["run", "branch.yaml"]);
  expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: "" });
  expect(stderr).toContain("✓ echo fine");
  expect(stderr).toMatch(/setup\[1\] \(echo no such branch.*\) failed: exit code 7: no such branch/);
  expect(await Bun.file(`${program.project}/never`).exists()).toBe(false);

  // The same instance continues once the file is fixed.
  program.write("branch.yaml", setup("{ shell: echo main, as: branch }"));
  const fixed = await program.ask<RunResult>("run", "branch.yaml");
  expect(fixed).toMatchObject({ status: "completed", results: { branch: "main" }, messages: 1, turns: 1 });
});

test("a setup step that never ends is killed at its timeout, with all its processes", async () => {
  await using program = await openProgram();
  program.write("endless.yaml", setup("{ shell: 'sleep 1001 & sleep 1002', timeout: 300ms }"));
  const { exitCode, stderr } = await program.give(["run", "endless.yaml"]);
  expect({ exitCode, stderr }).toEqual({
    exitCode: 1,
    stderr: expect.stringMatching(/setup\[0\].*0\.3 s \(timeout\)/),
  });
  const left = () => program.processes().filter((pid) => commandOf(pid).startsWith("sleep"));
  await until(() => left().length === 0);
});

test("a setup step with endless output is stopped", async () => {
  await using program = await openProgram();
  program.write("loud.yaml", setup("{ shell: 'yes', as: everything }"));
  const { exitCode, stderr } = await program.give(["run", "loud.yaml"]);
  expect({ exitCode, stderr }).toEqual({
    exitCode: 1,
    stderr: expect.stringMatching(/setup\[0\] \(yes\).*printed more/),
  });
  expect(stderr.length).toBeLessThan(2_000);
});

test("workers that print garbage, crash, hang or fail permanently leave dead letters with reasons", async () => {
  await using program = await openProgram();
  const agents = ["garbage", "crash", "hang", "permanent"].map((kind) => {
    const more = kind === "hang" ? ", timeout: 300ms" : "";
    return `  ${kind}: { backend: mock, retry: { attempts: 2, backoff: 1ms }, script: [[{ fail: { kind: ${kind} } }]]${more} }\n`;
  });
  program.write("trouble.yaml", `agents:\n${agents.join("")}kickoff: "@all begin"\n`);
  const { exitCode, stdout, stderr } = await program.give(["run", "trouble.yaml"]);
  expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: "" });
  expect(stderr).toContain("✗ failed");
  expect(stderr).toContain("4 dead letters");
  expect(stderr).toContain("agent-worker inbox @trouble --dead");
  const { deliveries } = await program.ask<DeliveryList>("inbox", "@trouble", "--dead");
  const reasons = Object.fromEntries(
    deliveries.map(({ agent, attempts, reason }) => [agent, `${attempts}× ${reason}`]),
  );
  expect(reasons).toEqual({
    garbage: expect.stringMatching(/^2× .*a line that is not an event/),
    crash: expect.stringMatching(/^2× .*killed by SIGKILL/),
    hang: expect.stringMatching(/^2× not finished after 0\.3 s \(timeout\)/),
    permanent: expect.stringMatching(/^1× a permanent failure/),
  });
});
