import { expect } from 'chai'
import { applicationsFinding } from '../../adapters/cli/applications-finding.ts'
import { type ApiClient, apiClient, type KeyPair } from '../support/api-client.ts'
import { FACTOR_SETTINGS } from '../support/factor-desk.ts'
import { jsonLines } from '../support/json-lines.ts'
import { onSqlite } from '../support/one-store.ts'
import { settings } from '../support/settings.ts'
import type { ServingHere } from '../support/workplace.ts'
import { anApplication } from '../testkit/builders.ts'

const SETTINGS = { ...FACTOR_SETTINGS, PASSKEY_RP_ID: 'shop.example' }
const [SHOP, LOGIN] = ['https://shop.example', 'https://login.shop.example:8443']

onSqlite('what an application requires, beside a running server', (stores) => {
  const { portcullis, serve, entries, remove } = stores.workplace()
  const environment = SETTINGS
  let server: ServingHere
  let api: ApiClient
  before(async () => {
    server = await serve('serve', environment)
    api = apiClient(server.url)
    await portcullis('user create --email ada@example.com --password-stdin', { input: 'correct horse' })
  })
  after(async () => {
    await api.close()
    expect(await server.end()).to.equal(0)
    remove()
  })

  const run = async (words: string) => {
    const { status, out, err } = await portcullis(`${words} --json`, { environment })
    expect([status, err], words).to.deep.equal([0, ''])
    return JSON.parse(out)
  }
  const listed = async (name: string) =>
    jsonLines((await portcullis('application list --json')).out).find((one) => one.name === name)
  const signIn = async (keys: KeyPair) => {
    const { token } = (await api.issueToken(keys)).body
    const { status, body } = await api.signIn(token, 'ada@example.com', 'correct horse')
    return [status, body.errors?.map(({ code }: { code: number }) => code)]
  }

  it('is named when it is created, and shown in lists', async () => {
    const created = await portcullis(
      `application create --name bank --require-aal2 --passkey-origin ${SHOP} --passkey-origin ${LOGIN} --json`,
      { environment: { ...environment, OPERATOR: 'Ada Lovelace' } },
    )
    expect([created.status, created.err]).to.deep.equal([0, ''])
    const keys = JSON.parse(created.out)
    expect(await signIn(keys)).to.deep.equal([422, [5]])
    expect(await listed('bank')).to.deep.include({
      required_assurance: 'aal2',
      passkey_origins: [SHOP, LOGIN],
    })
    expect((await portcullis('application list')).out).to.include(
      `  false  aal2  false  ${SHOP} ${LOGIN}  -  -  confidential  required\n`,
    )
    const [registered] = (await entries('ApplicationRegistered')).slice(-1)
    expect(registered?.data).to.include({ name: 'bank', required_assurance: 'aal2' })
    expect((await entries('PasskeyOriginsSet')).slice(-1)).to.deep.equal([
      {
        subject: { kind: 'application', id: keys.id },
        actor: { kind: 'operator', id: 'Ada Lovelace' },
        data: { origins: [SHOP, LOGIN] },
      },
    ])
  })

  it('is set and taken back at once, and what is not named stays', async () => {
    const desk = await run('application create --name desk')
    expect(await signIn(desk)).to.deep.equal([200, undefined])
    expect(await run('application set desk --require-aal2')).to.include({ required_assurance: 'aal2' })
    expect(await run('application set desk --name counter')).to.include({ required_assurance: 'aal2' })
    expect(await signIn(desk)).to.deep.equal([422, [5]])
    expect(await run('application set counter --no-require-aal2')).to.include({ required_assurance: 'aal1' })
    expect(await signIn(desk)).to.deep.equal([200, undefined])
    expect((await entries('ApplicationChanged')).map(({ data }) => data.required_assurance)).to.deep.equal([
      'aal2',
      'aal2',
      'aal1',
    ])
  })

  it('is a verified e-mail too, which create and set name and take back', async () => {
    const club = await run('application create --name club --require-verified-email')
    expect(await signIn(club)).to.deep.equal([422, [7]])
    expect(await listed('club')).to.include({ require_verified_email: true, required_assurance: 'aal1' })
    expect(await run('application set club --scope users:sign_in')).to.include({
      require_verified_email: true,
    })
    expect(await run('application set club --no-require-verified-email')).to.include({
      require_verified_email: false,
    })
    expect(await signIn(club)).to.deep.equal([200, undefined])
    expect(await run('application set club --require-verified-email')).to.include({
      require_verified_email: true,
    })
    expect(await signIn(club)).to.deep.equal([422, [7]])
    const changes = (await entries('ApplicationChanged')).slice(-3)
    expect(changes.map(({ data }) => data.require_verified_email)).to.deep.equal([true, false, true])
  })

  it('refuses wrong origins with status 1, names each of them, and changes nothing', async () => {
    await run(`application create --name kept --passkey-origin ${SHOP}`)
    const [before, text] = [await listed('kept'), (await portcullis('application list')).out]
    const outside = 'with http must be on PASSKEY_RP_ID (shop.example), got "http://localhost".\n'
    for (const command of [
      'application set-passkey-origins kept http://localhost https://shop.example/login',
      'application create --name no --passkey-origin http://localhost --passkey-origin https://shop.example/login',
    ]) {
      const { status, out, err } = await portcullis(command, { environment })
      expect([status, out], command).to.deep.equal([1, ''])
      expect(err, command)
        .to.include(outside)
        .and.match(/must be https:\/\/HOST .*, got "https:\/\/shop\.example\/login"\.\n$/)
    }
    const { status, err } = await portcullis(`application set-passkey-origins kept ${SHOP}`)
    expect([status, err]).to.deep.equal([
      1,
      `Passkeys require PASSKEY_RP_ID. Set that first, then the origin "${SHOP}".\n`,
    ])
    expect(await listed('kept')).to.deep.equal(before)
    expect((await portcullis('application list')).out).to.equal(text)
  })

  it('exits with 2 for wrong usage, and with 1 for unknown and revoked applications', async () => {
    await run('application create --name gone')
    await run('application revoke gone')
    for (const [words, status, message] of [
      ['application set-passkey-origins', 2, 'missing required argument'],
      ['application create --name x --passkey-origin', 2, 'argument missing'],
      [`application set-passkey-origins gone ${SHOP}`, 1, 'This application is revoked.'],
      [`application set-passkey-origins nowhere ${SHOP}`, 1, 'No application has this id or name.'],
    ] as const) {
      const refused = await portcullis(words, { environment })
      expect([refused.status, refused.out], words).to.deep.equal([status, ''])
      expect(refused.err, words).to.include(message)
    }
  })

  it('is warned of where users cannot enrol', async () => {
    const warning =
      'requires a second factor, and users cannot enrol one. Set SECOND_FACTORS=on, or: portcullis application set APPLICATION --no-require-aal2.'
    const { status, err } = await portcullis('application set bank --json')
    expect([status, err]).to.deep.equal([0, `Warning: bank ${warning}\n`])
  })
})

describe('the check of what applications require by doctor', () => {
  const bank = anApplication({ name: 'bank', requiredAssurance: 'aal2', passkeyOrigins: [SHOP] })
  const CASES = [
    ['nothing if the settings fit', SETTINGS, []],
    ['of a requirement that nobody can meet', { ...SETTINGS, SECOND_FACTORS: 'off' }, ['cannot enrol one']],
    ['of origins outside of the domain', { ...SETTINGS, PASSKEY_RP_ID: 'other.example' }, ['origins']],
    ['of both without settings', {}, ['cannot enrol one', 'origins']],
  ] as const
  for (const [what, environment, warnings] of CASES)
    it(`warns ${what}`, async () => {
      const gone = { ...anApplication({ name: 'gone', requiredAssurance: 'aal2' }), revoked: true }
      const about = applicationsFinding({ settings: settings(environment) })
      about.take([bank, gone])
      const [{ ok, detail } = { ok: false, detail: '' }] = await about.findings()
      expect([ok, detail.split('Warning: ').length - 1]).to.deep.equal([true, warnings.length])
      for (const warning of warnings)
        expect(detail).to.match(new RegExp(`bank \\(${bank.id}\\)[^:]*${warning}`))
    })

  const CONFIRMING = [
    ['if no application has a scope to confirm one', [], true],
    [
      'if only a revoked application has one',
      [anApplication({ scope: ['users:recover'], revoked: true })],
      true,
    ],
    [
      'not if another application confirms e-mails',
      [anApplication({ scope: ['users:confirm_email'] })],
      false,
    ],
    ['not if another application recovers accounts', [anApplication({ scope: ['users:recover'] })], false],
  ] as const
  for (const [when, others, isWarned] of CONFIRMING)
    it(`warns of a verified e-mail that is required ${when}`, async () => {
      const club = anApplication({ name: 'club', requiresVerifiedEmail: true })
      const about = applicationsFinding({ settings: settings({}) })
      about.take([club, anApplication()])
      about.take(others)
      const [{ detail } = { detail: '' }] = await about.findings()
      expect(detail.includes(`Warning: club (${club.id}) requires a verified e-mail`)).to.equal(isWarned)
    })
})
