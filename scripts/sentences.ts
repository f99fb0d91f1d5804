/**
 * Lists every text of the sources that a person may read: each literal in which words stand apart, the
 * titles of columns, and the text of the report's page, with {…} for what is put in. No list of functions
 * says which literals count, so that a new way to say something is listed without being named here.
 */
import { readdirSync, readFileSync } from 'node:fs';
import ts from 'typescript';

/** Sources whose texts are no sentences: headers and values of rosters, invented names, scripts of shells, styles. */
const withoutSentences = new Set([
  'roster/formats/directories.ts',
  'roster/formats/learning-platforms.ts',
  'roster/formats/student-records.ts',
  'roster/map/aliases.ts',
  'cli/help/reference/man.ts',
  'features/exam-report/style.ts',
  'sandbox/seed-names.ts',
  'sandbox/institute-users.ts',
  'cli/complete/shells/bash.ts',
  'cli/complete/shells/fish.ts',
  'cli/complete/shells/powershell.ts',
  'cli/complete/shells/zsh.ts',
  'host/startup.ts',
  'text/characters.ts',
]);
/** Keys of column, command and page whose texts are listed even if they are a single word, and those whose texts are typed. */
const shownKeys = new Set(['title', 'summary', 'description', 'does', 'about']);
const typedKeys = new Set(['line', 'name', 'subject']);
const hole = '{…}';

/** The texts of all files below `folder`, a line each, under the name of their file; sorted, each text once in a file. */
export function sentencesIn(folder: URL): string {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => name.replaceAll('\\', '/'))
    .filter((name) => name.endsWith('.ts') && !withoutSentences.has(name))
    .sort();
  return names
    .map((name) => [name, textsOf(name, readFileSync(new URL(name, folder), 'utf8'))] as const)
    .filter(([, texts]) => texts.length > 0)
    .map(([name, texts]) => `${name}\n${texts.map((text) => `  ${text}\n`).join('')}`)
    .join('\n');
}

/** In the order of the source. */
export function textsOf(name: string, source: string): string[] {
  const found: string[] = [];
  const visit = (node: ts.Node) => {
    if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node) || ts.isTypeNode(node)) return;
    const text = textOf(node);
    if (text !== undefined) found.push(...shown(node, text));
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(name, source, ts.ScriptTarget.Latest, true));
  return [...new Set(found)];
}

function textOf(node: ts.Node): string | undefined {
  if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) return node.text;
  if (!ts.isTemplateExpression(node)) return undefined;
  return node.head.text + node.templateSpans.map(({ literal }) => hole + literal.text).join('');
}

function shown(node: ts.Node, text: string): string[] {
  if (keyed(node, typedKeys) && /^[a-z]/.test(text)) return [];
  const tag = ts.isTaggedTemplateExpression(node.parent) ? node.parent.tag.getText() : undefined;
  const lines = (tag === 'html' ? text.replaceAll(/<[^>]*>/g, '\n') : text).split(/\r?\n/).map((line) => line.trim());
  const isText = tag === 'sentence' || keyed(node, shownKeys);
  return lines
    .filter((line) => (isText ? /\p{L}/u.test(line) : hasWords.test(line) && !isCode.test(line)))
    .map((line) => line.replace(/\p{Cc}/gu, (each) => JSON.stringify(each).slice(1, -1)));
}

function keyed({ parent }: ts.Node, keys: ReadonlySet<string>): boolean {
  return ts.isPropertyAssignment(parent) && ts.isIdentifier(parent.name) && keys.has(parent.name.text);
}

/** Two words, or one beside a hole. */
const hasWords = /\p{L}{2}[^{}]*\s[^{}]*\p{L}|\p{L}{2,}[,:;)]? \{…\}|\{…\} [(]?\p{L}{2,}/u;
/** SQL, and lines of settings. */
const isCode =
  /^(SELECT|INSERT|UPDATE|DELETE FROM|CREATE|PRAGMA|BEGIN|FROM|WHERE|PRIMARY|id INTEGER|[a-z_]+ (TEXT|INTEGER))\b|^-----|^\W*\{…\}\W*$/;
