export type Keys = Readonly<{ public_api_key: string; private_api_key: string }>
export type Problem = Readonly<{ code: number; param: string; message: string }>

/** A sign-in that waits for one of the methods. */
export type Waiting = Readonly<{ token: string; expires_in: number; methods: ReadonlyArray<string> }>

/** An answer of Portcullis. `errors` has the failing fields of a 422, `retryAfter` the seconds to wait after a 429 or 503. */
export type Answer<Data = unknown> =
  | Readonly<{ ok: true; data: Data }>
  | Readonly<{
      ok: false
      status: number
      message: string
      errors: ReadonlyArray<Problem>
      retryAfter: number
      second_factor?: Waiting
    }>

export type Request = Readonly<{ method?: string; token?: string; body?: object; endUser?: string }>

/** A client with the API keys of one application. Keys and application tokens stay on the server. */
export const portcullis = (url: string, keys: Keys) => {
  /** Sends a request with this token, or without one. */
  const call = async <Data>(
    path: string,
    { method = 'POST', token, body, endUser }: Request = {},
  ): Promise<Answer<Data>> => {
    try {
      const response = await fetch(`${url}/api/v1${path}`, {
        method,
        headers: {
          ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
          ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
          ...(endUser === undefined ? {} : { 'X-End-User-Address': endUser }),
        },
        body: body === undefined ? null : JSON.stringify(body),
        signal: AbortSignal.timeout(30_000),
      })
      const data = JSON.parse(await response.text())
      if (response.ok) return { ok: true, data }
      const retryAfter = Number(response.headers.get('Retry-After'))
      return { message: '', errors: [], ...data, ok: false, status: response.status, retryAfter }
    } catch {
      return { ok: false, status: 503, message: 'Portcullis did not answer.', errors: [], retryAfter: 5 }
    }
  }

  let issued: Promise<Answer<{ token: string }>> | undefined
  /** Sends a request with the application’s token. It keeps the token until Portcullis refuses it, and then gets another. */
  const asApplication = async <Data>(
    path: string,
    request: Request,
    isAgain = false,
  ): Promise<Answer<Data>> => {
    issued ??= call('/auth/application/token', { body: keys })
    const used = issued
    const application = await used
    const answer = application.ok
      ? await call<Data>(path, { ...request, token: application.data.token })
      : application
    if (answer.ok || (application.ok && answer.status !== 401)) return answer
    if (issued === used) issued = undefined
    return application.ok && !isAgain ? asApplication(path, request, true) : answer
  }

  return { call, asApplication }
}
