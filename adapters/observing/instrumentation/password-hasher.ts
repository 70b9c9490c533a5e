import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type {
  HashingRefused,
  HashingRequest,
  PasswordHasher,
} from '../../../application/ports/password-hasher.ts'

export type HashingCall = 'hash' | 'verify'

/** One call of a hasher that waits for its request. */
export type Hashing<A> = (request: HashingRequest) => TaskEither<HashingRefused, A>

/** Observes the calls of a hasher. It returns a call that runs the given one, with the same outcome. */
export type HasherObserver = <A>(call: HashingCall, hashing: Hashing<A>) => Hashing<A>

/** The same hasher, with its calls observed. A later observer runs around an earlier one. */
export const observedHasher = (
  hasher: PasswordHasher,
  observers: ReadonlyArray<HasherObserver>,
): PasswordHasher => {
  if (observers.length === 0) return hasher
  const observed: HasherObserver = (call, hashing) =>
    observers.reduce((inner, outer) => outer(call, inner), hashing)
  return {
    hash: (password, request) => observed('hash', (asked) => hasher.hash(password, asked))(request),
    verify: (password, record, request) =>
      observed('verify', (asked) => hasher.verify(password, record, asked))(request),
    verifyMs: (scheme) => hasher.verifyMs(scheme),
    assess: (record, password) => hasher.assess(record, password),
  }
}
