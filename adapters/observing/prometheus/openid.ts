import type { Registry } from 'prom-client'
import type { Meters } from './meters.ts'
import { counter } from './series.ts'

/** The metrics of an OpenID provider. Without one there are none. */
export const openIdMeters =
  (registry: Registry): Meters['openId'] =>
  () => {
    const authorizations = counter(registry, {
      name: 'portcullis_openid_authorizations_total',
      help: 'Requests for authorization, by their result.',
      labelNames: ['result'],
    })
    const grants = counter(registry, {
      name: 'portcullis_openid_grants_total',
      help: 'Codes and refresh tokens that clients sent, by result.',
      labelNames: ['grant', 'result'],
    })
    const authorized = {
      granted: authorizations({ result: 'granted' }),
      page: authorizations({ result: 'page' }),
      refused: authorizations({ result: 'refused' }),
    }
    const of = (grant: string) => ({
      granted: grants({ grant, result: 'granted' }),
      refused: grants({ grant, result: 'refused' }),
    })
    const exchanged = {
      authorization_code: of('authorization_code'),
      refresh_token: of('refresh_token'),
    }
    return {
      authorized: (result) => authorized[result](),
      exchanged: (grant, result) => exchanged[grant][result](),
    }
  }
