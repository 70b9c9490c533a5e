import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type {
  HashingRefused,
  HashingRequest,
  PasswordHasher,
} from '../../../application/ports/password-hasher.ts'

export type HashingOperation = 'hash' | 'verify'

/** One operation of a hasher that waits for its request. */
export type Hashing<A> = (request: HashingRequest) => TaskEither<HashingRefused, A>

/** Observes the operations of a hasher. It returns an operation that runs the given one, with the same outcome. */
export type HasherObserver = <A>(operation: HashingOperation, hashing: Hashing<A>) => Hashing<A>

/** The same hasher, with its operations observed. A later observer runs around an earlier one. */
export const observedHasher = (
  hasher: PasswordHasher,
  observers: ReadonlyArray<HasherObserver>,
): PasswordHasher => {
  if (observers.length === 0) return hasher
  const observed: HasherObserver = (operation, hashing) =>
    observers.reduce((inner, outer) => outer(operation, inner), hashing)
  return {
    hash: (password, request) => observed('hash', (asked) => hasher.hash(password, asked))(request),
    verify: (password, record, request) =>
      observed('verify', (asked) => hasher.verify(password, record, asked))(request),
    verifyMs: (scheme) => hasher.verifyMs(scheme),
    assess: (record, password) => hasher.assess(record, password),
  }
}
