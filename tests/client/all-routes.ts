import { randomBytes } from 'node:crypto'
import type { Environment } from '../../adapters/config/settings.ts'
import type { Route } from '../../adapters/http/operation/route.ts'
import { compose, Dependency, provide, settings } from '../../adapters/index.ts'
import { PREFIX } from './operations-module.ts'

/** Everything is on. With a prefix, the routes outside of it can be told apart. */
const EVERYTHING = {
  DATABASE_URL: 'memory:',
  LOG_LEVEL: 'silent',
  PASSWORD_POLICY: 'nist',
  SECOND_FACTORS: 'on',
  KEY_ENCRYPTION_KEY: `build:${randomBytes(32).toString('hex')}`,
  PASSKEY_RP_ID: 'localhost',
  PUBLIC_URL: `http://localhost${PREFIX}`,
  ACCOUNT_PAGES: 'on',
  OPENID: 'on',
  MAIL_URL: 'smtp://localhost:2525',
  MAIL_FROM: 'no-reply@example.com',
  MAIL_CONTACT: 'help@example.com',
}

/**
 * The routes of a service with everything on. They stand for the service, so nothing is opened that must be closed.
 *
 * @param changed settings that differ
 * @param providers the names of its identity providers
 */
export const allRoutes = async (
  changed: Environment = {},
  providers: ReadonlyArray<string> = ['google'],
): Promise<ReadonlyArray<Route>> => {
  const routes: unknown = await compose(
    settings({ ...EVERYTHING, ...changed }),
    provide(Dependency.passwordRules, () => [
      { name: 'any', refusal: 'breaks a rule.', refuses: () => false },
    ]),
    provide(Dependency.identityProviders, () => providers.map((name) => ({ name }) as never)), // they are never called
    provide(
      Dependency.service,
      { openApi: Dependency.openApi },
      ({ openApi }) => openApi(() => false).routes as never,
    ),
  )
  return routes as ReadonlyArray<Route>
}
