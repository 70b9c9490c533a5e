import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { freePort } from '../support/command.ts'
import { FACTOR_SETTINGS, factorDesk, verifiedUser } from '../support/factor-desk.ts'
import { type ForeignProject, foreignProject } from '../support/foreign-project.ts'
import { succeed } from '../support/outcome.ts'
import { PASSKEY_SETTINGS, permitPasskeys } from '../support/passkey-desk.ts'
import { CONTEXT } from '../support/request-context.ts'
import { type RunningService, startService } from '../support/running-service.ts'
import { PUBLIC_URL } from '../support/settings.ts'
import { COOKIES, PAGE, PROGRAMS } from './client-page-blocks.ts'
import { codeIn, partOf } from './page.ts'

type Name = keyof typeof PROGRAMS

describe('docs/client.md and docs/cookies.md', function () {
  this.timeout(120_000)
  let project: ForeignProject
  let running: RunningService
  let environment: Record<string, string>
  before(async () => {
    project = foreignProject()
    running = await startService({ ...FACTOR_SETTINGS, ...PASSKEY_SETTINGS })
    const url = `http://127.0.0.1:${running.port}`
    for (const [name, { before, block, after }] of Object.entries(PROGRAMS)) {
      const real = block
        .replace('http://127.0.0.1:8080', url)
        .replace("issuer: 'https://auth.example.com'", `issuer: '${PUBLIC_URL}'`)
      project.write(`${name}.mjs`, `${before}${real}${after}\n`)
    }
    environment = {
      PORTCULLIS_URL: url,
      ISSUER: PUBLIC_URL,
      PUBLIC_API_KEY: running.keys.public_api_key,
      PRIVATE_API_KEY: running.keys.private_api_key,
      EMAIL: running.user.email,
      PASSWORD: running.user.password,
    }
  })
  after(async () => {
    await running.stop()
    project.remove()
  })

  /** What a program of the page prints. */
  const run = (name: Name, more: Readonly<Record<string, string>> = {}): Promise<string> =>
    project.run(`${name}.mjs`, { ...environment, ...more })
  const keysFor = async (scope: string) => {
    const { publicApiKey, privateApiKey } = await succeed(
      running.service.registerApplication(CONTEXT, { name: scope, scope }),
    )
    return { PUBLIC_API_KEY: publicApiKey, PRIVATE_API_KEY: privateApiKey }
  }

  it('has no code that the tests do not run', () => {
    const shown = ['js', 'ts', 'sh'].map((language) => codeIn(PAGE + COOKIES, language).length)
    const { first: _, ...onPage } = PROGRAMS // a file
    expect(shown).to.deep.equal([Object.keys(onPage).length, 0, 1])
    for (const [name, { block }] of Object.entries(PROGRAMS)) expect(block, name).not.to.equal('')
  })

  it('has programs that compile', async () => {
    expect(await project.compile()).to.deep.equal([])
  })

  it('begins with a sign-in that names the wrong password', async () => {
    expect(await run('opening')).to.equal('')
    expect(await run('opening', { PASSWORD: 'wrong' })).to.include("reason: 'wrong_password'")
  })

  it('has a first program that prints what the page shows', async () => {
    const user = { email: 'bob@example.com', password: 'PASSWORD' }
    await succeed(running.service.registerUser(CONTEXT, user, { kind: 'operator' }))
    const [commands = ''] = codeIn(partOf(PAGE, '## A first program'), 'sh')
    const real = commands
      .replaceAll(/(?<==)(PUBLIC_API_KEY|PRIVATE_API_KEY)/g, (name) => environment[name] ?? '')
      .replace('=EMAIL', `=${user.email}`)
      .replace('client.mjs', 'first.mjs')
    const env = { PATH: process.env.PATH }
    const { stdout } = await promisify(execFile)('sh', ['-e', '-c', real], { cwd: project.folder, env })
    const [said] = codeIn(partOf(PAGE, '## A first program'), 'text')
    expect(stdout).to.equal(said)
    expect(await running.userToken({ ...user, password: 'nine purple otters sing' })).to.match(/^v4\./)
  })

  it('passes options to methods', async () => {
    const token = await running.userToken()
    expect(await run('options', { EMAIL: 'cleo@example.com', TOKEN: token })).to.equal('true\n')
    const { status } = await running.send({ method: 'GET', path: '/api/v1/profile', token })
    expect(status, 'signed out').to.equal(401)
  })

  it('has a text for each result', async () => {
    expect(await run('results', { TOKEN: await running.userToken() })).to.equal(
      [
        'newPassword: new_password is missing or empty.',
        'oldPassword: old_password is not the current password.',
        'newPasswordCheck: new_password_check differs from new_password.',
        'You were signed out. Please sign in again.',
        'Your password was changed.',
        '',
      ].join('\n'),
    )
  })

  it('tells failures apart', async () => {
    expect(await run('errors', { AWAY: `http://127.0.0.1:${await freePort()}` })).to.equal(
      'Please try again.\nPlease check, then try again.\nWrongApiKeys\n',
    )
  })

  describe('with a second factor', () => {
    let ada: Awaited<ReturnType<typeof verifiedUser>>
    let enrolled: Awaited<ReturnType<ReturnType<typeof factorDesk>['enrol']>>
    beforeEach(async () => {
      ada = await verifiedUser(running)
      enrolled = await factorDesk(running, Date.now).enrol(await running.userToken(ada))
    })

    it('signs a user in with a code', async () => {
      const [RECOVERY_CODE = ''] = enrolled.answer.body.recovery_codes
      const printed = await run('code', { EMAIL: ada.email, PASSWORD: ada.password, RECOVERY_CODE })
      expect(printed).to.equal('totp,recovery_code\nfalse true\n')
    })

    it('signs a user in with a passkey', async () => {
      await permitPasskeys(running)
      const { token } = enrolled.answer.body
      const printed = await run('passkey', { EMAIL: ada.email, PASSWORD: ada.password, TOKEN: token })
      const [, shown = ''] = /completed\.amr\) \/\/ (.*)$/m.exec(PAGE) ?? []
      expect(printed).to.equal(`${shown.replace('[', '[ ').replace(']', ' ]')}\n`)
    })
  })

  it('lists users', async () => {
    expect(await run('users', await keysFor('users:read'))).to.include(
      `${running.user.id} ${running.user.email} false\n`,
    )
  })

  it('follows events, and begins again when its cursor has ended', async () => {
    await running.userToken()
    const log = await succeed(running.service.store.readEvents({ after: 0, limit: 1_000 }))
    const types = log.map(({ type }) => type).filter((type) => type === 'UserSignedIn')
    const printed = await run('events', {
      ...(await keysFor('events:read')),
      CURSOR: '00000000:1',
      EVENTS: `${types.length}`,
    })
    const { seen, cursor, discarded } = JSON.parse(printed)
    expect({ seen, discarded }).to.deep.equal({ seen: types, discarded: 1 })
    const last = log.findLast(({ type }) => type === 'UserSignedIn')
    expect(cursor).to.equal(`${await succeed(running.service.store.readEpoch())}:${last?.position}`)
  })

  it('reads events until the newest one at night', async () => {
    const user = { email: 'dora@example.com', password: 'nine purple otters sing' }
    const { id } = await succeed(running.service.registerUser(CONTEXT, user, { kind: 'operator' }))
    await succeed(running.service.removeUser(CONTEXT, user.email))
    const keys = await keysFor('events:read')
    const first = JSON.parse(await run('nightly', keys))
    expect(first.deleted).to.deep.equal([`user/${id}`])
    const second = JSON.parse(await run('nightly', { ...keys, CURSOR: first.cursor }))
    expect(second.deleted).to.deep.equal([])
  })

  it('verifies a user token', async () => {
    expect(await run('verify', { TOKEN: await running.userToken() })).to.match(
      new RegExp(`^${running.user.id} [0-9a-f-]{36} \\S+Z\n$`),
    )
    expect(await run('verify', { TOKEN: await running.applicationToken() })).to.equal('invalid_token\n')
  })

  it('keeps a session in a cookie', async () => {
    expect(await run('cookies')).to.equal(`undefined true ${running.user.email} 0\n`)
  })

  it('verifies a user token without API keys', async () => {
    const keys = { PUBLIC_API_KEY: '', PRIVATE_API_KEY: '' }
    expect(await run('gateway', { ...keys, TOKEN: await running.userToken() })).to.equal(
      `${running.user.id}\n`,
    )
  })
})
