import { inTurn, type Next, repeated, requestBytes } from './load.ts'
import { PROFILE_PATH, RENEW_PATH, type Service, SIGN_IN_PATH, TOKEN_PATH } from './portcullis.ts'

/** The requests of the rows, for one service. */
export const profileText = ({ userToken }: Service): string =>
  requestBytes('GET', PROFILE_PATH, '', { token: userToken })

export const profile = (service: Service): Next => repeated(profileText(service))

const tokenText = ({ prepared }: Service): string =>
  requestBytes('POST', TOKEN_PATH, JSON.stringify(prepared.keys))

export const applicationToken = (service: Service): Next => repeated(tokenText(service))

export const signInText = ({ prepared, applicationToken }: Service): string =>
  requestBytes('POST', SIGN_IN_PATH, JSON.stringify(prepared.busy), { token: applicationToken })

/** The profile with one token after the other. */
export const profiles = (tokens: ReadonlyArray<string>): Next =>
  inTurn(tokens.map((token) => requestBytes('GET', PROFILE_PATH, '', { token })))

/** At least this many new tokens, each of its own session of a new user. The service needs cheap hashes. */
export const userTokens = async (
  { register, signIn }: Service,
  count: number,
): Promise<ReadonlyArray<string>> => {
  const tokens: Array<string> = []
  while (tokens.length < count) {
    const user = await register()
    tokens.push(...(await Promise.all(Array.from({ length: SESSIONS_OF_A_USER }, () => signIn(user)))))
  }
  return tokens
}

/** All at once. A user has at most 100. */
const SESSIONS_OF_A_USER = 50

/** Renews one session after the other. */
export const renewals = ({ applicationToken: token }: Service, tokens: ReadonlyArray<string>): Next =>
  inTurn(tokens.map((one) => requestBytes('POST', RENEW_PATH, JSON.stringify({ token: one }), { token })))

/** Changes the password to another one and back. It needs one connection. */
export const passwordChange = ({ prepared, userToken }: Service): Next => {
  const { password } = prepared.credentials
  const change = (from: string, to: string) =>
    requestBytes(
      'POST',
      `${PROFILE_PATH}/change_password`,
      JSON.stringify({ old_password: from, new_password: to, new_password_check: to }),
      { token: userToken },
    )
  return inTurn([change(password, OTHER_PASSWORD), change(OTHER_PASSWORD, password)])
}

const OTHER_PASSWORD = 'battery staple correct horse'

/** 70 % profiles, 20 % application tokens, 5 % lists of sessions, 5 % introspections. */
export const mixed = (service: Service): Next => {
  const profileRequest = profileText(service)
  const token = tokenText(service)
  const sessions = requestBytes('GET', `${PROFILE_PATH}/sessions`, '', { token: service.userToken })
  const form = new URLSearchParams({ token: service.userToken }).toString()
  const introspection = requestBytes('POST', '/oauth2/introspect', form, { token: service.applicationToken })
  const four = [profileRequest, profileRequest, token, profileRequest]
  return inTurn([
    ...[...four, profileRequest],
    ...[...four, sessions],
    ...[...four, profileRequest],
    ...[...four, introspection],
  ])
}

/** The requests of the ceilings. */
export const helloGet = repeated(requestBytes('GET', '/hello'))
export const helloPost = ({ prepared }: Service): Next =>
  repeated(requestBytes('POST', '/hello', JSON.stringify(prepared.keys)))
