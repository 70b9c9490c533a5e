import { expect } from 'chai'
import type { Portcullis } from '../../adapters/client/client.ts'
import type { MemoryIdentityProvider } from '../testkit/identity-provider/memory-identity-provider.ts'
import { IDENTITY_CALLBACK, successOf } from './client-world.ts'

/** Calls the operations on identities at a provider, for a signed-in user. */
export const callAtProvider = async (
  google: MemoryIdentityProvider,
  auth: Portcullis,
  { user, mine }: Readonly<{ user: Readonly<{ id: string }>; mine: ReturnType<Portcullis['user']> }>,
): Promise<void> => {
  const back = { provider: google.name, redirectUri: IDENTITY_CALLBACK }
  const answered = ({ transaction, url }: Readonly<{ transaction: string; url: string }>) => ({
    transaction,
    answer: google.signIn(url, { id: 7 }),
  })
  const link = answered(successOf(await mine.startIdentityLink(back)))
  expect(successOf(await mine.completeIdentityLink(link))).to.include({ name: 'Google', acr: 'aal1' })
  const sent = answered(successOf(await auth.startIdentitySignIn({ ...back, loginHint: 'ada@example.com' })))
  const { token, userId, isNew } = successOf(await auth.completeIdentitySignIn(sent))
  expect([userId, isNew]).to.deep.equal([user.id, false])
  const again = answered(successOf(await auth.user(token).startIdentityStepUp(back)))
  expect(successOf(await auth.user(token).stepUp(again)).amr).to.deep.equal(['fed'])
  const refused = await auth.completeIdentitySignIn(sent)
  expect(refused).to.have.nested.property('problems[0].reason', 'identity_refused')
}
