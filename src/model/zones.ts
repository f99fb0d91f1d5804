/** Time zones by their IANA names, and by the cities in them. */
import { folded } from '../text/fold.ts';
import { type Sentence, sentence } from '../text/sentence.ts';

/** Whether a name is that of a time zone. Intl also takes offsets such as +02:00, which know no daylight-saving time. */
export function isZone(name: string): boolean {
  try {
    return /^[a-z]/i.test(name) && Boolean(new Intl.DateTimeFormat('en', { timeZone: name }));
  } catch {
    return false;
  }
}

export function allZones(): string[] {
  return ['UTC', ...Intl.supportedValuesOf('timeZone')];
}

/** The city of a zone, or the last part of what was typed: "Mexico City". */
function cityOf(zone: string): string {
  const [city = ''] = zone.split('/').slice(-1);
  return folded(city.replaceAll('_', ' ').trim());
}

/** The zones whose city begins with a text: "Vien" is the beginning of Vienna and of Vientiane. */
export function zonesInCity(text: string): string[] {
  const sought = cityOf(text);
  return sought === '' ? [] : allZones().filter((zone) => cityOf(zone).startsWith(sought));
}

/** What to write in place of a zone that there is not. */
export function zoneHint(text: string): Sentence {
  const found = zonesInCity(text);
  // More were hardly meant; and the zone with the most similar letters is another one: of Wien that of Kyiv.
  if (found.length === 0 || found.length > 3) return sentence`Give an IANA name, such as Europe/Vienna or UTC.`;
  return sentence`Did you mean ${found.join(' or ')}?`;
}
