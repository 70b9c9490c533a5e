import { toUndefined } from 'fp-ts/lib/Option.js'
import { Agent, request } from 'undici'
import type { Environment } from '../../adapters/config/settings.ts'
import { compose, Dependency, type Module, provide, type Service } from '../../adapters/index.ts'
import { OPERATOR } from '../support/operator.ts'
import { succeed } from '../support/outcome.ts'
import { CONTEXT } from '../support/request-context.ts'
import { settings } from '../support/settings.ts'

export type PageAnswer = Readonly<{
  status: number
  headers: Readonly<Record<string, string | string[] | undefined>>
  html: string
}>

export type Form = Readonly<Record<string, string>> | string | Uint8Array

/** A service with pages on a real socket, the user Ada, and an application that makes one-time tokens. */
export type PagesService = Readonly<{
  service: Service
  baseUrl: string
  /** The clock of the service. */
  now: () => number
  ada: Readonly<{ id: string; email: string; password: string }>
  get: (path: string, headers?: Readonly<Record<string, string>>) => Promise<PageAnswer>
  post: (path: string, form: Form, headers?: Readonly<Record<string, string>>) => Promise<PageAnswer>
  send: (method: string, path: string) => Promise<PageAnswer>
  recoveryToken: () => Promise<string>
  confirmationToken: (email?: string) => Promise<string>
  /** Whether Ada can sign in with this password. */
  accepts: (password: string) => Promise<boolean>
  /** Whether Ada's e-mail is verified. */
  isVerified: () => Promise<boolean>
  stop: () => Promise<void>
}>

export type PagesClient = Pick<PagesService, 'get' | 'post' | 'send'> &
  Readonly<{ close: () => Promise<void> }>

export const pagesClient = (baseUrl: string): PagesClient => {
  const dispatcher = new Agent()
  const send = async (
    method: string,
    path: string,
    body: string | Uint8Array | null = null,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<PageAnswer> => {
    const answer = await request(`${baseUrl}${path}`, { dispatcher, method: method as 'GET', body, headers })
    return { status: answer.statusCode, headers: answer.headers, html: await answer.body.text() }
  }
  return {
    get: (path, headers) => send('GET', path, null, headers),
    post: (path, form, headers) =>
      send('POST', path, isRaw(form) ? form : new URLSearchParams(form).toString(), {
        'content-type': 'application/x-www-form-urlencoded',
        ...headers,
      }),
    send: (method, path) => send(method, path),
    close: () => dispatcher.close(),
  }
}

/** `/openapi.json` does not describe pages, so no answer is compared with it. */
export const startPages = async (
  environment: Environment = {},
  ...modules: ReadonlyArray<Module>
): Promise<PagesService> => {
  let hours = 0
  const now = () => Date.now() + hours * 3_600_000
  const service = await compose(
    settings({ ACCOUNT_PAGES: 'on', ...environment }),
    provide(Dependency.clock, () => now),
    ...modules,
  )
  const baseUrl = `http://127.0.0.1:${await service.listen('127.0.0.1', Number(environment.PORT ?? 0))}`
  const client = pagesClient(baseUrl)
  const ada = { email: 'Ada@Example.com', password: 'correct horse battery' }
  const { id } = await succeed(service.registerUser(CONTEXT, ada, OPERATOR))
  const scope = 'users:sign_in users:recover users:confirm_email'
  const keys = await succeed(service.registerApplication(CONTEXT, { name: 'desk', scope }))
  const { token } = await succeed(service.issueApplicationToken(CONTEXT, keys))
  const caller = await succeed(service.authenticate(CONTEXT, 'startRecovery', token))
  const signIn = (password: string) => service.signIn(CONTEXT, caller, { email: ada.email, password })()

  let confirmations = 0
  return {
    service,
    baseUrl,
    now,
    ada: { id, ...ada },
    ...client,
    recoveryToken: async () => {
      const { account } = await succeed(service.startRecovery(CONTEXT, caller, { email: ada.email }))
      return toUndefined(account)?.token ?? ''
    },
    confirmationToken: async (email = ada.email) => {
      confirmations += 1
      if (confirmations % STARTS_AN_HOUR === 0) hours += 1
      const wanted = { userId: id, email, password: ada.password }
      return (await succeed(service.startEmailConfirmation(CONTEXT, caller, wanted))).token
    },
    accepts: async (password) => (await signIn(password))._tag === 'Right',
    isVerified: async () => {
      const signedIn = await signIn(ada.password)
      return signedIn._tag === 'Right' && signedIn.right.emailVerified
    },
    stop: async () => {
      await client.close()
      await service.stop()
    },
  }
}

const STARTS_AN_HOUR = 5

const isRaw = (form: Form): form is string | Uint8Array =>
  typeof form === 'string' || form instanceof Uint8Array

/** The code that a page shows at each field: of its own message, or of the message that it shares with another one. */
export const codesAtFields = (html: string): Readonly<Record<string, number>> => {
  const codes = new Map(
    [...html.matchAll(/<p class="error" id="([a-z_]+-error)" data-code="(\d+)">/g)].map(([, id, code]) => [
      id,
      Number(code),
    ]),
  )
  const inputs = [...html.matchAll(/<input id="([a-z_]+)"([^>]*)>/g)]
  return Object.fromEntries(
    inputs.flatMap(([, name = '', attributes = '']) => {
      const [, described = ''] = / aria-describedby="([^"]*)"/.exec(attributes) ?? []
      const found = described.split(' ').flatMap((id) => codes.get(id) ?? [])
      if (attributes.includes('aria-invalid="true"') !== found.length > 0)
        throw new Error(`${name} contradicts itself`)
      return found.map((code) => [name, code])
    }),
  )
}

/** The code of a link that cannot be used, or of a visit that has ended. */
export const codeOfLink = (html: string): number | undefined => {
  const [, code] =
    /<h2>(?:This link cannot be used|Sign in again|Start again)<\/h2>\n<p data-code="(\d+)">/.exec(html) ?? []
  return code === undefined ? undefined : Number(code)
}
