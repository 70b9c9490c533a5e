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
  ['oidc-provider', 'adapters/http/openid/provider.ts'],
  ['openid-client', 'adapters/credentials/openid/openid-provider.ts'],
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
  ['nodemailer', 'adapters/mail/smtp/smtp.ts'],
  ['prom-client', 'adapters/observing/prometheus/requests.ts'],
  ['@opentelemetry/api', 'adapters/observing/opentelemetry/tracing.ts'],
  ['commander', 'adapters/cli/program.ts'],
  ['cli-progress', 'adapters/cli/progress-bar.ts'],
  ['io-ts', 'adapters/config/settings.ts'],
] as const

const examplesOf = ([name, home]: readonly [name: string, home: string]): ReadonlyArray<Example> => {
  const rule = `${name} is imported only where it belongs`
  const all = [`import it from '${name}'`, `import type { It } from '${name}'`, `import '${name}/part.js'`]
  const elsewhere = name === 'io-ts' ? 'application/keys/keyring.ts' : 'adapters/clock.ts'
  return [
    { rule, path: elsewhere, bad: all, good: [`import it from '${name}-like'`] },
    { rule, path: home, bad: [], good: all },
  ]
}

export const ofConfinedPackages: ReadonlyArray<Example> = CONFINED_AT.flatMap(examplesOf)
