import type { Answer, Keys, portcullis } from '../mail/portcullis.ts'

export type Session = Readonly<{ token: string; expires_in: number }>
/** A sign-in that waits for one of the methods. */
export type Waiting = Session & Readonly<{ methods: ReadonlyArray<string> }>
export type FirstStep = (
  credentials: object,
  endUser: string,
) => Promise<Answer<Session> & Readonly<{ second_factor?: Waiting }>>
type Call = ReturnType<typeof portcullis>['call']

/** Sends e-mail and password. `asApplication` would drop `second_factor`, which comes with a refusal. */
export const firstStepAt = (url: string, keys: Keys, call: Call): FirstStep => {
  let token = ''
  const send = (body: string, endUser: string) =>
    fetch(`${url}/api/v1/auth/user/token`, {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${token}`,
        'Content-Type': 'application/json',
        'X-End-User-Address': endUser,
      },
      body,
      signal: AbortSignal.timeout(30_000),
    })
  return async (credentials, endUser) => {
    const body = JSON.stringify(credentials)
    try {
      let response = await send(body, endUser)
      if (response.status === 401) {
        const issued = await call<Session>('/auth/application/token', { body: keys })
        if (!issued.ok) return issued
        token = issued.data.token
        response = await send(body, endUser)
      }
      const data = JSON.parse(await response.text())
      if (response.ok) return { ok: true, data }
      const retryAfter = Number(response.headers.get('Retry-After'))
      return { errors: [], ...data, ok: false, status: response.status, retryAfter }
    } catch {
      return { ok: false, status: 503, message: 'Portcullis did not answer.', errors: [], retryAfter: 5 }
    }
  }
}
