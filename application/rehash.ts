import { isRight } from 'fp-ts/lib/Either.js'
import type { User } from '../domain/user.ts'
import type { Background } from './ports/background.ts'
import type { HashingShare, PasswordHasher } from './ports/password-hasher.ts'
import type { Recorder, RequestContext } from './recording/recorder.ts'

/**
 * After a sign-in the password is known for a moment: where its record is weaker than those made now, or under another
 * pepper, it is made anew. Nobody waits for it, no session ends, and what comes in between (a busy machine, a password that
 * was changed meanwhile, a store that is away) leaves it to the next sign-in.
 */
export type Rehash = (signedIn: SignedIn, call: RequestContext) => void

type SignedIn = Readonly<{ user: User; password: string; share: HashingShare }>

export const rehash = ({
  hasher,
  record,
  background,
}: Readonly<{ hasher: PasswordHasher; record: Recorder; background: Background }>): Rehash => {
  let isBusy = false // sign-ins that somebody waits for need the machine more than a second one of these

  return ({ user, password, share }, call) => {
    if (isBusy || hasher.assess(user.passwordRecord) !== 'outdated') return
    isBusy = background.run(async () => {
      try {
        const hashed = await hasher.hash(password, { wanted: () => true, share })()
        if (isRight(hashed)) {
          const fact = { _tag: 'PasswordRehashed', user, password: hashed.right } as const
          await record([fact], { kind: 'nobody' }, call)()
        }
      } finally {
        isBusy = false
      }
    })
  }
}
