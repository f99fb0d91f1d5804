/**
 * How long a service keeps a connection, as its connections have shown. One of them rests and is watched: the others are
 * used again only while they are younger and have rested for less time, by a margin, so that what ends connections ends
 * the watched one first. It knows no clock: times come with the connections.
 */

/** A connection until now: its age, its last rest, both in milliseconds, and the requests that it has carried. */
export type ConnectionPast = { age: number; rest: number; answers: number };

/** No connection carries more requests: the service may count them. */
const answersAtMost = 32;
/** The longest rest after which a connection is used again. Milliseconds. */
const restAtMost = 1_000;
/** A connection that is still open after such a rest shows that the service keeps connections. Milliseconds. */
const proof = 250;
/** The oldest connection is not watched for longer. Milliseconds. */
const watchedFor = 10_000;
/** The margin beside the time of two answers, since an end is seen later than it is. Milliseconds. */
const slack = 50;
/** How long a connection that has not been used yet is good, or twice the time of an answer, whatever is known. Milliseconds. */
const freshFor = 100;
/** The share of the age, or the rest, at which a connection has ended, that is good for others. */
const good = 0.8;
/** Ends that nothing explains, after which no connection is used twice. */
const unexplainedAtMost = 3;

export class ConnectionLife {
  /** The most that a connection has survived. */
  #survived: ConnectionPast = { age: 0, rest: 0, answers: 0 };
  /** What a connection may reach, as far as ends have shown. */
  #limit: ConnectionPast = { age: Number.POSITIVE_INFINITY, rest: restAtMost, answers: answersAtMost };
  #unexplained = 0;
  /** How long an answer takes at present. Milliseconds. */
  #answer = 0;

  /** A connection is open and at rest, or has just answered. */
  survived({ age, rest, answers }: ConnectionPast) {
    const most = this.#survived;
    this.#survived = { age: Math.max(most.age, age), rest: Math.max(most.rest, rest), answers: Math.max(most.answers, answers) };
  }

  /** How long an answer takes at present. Milliseconds. */
  get answerTakes(): number {
    return this.#answer;
  }

  /** An answer took so many milliseconds. */
  answered(took: number) {
    this.#answer = Math.max(took, this.#answer + (took - this.#answer) / 20);
  }

  /**
   * The service has ended a connection without a word. What no connection has survived may be the reason: its age, its rest,
   * the number of its requests. Without such a reason, all has to be shown again.
   */
  ended({ age, rest, answers }: ConnectionPast) {
    const most = this.#survived;
    const limit = this.#limit;
    const [byAge, byRest, byAnswers] = [age >= most.age - slack, rest >= most.rest, answers >= most.answers];
    if (byAge) limit.age = Math.min(limit.age, good * age);
    if (byRest) limit.rest = Math.min(limit.rest, good * rest);
    if (byAnswers) limit.answers = Math.min(limit.answers, answers);
    if (byAge || byRest || byAnswers) return;
    this.#unexplained += 1;
    this.#survived = { age: 0, rest: 0, answers: 0 };
    if (this.#unexplained >= unexplainedAtMost) limit.answers = 0;
  }

  /** Whether the service is known to keep connections for a while. */
  get isKnown(): boolean {
    return this.#survived.rest >= proof && this.keeps;
  }

  /** Whether a connection may be used twice, as far as is known. */
  get keeps(): boolean {
    return this.#limit.answers > 1;
  }

  /** Whether a watched connection could show more. */
  get isWatchable(): boolean {
    return this.keeps && this.#survived.age < Math.min(watchedFor, this.#limit.age);
  }

  /** Whether a further request of a connection would be one more than any has survived. */
  isRecord({ answers }: ConnectionPast): boolean {
    return answers >= this.#survived.answers;
  }

  /** Whether a connection that has been used may be used again. */
  allows({ age, rest, answers }: ConnectionPast): boolean {
    if (!this.isKnown || answers >= this.#limit.answers || age > this.#oldest) return false;
    return rest + this.#answer + slack <= Math.min(this.#survived.rest, this.#limit.rest) && rest <= restAtMost;
  }

  /** Whether a connection that gets a request now may get one more after it. */
  mayAgain({ age, answers }: ConnectionPast): boolean {
    return this.allows({ age: age + this.#answer, rest: 0, answers: answers + 1 });
  }

  /** Whether a connection of that age that has not been used yet may be used. Milliseconds. */
  isFresh(age: number): boolean {
    return age <= Math.max(Math.min(Math.max(freshFor, 2 * this.#answer), this.#limit.age / 4), this.#oldest);
  }

  /** The greatest age at which a connection may get a request. */
  get #oldest(): number {
    return Math.min(this.#survived.age, this.#limit.age) - 2 * this.#answer - slack;
  }
}
