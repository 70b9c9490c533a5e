import { type Answer, httpClient } from './http-client.ts'

export type KeyPair = Readonly<{ public_api_key: string; private_api_key: string }>

/** The requests of tests whose subject is not HTTP. */
export type ApiClient = Readonly<{
  issueToken: (keys: KeyPair) => Promise<Answer>
  signIn: (token: string, email: string, password: string) => Promise<Answer>
  /** 200 for the token of a live session. */
  profileStatus: (token: string) => Promise<number>
  /** The status for an application token: 422 (fields are missing) if it is valid, otherwise 401. */
  signInStatus: (token: string) => Promise<number>
  publishedKids: () => Promise<ReadonlyArray<string>>
  close: () => Promise<void>
}>

export const apiClient = (baseUrl: string): ApiClient => {
  const { send, close } = httpClient(baseUrl)
  const signIn = (token: string, body: object) =>
    send({ method: 'POST', path: '/api/v1/auth/user/token', token, body })

  return {
    issueToken: ({ public_api_key, private_api_key }) =>
      send({
        method: 'POST',
        path: '/api/v1/auth/application/token',
        body: { public_api_key, private_api_key },
      }),
    signIn: (token, email, password) => signIn(token, { email, password }),
    profileStatus: async (token) => (await send({ method: 'GET', path: '/api/v1/profile', token })).status,
    signInStatus: async (token) => (await signIn(token, {})).status,
    publishedKids: async () => {
      const { body } = await send({ method: 'GET', path: '/.well-known/jwks.json' })
      return body.keys.map(({ kid }: { kid: string }) => kid)
    },
    close,
  }
}
