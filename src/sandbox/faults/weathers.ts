/**
 * The named weathers: rules as they are typed, for conditions that administrators meet.
 * `docs/rehearsal.md` describes each.
 */

export const weathers = {
  'bad-wifi': ['latency=1,delay=60ms,spread=600ms', 'lost-before=2%', 'lost-after=2%', 'cut-body=2%', 'slow-body=5%,over=1500ms'],
  'exam-morning': [
    'latency=1,delay=150ms,spread=1200ms',
    '429=1,after=20,for=2,every=30,retry-after=1',
    '503=2%,retry-after=2',
    '504=1%',
    'list-lag=1,by=3s',
  ],
  'proxy-restart': [...gap('POST', 120), ...gap('PATCH', 120), ...gap('GET /exams/*/student_sessions', 40, 24)],
} as const;

/** Counted for such requests alone, so that neither the number of reads nor what is in flight decides what meets it. */
function gap<const On extends string>(on: On, every: number, after = 15) {
  return [
    `lost-after=1,on=${on},after=${after},for=2,every=${every}`,
    `502=1,on=${on},after=${after + 2},for=4,every=${every}`,
    `503=1,on=${on},after=${after + 6},for=2,every=${every},retry-after=1`,
  ] as const;
}

export type WeatherName = keyof typeof weathers;
export const weatherNames = Object.keys(weathers) as WeatherName[];
