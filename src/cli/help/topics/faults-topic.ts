/** `help faults`: what `sandbox serve` can do wrong, and how it is told to. */
import { type FaultName, faultGroups, faultKind, faultNames, ruleOptions } from '../../../sandbox/faults/fault-kinds.ts';
import { weatherNames, weathers } from '../../../sandbox/faults/weathers.ts';
import type { HelpPage, Term } from '../help-page.ts';

export const faults: HelpPage = {
  subject: 'help faults',
  summary: 'The faults that sandbox serve can rehearse',
  about: [
    'A fault is written KIND=RATE, with options after commas: --fault 429=10%,retry-after=2. --fault can be repeated. The lists below show the default rates and options.',
    'Each request that meets a fault is reported on stderr as it happens. A request can meet several faults, but only the first rule decides how it ends; the rules of --fault come before those of --weather.',
  ],
  sections: [
    {
      title: 'Examples',
      examples: [
        { line: 'proctor-cli sandbox serve --weather bad-wifi', description: 'the faults of a weather' },
        {
          line: "proctor-cli sandbox serve --fault 'lost-after=5%,on=POST /exams/*/student_sessions'",
          description: 'lose answers to an import only',
        },
        { line: 'proctor-cli sandbox serve --fault 401=1,after=40', description: 'refuse the token after 40 requests' },
        {
          line: 'proctor-cli sandbox serve --weather bad-wifi --seed tuesday',
          description: 'the same weather, but other requests meet its faults',
        },
      ],
    },
    { title: 'Weathers', terms: weatherNames.map((name): Term => [name, `${weathers[name].summary}: ${weathers[name].rules.join(' ')}`]) },
    ...Object.entries(faultGroups).map(([group, title]) => ({
      title,
      terms: faultNames.filter((name) => faultKind(name).group === group).map(termOf),
    })),
    { title: 'Options of some faults', terms: optionTerms() },
    {
      title: 'Options of every fault',
      text: ['after, for and every count the requests that the rule selects, in the order in which they arrive.'],
      terms: Object.entries(ruleOptions).map(([name, { description }]): Term => [name, description]),
    },
    {
      title: 'Replay',
      text: [
        'The seed and the requests alone decide which requests meet faults: the n-th request of the same method, path, query and body meets the same faults, whatever else is in flight, and at any speed. Times in a body do not count. A line of an import meets the same faults at any --concurrency. Three things depend on order or time: after, for and every, which count requests as they arrive; IDs in paths, which the service assigns in the order of creation; and list-lag, which goes by the clock. The counts begin when sandbox serve starts; to replay a rehearsal, also start from the same data: sandbox reset with the same --seed.',
      ],
    },
  ],
};

function termOf(name: FaultName): Term {
  const { summary, rate, options } = faultKind(name);
  const own = Object.entries(options).map(([key, option]) => `${key}=${option.default}`);
  return [`${name}=${rate}`, own.length === 0 ? summary : `${summary} (${own.join(', ')})`];
}

/** Each option once: it means the same wherever it is. */
function optionTerms(): Term[] {
  const all = faultNames.flatMap((name) => Object.entries(faultKind(name).options));
  return [...new Map(all)].map(([key, option]) => [
    key,
    option.type === 'choice' ? `${option.description}: ${option.choices.join(', ')}` : option.description,
  ]);
}
