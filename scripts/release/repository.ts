/** The project's address: a setting of the release (`--repository`, PROCTOR_REPOSITORY), as no file of the project states it. */

export type Repository = {
  owner: string;
  name: string;
  /** Its page, without a slash at the end. */
  home: string;
};

/** Reads OWNER/NAME. `undefined` if neither the option nor the variable is set. Throws on any other form. */
export function repositoryOf(given: string | undefined = process.env.PROCTOR_REPOSITORY): Repository | undefined {
  if (given === undefined || given === '') return undefined;
  const [, owner, name] = /^([A-Za-z\d][A-Za-z\d-]*)\/([\w.-]+)$/.exec(given) ?? [];
  if (!owner || !name) throw new Error(`The repository is not OWNER/NAME: ${given}`);
  return { owner, name, home: `https://github.com/${owner}/${name}` };
}
