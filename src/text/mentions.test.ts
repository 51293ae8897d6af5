import { describe, expect, test } from "bun:test";
import { processorTime } from "../../test/fixtures/workflow/processor-time.ts";
import { findMentions } from "./mentions.ts";

const fence = "```";

/** Texts and the names they mention. */
const cases: Record<string, [text: string, names: string[]][]> = {
  "a name at a word boundary": [
    ["@alice", ["alice"]],
    ["@alice please look", ["alice"]],
    ["please look, @alice", ["alice"]],
    ["line one\n@alice line two", ["alice"]],
    ["tab\t@alice", ["alice"]],
    ["@alice @bob", ["alice", "bob"]],
    ["@alice,@bob;@carol", ["alice", "bob", "carol"]],
    ["@alice/@bob, one of you", ["alice", "bob"]],
    ["@alice&@bob", ["alice", "bob"]],
    ["(@alice) [@bob] {@carol} <@dave>", ["alice", "bob", "carol", "dave"]],
    ["\"@alice\" '@bob' “@carol”", ["alice", "bob", "carol"]],
    ["cc:@alice", ["alice"]],
    ["done.@alice go on", ["alice"]],
    ["…@alice", ["alice"]],
    ["-@alice", ["alice"]],
    ["+@alice", ["alice"]],
    ["请@alice看一下", ["alice"]],
    ["@alice請看", ["alice"]],
    ["@aliceさん", ["alice"]],
    ["🎉@alice", ["alice"]],
    ["no one here", []],
    ["", []],
    ["@", []],
    ["@ alice", []],
    ["@@alice", []],
  ],
  "the characters of a name": [
    ["@code-reviewer", ["code-reviewer"]],
    ["@code_reviewer", ["code_reviewer"]],
    ["@agent2", ["agent2"]],
    ["@a", ["a"]],
    ["@a--b", ["a--b"]],
    ["@2fast", []],
    ["@_private", []],
    ["@-x", []],
    ["@renée", []],
    ["@Ωmega", []],
    [`@${"a".repeat(64)}`, ["a".repeat(64)]],
    [`@${"a".repeat(65)}`, []],
  ],
  "an end before punctuation": [
    ["@alice:", ["alice"]],
    ["@alice.", ["alice"]],
    ["@alice,", ["alice"]],
    ["@alice!", ["alice"]],
    ["@alice?", ["alice"]],
    ["@alice;", ["alice"]],
    ["@alice)", ["alice"]],
    ["@alice's turn", ["alice"]],
    ["@alice’s turn", ["alice"]],
    ["@alice…", ["alice"]],
    ["@alice— go", ["alice"]],
    ["@alice - go", ["alice"]],
    ["@alice- go", ["alice"]],
    ["@alice-- go", ["alice"]],
    ["@alice_", ["alice"]],
    ["@alice.\n", ["alice"]],
    ["@alice.Please", ["alice"]],
    ["@alice/ go", ["alice"]],
    ["@alice@review", ["alice"]],
    ["@alice\u0000", ["alice"]],
  ],
  "emphasis and other marks": [
    ["*@alice*", ["alice"]],
    ["**@alice**", ["alice"]],
    ["_@alice_", ["alice"]],
    ["__@alice__", ["alice"]],
    ["~~@alice~~", ["alice"]],
    ["# @alice", ["alice"]],
    ["- @alice", ["alice"]],
    ["1. @alice", ["alice"]],
    ["> @alice", ["alice"]],
    ["| @alice | @bob |", ["alice", "bob"]],
    ["    @alice, indented", ["alice"]],
  ],
  "case and repeats": [
    ["@Alice", ["Alice"]],
    ["@Alice @alice @ALICE", ["Alice"]],
    ["@alice @bob @alice", ["alice", "bob"]],
  ],
  "the quoted form": [
    ['@"alice"', ["alice"]],
    ['@"alice", go', ["alice"]],
    ['@"alice"s', ["alice"]],
    ["@“alice”", ["alice"]],
    ['@"ends-with-"', ["ends-with-"]],
    ['@"two words"', []],
    ['@"alice', []],
    ['@""', []],
    ['"$@"', []],
    ['"$@" alice "', []],
  ],
  "not an email address": [
    ["a@bob.com", []],
    ["mail alice@example.org now", []],
    ["first.last@example.org", []],
    ["first-last@example.org", []],
    ["first_@example.org", []],
    ["first-@example.org", []],
    ["first+tag@example.org", []],
    ["first+@example.org", []],
    ["<alice@example.org>", []],
    ["mailto:alice@example.org", []],
    ["josé@example.org", []],
    ["git@github.com:owner/repo.git", []],
    ["1@alice", []],
  ],
  "not a URL": [
    ["https://medium.com/@alice", []],
    ["https://medium.com/@alice/post @bob", ["bob"]],
    ["http://user:pass@host/", []],
    ["http://@alice", []],
    ["ssh://git@host/@alice", []],
    ["HTTPS://X.ORG/?to=,@alice", []],
    ["www.example.org/,@alice", []],
    ["medium.com/@alice", []],
    ["[post](https://medium.com/@alice) @bob", ["bob"]],
    ["(https://medium.com/@alice)@bob", ["bob"]],
    ["<https://medium.com/@alice>@bob", ["bob"]],
    ["看https://x.org/@alice，@bob", ["bob"]],
  ],
  "not a package, path, option or format": [
    ["@scope/package", []],
    ["@types/node @bob", ["bob"]],
    ["@scope/*", []],
    ["import from '@scope/package'", []],
    ["node_modules/@types/node", []],
    ["./@alice", []],
    ["left-pad@latest", []],
    ["curl -F file=@report", []],
    ["%@name", []],
  ],
  "an escape": [
    ["\\@alice", []],
    ["\\\\@alice", ["alice"]],
    ["\\\\\\@alice", []],
    ["\\@alice @bob", ["bob"]],
    ['\\@"alice"', []],
  ],
  "not inline code": [
    ["`@alice`", []],
    ["`@alice` @bob", ["bob"]],
    ["``@alice``", []],
    ["`` `@alice` ``", []],
    ["`a` @bob `c`", ["bob"]],
    ["`code`@bob", ["bob"]],
    ["` @alice", ["alice"]],
    ["`` @alice `", ["alice"]],
    ["`a``@alice`", []],
    ["\\`@alice`", ["alice"]],
    ["\\` @alice `` @bob", ["alice", "bob"]],
    ["\\``@alice`", []],
    ["`\\` @alice `", ["alice"]],
    ["`one\n@alice`", []],
    ["`one\n\n@alice`", ["alice"]],
    ["- don`t\n- @alice won`t", ["alice"]],
    ["# a ` b\n@alice ` c", ["alice"]],
    ["one ` two\n# @alice ` three", ["alice"]],
    ["one ` two\n> @alice ` three", ["alice"]],
    ["| ` | @a |\n| ` | @b |", ["a", "b"]],
  ],
  "not fenced code": [
    [`${fence}\n@alice\n${fence}`, []],
    [`${fence}ts\n@Component()\n${fence}\n@bob`, ["bob"]],
    [`@alice\n${fence}\n@bob\n${fence}\n@carol`, ["alice", "carol"]],
    ["~~~\n@alice\n~~~\n@bob", ["bob"]],
    [`~~~\n${fence}\n@alice\n~~~\n@bob`, ["bob"]],
    [`${fence}\n~~~\n@alice\n${fence}\n@bob`, ["bob"]],
    [`${fence}${fence}\n${fence}\n@alice\n${fence}${fence}\n@bob`, ["bob"]],
    [`${fence}\n@alice\n${fence}${fence}\n@bob`, ["bob"]],
    [`${fence}\n@alice`, []],
    [`@bob\n${fence}\n@alice\n\n@carol`, ["bob"]],
    [`${fence}\n@alice\n${fence} not the end\n@bob`, []],
    [`${fence}\r\n@alice\r\n${fence}\r\n@bob`, ["bob"]],
    [`   ${fence}\n   @alice\n   ${fence}\n@bob`, ["bob"]],
    [`1. do\n    ${fence}\n    @alice\n    ${fence}\n2. @bob`, ["bob"]],
    [`- ${fence}\n  @alice\n  ${fence}\n@bob`, ["bob"]],
    [`> ${fence}\n> @alice\n> ${fence}\n> @bob`, ["bob"]],
    [`> ${fence}\n> @alice\n\n@bob`, ["bob"]],
    [`${fence}\n@alice\n       ${fence}\n@bob`, []],
    [`${fence} @alice ${fence} @bob`, ["bob"]],
    [`text ${fence}\n@alice`, ["alice"]],
    [`\`a\n${fence}\n\` @alice\n${fence}\n\` @bob`, ["bob"]],
    ["~~ @alice ~~", ["alice"]],
  ],
};

for (const [title, table] of Object.entries(cases)) {
  describe(title, () => {
    test.each(table)("%j mentions %j", (text, names) => {
      expect(findMentions(text).names).toEqual(names);
    });
  });
}

test.each(["@all", "@All, listen", "**@ALL**", '@"all"'])("%j mentions everyone and is not a name", (text) => {
  expect(findMentions(text)).toMatchObject({ all: true, names: [] });
});

test.each(["@user", "@User: done"])("%j mentions the human and is not a name", (text) => {
  expect(findMentions(text)).toMatchObject({ user: true, all: false, names: [] });
});

test.each(["@allison", "@users", "`@all`", "\\@all", "a@all"])("%j mentions neither everyone nor the human", (text) => {
  expect(findMentions(text)).toMatchObject({ all: false, user: false });
});

describe("urgency", () => {
  test.each([
    "urgent",
    "URGENT!",
    "this is asap.",
    "I am blocked",
    "a critical bug",
    "urgent: x",
    "(asap)",
    "blocked-",
  ])("%j is urgent", (text) => {
    expect(findMentions(text).urgent).toBe(true);
  });

  test.each([
    "unblocked",
    "non-critical",
    "urgently",
    "critically",
    "`urgent`",
    `${fence}\nCRITICAL\n${fence}`,
    "@urgent",
    "calm",
  ])("%j is not urgent", (text) => {
    expect(findMentions(text).urgent).toBe(false);
  });
});

/** `{…}` marks an interpolated value. */
const interpolated: [template: string, names: string[]][] = [
  ["{@coder} @reviewer", ["reviewer"]],
  ["{diff\n```\n@coder} @reviewer", ["reviewer"]],
  ["{```}\n@reviewer", ["reviewer"]],
  ["{~~~\n}@reviewer", ["reviewer"]],
  ["{a ` b} @reviewer {c ` d}", ["reviewer"]],
  ["`{a ` b} @reviewer`", []],
  ["`{}`@reviewer`", ["reviewer"]],
  ["{\\}@reviewer", ["reviewer"]],
  ["{me}@reviewer", ["reviewer"]],
  ["@reviewer{s}", ["reviewer"]],
  ["@{reviewer}", []],
  ["@{}reviewer", []],
  ['@"{reviewer}"', []],
  ["@scope/{package}", []],
  ["https://x.org/{path},@reviewer", []],
  ["```\n{x\n```}\n@reviewer\n```\n@coder", ["coder"]],
  ["{a}{b}@reviewer", ["reviewer"]],
];

test.each(interpolated)("values neither mention nor hide a name: %j mentions %j", (template, names) => {
  const { text, opaque } = fill(template);
  expect(findMentions(text, opaque).names).toEqual(names);
});

test("a value makes nothing urgent and mentions neither everyone nor the human", () => {
  const { text, opaque } = fill("{urgent @all @user} hello");
  expect(findMentions(text, opaque)).toEqual({ names: [], all: false, user: false, urgent: false });
});

test.each([
  "@",
  "@a ",
  "`",
  "` ",
  "`a\n- ",
  "`\n\n",
  "```\n",
  "```x`\n",
  "`` ` ``` ",
  "> ",
  "- ",
  " ",
  "-",
  "_@",
  "://",
  "www.",
  "a.",
  "a-",
  "\\",
  '@"a',
  "日@a",
  "\n",
])("reads 256 KiB of %j in linear time", (piece) => {
  const text = piece.repeat(Math.ceil((256 * 1024) / piece.length));
  const spent = processorTime(() => {
    findMentions(text);
    findMentions(`~~~\n${text}`);
  });
  expect(spent).toBeLessThan(500);
});

test("reads backtick runs of every length in linear time", () => {
  const text = Array.from({ length: 720 }, (_, index) => "`".repeat(index + 1)).join("@a");
  const spent = processorTime(() => {
    expect(findMentions(text).names).toEqual(["a"]);
  });
  expect(spent).toBeLessThan(500);
});

function fill(template: string): { text: string; opaque: [number, number][] } {
  const opaque: [number, number][] = [];
  let text = "";
  for (const [, plain = "", value] of template.matchAll(/([^{]*)(?:\{([^}]*)\})?/g)) {
    text += plain;
    if (value === undefined) continue;
    opaque.push([text.length, text.length + value.length]);
    text += value;
  }
  return { text, opaque };
}
