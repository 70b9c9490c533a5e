import { expect } from 'chai'
import { type Portcullis, portcullis } from '../../adapters/client/client.ts'
import { EXAMPLE } from '../../adapters/http/operation/example-values.ts'
import { openIdToken, REDIRECT_URI, registerOpenIdClient } from '../support/openid-client.ts'
import { type ClientWorld, successOf } from './client-world.ts'

/** Calls the operations that only clients of the OpenID provider can call. */
export const callAsOpenIdClient = async (
  { running, url, newUser }: ClientWorld,
  auth: Portcullis,
  observed: (client: Portcullis) => Portcullis,
): Promise<void> => {
  const user = await newUser()
  const mine = auth.user(await openIdToken({ service: running.service, url }, user, 'openid email'))
  const claims = successOf(await mine.getUserinfo())
  expect(claims).to.include({ sub: user.id, email: user.email, emailVerified: true })
  const shop = observed(portcullis({ url, ...(await registerOpenIdClient(running)) }))
  const pushed = await shop.pushAuthorizationRequest({
    responseType: 'code',
    redirectUri: REDIRECT_URI,
    scope: 'openid',
    codeChallenge: EXAMPLE.codeChallenge,
    codeChallengeMethod: 'S256',
  })
  expect(successOf(pushed).requestUri).to.match(/^urn:ietf:params:oauth:request_uri:/)
}
