/** Loaded into a process of the built program, which then kills itself before or after its n-th commit: `STRUCK_AT_COMMIT="before 3"`. */
import { DatabaseSync } from 'node:sqlite';

const [when, at] = (process.env.STRUCK_AT_COMMIT ?? '').split(' ');
const { exec } = DatabaseSync.prototype;
let commits = 0;

DatabaseSync.prototype.exec = function (sql) {
  const isIts = /\bCOMMIT$/.test(sql) && ++commits === Number(at);
  if (isIts && when === 'before') process.kill(process.pid, 'SIGKILL');
  exec.call(this, sql);
  if (isIts && when === 'after') process.kill(process.pid, 'SIGKILL');
};
