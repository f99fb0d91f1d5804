/**
 * The gate that each write passes right before it is sent: what it takes from students is judged there, and
 * refused while their exam runs. The client asks it; `src/cli/run/gate` decides.
 */
import type { JsonObject } from '../model/json.ts';
import type { Sentence } from '../text/sentence.ts';
import type { Answer, Moments } from './answer.ts';
import type { Dialect } from './dialect.ts';
import type { Operation } from './operations.ts';
import type { Outgoing, RequestInput } from './request.ts';

/** Through which the gate reads what it needs to know. */
export type GateReads = {
  readonly dialect: Dialect;
  /** In which times are told, an IANA name. */
  readonly zone: string;
  call(operation: Operation, input: RequestInput): Promise<Answer>;
  list(operation: Operation, input: RequestInput): AsyncIterable<JsonObject>;
};

/** A resource that an answer showed by itself, with its Date header and what places that. */
export type Shown = Moments & { resource: 'exam' | 'session'; id: string; data: JsonObject; date: string | undefined };

export type Gate = {
  /** Throws `exam_running`, or the error of a read without which it cannot judge; the write must then not be sent. */
  admit(write: Outgoing, reads: GateReads): Promise<void>;
  /**
   * For deletions that are judged as a whole, also of students who have not started. `does`: as a continuation
   * of "Refused to". Throws as `admit` does.
   */
  admitRemoval(exam: string, does: Sentence, reads: GateReads): Promise<void>;
  /** Told of each exam and session that the answer to a GET shows, so that none is read twice. */
  saw(shown: Shown): void;
  /** Told of each session that this command has created, or what it resumes: its student had nothing before. */
  created(session: string): void;
};
