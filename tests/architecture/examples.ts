/** Imports that a rule refuses and allows in a file. */
export type Example = Readonly<{
  rule: string
  path: string
  bad: ReadonlyArray<string>
  good: ReadonlyArray<string>
}>

/** A package, and a file that may import it. */
const CONFINED_AT = [
  ['inversify', 'adapters/composition/provide.ts'],
  ['reflect-metadata', 'adapters/composition/provide.ts'],
  ['koa', 'adapters/http/server/app.ts'],
  ['@koa/router', 'adapters/http/api/routes.ts'],
  ['raw-body', 'adapters/http/request/body.ts'],
  ['light-my-request', 'adapters/http/server/inject.ts'],
  ['openapi-types', 'adapters/http/openapi/document.ts'],
  ['d3-scale', 'adapters/http/console/chart.ts'],
  ['ipaddr.js', 'adapters/http/request/address.ts'],
  ['better-sqlite3', 'adapters/stores/sqlite/store.ts'],
  ['pg', 'adapters/stores/postgres/connections.ts'],
  ['sodium-native', 'adapters/credentials/signing/signatures.ts'],
  ['paseto', 'adapters/credentials/paseto/user-tokens.ts'],
  ['scrypt-kdf', 'adapters/credentials/scrypt/record.ts'],
  ['@node-rs/argon2', 'adapters/credentials/foreign-passwords/argon2.ts'],
  ['@node-rs/bcrypt', 'adapters/credentials/foreign-passwords/bcrypt.ts'],
  ['@zxcvbn-ts/core', 'adapters/credentials/zxcvbn/estimate.ts'],
  ['@zxcvbn-ts/language-common', 'adapters/credentials/zxcvbn/estimate.ts'],
  ['@zxcvbn-ts/language-en', 'adapters/credentials/zxcvbn/estimate.ts'],
  ['prom-client', 'adapters/observing/prometheus/requests.ts'],
  ['@opentelemetry/api', 'adapters/observing/opentelemetry/tracing.ts'],
  ['commander', 'adapters/cli/program.ts'],
  ['cli-progress', 'adapters/cli/progress-bar.ts'],
  ['io-ts', 'adapters/config/settings.ts'],
] as const

export const EXAMPLES: ReadonlyArray<Example> = [
  {
    rule: 'the domain imports only the domain and fp-ts',
    path: 'domain/user.ts',
    bad: [
      `import { readFileSync } from 'node:fs'`,
      `import * as t from 'io-ts'`,
      `import type { Store } from '../application/ports/store.ts'`,
      `import { memoryStore } from '../adapters/stores/memory/store.ts'`,
      `import '../tests/support/settings.ts'`,
      `export { sha256 } from '../adapters/node/environment.ts'`,
      `const later = import('node:crypto')`,
      `type Key = import('node:crypto').KeyObject`,
      `import fs = require('node:fs')`,
      `const fs = require('node:fs')`,
    ],
    good: [`import { some } from 'fp-ts/lib/Option.js'`, `import type { Session } from './session.ts'`],
  },
  {
    rule: 'the application imports only the application, the domain and fp-ts',
    path: 'application/sessions/sign-in.ts',
    bad: [
      `import { v7 } from 'uuid'`,
      `import type { Logger } from 'pino'`,
      `import { randomBytes } from 'node:crypto'`,
      `import { sqliteStore } from '../../adapters/stores/sqlite/store.ts'`,
    ],
    good: [
      `import type { Store } from '../ports/store.ts'`,
      `import { isEmail } from '../../domain/user.ts'`,
      `import * as TE from 'fp-ts/lib/TaskEither.js'`,
    ],
  },
  {
    rule: 'an adapter imports no other adapter except hashing/, records/, signing/ and (in observing/) instrumentation/',
    path: 'adapters/stores/memory/store.ts',
    bad: [
      `import { groupCommit } from '../sqlite/group-commit.ts'`,
      `import type { Route } from '../../http/operation/route.ts'`,
    ],
    good: [
      `import { timeBoundedQueue } from '../../credentials/hashing/queue.ts'`,
      `import { encodeRow } from '../records/rows.ts'`,
      `import { table } from './table.ts'`,
      `import { isEmail } from '../../../domain/user.ts'`,
    ],
  },
  {
    rule: 'an adapter imports no other adapter except hashing/, records/, signing/ and (in observing/) instrumentation/',
    path: 'adapters/stores/records/rows.ts',
    bad: [`import { memoryStore } from '../memory/store.ts'`],
    good: [`import { Flag } from './columns.ts'`],
  },
  {
    rule: 'an adapter imports no other adapter except hashing/, records/, signing/ and (in observing/) instrumentation/',
    path: 'adapters/observing/prometheus/store.ts',
    bad: [`import { NO_TRACING } from '../opentelemetry/tracing.ts'`],
    good: [`import type { StoreObserver } from '../instrumentation/store.ts'`],
  },
  {
    rule: 'an adapter imports no other adapter except hashing/, records/, signing/ and (in observing/) instrumentation/',
    path: 'adapters/stores/memory/store.ts',
    bad: [`import { observedStore } from '../../observing/instrumentation/store.ts'`],
    good: [],
  },
  {
    rule: 'a driven adapter imports only the ports of the application',
    path: 'adapters/stores/sqlite/store.ts',
    bad: [`import { readFeed } from '../../../application/log/read-feed.ts'`],
    good: [`import type { Store } from '../../../application/ports/store.ts'`],
  },
  {
    rule: 'only the composition, and of stores/ their list, import adapters from outside',
    path: 'adapters/config/settings.ts',
    bad: [`import { memoryStore } from '../stores/memory/store.ts'`],
    good: [`import { join } from 'node:path'`],
  },
  {
    rule: 'only the composition, and of stores/ their list, import adapters from outside',
    path: 'adapters/composition/compose.ts',
    bad: [],
    good: [`import { memoryStore } from '../stores/memory/store.ts'`],
  },
  {
    rule: 'the composition is imported only by the entries',
    path: 'adapters/http/service.ts',
    bad: [
      `import { compose } from '../composition/compose.ts'`,
      `import type { Service } from '../composition/compose.ts'`,
    ],
    good: [`import { koaApp } from './server/app.ts'`],
  },
  {
    rule: 'the composition is imported only by the entries',
    path: 'adapters/cli/serve.ts',
    bad: [`import { compose } from '../composition/compose.ts'`],
    good: [`import type { Composition } from './composition.ts'`],
  },
  {
    rule: 'the composition is imported only by the entries',
    path: 'adapters/index.ts',
    bad: [],
    good: [`export { compose } from './composition/compose.ts'`],
  },
  {
    rule: 'the composition is imported only by the entries',
    path: 'adapters/bundle/start-for-tests.ts',
    bad: [],
    good: [`import { compose } from './composition/compose.ts'`],
  },
  {
    rule: 'a room of the application imports only rooms below it',
    path: 'application/factors/list-factors.ts',
    bad: [`import { signIn } from '../sessions/sign-in.ts'`],
    good: [
      `import type { Store } from '../ports/store.ts'`,
      `import { passkeysOn } from './passkey-ceremony.ts'`,
    ],
  },
  {
    rule: 'config/, except addresses/ and files/, is imported only by cli/, the composition and the entries',
    path: 'adapters/credentials/hashing/queue.ts',
    bad: [`import type { Settings } from '../../config/settings.ts'`],
    good: [],
  },
  {
    rule: 'config/, except addresses/ and files/, is imported only by cli/, the composition and the entries',
    path: 'adapters/cli/serve.ts',
    bad: [],
    good: [`import { settingsFrom } from '../config/settings.ts'`],
  },
  {
    rule: 'each HTTP interface is imported only by itself and the composition',
    path: 'adapters/http/docs/page.ts',
    bad: [`import { profileRoute } from '../api/profile.ts'`],
    good: [`import { ok } from '../operation/response.ts'`, `import { layout } from './layout.ts'`],
  },
  {
    rule: 'each HTTP interface is imported only by itself and the composition',
    path: 'adapters/http/oauth/introspect.ts',
    bad: [`import { usersRoute } from '../api/users.ts'`],
    good: [`import { authenticated } from '../operation/guards.ts'`],
  },
  {
    rule: 'each HTTP interface is imported only by itself and the composition',
    path: 'adapters/http/server/app.ts',
    bad: [`import { apiRoutes } from '../api/routes.ts'`],
    good: [`import { loggableError } from './loggable-error.ts'`],
  },
  {
    rule: 'the client imports only itself, and no module of Node.js',
    path: 'adapters/client/send.ts',
    bad: [
      `import { createHash } from 'node:crypto'`,
      `import { Buffer } from 'buffer'`,
      `import { pipe } from 'fp-ts/lib/function.js'`,
      `import type { UserCaller } from '../../domain/access.ts'`,
      `import type { OperationSpec } from '../http/operation/operation.ts'`,
      `const undici = import('undici')`,
    ],
    good: [`import type { Limit } from './limit.ts'`, `export type * from './operations.ts'`],
  },
  {
    rule: 'the client is imported only by itself',
    path: 'adapters/cli/serve.ts',
    bad: [
      `import { portcullis } from '../client/client.ts'`,
      `import type { Reason } from '../client/results.ts'`,
    ],
    good: [`import type { Composition } from './composition.ts'`],
  },
  ...CONFINED_AT.flatMap(confined),
  {
    rule: 'in stores/sqlite/, only database-file.ts opens files without SQLite: it says why',
    path: 'adapters/stores/sqlite/inspect.ts',
    bad: [
      `import { openSync, statSync } from 'node:fs'`,
      `import { readFileSync as read } from 'node:fs'`,
      `import * as fs from 'node:fs'`,
      `import { existsSync } from 'fs'`,
      `import { stat } from 'node:fs/promises'`,
      `const { copyFileSync } = await import('node:fs')`,
    ],
    good: [`import { existsSync, rmSync } from 'node:fs'`, `import type { Stats } from 'node:fs'`],
  },
  {
    rule: 'in stores/sqlite/, only database-file.ts opens files without SQLite: it says why',
    path: 'adapters/stores/sqlite/database-file.ts',
    bad: [],
    good: [`import { openSync } from 'node:fs'`],
  },
  {
    rule: 'pino is imported only by pino/, and its type Logger by http/ and the composition',
    path: 'adapters/http/server/app.ts',
    bad: [
      `import { pino } from 'pino'`,
      `import { type Logger, pino } from 'pino'`,
      `import type { LoggerOptions } from 'pino'`,
      `import type * as all from 'pino'`,
      `import 'pino'`,
    ],
    good: [`import type { Logger } from 'pino'`, `import { type Logger as Log } from 'pino'`],
  },
  {
    rule: 'pino is imported only by pino/, and its type Logger by http/ and the composition',
    path: 'adapters/stores/sqlite/store.ts',
    bad: [`import type { Logger } from 'pino'`],
    good: [],
  },
  {
    rule: 'pino is imported only by pino/, and its type Logger by http/ and the composition',
    path: 'adapters/observing/pino/log.ts',
    bad: [],
    good: [`import { type Logger, pino } from 'pino'`],
  },
  {
    rule: 'node:http is imported for its types only: node-http.ts says why',
    path: 'adapters/http/server/server.ts',
    bad: [`import { createServer } from 'node:http'`],
    good: [`import type { Server } from 'node:http'`],
  },
  {
    rule: 'fp-ts is imported module by module, by the specifier that Node resolves',
    path: 'application/sessions/sign-in.ts',
    bad: [
      `import { either } from 'fp-ts'`,
      `import { pipe } from 'fp-ts/function'`,
      `import { pipe } from 'fp-ts/lib/function'`,
      `export * from 'fp-ts'`,
    ],
    good: [`import { pipe } from 'fp-ts/lib/function.js'`],
  },
  {
    rule: 'imports by path lead only to domain/, application/ or adapters/',
    path: 'adapters/cli/serve.ts',
    bad: [
      `import { settings } from '../../tests/support/settings.ts'`,
      `import type { Answer } from '../../tests/support/http-client.ts'`,
      `import manifest from '../../package.json'`,
      `import { compose } from '../../dist/adapters/composition/composition.js'`,
      `import secret from '/etc/passwd'`,
    ],
    good: [
      `import { compose } from '../composition/compose.ts'`,
      `import { isEmail } from '../../domain/user.ts'`,
    ],
  },
  {
    rule: 'an import by path ends with .ts',
    path: 'domain/session.ts',
    bad: [
      `import type { User } from './user.js'`,
      `import type { User } from './user'`,
      `import type { User } from '.'`,
    ],
    good: [`import type { User } from './user.ts'`],
  },
  {
    rule: 'every import has a constant specifier, except the file of --with',
    path: 'adapters/main.ts',
    bad: [`const some = import(process.argv[2] ?? '')`, 'const some = require(`./$' + '{name}.ts`)'],
    good: [`const program = import('./cli/program.ts')`],
  },
]
function confined([name, home]: readonly [name: string, home: string]): ReadonlyArray<Example> {
  const rule = `${name} is imported only where it belongs`
  const all = [`import it from '${name}'`, `import type { It } from '${name}'`, `import '${name}/part.js'`]
  const elsewhere = name === 'io-ts' ? 'application/keys/keyring.ts' : 'adapters/clock.ts'
  return [
    { rule, path: elsewhere, bad: all, good: [`import it from '${name}-like'`] },
    { rule, path: home, bad: [], good: all },
  ]
}
