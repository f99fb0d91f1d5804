/** The entry point of the module: the two commands about a list of accommodations. */
export { checkAccommodations } from './accommodation-check.ts';
export { applyAccommodations } from './apply-accommodations.ts';
