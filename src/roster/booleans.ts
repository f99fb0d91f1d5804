/** The words for yes and no in tables, in the languages of the rosters. */

const words = (text: string) => new Set(text.split(/\s+/));

const yes = words('true yes y 1 ja j wahr oui o vrai si sí sì s sim tak t verdadero verdadeiro vero waar prawda x ✓ ✔ on');
const no = words('false no n 0 nein falsch non faux nee nie não nao falso onwaar fałsz f - – off');

/** The meaning of a word; undefined for other words. */
export function booleanOf(text: string): boolean | undefined {
  const word = text.trim().toLowerCase().normalize('NFC');
  return yes.has(word) ? true : no.has(word) ? false : undefined;
}
