/** The service of a journal, and whether the current profile's is the same. */
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
