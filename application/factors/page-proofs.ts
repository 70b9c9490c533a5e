import { pipe } from 'fp-ts/lib/function.js'
import { chain, isNone, map, none, type Option } from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { Field } from '../../domain/field.ts'
import {
  type PageVisitor,
  PROOF_PARTS,
  PROOF_SECONDS,
  proofState,
  proofSubject,
  provedUserId,
  SECURITY_PAGE,
  visitorOf,
} from '../../domain/page-visitor.ts'
import type { Clock, Random } from '../ports/environment.ts'
import type { Sealing } from '../ports/sealing.ts'
import type { Store, StoreUnavailable } from '../ports/store.ts'
import { openSealed, type StateKind, sealState } from '../recording/sealed-state.ts'

type Dependencies = Readonly<{ sealing: Sealing; clock: Clock; random: Random }>

/** A page whose forms carry proofs, and how long they are good for. */
type ProofsOf = Readonly<{ path: string; lifetimeSeconds: number }>

const SECURITY: ProofsOf = { path: SECURITY_PAGE, lifetimeSeconds: PROOF_SECONDS }

/** Returns the sealed proof of a visitor. It ends as long after the proving as any other one: a change does not extend it. */
export const sealProof = (dependencies: Dependencies, visitor: PageVisitor): string =>
  sealFor(dependencies, visitor, { of: SECURITY, carried: [] })

const sealFor = (
  dependencies: Dependencies,
  visitor: PageVisitor,
  { of, carried }: Readonly<{ of: ProofsOf; carried: ReadonlyArray<string> }>,
): string => {
  const { issuedAtMs, parts } = proofState(visitor)
  const clock = () => issuedAtMs
  return sealState({ ...dependencies, clock }, kindOf(of), [...parts, ...carried])
}

const kindOf = ({ path, lifetimeSeconds }: ProofsOf): StateKind => ({
  about: proofSubject(path),
  lifetimeSeconds,
})

type Opening = Dependencies & Readonly<{ store: Pick<Store, 'findUser'> }>

/** Returns the visitor of a sealed proof: none if it is missing, has ended, or is of another page. */
export const openProof = (
  dependencies: Opening,
  sent: Field,
): TE.TaskEither<StoreUnavailable, Option<PageVisitor>> =>
  pipe(openFor(dependencies, SECURITY, sent), TE.map(map(({ visitor }) => visitor)))

const openFor = (
  { store, ...dependencies }: Opening,
  of: ProofsOf,
  sent: Field,
): TE.TaskEither<
  StoreUnavailable,
  Option<Readonly<{ visitor: PageVisitor; carried: ReadonlyArray<string> }>>
> => {
  const state = openSealed(dependencies, sent, kindOf(of))
  if (isNone(state)) return TE.right(none)
  const carried = state.value.parts.slice(PROOF_PARTS)
  return pipe(
    store.findUser(provedUserId(state.value)),
    TE.map(
      chain((user) =>
        pipe(
          visitorOf(state.value, user),
          map((visitor) => ({ visitor, carried })),
        ),
      ),
    ),
  )
}
