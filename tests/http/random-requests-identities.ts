import type { Service } from '../../adapters/index.ts'
import type { ApplicationCaller, UserCaller } from '../../domain/access.ts'
import { REDIRECT_URI } from '../support/granted-sessions.ts'
import { succeed } from '../support/outcome.ts'
import { CONTEXT } from '../support/request-context.ts'
import type { MemoryIdentityProvider } from '../testkit/identity-provider/memory-identity-provider.ts'

/** Lets an application sign users in at a provider. */
export const permitIdentities = ({ setApplication }: Service, { application }: ApplicationCaller) =>
  succeed(setApplication(CONTEXT, application.id, { redirectUris: [REDIRECT_URI] }))

/** Answers of the provider that sign in a user who has signed in there before, and that link an identity to a signed-in user. */
export const identitiesOf =
  ({ identities }: Service, caller: ApplicationCaller, google: MemoryIdentityProvider) =>
  async (self: UserCaller, email: string, count: number) => {
    if (identities === undefined) throw new Error('nobody can sign in elsewhere')
    const start = { provider: google.name, redirectUri: REDIRECT_URI }
    const answered = async (started: Readonly<{ url: string; transaction: string }>, person: object) => ({
      transaction: started.transaction,
      answer: google.signIn(started.url, { id: count, ...person }),
    })
    const known = { email }
    const signIn = async () => answered(await succeed(identities.startSignIn(caller, start)), known)
    await succeed(identities.completeSignIn(CONTEXT, caller, await signIn()))
    const again = await signIn()
    const link = await answered(await succeed(identities.startLink(self, start)), { id: -count })
    return {
      identityTransaction: again.transaction,
      identityAnswer: again.answer,
      linkTransaction: link.transaction,
      linkAnswer: link.answer,
    }
  }
