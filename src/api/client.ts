/**
 * The service as operations: builds each request from the table and turns every answer into data or
 * into one clear error.
 */
import { type IdType, idAs, idOf } from '../model/id.ts';
import { fieldAt, isJsonObject, type Json, type JsonObject, textOfJson } from '../model/json.ts';
import { mask } from '../model/secret-keys.ts';
import { type Answer, unwrap } from './answer.ts';
import { badAnswer, saidNo } from './answer-errors.ts';
import { type Dialect, resourceNames } from './dialect.ts';
import { openTransport } from './http.ts';
import { type Known, momentOf } from './known.ts';
import { Doubts, type ListOptions, pagesOf } from './list.ts';
import type { Operation, Resource } from './operations.ts';
import { type Pacer, tries } from './pacer.ts';
import { problemOf } from './records.ts';
import { type Outgoing, outgoingFor, type PlannedRequest, type RawRequest, type RequestInput } from './request.ts';
import { reasonIn, reportsFailure } from './verdict.ts';
import { type Connection, Wire } from './wire.ts';
import { type WritingPart, writing } from './write.ts';

export type Client = {
  readonly dialect: Dialect;
  readonly origin: string;
  /** By which all requests of the command leave, of this client or another of the service. */
  readonly pacer: Pacer;
  /** The time zone for messages, an IANA name. */
  readonly zone: string;
  /** Sends one request and returns its answer, unwrapped and checked against the resource's model. */
  call(operation: Operation, input: RequestInput, options?: CallOptions): Promise<Answer>;
  /** The resource that a `one` operation answers with. */
  get(operation: Operation, input: RequestInput): Promise<JsonObject>;
  /** What the service has shown lately. */
  readonly known: Known;
  /** The pages of a list, each as it is read, or after the whole list was read. */
  pages(operation: Operation, input: RequestInput, options?: CallOptions & ListOptions): AsyncGenerator<readonly JsonObject[], void>;
  /** The items of a whole list. */
  list(operation: Operation, input: RequestInput, options?: CallOptions & Omit<ListOptions, 'whole'>): Promise<readonly JsonObject[]>;
  /** The JSON type of the IDs of a resource, as the service last showed one; undefined where it has shown none. */
  idType(resource: Resource): IdType | undefined;
  /** A read of `api GET PATH`; its writes are steps of runs. */
  raw(request: RawRequest & { method: 'GET' }): Promise<Answer>;
  /** The request as it would be sent. */
  plan(operation: Operation, input: RequestInput): PlannedRequest;
  planRaw(request: RawRequest): PlannedRequest;
  close(): Promise<void>;
};

type CallOptions = { once?: boolean; quiet?: boolean };

export function connect(connection: Connection): Client {
  const { dialect, host } = connection;
  const transport = openTransport({
    origin: connection.origin,
    host,
    timeout: connection.timeoutMilliseconds,
    ...(connection.ca === undefined ? {} : { ca: connection.ca }),
  });
  const wire = new Wire(connection, transport);
  /** The answer to a create may have the ID in its Location only. */
  const withId = (data: Json | undefined, { location }: Answer, { resource, writes }: Operation): Json | undefined => {
    if (writes?.writing !== 'create' || !(data === undefined || (isJsonObject(data) && idOf(data) === undefined))) return data;
    const id = idInLocation(location, resource, connection.baseUrl);
    return id === undefined ? data : { ...data, id: idAs(id, known.idType(resource)) };
  };
  const unsent = (outgoing: Outgoing): PlannedRequest => {
    const { method, path, body } = outgoing;
    const headers = { ...wire.headers(outgoing), authorization: `${connection.authPrefix} ${mask}` };
    return { method, url: connection.baseUrl + path, headers, ...(body === undefined ? {} : { body }) };
  };
  const { known } = wire;
  const masked = (json: string) => connection.secrets.maskedWords(json);
  const problemIn = ({ resource }: Operation, data: JsonObject): string | undefined => {
    known.sawId(resource, data);
    return problemOf(resource, data, masked);
  };
  const call = async (operation: Operation, input: RequestInput, { once = false, quiet = false }: CallOptions = {}): Promise<Answer> => {
    const outgoing = outgoingFor(operation, input);
    const resource = (answer: Answer): Answer => {
      const data = unwrap(answer.data, operation, dialect);
      const problem = isJsonObject(data) ? problemIn(operation, data) : 'the body is not an object';
      if (problem !== undefined) throw badAnswer(outgoing.does, answer.status, `an unexpected shape: ${problem}`);
      return { ...answer, data };
    };
    // A step of a run is read back: no body of a success makes its outcome unknown, unless it is cut short or not of the service.
    const written = (answer: Answer): Answer => {
      if (reportsFailure(answer.data)) throw saidNo(outgoing, answer.status, masked(reasonIn(answer.data)));
      const data = withId(unwrap(answer.data, operation, dialect), answer, operation);
      return { ...answer, data: isJsonObject(data) && problemIn(operation, data) === undefined ? data : undefined };
    };
    const isStep = input.write !== undefined;
    const read = operation.answer !== 'one' ? undefined : isStep ? written : resource;
    const answer = await wire.send(outgoing, isStep || operation.answer === 'open', read, { attempts: once ? 1 : tries, quiet });
    note(operation, input, answer);
    return answer;
  };
  const note = ({ method, path, resource }: Operation, { params }: RequestInput, { data, date, sent, received }: Answer) => {
    if (method !== 'GET' || !path.endsWith('/:id') || (resource !== 'exam' && resource !== 'session') || !isJsonObject(data)) return;
    known.saw(resource, params?.id ?? '', { data, date, sent, received, at: momentOf(host) });
  };
  const doubts = new Doubts((text) => connection.warn?.(text));
  const pages: Client['pages'] = (operation, input, { once = false, quiet = false, ...options } = {}) => {
    const outgoing = outgoingFor(operation, input);
    const sending = { attempts: once ? 1 : tries, quiet };
    const read = (path: string) => wire.send({ ...outgoing, path }, false, undefined, sending);
    const where = { origin: connection.origin, basePath: new URL(connection.baseUrl).pathname, does: outgoing.does };
    const saw = (page: readonly JsonObject[]) => known.sawId(operation.resource, page.at(-1));
    return pagesOf({ operation, path: outgoing.path, read, dialect, where, masked, saw }, doubts, options);
  };
  const client: Client & WritingPart = {
    dialect,
    known,
    origin: connection.origin,
    zone: connection.zone,
    pacer: wire.pacer,
    call,
    async get(operation, input) {
      return (await call(operation, input)).data as JsonObject;
    },
    pages,
    list: async (...given) => {
      const [operation, input, options] = given;
      const all: (readonly JsonObject[])[] = [];
      for await (const page of pages(operation, input, { ...options, whole: true })) all.push(page);
      return all.flat();
    },
    idType: (resource) => known.idType(resource),
    raw: (request) => wire.send(request, true),
    [writing]: { call, raw: (request) => wire.send(request, true) },
    plan: (operation, input) => unsent(outgoingFor(operation, input)),
    planRaw: unsent,
    close: () => wire.close(),
  };
  return client;
}

/** The ID of the exam that a session belongs to; undefined where the service shows none. */
export function examOf(session: JsonObject, { dialect }: Pick<Client, 'dialect'>): string | undefined {
  const exam = fieldAt(session, dialect.sessionExamKey) ?? undefined;
  return exam === undefined || exam === '' ? undefined : textOfJson(exam);
}

/** Undefined if it leads to another origin or to another kind of resource. */
export function idInLocation(location: string | undefined, resource: keyof typeof resourceNames, baseUrl: string): string | undefined {
  const url = location === undefined ? null : URL.parse(location, `${baseUrl}/`);
  if (url?.origin !== URL.parse(baseUrl)?.origin) return undefined;
  const [id = '', collection = ''] = url?.pathname.replace(/\/$/, '').split('/').reverse() ?? [];
  if (id === '' || !(resourceNames[resource].many as readonly string[]).includes(collection)) return undefined;
  try {
    return decodeURIComponent(id);
  } catch {
    return undefined;
  }
}
