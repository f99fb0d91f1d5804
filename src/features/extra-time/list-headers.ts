/** The headers of a list of extra time, as data: words of several languages, and the unit that some of them have. */
import { type Unit, unitOf } from '../../model/extra-time.ts';
import { fieldOf, headerKey } from '../../roster/aliases.ts';

export const listFields = ['email', 'extra', 'exams', 'until', 'reference'] as const;
export type ListField = (typeof listFields)[number];

const inMinutes = 'Zusatzminuten; minutes supplémentaires; minutos adicionales; minuti aggiuntivi';
const words: { readonly [key in Exclude<ListField, 'email'>]: string } = {
  extra: `extra; additional; extra share; extra time; additional time; time extension; extra time allowance; Zeitverlängerung; Zeitzugabe; Zeitzuschlag;
    Zusatzzeit; Nachteilsausgleich; Verlängerung; temps majoré; majoration de temps; temps supplémentaire; tiers temps; tiempo adicional; tiempo extra;
    tempo aggiuntivo; tempo adicional; tempo extra; extra tijd; verlengde tijd; dodatkowy czas; czas dodatkowy; ${inMinutes}`,
  exams: `exams; exam; exam name; exam names; Prüfung; Prüfungen; Klausur; Klausuren; examen; examens; épreuve; épreuves; exámenes; esame; esami; exame;
    exames; tentamen; tentamens; egzamin; egzaminy`,
  until: `until; valid until; last day; gültig bis; bis; jusqu'au; valable jusqu'au; hasta; válido hasta; fino al; valido fino al; até; válido até;
    geldig tot; tot; ważny do`,
  reference: `reference; ref; file number; case no; case number; Aktenzeichen; Geschäftszahl; Referenz; dossier; numéro de dossier; referencia; expediente;
    riferimento; pratica; referentie; dossiernummer; sygnatura`,
};
const headers = Object.entries(words).flatMap(([key, text]) => text.split(';').map((word) => [word.trim(), key as ListField] as const));
const byWord = new Map(headers.map(([word, key]) => [headerKey(word), key]));
const minutes = new Set(inMinutes.split(';').map(headerKey));

/** A unit stands beside the words of its column: `Zeitverlängerung (%)`, `extra minutes`. */
export function listFieldOf(header: string): ListField | undefined {
  if (fieldOf(header) === 'email') return 'email';
  const beside = byWord.get(headerKey(unitOf(header)?.rest ?? ''));
  return byWord.get(headerKey(header)) ?? (beside === 'extra' ? beside : undefined);
}

/** What a number alone counts in a column. */
export function unitOfHeader(header: string): Unit | undefined {
  return minutes.has(headerKey(header)) ? 'm' : unitOf(header)?.unit;
}
