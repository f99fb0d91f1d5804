/** Authentication exactly as in section 5 of the specification: the prefix, one space, the token. */
import { createHash, timingSafeEqual } from 'node:crypto';
import { ServiceProblem } from './problem.ts';

const prefix = 'apiServiceToken';

const digest = (text: string) => createHash('sha256').update(text).digest();

/** Checks the `Authorization` header in constant time. */
export function authenticator(token: string): (header: string | undefined) => void {
  const expected = digest(`${prefix} ${token}`);
  return (header) => {
    if (header !== undefined && timingSafeEqual(digest(header), expected)) return;
    throw new ServiceProblem(401, 'unauthorized', complaint(header), { headers: { 'www-authenticate': prefix } });
  };
}

function complaint(header: string | undefined): string {
  if (header === undefined) return 'The Authorization header is missing.';
  if (!header.startsWith(`${prefix} `)) return `The Authorization header must be: ${prefix} <token>.`;
  return 'The token is not valid.';
}
