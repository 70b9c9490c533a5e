import { portcullis, type Result } from '../../adapters/client/client.ts'
import type { Environment } from '../../adapters/config/settings.ts'
import { Dependency, provide } from '../../adapters/index.ts'
import { verifiedUser } from '../support/factor-desk.ts'
import { mailLinkSettings } from '../support/mail-links.ts'
import { succeed } from '../support/outcome.ts'
import { ORIGIN, PASSKEY_SETTINGS } from '../support/passkey-desk.ts'
import { publishedLogOf } from '../support/published-log.ts'
import { CONTEXT } from '../support/request-context.ts'
import { type RunningService, startService } from '../support/running-service.ts'
import { timed } from '../support/second-factor-service.ts'
import { memoryIdentityProvider } from '../testkit/identity-provider/memory-identity-provider.ts'

const ISSUER = 'https://service.test/auth'

const SCOPES = [
  ...[
    'users:sign_in',
    'users:register',
    'users:read',
    'users:manage',
    'users:recover',
    'users:confirm_email',
  ],
  ...[
    'users:reset_factors',
    'users:vouch',
    'users:roles',
    'users:attributes',
    'tokens:introspect',
    'events:read',
  ],
].join(' ')

/** Where providers lead back to. */
export const IDENTITY_CALLBACK = 'https://product.example/callback'

const NOTE = 'service.test/auth/api/v1/log/a1b2c3d4\n1\nroot=\n\n— service.test signature\n'

export type ClientWorld = Awaited<ReturnType<typeof openClientWorld>>

/** A service with every optional operation, behind a prefix, with a clock that the test sets, and clients for it. */
export const openClientWorld = async (environment: Environment = {}) => {
  const time = { now: Date.now() }
  const google = memoryIdentityProvider({ now: () => time.now })
  const running: RunningService = await startService(
    {
      ...mailLinkSettings(),
      ...PASSKEY_SETTINGS,
      SESSION_TTL: '86400',
      OPENID: 'on',
      PUBLIC_URL: ISSUER,
      ...environment,
    },
    provide(Dependency.identityProviders, () => [google]),
    provide(Dependency.publishedLog, () => publishedLogOf([Buffer.from('{"position":1}')], NOTE)),
    ...timed(time),
  )
  const { service, port } = running
  const url = `http://127.0.0.1:${port}/auth`

  /** A client with the keys of a new application. */
  const clientOf = async (scope = SCOPES) => {
    const { application, publicApiKey, privateApiKey } = await succeed(
      service.registerApplication(CONTEXT, { name: 'product', scope, redirectUris: [IDENTITY_CALLBACK] }),
    )
    await succeed(service.setPasskeyOrigins(CONTEXT, application.id, [ORIGIN]))
    return portcullis({ url, publicApiKey, privateApiKey, issuer: ISSUER })
  }

  return {
    running,
    google,
    url,
    clientOf,
    time,
    passSeconds: (seconds: number): void => {
      time.now += seconds * 1000
    },
    newUser: () => verifiedUser({ service }),
    stop: () => running.stop(),
  }
}

/** The answer of a success. Any other result fails. */
export const successOf = <Answer>(
  result: Answer | Readonly<{ ok: false }>,
): Extract<Answer, { ok: true }> => {
  if (!isSuccess(result)) throw new Error(`it was refused: ${JSON.stringify(result)}`)
  return result as Extract<Answer, { ok: true }>
}

const isSuccess = (result: unknown): boolean => (result as Result<object>).ok === true
