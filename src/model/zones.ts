/** Time zones by the names of their cities, in English as IANA has them and as the people there write them. */
import { folded } from '../text/fold.ts';
import { type Sentence, sentence } from '../text/sentence.ts';
import { nearest } from './nearest.ts';

/** Node has no names of cities (CLDR has them, Intl does not show them): those that differ most often, without their accents. */
export const ownNames: Readonly<Record<string, string>> = {
  Wien: 'Europe/Vienna',
  Praha: 'Europe/Prague',
  Prag: 'Europe/Prague',
  Warszawa: 'Europe/Warsaw',
  Warschau: 'Europe/Warsaw',
  Roma: 'Europe/Rome',
  Rom: 'Europe/Rome',
  Kobenhavn: 'Europe/Copenhagen',
  Kopenhagen: 'Europe/Copenhagen',
  Bruxelles: 'Europe/Brussels',
  Brussel: 'Europe/Brussels',
  Lisboa: 'Europe/Lisbon',
  Lissabon: 'Europe/Lisbon',
  Athina: 'Europe/Athens',
  Athen: 'Europe/Athens',
  Bucuresti: 'Europe/Bucharest',
  Bukarest: 'Europe/Bucharest',
  Beograd: 'Europe/Belgrade',
  Belgrad: 'Europe/Belgrade',
  Moskva: 'Europe/Moscow',
  Moskau: 'Europe/Moscow',
  Kyjiw: 'Europe/Kyiv',
  Kiew: 'Europe/Kyiv',
  Kyiv: 'Europe/Kyiv',
  Helsingfors: 'Europe/Helsinki',
  Luxemburg: 'Europe/Luxembourg',
  Zuerich: 'Europe/Zurich',
  Bern: 'Europe/Zurich',
  Geneve: 'Europe/Zurich',
  Muenchen: 'Europe/Berlin',
  Munchen: 'Europe/Berlin',
  Hamburg: 'Europe/Berlin',
  Koln: 'Europe/Berlin',
  Koeln: 'Europe/Berlin',
  Milano: 'Europe/Rome',
  Barcelona: 'Europe/Madrid',
  Londres: 'Europe/London',
  Kairo: 'Africa/Cairo',
  Tehran: 'Asia/Tehran',
  Teheran: 'Asia/Tehran',
  Beijing: 'Asia/Shanghai',
  Peking: 'Asia/Shanghai',
  Tokio: 'Asia/Tokyo',
  Soul: 'Asia/Seoul',
  Mumbai: 'Asia/Kolkata',
  Delhi: 'Asia/Kolkata',
  'Ciudad de Mexico': 'America/Mexico_City',
  'La Habana': 'America/Havana',
};

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
  return folded(
    zone
      .slice(zone.lastIndexOf('/') + 1)
      .replaceAll('_', ' ')
      .trim(),
  );
}

/** The cities of a zone: its own, and its other names. */
function citiesOf(zone: string): string[] {
  return [cityOf(zone), ...Object.entries(ownNames).flatMap(([name, of]) => (of === zone ? [folded(name)] : []))];
}

/** Other names of the city, for a list of zones: "Wien". */
export function alsoCalled(zone: string): string {
  return Object.entries(ownNames)
    .flatMap(([name, of]) => (of === zone ? [name] : []))
    .join(', ');
}

/** The zones of which a city begins with a text, the shortest name first: "Vien" is the beginning of Vienna and of Vientiane. */
export function zonesInCity(text: string): string[] {
  const sought = cityOf(text);
  if (sought === '') return [];
  const whole = Object.entries(ownNames).flatMap(([name, zone]) => (folded(name) === sought ? [zone] : []));
  if (whole.length > 0) return whole;
  const fitting = allZones().flatMap((zone) => {
    const city = citiesOf(zone).find((name) => name.startsWith(sought));
    return city === undefined ? [] : [{ zone, city }];
  });
  const exact = fitting.filter(({ city }) => city === sought);
  return (exact.length > 0 ? exact : fitting).sort((a, b) => a.city.length - b.city.length).map(({ zone }) => zone);
}

/** At most so many zones are proposed: more were hardly meant. */
const proposedAtMost = 3;

/** What to write in place of a zone that there is not. */
export function zoneHint(text: string): Sentence {
  const begun = zonesInCity(text);
  const city = nearest(cityOf(text), [...allZones().flatMap(citiesOf)]);
  const meant =
    begun.length > 0 && begun.length <= proposedAtMost ? begun : [city === undefined ? nearest(text, allZones()) : zonesInCity(city)[0]];
  const [first, ...others] = meant;
  if (first === undefined) return sentence`Give an IANA name, such as Europe/Vienna or UTC.`;
  return sentence`Did you mean ${[first, ...others].join(' or ')}?`;
}
