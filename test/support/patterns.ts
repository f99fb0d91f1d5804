/** The regular expressions of the source: literals, and those that are made of texts which the source holds. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

/** `source` is undefined where the pattern is only known when the program runs. */
export type Pattern = { place: string; source: string | undefined; flags: string };

const root = join(import.meta.dirname, '../../src');

export function patternsOfSource(): Pattern[] {
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
  return files.flatMap((name) => patternsIn(name, readFileSync(join(root, name), 'utf8')));
}

export function patternsIn(name: string, text: string): Pattern[] {
  const file = ts.createSourceFile(name, text, ts.ScriptTarget.Latest, true);
  const constants = new Map<string, ts.Expression>();
  const found: Pattern[] = [];
  const visit = (node: ts.Node) => {
    if (ts.isVariableDeclaration(node) && ts.isIdentifier(node.name) && node.initializer) constants.set(node.name.text, node.initializer);
    ts.forEachChild(node, visit);
  };
  visit(file);
  const collect = (node: ts.Node) => {
    const place = `${name.replaceAll('\\', '/')} ${node.getText().replace(/\s+/g, ' ')}`;
    if (ts.isRegularExpressionLiteral(node)) found.push({ place, ...partsOf(node.text) });
    else if ((ts.isNewExpression(node) || ts.isCallExpression(node)) && node.expression.getText() === 'RegExp') {
      const [source, flags] = node.arguments ?? [];
      found.push({ place, source: textOf(source, constants), flags: textOf(flags, constants) ?? '' });
    }
    ts.forEachChild(node, collect);
  };
  collect(file);
  return found;
}

function partsOf(literal: string): { source: string; flags: string } {
  const end = literal.lastIndexOf('/');
  return { source: literal.slice(1, end), flags: literal.slice(end + 1) };
}

/** The text that an expression of constants makes; undefined for any other one. */
function textOf(node: ts.Expression | undefined, constants: ReadonlyMap<string, ts.Expression>): string | undefined {
  const text = (part: ts.Expression | undefined) => textOf(part, constants);
  if (node === undefined) return undefined;
  if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) return node.text;
  if (ts.isRegularExpressionLiteral(node)) return partsOf(node.text).source;
  if (ts.isIdentifier(node)) return text(constants.get(node.text));
  if (ts.isTaggedTemplateExpression(node) && node.tag.getText() === 'String.raw') return templateText(node.template, text, true);
  if (ts.isTemplateExpression(node)) return templateText(node, text, false);
  if (ts.isPropertyAccessExpression(node) && node.name.text === 'source') return text(node.expression);
  if (ts.isPropertyAccessExpression(node)) return text(memberOf(constants.get(node.expression.getText()), node.name.text));
  if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression) || node.expression.name.text !== 'join')
    return undefined;
  // [a, b].join('|'), and the same of regular expressions with .map((each) => each.source) between.
  let list = node.expression.expression;
  if (ts.isCallExpression(list) && /\.source\)?$/.test(list.getText()) && ts.isPropertyAccessExpression(list.expression))
    list = list.expression.expression;
  if (!ts.isArrayLiteralExpression(list)) return undefined;
  const parts = list.elements.map(text);
  return parts.includes(undefined) ? undefined : parts.join(text(node.arguments[0]) ?? ',');
}

function memberOf(object: ts.Expression | undefined, name: string): ts.Expression | undefined {
  let plain = object;
  while (plain && (ts.isAsExpression(plain) || ts.isSatisfiesExpression(plain))) plain = plain.expression;
  if (!plain || !ts.isObjectLiteralExpression(plain)) return undefined;
  const found = plain.properties.find((property) => property.name?.getText() === name);
  return found && ts.isPropertyAssignment(found) ? found.initializer : undefined;
}

function templateText(template: ts.TemplateLiteral, text: (node: ts.Expression) => string | undefined, raw: boolean): string | undefined {
  const own = (part: ts.TemplateLiteralLikeNode) => (raw ? (part.rawText ?? part.text) : part.text);
  if (ts.isNoSubstitutionTemplateLiteral(template)) return own(template);
  const parts = template.templateSpans.map(({ expression, literal }) => [text(expression), own(literal)] as const);
  if (parts.some(([value]) => value === undefined)) return undefined;
  return own(template.head) + parts.map(([value, rest]) => value + rest).join('');
}
