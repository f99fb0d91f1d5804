/** YAML: every field and every digit; strings that YAML 1.1 readers would take for something else are quoted. */
import { Document, Scalar, type ScalarTag, visit } from 'yaml';
import { type ExactNumber, isExactNumber } from '../model/json.ts';
import { escapeHidden, hasHidden } from '../text/characters.ts';
import { collect } from './collect.ts';
import type { Renderer } from './view.ts';

/** Digits that JavaScript cannot hold are written as they came. */
const exactNumber: ScalarTag = {
  tag: 'tag:yaml.org,2002:float',
  default: true,
  identify: isExactNumber,
  resolve: (text) => text,
  stringify: ({ value }) => (value as ExactNumber).rawJSON,
};

export const renderYaml: Renderer = async (answer, { stdout }) => {
  const rows = await collect(answer);
  const document = new Document(answer.kind === 'one' ? rows[0] : rows, {
    aliasDuplicateObjects: false,
    compat: 'yaml-1.1',
    customTags: (tags) => [exactNumber, ...tags],
  });
  visit(document, {
    Scalar(_key, node) {
      // Only in double quotes does YAML have escapes.
      if (typeof node.value === 'string' && needsEscapes(node.value)) node.type = Scalar.QUOTE_DOUBLE;
    },
  });
  await stdout.write(escapeHidden(document.toString({ lineWidth: 0 })));
};

function needsEscapes(text: string): boolean {
  return !text.isWellFormed() || hasHidden(text.replaceAll('\n', ''));
}
