/** --dry-run: nothing is asked, nothing is sent. That it prints what the real run sends, `plan-and-act.test.ts` shows for every command. */
import { describe, expect, test } from 'vitest';
import { embedded, requestsIn, ungated, wordsOf } from './embedded.ts';

describe('with --dry-run', () => {
  test.each(['exams delete 1 2 3', 'sessions delete -', 'api DELETE /exams/1', 'api POST /exams/6/send_emails'])(
    'nobody is asked, and what a plan is computed from is read: %s',
    async (line) => {
      const service = ungated();
      const { code, stderr, questions } = await service.run([...wordsOf(line), '--dry-run', '--debug'], { tty: true, stdin: '1\n2\n' });
      expect(requestsIn(stderr).filter((request) => !request.startsWith('GET '))).toEqual([]);
      if (line.endsWith(' -')) expect(stderr).toContain('Reading from the terminal, one per line; press Ctrl-D to end.\n');
      expect({ code, questions }).toEqual({ code: 0, questions: [] });
    },
  );

  test('an invalid request is refused as well', async () => {
    const service = embedded();
    expect((await service.run('sessions update 5 -F level_of_suspicion=2 --dry-run')).code).toBe(5);
    expect((await service.run('exams create --start 2027-01-01T10:00Z --end 2027-01-01T09:00Z --dry-run')).code).toBe(3);
    expect((await service.run('exams delete a/b --dry-run')).code).toBe(3);
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
