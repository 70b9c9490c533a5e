import { type Fetch, portcullis, type SealingSecrets } from '../../adapters/client/client.ts'
import { systemTime } from '../../adapters/client/time.ts'
import type { Environment } from '../../adapters/config/settings.ts'
import { Dependency, provide } from '../../adapters/index.ts'
import { succeed } from '../support/outcome.ts'
import { CONTEXT } from '../support/request-context.ts'
import { startService } from '../support/running-service.ts'
import { timed } from '../support/second-factor-service.ts'
import { memoryIdentityProvider } from '../testkit/identity-provider/memory-identity-provider.ts'
import { successOf } from './client-world.ts'

export const SITE = 'https://shop.example'

/** Short tokens, sessions of twelve hours, and remembered ones of 30 days. */
const LIFETIMES = {
  DATABASE_URL: 'memory:',
  USER_TOKEN_TTL: '600',
  SESSION_IDLE_TTL: '43200',
  SESSION_TTL: String(7 * 86_400),
  SESSION_REMEMBER_TTL: String(30 * 86_400),
  IDENTITY_REGISTRATION: 'on',
}

const OTHER_SECRET = '6f1c'.repeat(8)

export type CookieWorld = Awaited<ReturnType<typeof openCookieWorld>>

/** A service with two providers, a product with its client, and browsers, on one clock. */
export const openCookieWorld = async (environment: Environment = {}) => {
  const time = { now: Date.parse('2026-11-20T12:00:00Z') }
  const providers = ['google', 'github'].map((name) =>
    memoryIdentityProvider({ name, label: name, issuer: `https://${name}.example`, now: () => time.now }),
  )
  const running = await startService(
    { ...LIFETIMES, ...environment },
    provide(Dependency.identityProviders, () => providers),
    ...timed(time),
  )
  const made = await succeed(
    running.service.registerApplication(CONTEXT, {
      name: 'shop',
      scope: 'users:sign_in users:register',
      redirectUris: providers.map(({ name }) => `${SITE}/back/${name}`),
    }),
  )
  /** What answers a renewal in place of the service. */
  let renewal: (() => Promise<Response>) | undefined
  const fetch: Fetch = (url, init) =>
    renewal !== undefined && String(url).endsWith('/renew') ? renewal() : globalThis.fetch(url, init)
  const clientWith = (privateApiKey: string, cookieSecrets?: SealingSecrets) =>
    portcullis(
      {
        url: `http://127.0.0.1:${running.port}`,
        publicApiKey: made.publicApiKey,
        privateApiKey,
        fetch,
        cookieSecrets,
      },
      { ...systemTime, now: () => time.now, elapsed: () => time.now },
    )
  const auth = clientWith(made.privateApiKey)
  const { email, password } = running.user

  return {
    running,
    auth,
    /** The same product after a rotation of its API keys. */
    rotated: clientWith('sk_other'),
    /** The same, with the former key among its secrets. */
    rotatedGently: clientWith('sk_other', [OTHER_SECRET, made.privateApiKey]),
    providers,
    now: () => time.now,
    applicationId: made.application.id,
    passSeconds: (seconds: number): void => {
      time.now += 1000 * seconds
    },
    /** From now on this answers renewals; without it, the service does. */
    renewWith: (answer?: () => Promise<Response>): void => {
      renewal = answer
    },
    signIn: async (remember?: boolean) => successOf(await auth.signIn({ email, password, remember })),
  }
}

/** A browser, which keeps the cookies of lines `Set-Cookie` and sends them. */
export const browserOf = () => {
  const jar = new Map<string, string>()
  return {
    jar,
    header: (): string => [...jar].map((pair) => pair.join('=')).join('; '),
    take: (...lines: ReadonlyArray<string>): void => {
      for (const line of lines) {
        const { name, value, age } = partsOf(line)
        if (age === 0) jar.delete(name)
        else jar.set(name, value)
      }
    },
  }
}

/** All that a cookie must have, and no more. */
const LINE = /^(__Host-[\w.-]+)=([\w-]*); Path=\/; Secure; HttpOnly; SameSite=Lax; Max-Age=(\d+)$/

export const partsOf = (line: string) => {
  const [, name, value, age] = LINE.exec(line) ?? []
  if (name === undefined || value === undefined) throw new Error(`This is no line of ours: ${line}`)
  return { name, value, age: Number(age) }
}
