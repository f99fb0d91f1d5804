/** An answer that is not a success: its HTTP status, a code word for programs and a sentence for people. */
export type FieldProblem = { field: string; message: string };

type Details = { errors?: readonly FieldProblem[]; headers?: Record<string, string> };

export class Problem extends Error {
  override readonly name = 'Problem';
  readonly status: 400 | 401 | 404 | 405 | 413 | 422;
  readonly code: string;
  readonly errors: Details['errors'];
  readonly headers: Details['headers'];

  constructor(status: Problem['status'], code: string, message: string, details: Details = {}) {
    super(message);
    this.status = status;
    this.code = code;
    this.errors = details.errors;
    this.headers = details.headers;
  }
}

export function notFound(message: string): Problem {
  return new Problem(404, 'not_found', message);
}

/** 422: the body was understood, and these of its fields do not do. */
export function invalid(errors: readonly FieldProblem[]): Problem {
  return new Problem(422, 'invalid', errors.map(({ field, message }) => `${field} ${message}.`).join(' '), { errors });
}
