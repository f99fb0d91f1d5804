/** The meaning of each exit status, for the help topic and the docs. */
export const exitStatuses: Readonly<Record<number, string>> = {
  0: 'done',
  1: 'internal fault: a bug in proctor-cli, or its own files were replaced while it ran',
  2: 'usage error: the command line, or a question without an interactive terminal',
  3: 'invalid input: a value, a file, the configuration, or an output that cannot be written',
  4: 'no token, or the service refused it (401, 403)',
  5: 'unsupported operation, refused before any request',
  6: 'not found (404)',
  7: 'the service rejected the request (any other 4xx), or did not carry out what it accepted',
  8: 'service or network unavailable (5xx, 429 after retries, timeout, DNS, TLS, an answer from something else, such as a login page)',
  9: 'partly done: some items failed; each of them is reported',
  10: 'outcome unknown: a write may or may not have been carried out; the message says how to check',
  11: 'checked, and found differences: the output names them; nothing was changed',
  12: 'refused: the exam is running, and the request would take something from its students',
  130: 'stopped by Ctrl-C, or cancelled at a question',
  143: 'stopped by SIGTERM or SIGHUP',
};
