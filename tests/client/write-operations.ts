import { randomBytes } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import type { Route } from '../../adapters/http/operation/route.ts'
import { compose, Dependency, provide, settings } from '../../adapters/index.ts'
import { operationsModule, PREFIX } from './operations-module.ts'

/** Writes `adapters/client/operations.ts` for `make build`, from the operations of a service with everything on. */
const FILE = new URL('../../adapters/client/operations.ts', import.meta.url)

const routes = await compose(
  settings({
    DATABASE_URL: 'memory:',
    LOG_LEVEL: 'silent',
    PASSWORD_POLICY: 'nist',
    SECOND_FACTORS: 'on',
    KEY_ENCRYPTION_KEY: `build:${randomBytes(32).toString('hex')}`,
    PASSKEY_RP_ID: 'localhost',
    // With a prefix, the routes outside of it can be told apart.
    PUBLIC_URL: `http://localhost${PREFIX}`,
  }),
  provide(Dependency.passwordRules, () => [{ name: 'any', refusal: 'breaks a rule.', refuses: () => false }]),
  // `compose` returns what stands for the service: here its routes. So nothing is opened that must be closed.
  provide(
    Dependency.service,
    { openApi: Dependency.openApi },
    ({ openApi }) => openApi(() => false).routes as never,
  ),
)

const text = operationsModule(routes as unknown as ReadonlyArray<Route>)
// An unchanged file lets the compiler skip what depends on it.
if (currentText() !== text) writeFileSync(FILE, text)

function currentText(): string | undefined {
  try {
    return readFileSync(FILE, 'utf8')
  } catch {
    return undefined
  }
}
