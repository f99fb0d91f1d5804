/** Why a file cannot be written, in words: from the code of the file system's error. */

const reasons: Record<string, string> = {
  ENOENT: 'its folder does not exist',
  ENOTDIR: 'its folder is a file',
  EISDIR: 'it is a folder',
  EEXIST: 'another program has just created a file there',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EROFS: 'its file system is read-only',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the quota is used up',
  EPIPE: 'its reader has closed it',
  EBADF: 'it is not open for writing',
  ENAMETOOLONG: 'its name is too long',
};

/** As a continuation of "cannot be written:". An error without a known code says it itself. */
export function whyNotWritten(error: unknown): string {
  const { code = '', message } = error as NodeJS.ErrnoException;
  const why = reasons[code];
  return why === undefined ? message.replace(/\.$/, '') : `${why} (${code})`;
}
