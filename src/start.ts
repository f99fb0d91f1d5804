/** The entry point: completion, or a command. Each loads what it needs; `bin` answers for the version and the help of the program. */
async function start(): Promise<void> {
  const [first, ...others] = process.argv.slice(2);
  if (first === '__complete') return (await import('./complete.ts')).complete(others);
  const [{ realHost }, { main }] = await Promise.all([import('./host/process.ts'), import('./main.ts')]);
  process.exitCode = await main(realHost());
}

void start();
