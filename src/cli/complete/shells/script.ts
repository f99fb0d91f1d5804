/** A shell's script in a template: as it stands, apart from \${ and \`, which TypeScript wants to be escaped. */
export function script({ raw }: TemplateStringsArray): string {
  return raw.join('').replace(/\\(\$\{|`)/g, '$1');
}
