/** What a rule bites in a file, and what next to it lets pass. */
export type Example = Readonly<{
  rule: string
  path: string
  bad: ReadonlyArray<string>
  good: ReadonlyArray<string>
}>

/** A package, and a file that may import it. */
const CONFINED_AT = [
  ['inversify', 'adapters/composition.ts'],
  ['reflect-metadata', 'adapters/composition.ts'],
  ['koa', 'adapters/http/app.ts'],
  ['@koa/router', 'adapters/http/api/routes.ts'],
  ['raw-body', 'adapters/http/body.ts'],
  ['ipaddr.js', 'adapters/http/address.ts'],
  ['better-sqlite3', 'adapters/sqlite/store.ts'],
  ['pg', 'adapters/postgres/connections.ts'],
  ['jose', 'adapters/jwt/application-tokens.ts'],
  ['paseto', 'adapters/paseto/user-tokens.ts'],
  ['scrypt-kdf', 'adapters/scrypt/record.ts'],
  ['@zxcvbn-ts/core', 'adapters/zxcvbn/estimate.ts'],
  ['@zxcvbn-ts/language-common', 'adapters/zxcvbn/estimate.ts'],
  ['@zxcvbn-ts/language-en', 'adapters/zxcvbn/estimate.ts'],
  ['prom-client', 'adapters/prometheus/requests.ts'],
  ['@opentelemetry/api', 'adapters/opentelemetry/tracing.ts'],
  ['commander', 'adapters/cli/program.ts'],
  ['io-ts', 'adapters/config.ts'],
] as const

export const EXAMPLES: ReadonlyArray<Example> = [
  {
    rule: 'the domain imports only the domain and fp-ts',
    path: 'domain/user.ts',
    bad: [
      `import { readFileSync } from 'node:fs'`,
      `import * as t from 'io-ts'`,
      `import type { Store } from '../application/ports/store.ts'`,
      `import { memoryStore } from '../adapters/memory/store.ts'`,
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
    path: 'application/sign-in.ts',
    bad: [
      `import { v7 } from 'uuid'`,
      `import type { Logger } from 'pino'`,
      `import { randomBytes } from 'node:crypto'`,
      `import { sqliteStore } from '../adapters/sqlite/store.ts'`,
    ],
    good: [
      `import type { Store } from './ports/store.ts'`,
      `import { isEmail } from '../domain/user.ts'`,
      `import * as TE from 'fp-ts/lib/TaskEither.js'`,
    ],
  },
  {
    rule: 'an adapter imports no other adapter, but for codec/',
    path: 'adapters/memory/store.ts',
    bad: [
      `import { groupCommit } from '../sqlite/group-commit.ts'`,
      `import type { Route } from '../http/route.ts'`,
    ],
    good: [
      `import { encodeRow } from '../codec/rows.ts'`,
      `import { table } from './table.ts'`,
      `import { isEmail } from '../../domain/user.ts'`,
    ],
  },
  {
    rule: 'an adapter imports no other adapter, but for codec/',
    path: 'adapters/codec/rows.ts',
    bad: [`import { memoryStore } from '../memory/store.ts'`],
    good: [`import { Flag } from './columns.ts'`],
  },
  {
    rule: 'of the files that stand above the adapters only composition.ts imports any',
    path: 'adapters/config.ts',
    bad: [`import { memoryStore } from './memory/store.ts'`],
    good: [`import { join } from 'node:path'`],
  },
  {
    rule: 'of the files that stand above the adapters only composition.ts imports any',
    path: 'adapters/composition.ts',
    bad: [],
    good: [`import { memoryStore } from './memory/store.ts'`],
  },
  {
    rule: 'composition.ts is imported only by cli/',
    path: 'adapters/http/service.ts',
    bad: [`import { compose } from '../composition.ts'`, `import type { Service } from '../composition.ts'`],
    good: [`import { koaApp } from './app.ts'`],
  },
  {
    rule: 'composition.ts is imported only by cli/',
    path: 'adapters/cli/serve.ts',
    bad: [],
    good: [`import { compose } from '../composition.ts'`],
  },
  {
    rule: 'config.ts is imported only by cli/ and composition.ts',
    path: 'adapters/scrypt/queue.ts',
    bad: [`import type { Settings } from '../config.ts'`],
    good: [],
  },
  {
    rule: 'config.ts is imported only by cli/ and composition.ts',
    path: 'adapters/cli/serve.ts',
    bad: [],
    good: [`import { settingsFrom } from '../config.ts'`],
  },
  {
    rule: 'a face of HTTP is imported only by itself and composition.ts',
    path: 'adapters/http/docs/page.ts',
    bad: [`import { profileRoute } from '../api/profile.ts'`],
    good: [`import { ok } from '../answer.ts'`, `import { layout } from './layout.ts'`],
  },
  {
    rule: 'a face of HTTP is imported only by itself and composition.ts',
    path: 'adapters/http/oauth/introspect.ts',
    bad: [`import { usersRoute } from '../api/users.ts'`],
    good: [`import { authenticated } from '../authenticated.ts'`],
  },
  {
    rule: 'a face of HTTP is imported only by itself and composition.ts',
    path: 'adapters/http/app.ts',
    bad: [`import { apiRoutes } from './api/routes.ts'`],
    good: [`import { stackOf } from './stack.ts'`],
  },
  ...CONFINED_AT.flatMap(confined),
  {
    rule: 'pino is imported only by pino/, and its type Logger by http/ and composition.ts',
    path: 'adapters/http/app.ts',
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
    rule: 'pino is imported only by pino/, and its type Logger by http/ and composition.ts',
    path: 'adapters/sqlite/store.ts',
    bad: [`import type { Logger } from 'pino'`],
    good: [],
  },
  {
    rule: 'pino is imported only by pino/, and its type Logger by http/ and composition.ts',
    path: 'adapters/pino/log.ts',
    bad: [],
    good: [`import { type Logger, pino } from 'pino'`],
  },
  {
    rule: 'fp-ts is imported module by module, under the name that Node finds too',
    path: 'application/sign-in.ts',
    bad: [
      `import { either } from 'fp-ts'`,
      `import { pipe } from 'fp-ts/function'`,
      `import { pipe } from 'fp-ts/lib/function'`,
      `export * from 'fp-ts'`,
    ],
    good: [`import { pipe } from 'fp-ts/lib/function.js'`],
  },
  {
    rule: 'what is imported by path stands in domain/, application/ or adapters/',
    path: 'adapters/cli/serve.ts',
    bad: [
      `import { settings } from '../../tests/support/settings.ts'`,
      `import type { Answer } from '../../tests/support/http-client.ts'`,
      `import manifest from '../../package.json'`,
      `import { compose } from '../../dist/adapters/composition.js'`,
      `import secret from '/etc/passwd'`,
    ],
    good: [`import { compose } from '../composition.ts'`, `import { isEmail } from '../../domain/user.ts'`],
  },
  {
    rule: 'a path names the file as it is, with .ts',
    path: 'domain/session.ts',
    bad: [
      `import type { User } from './user.js'`,
      `import type { User } from './user'`,
      `import type { User } from '.'`,
    ],
    good: [`import type { User } from './user.ts'`],
  },
  {
    rule: 'every import says what it imports',
    path: 'adapters/cli/main.ts',
    bad: [`const some = import(process.argv[2] ?? '')`, 'const some = require(`./$' + '{name}.ts`)'],
    good: [`const program = import('./program.ts')`],
  },
]

function confined([name, home]: readonly [name: string, home: string]): ReadonlyArray<Example> {
  const rule = `${name} is imported only where it belongs`
  const all = [`import it from '${name}'`, `import type { It } from '${name}'`, `import '${name}/part.js'`]
  const elsewhere = name === 'io-ts' ? 'application/keyring.ts' : 'adapters/clock.ts'
  return [
    { rule, path: elsewhere, bad: all, good: [`import it from '${name}-like'`] },
    { rule, path: home, bad: [], good: all },
  ]
}
