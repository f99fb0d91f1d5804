/** An unsuccessful answer: its HTTP status, a code for programs and a sentence for people. */
export type FieldProblem = { field: string; message: string };

type Details = { errors?: readonly FieldProblem[]; headers?: Record<string, string> };

export class ServiceProblem extends Error {
  override readonly name = 'ServiceProblem';
  readonly status: 400 | 401 | 404 | 405 | 413 | 422;
  readonly code: string;
  readonly errors: Details['errors'];
  readonly headers: Details['headers'];

  constructor(status: ServiceProblem['status'], code: string, message: string, details: Details = {}) {
    super(message);
    this.status = status;
    this.code = code;
    this.errors = details.errors;
    this.headers = details.headers;
  }
}

export function notFound(message: string): ServiceProblem {
  return new ServiceProblem(404, 'not_found', message);
}

/** 422: the body was understood, and these of its fields are invalid. */
export function invalid(errors: readonly FieldProblem[]): ServiceProblem {
  return new ServiceProblem(422, 'invalid', errors.map(({ field, message }) => `${field} ${message}.`).join(' '), { errors });
}
