import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { ROOT } from '../architecture/root.ts'
import { type Ended, freePort } from '../support/command.ts'
import { eventsOf } from '../support/events.ts'
import { jsonLines } from '../support/json-lines.ts'
import { type RunningService, startService } from '../support/running-service.ts'

const SCRIPT = join(ROOT, 'tests/examples/curl/client.sh')

/** The shells that the script supports, as far as they are installed. /bin/sh may be one of the others. */
const SHELLS = ['sh', 'dash', 'bash', 'busybox'].filter(
  (shell) => spawnSync(shell, ['-c', ':']).status === 0 || shell === 'sh',
)

/** Characters with a meaning in a shell or in JSON. */
const PASSWORD = `pä "ss' \\wo$HOME\`rd\` ☃\\" %s`
const NEXT = 'another $(one) with\\nbackslashes \\\\ and "quotes"'

for (const shell of SHELLS) {
  describe(`the client in a shell, in ${shell}`, () => {
    let running: RunningService
    const folder = mkdtempSync(join(tmpdir(), 'portcullis-'))
    const seen = join(folder, 'arguments')
    before(async () => {
      running = await startService()
      mkdirSync(join(folder, 'bin'))
      // Wrappers that record their arguments, which `ps` would show.
      for (const name of ['curl', 'sed']) {
        const real = ['/usr/bin', '/bin', '/usr/local/bin', '/opt/homebrew/bin']
          .map((path) => join(path, name))
          .find(existsSync)
        const path = join(folder, 'bin', name)
        writeFileSync(path, `#!/bin/sh\necho "${name} $*" >> '${seen}'\nexec ${real} "$@"\n`)
        chmodSync(path, 0o700)
      }
    })
    after(async () => {
      await running.stop()
      rmSync(folder, { recursive: true })
    })

    const run = async (environment: Record<string, string> = {}): Promise<Ended> => {
      const words = shell === 'busybox' ? ['sh', SCRIPT] : [SCRIPT]
      const child = spawn(shell, words, {
        cwd: folder,
        env: {
          PATH: `${join(folder, 'bin')}:/usr/bin:/bin`,
          PORTCULLIS_URL: `http://127.0.0.1:${running.port}`,
          PUBLIC_API_KEY: running.keys.public_api_key,
          PRIVATE_API_KEY: running.keys.private_api_key,
          EMAIL: 'bob@example.com',
          PASSWORD,
          NEW_PASSWORD: NEXT,
          ...environment,
        },
        stdio: ['ignore', 'pipe', 'pipe'],
      })
      const output = { out: '', err: '' }
      child.stdout.on('data', (chunk) => {
        output.out += chunk
      })
      child.stderr.on('data', (chunk) => {
        output.err += chunk
      })
      const [status] = await once(child, 'close')
      return { status, ...output }
    }

    it('registers a user, signs the user in, shows the profile, changes the password and signs out', async () => {
      const { status, out, err } = await run()
      expect({ status, err }).to.deep.equal({ status: 0, err: '' })
      const [registered, profile, changed, signedOut, ...more] = jsonLines(out)
      expect(registered).to.have.property('email', 'bob@example.com')
      expect(profile).to.include({ email: 'bob@example.com' })
      expect([changed.code, signedOut.code, more]).to.deep.equal([100, 100, []])
      const [signOut, ...others] = await eventsOf(running.service.store, 'UserSignedOut')
      expect([signOut?.subject.id, others]).to.deep.equal([registered.id, []])
      expect(await running.userToken({ email: 'bob@example.com', password: NEXT })).to.match(/^v4\.public\./)
    })

    it('puts no secret into an argument', () => {
      const calls = readFileSync(seen, 'utf8')
      expect(calls.match(/^curl .*--config -$/gm)).to.have.lengthOf(6)
      for (const secret of [running.keys.private_api_key, 'pä', 'another', 'eyJ', 'v4.public', 'Bearer'])
        expect(calls, secret).not.to.include(secret)
    })

    it('reports an existing user and continues', async () => {
      const { status, out, err } = await run({ PASSWORD: NEXT, NEW_PASSWORD: PASSWORD })
      expect(status, err).to.equal(0)
      expect(err).to.match(
        /^POST \/api\/v1\/users: .*"code":4.*\nNot registered: signing in all the same\.\n$/m,
      )
      expect(jsonLines(out)).to.have.lengthOf(3)
    })

    const REFUSED: ReadonlyArray<readonly [what: string, environment: Record<string, string>, said: RegExp]> =
      [
        [
          'invalid keys',
          { PRIVATE_API_KEY: 'sk_wrong' },
          /^POST \/api\/v1\/auth\/application\/token: .*"code":401/m,
        ],
        [
          'a wrong password',
          { PASSWORD: 'wrong' },
          /^POST \/api\/v1\/auth\/user\/token: .*"param":"password"/m,
        ],
        ['a malformed e-mail', { EMAIL: 'bob' }, /"param":"email"/],
      ]
    for (const [what, environment, said] of REFUSED) {
      it(`stops at ${what} and prints the response`, async () => {
        const { status, out, err } = await run(environment)
        expect({ status, out }).to.deep.equal({ status: 1, out: '' })
        expect(err).to.match(said)
      })
    }

    it('stops when the service is unreachable', async () => {
      const { status, out, err } = await run({ PORTCULLIS_URL: `http://127.0.0.1:${await freePort()}` })
      expect({ status, out }).to.deep.equal({ status: 1, out: '' })
      expect(err).to.include('curl: (7)')
    })

    it('sends no control characters, and nothing when a variable is missing', async () => {
      const calls = readFileSync(seen, 'utf8')
      const refused = await run({ PASSWORD: 'two\nlines' })
      expect(refused).to.deep.include({ status: 2, out: '' })
      for (const name of ['PUBLIC_API_KEY', 'PRIVATE_API_KEY', 'EMAIL', 'PASSWORD', 'NEW_PASSWORD']) {
        const { status, err } = await run({ [name]: '' })
        expect(status, name).to.be.greaterThan(0)
        expect(err).to.include(name)
      }
      expect(readFileSync(seen, 'utf8')).to.equal(calls)
    })
  })
}
