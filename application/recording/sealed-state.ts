import { pipe } from 'fp-ts/lib/function.js'
import { chain, none, type Option } from 'fp-ts/lib/Option.js'
import { type Field, isPresent } from '../../domain/field.ts'
import { openState, type SealedState, STATE_NONCE_BYTES, stateText } from '../../domain/sealed-state.ts'
import type { Clock, Random } from '../ports/environment.ts'
import type { SealedFor, Sealing } from '../ports/sealing.ts'

/** What a state is for, and how long it lasts. */
export type StateKind = Readonly<{ about: SealedFor; lifetimeSeconds: number }>

/** Returns the sealed text with the state of a ceremony that begins now. */
export const sealState = (
  { sealing, clock, random }: Readonly<{ sealing: Sealing; clock: Clock; random: Random }>,
  { about, lifetimeSeconds }: StateKind,
  parts: SealedState['parts'],
): string => {
  const text = stateText({ issuedAtMs: Math.floor(clock()), parts }, random.bytes(STATE_NONCE_BYTES))
  return sealing.seal(text, about, lifetimeSeconds)
}

/** Returns the state that a client brings back: none if it is missing, has ended, or was sealed for something else. */
export const openSealed = (
  { sealing, clock }: Readonly<{ sealing: Sealing; clock: Clock }>,
  sent: Field,
  { about, lifetimeSeconds }: StateKind,
): Option<SealedState> =>
  isPresent(sent)
    ? pipe(
        sealing.open(sent, about, lifetimeSeconds),
        chain((text) => openState(text, { nowMs: clock(), lifetimeSeconds })),
      )
    : none
