/** Parts of undici, imported one by one: the whole library takes twice as long to load. */
declare module 'undici/lib/dispatcher/env-http-proxy-agent.js' {
  import { EnvHttpProxyAgent } from 'undici';
  export default EnvHttpProxyAgent;
}

declare module 'undici/lib/dispatcher/pool.js' {
  import { Pool } from 'undici';
  export default Pool;
}

/** How undici opens a connection. */
declare module 'undici/lib/core/connect.js' {
  import { buildConnector } from 'undici';
  export default buildConnector;
}

/** The method `connect` of a dispatcher. */
declare module 'undici/lib/api/api-connect.js' {
  import { Dispatcher } from 'undici';

  const connect: Dispatcher['connect'];
  export default connect;
}
