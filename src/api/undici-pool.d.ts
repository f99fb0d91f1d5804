/** undici's Pool alone: the whole of undici costs twice as much to load. */
declare module 'undici/lib/dispatcher/pool.js' {
  import { Pool } from 'undici';
  export default Pool;
}
