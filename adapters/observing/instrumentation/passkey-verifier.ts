import { isLeft } from 'fp-ts/lib/Either.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type {
  ExpectedCeremony,
  InvalidPasskey,
  PasskeyVerifier,
} from '../../../application/ports/passkey-verifier.ts'

/** An answer of a page where passkeys are not permitted. */
export type WrongOrigin = Readonly<{
  /** What the client named, in printable ASCII. */
  received: string
  permitted: ReadonlyArray<string>
  /** The page is in a frame of another origin. */
  framed: boolean
}>

/**
 * The same verifier. It reports answers of wrong origins, because the event log has no text of a client. Any visitor can send them, so
 * it reports at most ten in a minute.
 */
export const observedPasskeyVerifier = (
  verifier: PasskeyVerifier,
  { clock, report }: Readonly<{ clock: () => number; report: (wrong: WrongOrigin) => void }>,
): PasskeyVerifier => {
  const mayReport = atMost(REPORTS_PER_MINUTE, clock)
  const observed =
    <A>(
      verify: TaskEither<InvalidPasskey, A>,
      { origins: permitted }: ExpectedCeremony,
    ): TaskEither<InvalidPasskey, A> =>
    async () => {
      const verified = await verify()
      if (isLeft(verified) && verified.left.reason === 'wrong_origin' && mayReport()) {
        const { received, isFramed: framed } = verified.left
        report({ received: printable(received), permitted, framed })
      }
      return verified
    }
  return {
    ...verifier,
    verifyRegistration: (text, expected) => observed(verifier.verifyRegistration(text, expected), expected),
    verifyAssertion: (text, credential, expected) =>
      observed(verifier.verifyAssertion(text, credential, expected), expected),
  }
}

/** Returns whether one more is permitted in this minute. */
const atMost = (limit: number, clock: () => number): (() => boolean) => {
  let minute = Number.NEGATIVE_INFINITY
  let count = 0
  return () => {
    const now = Math.floor(clock() / 60_000)
    count = now === minute ? count + 1 : 1
    minute = now
    return count <= limit
  }
}

const REPORTS_PER_MINUTE = 10

/** The text of a stranger goes to terminals and viewers of logs. No origin of a browser or an app is longer. */
const printable = (text: string): string =>
  text
    .slice(0, 256)
    .replace(/[^\x21-\x7e]/gu, (character) => `\\u{${character.codePointAt(0)?.toString(16) ?? ''}}`)
