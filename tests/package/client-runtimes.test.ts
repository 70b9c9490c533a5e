import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { ROOT } from '../architecture/root.ts'
import type { Ended } from '../support/command.ts'
import { FACTOR_SETTINGS, factorDesk, totpAt, verifiedUser } from '../support/factor-desk.ts'
import { succeed } from '../support/outcome.ts'
import { endOf, installInto, isOutOfReach } from '../support/registry.ts'
import { CONTEXT } from '../support/request-context.ts'
import { type RunningService, startService } from '../support/running-service.ts'
import { PUBLIC_URL } from '../support/settings.ts'
import type { Given, Place } from './client-program.ts'
import { type FaultyProxy, faultyProxy } from './faulty-proxy.ts'
import { installClient } from './packed.ts'
import { RUNTIMES } from './runtimes.ts'

/** What the program prints on every runtime. */
const PRINTED = {
  profile: true,
  wrongPassword: [['password', 'wrong_password', 3]],
  methods: ['totp', 'recovery_code'],
  secondFactor: ['aal2', ['pwd', 'otp', 'mfa']],
  problems: [
    ['newPassword', 'missing'],
    ['newPasswordCheck', 'missing'],
    ['oldPassword', 'wrong_password'],
  ],
  changed: true,
  paseto: true,
  forged: 'invalid_token',
  jwt: true,
  ofAnother: 'invalid_token',
  events: 'PasswordChanged',
  repeated: 'contract',
  lost: ['unknown', null],
  aborted: true,
  late: 'none',
  moved: ['none', 307],
}

/** Older releases of Node 20 call Ed25519 experimental. */
const WARNING = /^\(node:\d+\) ExperimentalWarning: The Ed25519 .*\n\(Use .*\n/

describe('a program with portcullis-client, without any other package', function () {
  this.timeout(180_000) // npm installs the runtimes
  let folder: string
  let paseto: RunningService
  let jwt: RunningService
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'portcullis-runtimes-'))
    paseto = await startService(FACTOR_SETTINGS)
    jwt = await startService({ USER_TOKEN_FORMAT: 'jwt' })
  })
  after(async () => {
    await Promise.all([paseto.stop(), jwt.stop()])
    rmSync(folder, { recursive: true })
  })

  /** A new user and a new application at a service. */
  const placeAt = async ({ service, port }: RunningService): Promise<Place> => {
    const scope = 'users:sign_in events:read'
    const keys = await succeed(service.registerApplication(CONTEXT, { name: 'program', scope }))
    const { email, password } = await verifiedUser({ service })
    return {
      url: `http://127.0.0.1:${port}`,
      issuer: PUBLIC_URL,
      publicApiKey: keys.publicApiKey,
      privateApiKey: keys.privateApiKey,
      email,
      password,
      factorEmail: '',
    }
  }

  /** A new user with an authenticator app, and the next code that it shows: each one is valid once. */
  const enrolledUser = async () => {
    const user = await verifiedUser(paseto)
    const now = () => Date.now()
    const { secret } = await factorDesk(paseto, now).enrol(await paseto.userToken(user))
    return { factorEmail: user.email, totp: totpAt(secret, now(), 1) }
  }

  const given = async (proxy: FaultyProxy): Promise<Given> => {
    const { totp, factorEmail } = await enrolledUser()
    return {
      paseto: { ...(await placeAt(paseto)), factorEmail },
      jwt: await placeAt(jwt),
      outageUrl: `${proxy.url}/outage`,
      silentUrl: `${proxy.url}/silent`,
      movedUrl: `${proxy.url}/moved`,
      totp,
    }
  }

  /** A folder with the package and the program. */
  const project = (name: string): string => {
    const made = join(folder, name)
    installClient(made)
    const dependencies = { 'portcullis-client': '*' }
    writeFileSync(join(made, 'package.json'), JSON.stringify({ type: 'module', private: true, dependencies }))
    copyFileSync(join(ROOT, 'dist/tests/package/client-program.js'), join(made, 'program.js'))
    return made
  }

  const run = (command: ReadonlyArray<string>, cwd: string): Promise<Ended> =>
    endOf(command, { cwd, env: { HOME: folder, PATH: process.env.PATH } })

  for (const [index, { name, packages, commandOf }] of RUNTIMES.entries()) {
    it(`signs in, verifies, follows events and meets outages on ${name}`, async function () {
      const place = join(folder, `runtime-${index}`)
      mkdirSync(place)
      if (packages.length > 0) {
        const installed = await installInto(place, ...packages)
        if (installed.status !== 0 && isOutOfReach(installed) && !process.env.CI) {
          if (this.test) this.test.title += ' (skipped: no npm registry is reachable)'
          this.skip()
        }
        expect(installed.status, installed.err).to.equal(0)
      }
      const within = project(`project-${index}`)
      const proxy = await faultyProxy(paseto.port)
      const argument = JSON.stringify(await given(proxy))
      const { status, out, err } = await run([...commandOf(place, 'program.js'), argument], within)
      proxy.stop()
      expect({ status, err: err.replace(WARNING, '') }).to.deep.equal({ status: 0, err: '' })
      expect(JSON.parse(out)).to.deep.equal(PRINTED)
    })
  }
})
