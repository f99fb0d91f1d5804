/** --dry-run: the request on stdout, nothing sent, nothing changed, no question. */
import { describe, expect, test } from 'vitest';
import { allCommands, commandNamed } from '../cli/all-commands.ts';
import { embedded, requestsIn, ungated, wordsOf } from './embedded.ts';

const writing = allCommands.filter(({ effect, run }) => effect !== 'local' && effect !== 'read' && run === undefined);
const lines = [
  ...writing.flatMap(({ examples }) => examples.map(({ line }) => line.replace('proctor-cli ', '').replace(' --yes', ''))),
  ...commandNamed('exams update').examples.map(({ line }) => line.replace('proctor-cli ', '')),
  'exams update 1 --no-allow-pen-paper --put',
  'exams delete 1 2 3',
  'sessions delete -',
  'api DELETE /exams/1',
  'api POST /exams/2/send_emails',
  'api POST /exams -F name=x',
];

describe('with --dry-run', () => {
  test.each(lines)('%s', async (line) => {
    const service = ungated();
    const before = service.everything();
    const { code, stdout, stderr, questions } = await service.run([...wordsOf(line), '--dry-run', '--debug', '-o', 'json'], {
      tty: true,
      stdin: '1\n2\n',
    });
    // What a plan is computed from, and what the gate has to know, is read.
    expect(requestsIn(stderr).filter((request) => !request.startsWith('GET '))).toEqual([]);
    if (line.endsWith(' -')) expect(stderr).toContain('Reading from the terminal, one per line; press Ctrl-D to end.\n');
    expect(code).toBe(0);
    expect(questions).toEqual([]);
    const requests = JSON.parse(stdout);
    expect(requests).not.toHaveLength(0);
    for (const request of requests) {
      expect(request).toMatchObject({
        method: expect.stringMatching(/^(GET|POST|PUT|PATCH|DELETE)$/),
        url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/api\/v1\//),
      });
    }
    expect(service.everything()).toEqual(before);
  });

  test('an invalid request is refused as well', async () => {
    const service = embedded();
    expect((await service.run('sessions update 5 --level-of-suspicion 2 --dry-run')).code).toBe(5);
    expect((await service.run('exams create --start 2027-01-01T10:00Z --end 2027-01-01T09:00Z --dry-run')).code).toBe(3);
    expect((await service.run('exams delete a/b --dry-run')).code).toBe(3);
  });

  test('the token is not shown', async () => {
    const { stdout } = await embedded().run('exams get 1 --dry-run -o json');
    expect(JSON.parse(stdout)[0].headers.authorization).toBe('apiServiceToken ********');
  });

  test('a profile is not removed', async () => {
    const service = embedded();
    await service.run('config set timezone UTC');
    const { code, stderr } = await service.run('profiles remove other --dry-run');
    expect(code).toBe(3);
    expect(stderr).toContain('other');
  });

  test.each(['config set timezone UTC', 'auth logout', 'sandbox reset', 'sessions end 5'])(
    '"%s" sends nothing in any case, and says so',
    async (line) => {
      const service = embedded();
      const before = service.everything();
      const { code, stdout } = await service.run(`${line} --dry-run`);
      expect([2, 5]).toContain(code);
      expect(stdout).toBe('');
      expect(service.everything()).toEqual(before);
    },
  );
});
