import type { Runner } from '../../testkit/runner.ts'
import { proveContract } from './harness.ts'
import type { Mutate } from './mutations.ts'

/** One broken promise: a sentence, the methods that replace those of a correct adapter, and the cases that catch it. */
export type PortMutation<Adapter> = readonly [
  breaks: string,
  override: Mutate<Adapter>,
  ...caughtBy: ReadonlyArray<string>,
]

/**
 * Proves the contract of a port that waits for later events: a mutation that hangs is caught.
 *
 * @param contractFor registers the contract with this runner; it passes each adapter that it opens through `mutate`
 */
export const catchesMutations = <Adapter extends object>(
  contractFor: (runner: Runner, mutate: (good: Adapter) => Adapter) => void,
  mutations: ReadonlyArray<PortMutation<Adapter>>,
): void =>
  proveContract<Mutate<Adapter>>(
    (runner, mutate = () => ({})) => contractFor(runner, (good) => ({ ...good, ...mutate(good) })),
    mutations.map(([broken, mutate, ...cases]) => ({ broken, cases, mutate })),
    { hangMs: HANG_MS },
  )

const HANG_MS = 1_000
