/** Which service a journal is of, and whether that is the one of the profile in force. */
import { CliError } from '../errors.ts';

type Service = { profile: string; sandbox: boolean; origin: string };

/** The service in journals; the embedded one has another port each time. */
export function journalOrigin({ sandbox, origin }: Omit<Service, 'profile'>): string {
  return sandbox ? 'sandbox' : origin;
}

/** `was`: what the journal is of, as in "Change 7 was made at". Throws `invalid_input` where that was at another service. */
export function refuseElsewhere(was: string, origin: string, service: Service) {
  const here = journalOrigin(service);
  if (origin === here) return;
  throw new CliError('invalid_input', `${was} ${origin}, and the profile ${service.profile} is for ${here}.`, {
    hint: 'Choose the profile of that service with --profile NAME.',
  });
}
