import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import type { Environment } from '../../adapters/config/settings.ts'
import { neededSettings } from '../../adapters/http/operation/optional-routes.ts'
import type { Route } from '../../adapters/http/operation/route.ts'
import { ROOT } from '../architecture/root.ts'
import { allRoutes } from '../client/all-routes.ts'
import { PREFIX } from '../client/operations-module.ts'
import { type RunningService, startService } from '../support/running-service.ts'

const PAGE = readFileSync(join(ROOT, 'docs/settings.md'), 'utf8')
const NEEDS = /^This service lacks the route: it needs (.+) \(docs\/settings\.md\)\.$/

/** A setting, and what a service without it has. OpenID Connect needs the account pages, so it is named alone. */
const WITHOUT: ReadonlyArray<
  readonly [setting: string, off: Environment, providers?: ReadonlyArray<string>]
> = [
  ['PASSKEY_RP_ID', { PASSKEY_RP_ID: '' }],
  ['SECOND_FACTORS=on', { SECOND_FACTORS: 'off' }],
  ['IDENTITY_PROVIDERS_FILE', {}, []],
  ['MAIL_URL', { MAIL_URL: '', MAIL_FROM: '', MAIL_CONTACT: '' }],
  ['OPENID=on', { OPENID: 'off' }],
]

describe('a route that a service lacks', () => {
  let running: RunningService
  before(async () => {
    running = await startService({ PUBLIC_URL: `http://localhost${PREFIX}` })
  })
  after(() => running.stop())

  const refusalOf = (path: string) => running.send({ method: 'OPTIONS', path })

  it('is 404 with the settings that it needs, each in docs/settings.md', async () => {
    const needed = new Set<string>()
    for (const { prefix = '', path, isPrefix } of await allRoutes()) {
      const { status, body } = await refusalOf(`${prefix}${path}${isPrefix ? 'x' : ''}`)
      if (status === 204) continue
      expect(body, path).to.include({ success: false, code: 404 })
      expect(body.message, path).to.match(NEEDS)
      for (const setting of NEEDS.exec(body.message)?.[1]?.split(' and ') ?? []) needed.add(setting)
    }
    expect([...needed]).to.have.members([
      'PASSKEY_RP_ID',
      'SECOND_FACTORS=on',
      'IDENTITY_PROVIDERS_FILE',
      'MAIL_URL',
      'ACCOUNT_PAGES=on',
      'OPENID=on',
    ])
    for (const setting of needed) expect(PAGE).to.include(`\n| \`${setting.replace('=on', '')}\` |`)
  })

  for (const [setting, off, providers] of WITHOUT)
    it(`needs ${setting} exactly if it is absent without it`, async () => {
      const needs = neededSettings(PREFIX)
      const pathsOf = (routes: ReadonlyArray<Route>) =>
        routes.map(({ prefix = '', path }) => `${prefix}${path}`)
      const without = pathsOf(await allRoutes(off, providers))
      const absent = pathsOf(await allRoutes()).filter((path) => !without.includes(path))
      const named = pathsOf(await allRoutes()).filter((path) => needs(path)?.split(' and ').includes(setting))
      expect(named).to.deep.equal(absent).and.not.to.have.lengthOf(0)
    })

  it('is the same with the method of the route', async () => {
    const { status, body } = await running.send({
      method: 'POST',
      path: `${PREFIX}/api/v1/auth/user/passkey`,
    })
    expect([status, body]).to.deep.equal([
      404,
      {
        success: false,
        code: 404,
        message: 'This service lacks the route: it needs PASSKEY_RP_ID (docs/settings.md).',
      },
    ])
  })

  it('is unknown without the prefix, and below it', async () => {
    for (const path of ['/api/v1/auth/user/passkey', `${PREFIX}/api/v1/auth/user/passkey/`])
      expect((await refusalOf(path)).body).to.include({ message: 'Unknown path.' })
  })
})
