/** `help times`: how points in time are written, and what is refused. */
import type { HelpPage } from '../help-page.ts';

export const times: HelpPage = {
  summary: 'How times are written',
  about: [
    'An ambiguous or nonexistent time is refused with the reason. The time zone of this machine is used to show times, never to read them.',
  ],
  sections: [
    {
      title: 'Examples',
      examples: [
        {
          line: 'proctor-cli exams create --start 2027-02-01T09:00 --end 2027-02-01T11:00 --timezone Europe/Vienna',
          description: 'local times in a zone',
        },
        { line: 'proctor-cli sessions update 5 --close-time +30m', description: 'half an hour from now' },
        { line: 'proctor-cli config set timezone Europe/Vienna', description: 'read and show local times in this zone from now on' },
      ],
    },
    {
      title: 'Accepted',
      terms: [
        ['2027-02-01T09:00+01:00', 'with its offset; seconds and fractions may follow the minutes, and a space may replace the T'],
        ['2027-02-01T08:00Z', 'UTC'],
        ['2027-02-01T09:00', 'local time in your time zone (--timezone, PROCTOR_TIMEZONE or the setting timezone)'],
        ['2027-02-01T09:00[Europe/Vienna]', 'local time in the zone in brackets'],
        ['1.2.2027 9:00', 'with dots the day is first; local time as above'],
        ['+2h30m', 'relative to now, in h, m and s'],
        ['today 09:00', 'also tomorrow 09:00: on that day in the current time zone; --from and --until also take today or tomorrow alone'],
        ['now', 'this instant'],
        ['now+15m', 'the same as +15m'],
        ['now-1h', 'an hour ago'],
      ],
    },
    {
      title: 'For an end (--end, --close-time)',
      terms: [
        ['11:00', 'on the day of the start, in the current time zone'],
        ['2h', 'that long after the start; also 1h30m and 15 min'],
      ],
    },
    {
      title: 'Refused',
      terms: [
        ['2027-03-28T02:30', 'in Vienna: the clocks skip it when they are set forward'],
        ['2027-10-31T02:30', 'in Vienna: it occurs twice; both offsets are shown'],
        ['2027-02-01', 'the time of day is missing'],
        ['2027-02-01T24:00', 'a day ends at 00:00 of the next: 2027-02-02T00:00'],
        ['03/04/2027', 'some put the day first, others the month'],
        ['+1d', 'a day is not always 24 hours long; write +24h'],
      ],
    },
    {
      title: 'Days',
      text: [
        '--from and --until of commands that select exams also take a date, as a day in the current time zone: --from 2027-02-01 begins with it, --until 2027-02-01 ends with it.',
      ],
    },
    {
      title: 'Sent and shown',
      text: [
        'Times are sent as ISO 8601 in UTC (setting dialect.timeFormat). Tables show local time with its offset; JSON shows what the service sent. Limits such as --timeout are written 30s, 2m or 1500ms.',
      ],
    },
  ],
};
