import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import type { CommandContext } from '../../adapters/cli/command-context.ts'
import { firstRunSettings } from '../../adapters/cli/first-run.ts'
import { composition } from '../../adapters/composition/compose.ts'
import { envFileOf } from '../../adapters/config/environment.ts'
import { workplace } from '../support/workplace.ts'

/** A value of `KEY_ENCRYPTION_KEY`. */
const OWN_KEY = `own:${'k'.repeat(32)}`

const secretOf = (key: string): string => key.trim().replace(/^.*:/, '')

describe('a first run', () => {
  let place: ReturnType<typeof workplace>
  let keyFile: string
  beforeEach(() => {
    place = workplace()
    keyFile = join(place.folder, 'data', 'key-encryption-key')
  })
  afterEach(() => place.remove())

  it('shares its key with one that starts at the same time', async () => {
    const both = await Promise.all([1, 2].map(() => place.asProcess.serve('serve --first-run')))
    await Promise.all(both.map(({ prints }) => prints('/account/sign-in')))
    for (const { url } of both) expect((await fetch(`${url}/account/sign-in`)).status).to.equal(200)
    const made = both.filter(({ printed }) => printed().includes('key-encryption-key is new'))
    expect(made).to.have.lengthOf(1)
    for (const server of both) {
      expect(await server.end()).to.equal(0)
      expect(server.logged() + server.printed()).not.to.include(secretOf(readFileSync(keyFile, 'utf8')))
    }
    expect((await place.portcullis('doctor')).out).to.match(/^ok +keys /m)
  })

  const WRONG: Readonly<Record<string, readonly [lay: (path: string) => void, said: string]>> = {
    'that others may read': [(path) => writeFileSync(path, OWN_KEY, { mode: 0o640 }), 'Run: chmod 600'],
    'that is a link': [
      (path) => {
        writeFileSync(`${path}.real`, OWN_KEY, { mode: 0o600 })
        symlinkSync(`${path}.real`, path)
      },
      'must not be a symbolic link. Remove it, and set KEY_ENCRYPTION_KEY_FILE to its target',
    ],
    'that leads nowhere': [(path) => symlinkSync('nowhere', path), 'must not be a symbolic link'],
    'that is a folder': [(path) => mkdirSync(path), 'must be a file'],
    'that is empty': [(path) => writeFileSync(path, '', { mode: 0o600 }), 'must be ID:SECRET'],
    'that is no text': [
      (path) => writeFileSync(path, Buffer.from([0xff, 0xfe]), { mode: 0o600 }),
      'must be ID:SECRET',
    ],
    'that has no id': [
      (path) => writeFileSync(path, secretOf(OWN_KEY), { mode: 0o600 }),
      'must be ID:SECRET',
    ],
    'that is longer than any key': [
      (path) => writeFileSync(path, `${OWN_KEY}\n`.repeat(2_000), { mode: 0o600 }),
      'must be ID:SECRET',
    ],
  }
  for (const [what, [lay, said]] of Object.entries(WRONG))
    it(`refuses a key file ${what}, as every command does`, async () => {
      mkdirSync(join(place.folder, 'data'))
      lay(keyFile)
      for (const words of ['serve --first-run', 'serve', 'application list', 'doctor']) {
        const { status, err, out } = await place.portcullis(words)
        expect([status, out], words).to.deep.equal([78, ''])
        expect(err).to.include(keyFile).and.include(said).and.not.include(secretOf(OWN_KEY))
      }
    })

  it('uses a key of the operator, and makes none', async () => {
    const server = await place.serve('serve --first-run', { KEY_ENCRYPTION_KEY: OWN_KEY })
    await server.prints('/account/sign-in')
    expect(await server.end()).to.equal(0)
    expect((await server.ended).err).to.equal('')
    expect(existsSync(keyFile)).to.equal(false)
  })

  it('makes no key if a setting is wrong', async () => {
    const environment = { USER_TOKEN_TTL: 'soon' }
    expect((await place.portcullis('serve --first-run', { environment })).status).to.equal(78)
    expect(existsSync(keyFile)).to.equal(false)
  })

  it('leaves the pages off if the operator wants that', async () => {
    const server = await place.serve('serve --first-run', { ACCOUNT_PAGES: 'off' })
    await server.prints('-changed"')
    expect(server.printed()).not.to.match(/account pages|sign-in|mails/)
    expect((await fetch(`${server.url}/account/sign-in`)).status).to.equal(404)
    expect(await server.end()).to.equal(0)
    expect(existsSync(keyFile)).to.equal(false)
  })

  const OFF: Readonly<
    Record<string, readonly [environment: Readonly<Record<string, string>>, said: string]>
  > = {
    'without a store of its own': [
      {},
      'the store exists already, and no key lies beside it. Set KEY_ENCRYPTION_KEY',
    ],
    'on an address that browsers keep no cookies for': [
      { HOST: '0.0.0.0', KEY_ENCRYPTION_KEY: OWN_KEY },
      'ACCOUNT_PAGES=on requires a PUBLIC_URL with https',
    ],
  }
  for (const [what, [environment, said]] of Object.entries(OFF))
    it(`leaves the pages off ${what}, and says what to do`, async () => {
      await place.portcullis('application create --name shop')
      const server = await place.serve('serve --first-run', environment)
      await server.prints('The store already has accounts')
      expect(server.printed()).to.include(`The account pages stay off: ${said}`)
      expect((await fetch(`${server.url}/account/sign-in`)).status).to.equal(404)
      expect(await server.end()).to.equal(0)
      expect(existsSync(keyFile)).to.equal(false)
    })

  it('is refused if the operator wants pages that cannot be', async () => {
    const environment = { ACCOUNT_PAGES: 'on', HOST: '0.0.0.0' }
    const { status, err } = await place.portcullis('serve --first-run', { environment })
    expect(status).to.equal(78)
    expect(err).to.include('ACCOUNT_PAGES=on requires a PUBLIC_URL with https')
    expect(existsSync(keyFile)).to.equal(false)
  })

  it('keeps its key in memory for a store in memory', async () => {
    const server = await place.serve('serve --first-run', { DATABASE_URL: 'memory:' })
    await server.prints('/account/sign-in')
    expect((await fetch(`${server.url}/account/sign-in`)).status).to.equal(200)
    expect(await server.end()).to.equal(0)
    expect(existsSync(join(place.folder, 'data'))).to.equal(false)
  })

  it('has its key beside the file to which the store leads', async () => {
    mkdirSync(join(place.folder, 'real'), { mode: 0o700 })
    symlinkSync(join('real', 'store.db'), join(place.folder, 'link.db'))
    const linked = { DATABASE_URL: `sqlite:${join(place.folder, 'link.db')}` }
    await (await place.serve('serve --first-run', linked)).end()
    const real = { DATABASE_URL: `sqlite:${join(place.folder, 'real', 'store.db')}` }
    for (const environment of [linked, real])
      expect((await place.portcullis('doctor', { environment })).out).to.match(/^ok +keys /m)
  })

  it('does not look for a key beside a store that it does not open', async () => {
    mkdirSync(join(place.folder, 'data'))
    writeFileSync(keyFile, 'no key', { mode: 0o600 })
    const environment = { DATABASE_URL: 'memory:' }
    const server = await place.serve('serve', environment)
    expect(await server.end()).to.equal(0)
  })
})

describe('the settings of a first run', () => {
  const settingsOf = async (environment: Readonly<Record<string, string>>) => {
    const context = {
      composition,
      environment: { DATABASE_URL: 'memory:', ...environment },
      envFile: () => envFileOf({}, '/nowhere'),
      folder: '/nowhere',
      writeErr: () => {},
    }
    return (await firstRunSettings(context as unknown as CommandContext, async () => {})).settings
  }
  const RELAY = {
    PUBLIC_URL: 'https://auth.otterworks.shop',
    MAIL_URL: 'smtps://mail.otterworks.shop',
    MAIL_FROM: 'noreply@otterworks.shop',
    MAIL_CONTACT: 'help@otterworks.shop',
  }
  const CASES: ReadonlyArray<
    readonly [environment: Readonly<Record<string, string>>, registration: boolean, printsMails: boolean]
  > = [
    [{}, true, true],
    [{ PAGES_REGISTRATION: 'off' }, false, true],
    [RELAY, false, false],
    [{ ...RELAY, PAGES_REGISTRATION: 'on' }, true, false],
  ]
  for (const [environment, registration, printsMails] of CASES)
    it(`registration is ${registration ? 'open' : 'closed'}, and mails are ${printsMails ? 'printed' : 'sent'} with ${JSON.stringify(environment)}`, async () => {
      const { pages, mail } = await settingsOf(environment)
      expect(pages?.registration).to.equal(registration)
      expect(mail?.relay === 'terminal').to.equal(printsMails)
    })

  for (const [environment, is] of [
    [{}, true],
    [{ OPENID: 'off' }, false],
    [{ ACCOUNT_PAGES: 'on' }, false],
    [{ ACCOUNT_PAGES: 'on', OPENID: 'on' }, true],
  ] as const)
    it(`the service ${is ? 'is an' : 'is no'} OpenID provider with ${JSON.stringify(environment)}`, async () => {
      expect((await settingsOf(environment)).openid).to.equal(is)
    })

  for (const [environment, can] of [
    [{}, true],
    [{ SECOND_FACTORS: 'off' }, false],
    [{ ACCOUNT_PAGES: 'on' }, false],
  ] as const)
    it(`users ${can ? 'can' : 'cannot'} add second factors with ${JSON.stringify(environment)}`, async () => {
      expect((await settingsOf(environment)).secondFactors).to.equal(can)
    })
})
