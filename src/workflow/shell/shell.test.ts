import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { processorTime } from "../../../test/fixtures/workflow/processor-time.ts";
import type { Scope } from "../expression/interpolate.ts";
import { compileShell, type RenderedShell } from "./shell.ts";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "aw-shell-"));
  symlinkSync(Bun.which("true")!, join(folder, "true"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const payloads = [
  "plain",
  "",
  " two  words ",
  "--version",
  "/*",
  "~",
  "\\",
  "line one\nline two\n\n",
  "\ntouch canary\nEOF\ntouch canary\n",
  "a[$(touch canary)]",
  "'; touch canary; '\"; touch canary; \" $(touch canary) `touch canary` ${x:-$(touch canary)} | touch canary && touch canary #",
  "{a,b} $HOME $0 $$ !! \\n%s%n ' \" ) } }} ${{ x }} é日🎉\u00a0\u0001\u001b\u007f",
];

/** Scripts that call `show` with the value as its only argument. */
const accepted: Record<string, { script: string; around?: [string, string]; bash?: true }> = {
  "a plain word": { script: "show ${{ x }}" },
  "a plain word with text before and after": { script: "show a${{ x }}b", around: ["a", "b"] },
  "double quotes": { script: 'show "${{ x }}"' },
  "text inside double quotes": { script: 'show "a ${{ x }} b"', around: ["a ", " b"] },
  "quotes that end before it": { script: "show 'a'${{ x }}\"b\"", around: ["a", "b"] },
  "an escaped dollar before it": { script: "show \\$${{ x }}", around: ["$", ""] },
  "an escaped dollar in quotes": { script: 'show "\\$${{ x }}"', around: ["$", ""] },
  "an escaped backslash before it": { script: "show \\\\${{ x }}", around: ["\\", ""] },
  "a hash before it": { script: "show a#${{ x }}", around: ["a#", ""] },
  "an assignment": { script: 'v=${{ x }}\nshow "$v"' },
  "an assignment in front of a command": { script: 'show() { printf "%s\\0" "$v" > "$OUT"; }; v=${{ x }} show' },
  "an exported variable": { script: 'export v=${{ x }}\nshow "$v"' },
  "a local variable": { script: 'f() { local v=${{ x }}; show "$v"; }; f' },
  "the list of a loop": { script: 'for v in ${{ x }}; do show "$v"; done' },
  "the subject of a case": { script: "case ${{ x }} in *) show ${{ x }} ;; esac" },
  "a branch of a case": { script: "case a in b) ;; (a|c) show ${{ x }} ;; esac" },
  "a pattern of a case": { script: 'v=$VALUE; case "$v" in ${{ x }}) show ${{ x }} ;; esac' },
  "a condition": { script: "if [ ${{ x }} = ${{ x }} ]; then show ${{ x }}; fi" },
  "a function": { script: "f() {\n  show ${{ x }}\n}\nf" },
  "an argument of a function": { script: 'f() { show "$1"; }; f ${{ x }}' },
  "a subshell": { script: "(show ${{ x }})" },
  "a group": { script: "{ show ${{ x }}; }" },
  "after && and a pipe": { script: "true && true | show ${{ x }}" },
  "after a continued line": { script: "show \\\n  ${{ x }}" },
  "after a comment": { script: "# it's \"${{ x }}\n: # don't ${{ x }}\nshow ${{ x }} # '" },
  "after a heredoc": { script: "cat > /dev/null <<'EOF'\nit's\nEOF\nshow ${{ x }}" },
  "after a heredoc with tabs": { script: "cat > /dev/null <<-EOF\n\tit's\n\tEOF\nshow ${{ x }}" },
  "after two heredocs": { script: "cat <<A <<B > /dev/null\n'\nA\n\"\nB\nshow ${{ x }}" },
  "after arithmetic": { script: "i=$(( (1 + 2) * 3 ))\nshow ${{ x }}" },
  "after an expansion": { script: "v=\"${UNSET:-'}'}\" w=${UNSET:-'}'}\nshow ${{ x }}" },
  "after backticks": { script: "v=`echo \\`echo a\\``\nshow ${{ x }}" },
  "a substitution": { script: 'v=$(printf "%s." ${{ x }}); show "${v%.}"' },
  "quotes in a substitution in quotes": { script: 'v="$(printf "%s." "${{ x }}")"; show "${v%.}"' },
  "a plain word in a substitution in quotes": { script: 'v="$(printf "%s." ${{ x }})"; show "${v%.}"' },
  "a case in a substitution in quotes": {
    script: 'v="$(case a in a) printf "%s." ${{ x }} ;; esac)"; show "${v%.}"',
  },
  "a later branch of a case in a substitution": {
    script: 'v="$(case b in a) : ;; b) printf "%s." ${{ x }} ;; esac)"; show "${v%.}"',
  },
  "a heredoc in a substitution": { script: "v=$(cat <<EOF\n)'\nEOF\n)\nshow ${{ x }}" },
  "a nested substitution": { script: 'v="$(printf "%s" "$(printf "%s." ${{ x }})")"; show "${v%.}"' },
  "a redirection's file": { script: 'cd "$EMPTY" && : > "f-${#VALUE}"${{ y }} && show ${{ x }}' },
  "the environment of sh -c": { script: `v=\${{ x }} sh -c 'printf "%s\\0" "$v" > "$OUT"'` },
  "an argument of a script": {
    script: 'echo \'printf "%s\\0" "$1" > "$OUT"\' > "$EMPTY/s.sh"; sh "$EMPTY/s.sh" ${{ x }}',
  },
  "a path of a command": { script: "${{ dir }}/true && show ${{ x }}" },
  "a here-string": { script: 'IFS= read -r -d "" v <<< ${{ x }} || show "${v%?}"', bash: true },
  "an array": { script: 'a=(1 ${{ x }} "${{ x }}")\n[ "${#a[@]}" = 3 ] && show "${a[2]}"', bash: true },
  "a declared array": { script: 'declare -a a=(1 ${{ x }})\nshow "${a[1]}"', bash: true },
  "a locale string": { script: 'show $"${{ x }}"', bash: true },
  "after an ANSI string": { script: "v=$'it\\'s'\nshow ${{ x }}", bash: true },
  "after [[ ]] with a regular expression": { script: "[[ a =~ ^(a|b)$ && a < b ]] && show ${{ x }}", bash: true },
  "after (( ))": { script: "for ((i = 0; i < 1; i++)); do (( i < 2 )) && show ${{ x }}; done", bash: true },
  "a process substitution": { script: 'IFS= read -r -d "" v < <(printf "%s\\0" ${{ x }}); show "$v"', bash: true },
  "a function with the keyword": { script: "function f { show ${{ x }}; }; f", bash: true },
  "a loop's redirection": {
    script: 'while IFS= read -r -d "" v; do show "${v%?}"; break; done < <(printf "%s.\\0" ${{ x }})',
    bash: true,
  },
};

for (const shell of ["bash", "sh"]) {
  describe(`in ${shell}, the value arrives unchanged and runs nothing`, () => {
    const suited = Object.entries(accepted).filter(([, { bash }]) => shell === "bash" || !bash);
    test.each(suited)("in %s", (_, { script, around = ["", ""] }) => {
      const { problems, render } = compileShell(script);
      expect(problems).toEqual([]);
      const rendered = payloads.map((payload) => render(scopeWith(payload)));
      const arrived = runEach(shell, rendered);
      expect(arrived).toEqual(payloads.map((payload) => `${around[0]}${payload}${around[1]}`));
    });
  });
}

/** Scripts in which the value is refused, and a part of the reason. */
const refused: [script: string, reason: string][] = [
  ["echo '${{ x }}'", "single quotes"],
  ["echo 'a' 'b ${{ x }} c'", "single quotes"],
  ["echo $'${{ x }}'", "single quotes"],
  ["echo $'it\\'s ${{ x }}'", "single quotes"],
  ["echo \"$(echo '${{ x }}')\"", "single quotes"],
  ["cat <<EOF\n${{ x }}\nEOF", "heredoc"],
  ["cat <<'EOF'\n${{ x }}\nEOF", "heredoc"],
  ["cat <<-EOF\n\t${{ x }}\n\tEOF", "heredoc"],
  ["cat <<EOF | tr a b\n${{ x }}\nEOF", "heredoc"],
  ["v=$(cat <<EOF\n${{ x }}\nEOF\n)", "heredoc"],
  ["cat <<EOF\n${{ x }}", "heredoc"],
  ["cat <<${{ x }}\nfoo\n", "heredoc"],
  ["[[ ${{ x }} == a ]]", "[[ ]]"],
  ['[[ a -eq "${{ x }}" ]]', "[[ ]]"],
  ["if [[ -n a && ${{ x }} -eq 1 ]]; then :; fi", "[[ ]]"],
  ["echo $(( ${{ x }} + 1 ))", "$(( ))"],
  ['echo "$(( ${{ x }} ))"', "$(( ))"],
  ["(( ${{ x }} > 1 ))", "(( ))"],
  ["for (( i = ${{ x }}; i < 3; i++ )); do :; done", "(( ))"],
  ["echo $[ ${{ x }} ]", "$[ ]"],
  ["echo `echo ${{ x }}`", "backticks"],
  ['echo "`echo ${{ x }}`"', "backticks"],
  ["echo ${v:-${{ x }}}", "${ }"],
  ['echo "${v:-${{ x }}}"', "${ }"],
  ["echo ${v:${{ x }}}", "${ }"],
  ["echo \\${{ x }}", "backslash"],
  ['echo "\\${{ x }}"', "backslash"],
  ["echo $${{ x }}", "after a $"],
  ['echo "$${{ x }}"', "after a $"],
  ["eval ${{ x }}", "evaluates"],
  ['eval "echo ${{ x }}"', "evaluates"],
  ["\\eval ${{ x }}", "evaluates"],
  ["'ev'al ${{ x }}", "evaluates"],
  ["true && eval ${{ x }}", "evaluates"],
  ["if true; then eval ${{ x }}; fi", "evaluates"],
  ["! eval ${{ x }}", "evaluates"],
  ["A=1 eval ${{ x }}", "evaluates"],
  ["2>/dev/null eval ${{ x }}", "evaluates"],
  [">/dev/null eval ${{ x }}", "evaluates"],
  ["command eval ${{ x }}", "evaluates"],
  ["builtin eval ${{ x }}", "evaluates"],
  ["builtin . ${{ x }}", "runs"],
  ["{ eval ${{ x }}; }", "evaluates"],
  ["( eval ${{ x }} )", "evaluates"],
  ["f() { eval ${{ x }}; }", "evaluates"],
  ["case a in a) eval ${{ x }};; esac", "evaluates"],
  ["case a in a) true;; b) eval ${{ x }};; esac", "evaluates"],
  ['eval "$(echo ${{ x }})"', "evaluates"],
  ["echo $(eval ${{ x }})", "evaluates"],
  ['sh -c "echo ${{ x }}"', "evaluates"],
  ["sh -c ${{ x }}", "evaluates"],
  ["sh -ec ${{ x }}", "evaluates"],
  ["/bin/sh -c ${{ x }}", "evaluates"],
  ["bash -o pipefail -c ${{ x }}", "evaluates"],
  ["bash --norc -c ${{ x }}", "evaluates"],
  ['"$SHELL" -c ${{ x }}', "evaluates"],
  ["env A=b bash -c ${{ x }}", "evaluates"],
  ["sudo -u me bash -c ${{ x }}", "evaluates"],
  ["timeout 5 sh -c ${{ x }}", "evaluates"],
  ["anything sh -c ${{ x }}", "evaluates"],
  ["find . -exec sh -c ${{ x }} \\;", "evaluates"],
  ["echo | xargs sh -c ${{ x }}", "evaluates"],
  ["echo ${{ x }} | xargs -I{} sh -c 'echo {}'", "evaluates"],
  ["echo ${{ x }} | sh", "evaluates"],
  ["echo ${{ x }} | tr a b | bash -s", "evaluates"],
  ["{ echo ${{ x }}; } | sh", "evaluates"],
  ["( echo ${{ x }} ) | sudo bash", "evaluates"],
  ["for i in 1; do echo ${{ x }}; done | sh", "evaluates"],
  ["case a in a) echo ${{ x }};; esac | sh", "evaluates"],
  ["sh <<< ${{ x }}", "evaluates"],
  ["bash <(echo ${{ x }})", "runs"],
  ["source <(echo ${{ x }})", "runs"],
  [". ${{ x }}", "runs"],
  ["bash ${{ x }}", "runs"],
  ["bash ${{ x }} ${{ y }}", "runs"],
  ["trap ${{ x }} EXIT", "evaluates"],
  ["alias a=${{ x }}", "evaluates"],
  ["let i=${{ x }}", "evaluates"],
  ["ssh host echo ${{ x }}", "evaluates"],
  ["env -S ${{ x }}", "evaluates"],
  ["su me -c ${{ x }}", "evaluates"],
  ["python3 -c ${{ x }}", "evaluates"],
  ["node -e ${{ x }}", "evaluates"],
  ["perl -ne ${{ x }}", "evaluates"],
  ["${{ x }}", "command"],
  ["${{ x }} a b", "command"],
  ['"${{ x }}" a b', "command"],
  ["true; ${{ x }}", "command"],
  ["exec ${{ x }} a", "command"],
  ["command ${{ x }} ${{ y }}", "command"],
  ["a[${{ x }}]=1", "subscript"],
  ['a["${{ x }}"]=1', "subscript"],
  ["a=([${{ x }}]=1)", "subscript"],
  ["declare -a a=(1 [${{ x }}]=1)", "subscript"],
  ["read ${{ x }}", "name"],
  ["unset ${{ x }}", "name"],
  ["export ${{ x }}", "name"],
  ["declare -i n=${{ x }}", "name"],
  ["declare -n n=${{ x }}", "name"],
  ["printf -v ${{ x }} a", "name"],
  ["printf ${{ x }} ${{ y }} a", "format"],
  ["[ -v ${{ x }} ]", "name"],
  ["test ${{ x }} ${{ y }}", "name"],
  ["echo ${{ x }} 'open", "never closed"],
  ['echo ${{ x }} "open', "never closed"],
  ["echo ${{ x }} $(open", "never closed"],
  ["echo ${{ x }} ${open", "never closed"],
];

test.each(refused)("refuses a value in %j", (script, reason) => {
  const { problems, render } = compileShell(script);
  expect(problems.map(({ message }) => message).join("\n")).toContain(reason);
  expect(() => render(scopeWith("1"))).toThrow();
});

test("shows what works instead", () => {
  const [problem] = compileShell("echo a\necho '${{ diff }}'").problems;
  expect(problem).toEqual({
    offset: 13,
    message: "${{ diff }} cannot be used inside single quotes",
    hint: 'add env: { DIFF: "${{ diff }}" } to the step and use "$DIFF" in the script',
  });
  expect(compileShell("eval ${{ workflow.name }}").problems[0]!.hint).toContain('"$WORKFLOW_NAME"');
  expect(compileShell("eval ${{ path }}").problems[0]!.hint).toContain('"$VALUE_PATH"');
});

test("reports each of several placeholders", () => {
  const { problems } = compileShell("echo '${{ a }}' ${{ b }} \"${{ c }}\" `${{ d }}`");
  expect(problems.map(({ message }) => message)).toEqual([
    "${{ a }} cannot be used inside single quotes",
    "${{ d }} cannot be used inside backticks",
  ]);
});

test.each([
  ["a shell's name as an argument", "echo bash ${{ x }}"],
  ["a word like eval as an argument", "grep eval ${{ x }}"],
  ["another program's -c", "gcc -c ${{ x }}"],
  ["a lookup of a command", "command -v ${{ x }}"],
  ["an option of a script", "bash run.sh -c ${{ x }}"],
  ["a folder of find", "find . -name ${{ x }}"],
  ["a folder as the last word", "docker build -t ${{ x }} ."],
  ["a folder before an option", "docker build . -t ${{ x }}"],
  ["a bracket in a value", "v=[${{ x }}]"],
  ["a script next to the workflow file", "bash ${{ source.dir }}/run.sh ${{ x }}"],
  ["a sourced file next to the workflow file", '. "${{ source.dir }}/lib.sh"'],
  ["input of a script", "echo ${{ x }} | bash run.sh"],
  ["input of a loop", "echo ${{ x }} | while read -r line; do sh run.sh; done"],
  ["a command after one that evaluates", 'eval "$CODE"; echo ${{ x }}'],
  ["environment for a shell in a container", "docker run -e A=${{ x }} image sh -c 'echo \"$A\"'"],
])("accepts %s", (_, script) => {
  expect(compileShell(script).problems).toEqual([]);
});

test("does not change a script without values, however odd", () => {
  const script = "echo 'unclosed $( `";
  expect(compileShell(script).problems).toEqual([]);
  expect(compileShell(script).render(scopeWith(""))).toEqual({ script, values: [], missing: [] });
});

test("uses one variable per name, and none that the script uses", () => {
  const { script, values } = compileShell('echo ${{ x }} "${{x}}" ${{ y }} $__aw_1 $__aw1_1').render(scopeWith("v"));
  expect(script).toBe('echo "${__aw2_1}" "${__aw2_1}" "${__aw2_2}" $__aw_1 $__aw1_1');
  expect(values.map(({ name }) => name)).toEqual(["__aw2_1", "__aw2_2"]);
});

test("lists the environment variables that were not set", () => {
  expect(compileShell("echo ${{ env.NOPE }}").render(scopeWith(""))).toMatchObject({
    values: [{ name: "__aw_1", value: "" }],
    missing: ["NOPE"],
  });
});

test("rejects a value with a NUL byte, which a shell variable cannot hold", () => {
  expect(() => compileShell("echo ${{ x }}").render(scopeWith("a\0b"))).toThrow("NUL");
});

test.each([
  "$(",
  "(",
  '"$(',
  "`",
  "'",
  "{ ",
  "case a in a) ",
  "cat <<E\n",
  "[[ ",
  "(( ",
  "a[",
  "| sh ",
  "\\",
  "# \n",
  "sudo eval ",
])("compiles a script of %j in bounded time", (piece) => {
  const spent = processorTime(() => {
    compileShell(`${piece.repeat(100_000 / piece.length)} echo \${{ x }}`);
    compileShell(`echo \${{ x }} ${`${piece}\${{ x }}`.repeat(900)}`);
  });
  expect(spent).toBeLessThan(2_000);
});

function scopeWith(value: string): Scope {
  return {
    captured: { x: value, y: "", dir: folder },
    env: {},
    params: {},
    workflow: { name: "w", tag: "main" },
    context: { channel: "", document: "" },
    source: { dir: folder },
  };
}

/** Runs each script in a subshell of one process; `VALUE` is the value itself, for comparison. */
function runEach(shell: string, scripts: RenderedShell[]): string[] {
  const work = mkdtempSync(join(folder, "run-"));
  const lines = [`show() { for v; do printf "%s\\0" "$v"; done > "$OUT"; }`, "EMPTY=$PWD"];
  scripts.forEach(({ script, values }, index) => {
    const variables = [{ name: "VALUE", value: values[0]!.value }, ...values];
    const assignments = variables.map(({ name, value }) => `${name}='${value.replaceAll("'", "'\\''")}'`);
    lines.push("(", `export OUT='${work}/out-${index}' EMPTY`, ...assignments, script, ")");
  });
  const { exitCode, stderr } = Bun.spawnSync([shell], {
    cwd: work,
    stdin: Buffer.from(lines.join("\n")),
    timeout: 20_000,
  });
  expect({ exitCode, stderr: stderr.toString() }).toEqual({ exitCode: 0, stderr: "" });
  expect(readdirSync(work).filter((name) => name.includes("canary"))).toEqual([]);
  return scripts.map((_, index) => readFileSync(join(work, `out-${index}`), "utf8").replace(/\0$/, ""));
}
