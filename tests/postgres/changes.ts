import { nodeDigests, systemRandom } from '../../adapters/node/environment.ts'
import type { Change } from '../../application/ports/store.ts'
import { type Fact, toChange } from '../../application/recording/facts.ts'
import type { Application } from '../../domain/application.ts'
import type { Session } from '../../domain/session.ts'
import type { User } from '../../domain/user.ts'
import {
  anApplication as application,
  issuedToken,
  aSession as session,
  aUser as user,
} from '../testkit/builders.ts'

/** The builders of the contracts, with ids that are unique across processes and digests that pass the log check. */

export { changedPassword } from '../testkit/builders.ts'

export const newId = (): string => systemRandom.uuid()

export const changeOf = (fact: Fact, ...more: ReadonlyArray<Fact>): Change =>
  toChange([fact, ...more], {
    actor: { kind: 'operator' },
    requestId: undefined,
    atMilliseconds: Date.now(),
    uuid: newId,
    sha256: (text) => nodeDigests.sha256(text),
  })

/** A change without rows. */
export const said = (): Fact => issuedToken({ tokenId: newId() })

export const anApplication = (): Application => application({ id: newId() })

export const aUser = (fields: Partial<User> = {}): User => {
  const id = newId()
  return user({ id, email: `${id}@example.com`, ...fields })
}

export const aSession = (fields: Partial<Session>): Session => session({ id: newId(), ...fields })
