import { isRight } from 'fp-ts/lib/Either.js'
import type { User } from '../../domain/user.ts'
import type { Background } from '../ports/background.ts'
import type { HashingShare, PasswordHasher } from '../ports/password-hasher.ts'
import { inBackground, type Recorder, type RequestContext } from '../recording/recorder.ts'

/**
 * Hashes the password again after a sign-in if its record is outdated: weaker than new records, or under another pepper. A record that
 * may also fit another password stays.
 *
 * It runs in the background and ends no session. If it fails (overload, a concurrent password change, an unavailable store),
 * the next sign-in tries again.
 */
export type Rehash = (signedIn: SignedIn, context: RequestContext) => void

type SignedIn = Readonly<{ user: User; password: string; share: HashingShare }>

export const rehash = ({
  hasher,
  record,
  background,
}: Readonly<{ hasher: PasswordHasher; record: Recorder; background: Background }>): Rehash => {
  let isBusy = false // at most one rehash at a time: sign-ins have priority

  return ({ user, password, share }, context) => {
    if (isBusy || hasher.assess(user.passwordRecord, password) !== 'outdated') return
    isBusy = background.run(async () => {
      try {
        const hashed = await hasher.hash(password, { share })()
        if (isRight(hashed)) {
          const fact = { _tag: 'PasswordRehashed', user, password: hashed.right } as const
          await record([fact], { kind: 'nobody' }, inBackground(context))()
        }
      } finally {
        isBusy = false
      }
    })
  }
}
