/** A world whose service answers all requests with one status, or all that write; reads show an exam with a student, whatever their ID. */
import { ada, algebra, serviceWithExam } from '../support/algebra.ts';
import type { World } from '../support/run.ts';
import { refused, reply } from '../support/service.ts';

export const token = 'a-token-of-the-tests';

export function answering(status: number, of: 'all' | 'writes' = 'all'): World & { env: { PROCTOR_BASE_URL: string } } {
  const service = serviceWithExam();
  service.fault = ({ method, path }) => {
    if (of === 'all' || method !== 'GET')
      return refused(status, { message: 'the words of the service' }, { location: 'https://elsewhere.example/?session=secret' });
    const [, resource, id = '', below] = path.split('/');
    const record = { ...(resource === 'exams' ? algebra : ada), id: decodeURIComponent(id) };
    return { answer: reply(200, below === 'student_sessions' ? [ada] : record) };
  };
  return { home: service.home, dispatcher: service.dispatcher, env: { PROCTOR_BASE_URL: service.baseUrl, PROCTOR_TOKEN: token } };
}
