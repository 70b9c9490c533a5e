import { pipe } from 'fp-ts/lib/function.js'
import { chain, isNone, none, type Option } from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { Field } from '../../domain/field.ts'
import {
  type PageVisitor,
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
import { openSealed, sealState } from '../recording/sealed-state.ts'

type Dependencies = Readonly<{ sealing: Sealing; clock: Clock; random: Random }>

const SUBJECT = proofSubject(SECURITY_PAGE)

/** Returns the sealed proof of a visitor. It ends as long after the proving as any other one: a change does not extend it. */
export const sealProof = (dependencies: Dependencies, visitor: PageVisitor): string => {
  const { issuedAtMs, parts } = proofState(visitor)
  return sealState({ ...dependencies, clock: () => issuedAtMs }, SUBJECT, parts)
}

/** Returns the visitor of a sealed proof: none if it is missing, has ended, or is of another page. */
export const openProof = (
  { store, ...dependencies }: Dependencies & Readonly<{ store: Pick<Store, 'findUser'> }>,
  sent: Field,
): TE.TaskEither<StoreUnavailable, Option<PageVisitor>> => {
  const state = openSealed(dependencies, sent, { about: SUBJECT, lifetimeSeconds: PROOF_SECONDS })
  if (isNone(state)) return TE.right(none)
  return pipe(
    store.findUser(provedUserId(state.value)),
    TE.map(chain((user) => visitorOf(state.value, user))),
  )
}
