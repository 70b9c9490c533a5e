import { pipe } from 'fp-ts/lib/function.js'
import { filter, none, type Option, some } from 'fp-ts/lib/Option.js'
import { base32 } from './base32.ts'
import { CLOCK_TOLERANCE_SECONDS } from './clock-tolerance.ts'

/**
 * The state of a ceremony of two requests, such as an enrolment. The service seals it and gives it to the client, who brings it back, so
 * nothing is stored and any instance can go on.
 */
export type SealedState = Readonly<{
  issuedAtMs: number
  /** What the state is, without line breaks. */
  parts: ReadonlyArray<string>
}>

/** The number of random bytes that make each state different: 128 bits. */
export const STATE_NONCE_BYTES = 16

/** Returns the text to seal. */
export const stateText = ({ issuedAtMs, parts }: SealedState, nonce: Uint8Array): string =>
  [String(issuedAtMs), base32(nonce), ...parts].join('\n')

/**
 * Returns the state of an opened text: none if it has ended, or is dated in the future.
 *
 * @param lifetimeSeconds of such a state
 */
export const openState = (
  text: string,
  { nowMs, lifetimeSeconds }: Readonly<{ nowMs: number; lifetimeSeconds: number }>,
): Option<SealedState> => {
  const [issuedAt = '', , ...parts] = text.split('\n')
  return pipe(
    /^\d{1,15}$/.test(issuedAt) ? some({ issuedAtMs: Number(issuedAt), parts }) : none,
    filter(
      ({ issuedAtMs }) =>
        nowMs - issuedAtMs <= lifetimeSeconds * 1000 && issuedAtMs - nowMs <= CLOCK_TOLERANCE_SECONDS * 1000,
    ),
  )
}
