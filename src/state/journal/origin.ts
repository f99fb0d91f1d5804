/** The service of a journal, whether the current profile's is the same, and the names of files about it. */
import { createHash } from 'node:crypto';
import { CliError } from '../../errors.ts';
import { sentence } from '../../text/sentence.ts';

type Service = { profile: string; sandbox: boolean; origin: string };

/** The service as journals name it; the embedded one has another port each time. */
export function journalOrigin({ sandbox, origin }: Omit<Service, 'profile'>): string {
  return sandbox ? 'sandbox' : origin;
}

/** `was`: the subject, as in "Change 7 was made at". Throws `invalid_input` if that was at another service. */
export function refuseElsewhere(was: string, origin: string, service: Service) {
  const here = journalOrigin(service);
  if (origin === here) return;
  throw new CliError('invalid_input', sentence`${was} ${origin}, but profile ${service.profile} is for ${here}.`, {
    hint: 'Choose the profile of that service with --profile NAME.',
  });
}

/** A file name for a service, or `parts` of it: readable, and different for any other. */
export function originName(origin: string, ...parts: readonly string[]): string {
  const host = URL.parse(origin)?.hostname ?? 'service';
  const readable = [host, ...parts]
    .join('-')
    .toLowerCase()
    .replace(/[^a-z0-9.-]+/g, '-');
  const digest = createHash('sha256')
    .update(JSON.stringify([origin, ...parts]))
    .digest('hex');
  return `${readable.slice(0, 60)}-${digest.slice(0, 16)}`;
}
