/** The parts of a result, for commands and renderers alike: rows, and the columns that people read. */

/** A row of output: a resource as the service shows it, or a record of our own. */
export type Row = Record<string, unknown>;

export type Column = {
  /** Field of the row. */
  key: string;
  /** Heading; the key in words where it is absent. */
  title?: string;
  /** How a person reads the value; machine formats show it as it is. */
  /** `field`: as the field of the service that the row names in `field`. */
  /** `list`: the values behind commas, of an object its values behind spaces. `size`: bytes. `day`: of a time. */
  as?: 'time' | 'day' | 'boolean' | 'status' | 'suspicion' | 'share' | 'field' | 'list' | 'size';
  /** Never cut on a terminal: other columns give way. */
  whole?: true;
  /** A name or a state, by which a person knows the row: on a terminal, it gets its room before other columns. */
  identifies?: true;
  /** Shown when one resource is shown, and on request; not in a list. */
  detail?: true;
};
