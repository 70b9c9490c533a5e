import { createHash, randomBytes } from 'node:crypto'
import type { BrowserDesk } from '../account-pages/browser-desk.ts'
import type { PageAnswer } from '../account-pages/pages-service.ts'
import { basicOf } from '../support/oauth.ts'
import type { OpenIdService, TestClient } from './openid-service.ts'

/** Parameters as they are sent. An undefined one is left out. */
export type Sent = Readonly<Record<string, string | undefined>>

/** A JSON answer. */
export type JsonAnswer = PageAnswer & Readonly<{ body: Readonly<Record<string, unknown>> }>

/** The state of each request here: as long as the one that the conformance suite sends, to see that it comes back unharmed. */
export const STATE = randomBytes(64).toString('hex')

export const VERIFIER = randomBytes(32).toString('base64url')

export const challengeOf = (verifier: string): string =>
  createHash('sha256').update(verifier).digest('base64url')

/** The address of a right request to authorize, with other parameters where the case has some. */
export const authorization = (client: TestClient, more: Sent = {}): string =>
  `/oauth2/authorize?${formOf({ ...requestOf(client), ...more })}`

export const requestOf = ({ id, redirectUri }: TestClient): Readonly<Record<string, string>> => ({
  client_id: id,
  response_type: 'code',
  scope: 'openid',
  redirect_uri: redirectUri,
  state: STATE,
  nonce: 'n-0S6',
  code_challenge: challengeOf(VERIFIER),
  code_challenge_method: 'S256',
})

/** Leaves out what is undefined. */
export const formOf = (sent: Sent): string =>
  new URLSearchParams(
    Object.entries(sent).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, value] as [string, string]],
    ),
  ).toString()

/** What an answer tells the client: the parameters behind its redirect URI. Empty if it does not lead there. */
export const toldClient = (
  { headers, status }: PageAnswer,
  { redirectUri }: TestClient,
): Readonly<Record<string, string>> => {
  const to = String(headers.location ?? '')
  return status === 303 && to.startsWith(`${redirectUri}?`)
    ? Object.fromEntries(new URL(to).searchParams)
    : {}
}

/** Returns a new code of a browser that is signed in. */
export const newCode = async (browser: BrowserDesk, client: TestClient, more: Sent = {}): Promise<string> => {
  const answer = await browser.get(authorization(client, more))
  const { code } = toldClient(answer, client)
  if (code === undefined)
    throw new Error(`no code: ${answer.status} ${answer.headers.location} ${answer.html}`)
  return code
}

/** Sends a form to the token endpoint, or to another one, as the client. */
export const sendAs = async (
  { pages }: OpenIdService,
  { id, secret }: Pick<TestClient, 'id' | 'secret'>,
  form: Sent,
  { path = '/oauth2/token', headers = {} as Readonly<Record<string, string>> } = {},
): Promise<JsonAnswer> =>
  json(await pages.post(path, formOf(form), { authorization: basicOf(id, secret), ...headers }))

export const json = (answer: PageAnswer): JsonAnswer => ({ ...answer, body: JSON.parse(answer.html || '{}') })

/** The form of an exchange. */
export const exchangeOf = ({ redirectUri }: TestClient, code: string): Sent => ({
  grant_type: 'authorization_code',
  code,
  redirect_uri: redirectUri,
  code_verifier: VERIFIER,
})

/** The tokens of a browser that is signed in. */
export const newTokens = async (
  service: OpenIdService,
  browser: BrowserDesk,
  client: TestClient,
  more: Sent = {},
): Promise<Readonly<{ access_token: string; id_token: string; refresh_token: string }>> => {
  const answer = await sendAs(service, client, exchangeOf(client, await newCode(browser, client, more)))
  if (answer.status !== 200) throw new Error(answer.html)
  return answer.body as Awaited<ReturnType<typeof newTokens>>
}

export const bearer = (token: string): Readonly<Record<string, string>> => ({
  authorization: `Bearer ${token}`,
})

/** Runs a step as if some seconds had passed, for the service and for the library. */
export const later = async <A>(seconds: number, step: () => Promise<A>): Promise<A> => {
  const { now } = Date
  Date.now = () => now() + seconds * 1_000
  try {
    return await step()
  } finally {
    Date.now = now
  }
}
