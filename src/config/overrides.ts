/** The global options that override settings, as they were typed. */
export type Overrides = {
  profile?: string;
  baseUrl?: string;
  /** Such as 30s, 2m or 1500ms. */
  timeout?: string;
  timezone?: string;
};
