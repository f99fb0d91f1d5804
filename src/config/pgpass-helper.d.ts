/** The part of `pgpass` that reads a password file; it has no types of its own. */
declare module 'pgpass/lib/helper.js' {
  type Connection = { host: string; port: number; database: string; user: string };
  const helper: {
    getPassword(connection: Connection, file: NodeJS.ReadableStream, done: (password: string | undefined) => void): void;
  };
  export default helper;
}
