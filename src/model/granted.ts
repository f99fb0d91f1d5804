/** What an office grants to students, as the features that use its list see it. */
import type { ExtraTime } from './extra-time.ts';

/** The exam in which it holds, as far as the service shows it. Milliseconds since 1970. */
export type GrantingExam = { id: string; name: string | undefined; start: number | undefined; end: number | undefined };

/** What holds for one student in one exam. `reference`: a file number of the office. */
export type Granted = { extra: ExtraTime; reference: string | undefined; skipRequirements: boolean };

/** What an address has been granted in an exam; undefined for nothing. */
export type GrantedTo = (email: string) => Granted | undefined;

/** A list of accommodations, for any exam. */
export type GrantList = {
  /** What messages call the file. */
  name: string;
  /** SHA-256 of its bytes, in hex: part of what makes two imports the same. */
  digest: string;
  /** Its result throws `invalid_input` for two rows that contradict each other. */
  grantedIn(exam: GrantingExam): GrantedTo;
};
