/** The options of a drawn fault, with their types. */
import type { Drawn } from './draw.ts';
import type { FaultName, FaultOptions } from './fault-kinds.ts';

export function optionsOf<N extends FaultName>({ options }: Pick<Drawn, 'options'>, _name: N): FaultOptions<N> {
  // They were parsed by the table of kinds for this name.
  return options as unknown as FaultOptions<N>;
}

/** How late an answer is, in milliseconds. */
export function lateness(fault: Drawn): number {
  if (fault.name !== 'latency') return 0;
  const { delay, spread } = optionsOf(fault, 'latency');
  return delay + spread * fault.extent;
}

/** How far the clock is ahead, in milliseconds. */
export function clockError(fault: Drawn): number {
  return fault.name === 'wrong-clock' ? optionsOf(fault, 'wrong-clock').by : 0;
}

/** How far a list is behind, in milliseconds. */
export function lagOf(fault: Pick<Drawn, 'name' | 'options'>): number {
  return fault.name === 'list-lag' ? optionsOf(fault, 'list-lag').by : 0;
}
