/**
 * Sentences about the pages of a list: "Showing 1 to 20 of 57 entries", "Results limited to 20". Only a sentence
 * that is about the list from its first to its last word counts: "20 of 57 seats are taken" is about something else.
 */

/**
 * What a sentence says. `last` is the number of the last item that came, or how many came; `of` the number of all items,
 * or of all pages where `unit` says so. `cut`: there is more; with `at`, only if so many items came.
 */
export type Said = { last: number; of: number; unit: 'items' | 'pages' } | { cut: true; at?: number };

/** Fields whose text may be about anything: a title, a search. */
const otherTexts = /^(title|name|subject|description|instructions?|query|q|search|filters?|comments?|label|url|uri|self)$/;
/** Fields with sentences for people, in which a bare "20 of 57" is about the list. */
export const messages =
  /^(status)?_?(messages?|msg|info|summary|texts?|notes?|notices?|details?|warnings?|hints?|display|range|results?|hinweis|meldung|anzeige)$/i;

const items =
  '(?:results?|items?|records?|entries|entry|rows?|elements?|objects?|matches|hits|students?|participants?|candidates?|sessions?|exams?|users?|proctors?|people|ergebnissen?|einträgen?|datensätzen?|résultats?|risultati|resultados)';
/** "Students limited to 30" is about places, and true of a full exam: only words for the items of any list say that one is cut. */
const ofAnyList =
  '(?:results?|items?|records?|entries|entry|rows?|elements?|objects?|matches|hits|ergebnissen?|einträgen?|datensätzen?|résultats?|risultati|resultados)';
/** Of a list, whatever its items are: "20 of 57 students" may be about something else than the list. */
const neutral = new RegExp(`^${ofAnyList}$`, 'i');
/** Before a number, a single one is an ordinal: "Exam 3 of 57". */
const several =
  '(?:results|items|records|entries|rows|elements|matches|hits|students|participants|candidates|sessions|exams|users|proctors|ergebnisse|einträge|datensätze|résultats)';
const number = "(\\d+(?:[.,'’ \\u00a0]\\d{3})*)";
const shown =
  '(?:(?:you are |now |currently )?(?:showing|shown|shows|displaying|displayed|displays|viewing|listing|listed|returning|returned|loaded|fetched|zeige|angezeigt|affichage(?: de)?|mostrando))';
const of = '(?:of|out of|from|von|aus|de|sur|di|av|van)';

const whole = (source: string) => new RegExp(`^${source}$`, 'i');

const countOf = whole(
  `(${shown}|${several})?:?\\s*(?:only )?(?:the )?(?:first |top )?(?:${number}\\s*(?:-|–|—|to|through|bis|à|a)\\s*)?${number}\\s*(?:${items}\\s+)?(${of}|/)\\s*(?:a total of |about |over |more than |~\\s*)?${number}\\+?(?:\\s+(?:total |matching )?(${items}))?(?:\\s+(?:(?:are |were )?(shown|displayed|listed|returned)|in total|total|found|angezeigt))?`,
);
const pageOf = whole(`(?:${shown} )?(?:page|seite|pagina|página)\\s+${number}\\s*(?:${of}|/)\\s*${number}`);
const limited = whole(
  `(?:the )?(?:${ofAnyList}|list|listing|response|output|result (?:set|list))(?: (?:is|are|was|were|has been|have been))? (?:limited|capped|restricted|truncated|cut(?: off)?) (?:to|at|after) (?:the )?(?:first |top )?${number}(?: ${items})?(?: ${of} .*)?`,
);
const firstOnes = whole(
  `(?:${shown} )?(?:only )?(?:the )?first ${number}(?: ${items})?(?: (?:are |were |have been )?(?:shown|displayed|listed|returned|included)(?: here)?)?`,
);
const others = whole(
  `(?:…|\\.\\.\\.)?\\s*(?:and |\\+\\s?)?${number} (?:more|further|additional|others?)(?: ${items})?(?: (?:are |is |were )?(?:available|not shown|not listed|omitted|hidden|left|remaining))?`,
);
const omitted = whole(
  `${number} ${items} (?:are |is |were |was |have been |has been )?(?:not (?:shown|displayed|listed|returned|included)|omitted|left out|hidden)`,
);
const cuts = [
  `(?:there (?:is|are) )?more (?:${items}|pages) (?:(?:is|are) )?(?:available|exist|follow|remain)(?: on (?:the )?(?:next|following|other) pages?)?`,
  `there (?:is|are) more (?:${items}|pages)`,
  `(?:the )?(?:${items}|list|listing|response|output|result (?:set|list)) (?:(?:is|are|was|were|has been|have been) )?truncated`,
  '(?:the )?(?:list|listing|response|output|result (?:set|list)) (?:(?:is|was|has been) )?(?:incomplete|not complete|partial|cut off|cut short)',
  `(?:truncated (?:${items}|list|listing|response|output|result (?:set|list))|(?:incomplete|partial) (?:list|listing|response|output|result (?:set|list)))`,
  'partial (?:results?|content)',
].map(whole);

/**
 * What a text beside a list, or in a header, says about its pages. `key`: the name of the field; `isPaging`: the name is
 * about paging.
 */
export function saidIn(key: string, text: string, isPaging = false): Said[] {
  if (otherTexts.test(key) || text.length > longest || !/\d|\b(more|truncated|partial|complete|incomplete|cut)\b/i.test(text)) return [];
  return text
    .split(/(?<=[.!?;…])\s+|\n/)
    .map((part) => part.trim().replace(/[.!;:]+$/, ''))
    .flatMap((sentence) => said(sentence, isPaging || messages.test(key), isPaging) ?? []);
}

/** Longer texts are documents. Characters. */
const longest = 500;

/** `isMessage`: a text for people; `isPaging`: any numbers are those of pages or items. */
function said(sentence: string, isMessage: boolean, isPaging: boolean): Said | undefined {
  const [, verb, , last, word, all, noun, done] = countOf.exec(sentence) ?? [];
  if (last !== undefined) {
    const isAboutTheList = verb !== undefined || done !== undefined || neutral.test(noun ?? '') || (isMessage && word !== '/');
    return isAboutTheList || isPaging ? { last: counted(last), of: counted(all), unit: 'items' } : undefined;
  }
  const [, page, pages] = pageOf.exec(sentence) ?? [];
  if (page !== undefined && isMessage) return { last: counted(page), of: counted(pages), unit: 'pages' };
  const [, most] = limited.exec(sentence) ?? firstOnes.exec(sentence) ?? [];
  if (most !== undefined) return { cut: true, at: counted(most) };
  const [, rest] = others.exec(sentence) ?? omitted.exec(sentence) ?? [];
  if (rest !== undefined) return counted(rest) > 0 ? { cut: true } : undefined;
  return cuts.some((form) => form.test(sentence)) ? { cut: true } : undefined;
}

function counted(text = ''): number {
  return Number(text.replace(/\D/g, ''));
}

/** The sentences of a Warning header (RFC 7234, section 5.5): `299 - "Result limited to 20", 199 - "…"`; another text as it is. */
export function warningsIn(value: string): string[] {
  const quoted = [...value.matchAll(/\b\d{3} \S+ "((?:[^"\\]|\\.)*)"/g)].map(([, text = '']) => text.replace(/\\(.)/g, '$1'));
  return quoted.length > 0 ? quoted : [value];
}

/** Headers that hold sentences. */
export const sentenceHeader = /(^|-)(warnings?|message|notice|info|hint|note)$/;
