/** The notices of third parties in a text: by name and version, each with its terms. */
export function noticedIn(text: string): Map<string, string> {
  const parts = text.split(/^-{80}\n(.+) \(.+\)\n-{80}\n/m).slice(1);
  return new Map(parts.flatMap((part, index) => (index % 2 === 0 ? [[part, parts[index + 1] ?? '']] : [])));
}
