import { left } from 'fp-ts/lib/Either.js'
import { fromNullable } from 'fp-ts/lib/Option.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import { Dependency, type Module, provide } from '../../adapters/index.ts'
import type { ProtocolState } from '../../application/ports/protocol-state.ts'
import type { Store, StoreUnavailable } from '../../application/ports/store.ts'

// biome-ignore lint/suspicious/noExplicitAny: a method of any port
type Method = (...asked: Array<any>) => TaskEither<any, any>
type Run = ReturnType<ReturnType<Method>> extends infer Answer ? () => Answer : never

/** What becomes of a call. */
export type Fault = (run: Run) => ReturnType<Run>

const AWAY: StoreUnavailable = { _tag: 'StoreUnavailable', reason: 'connection refused' }
const LOST: StoreUnavailable = { _tag: 'StoreUnavailable', reason: 'the line went dead', outcome: 'unknown' }

export const away: Fault = async () => left(AWAY)
/** It is done, and nobody learns that. */
export const answerLost: Fault = async (run) => {
  await run()
  return left(LOST)
}
/** It is not done, and nobody learns that. */
export const requestLost: Fault = async () => left(LOST)

/** The calls that can fail. */
const OF_STORE = ['commit', 'findApplication', 'findSession', 'listSigningKeys'] as const
const OF_STATE = ['find', 'put', 'replace'] as const
export type Failing = (typeof OF_STORE)[number] | (typeof OF_STATE)[number]

/** A store and a protocol state whose next calls fail as a test says. */
export const faults = () => {
  const waiting = new Map<Failing, Array<Fault>>()

  const failing = <Port extends object>(port: Port, names: ReadonlyArray<Failing & keyof Port>): Port => {
    const broken = names.map((name) => [
      name,
      (...asked: ReadonlyArray<unknown>) =>
        async () => {
          const run = (port[name] as Method)(...asked)
          const fault = waiting.get(name)?.shift()
          return fault === undefined ? run() : fault(run)
        },
    ])
    return { ...port, ...Object.fromEntries(broken) }
  }

  return {
    front: (store: Store): Store => failing(store, OF_STORE),
    module: provide(
      Dependency.protocolState,
      { storage: Dependency.storage },
      ({ storage: { protocolState } }) =>
        fromNullable(protocolState && failing<ProtocolState>(protocolState, OF_STATE)),
    ) as Module,
    /** The next calls of this method, at any instance. */
    next: (name: Failing, ...some: ReadonlyArray<Fault>): void => void waiting.set(name, [...some]),
    /** The methods that were not called as often as they should fail. */
    left: (): ReadonlyArray<Failing> =>
      [...waiting].filter(([, some]) => some.length > 0).map(([name]) => name),
    mend: (): void => waiting.clear(),
  }
}
