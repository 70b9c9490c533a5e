import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect } from 'chai'
import { type Ended, freePort } from '../support/command.ts'
import { OPERATOR } from '../support/operator.ts'
import { succeed } from '../support/outcome.ts'
import { isOutOfReach } from '../support/registry.ts'
import { CONTEXT } from '../support/request-context.ts'
import { type RunningService, startService } from '../support/running-service.ts'
import { COMPILE_AND_RUN, copyProject, INSTALL, MAKE_TYPES } from './typescript-project.ts'
import { programsFrom, SAID, WRONG } from './typescript-types.ts'

describe('the client in TypeScript', function () {
  this.timeout(120_000) // npm installs its packages
  const project = copyProject()
  let running: RunningService
  before(async function () {
    running = await startService()
    const installed = await project.run(INSTALL)
    if (installed.status !== 0 && isOutOfReach(installed) && !process.env.CI) {
      const [first] = this.test?.parent?.tests ?? []
      if (first) first.title += ' (skipped with all of these tests: no npm registry is reachable)'
      this.skip()
    }
    expect(installed.status, installed.err).to.equal(0)
    const made = await project.run(MAKE_TYPES.replace('127.0.0.1:8080', `127.0.0.1:${running.port}`))
    expect(made.status, made.err).to.equal(0)
  })
  after(async () => {
    await running.stop()
    project.remove()
  })

  const run = (line: string, environment: Readonly<Record<string, string>> = {}): Promise<Ended> =>
    project.run(line, {
      PORTCULLIS_URL: `http://127.0.0.1:${running.port}`,
      PUBLIC_API_KEY: running.keys.public_api_key,
      PRIVATE_API_KEY: running.keys.private_api_key,
      EMAIL: running.user.email,
      PASSWORD: running.user.password,
      NEW_PASSWORD: 'another horse',
      ...environment,
    })

  it('compiles, signs a user in, shows the profile and changes the password', async () => {
    const bob = { email: 'bob@example.com', password: 'nine purple otters sing' }
    await succeed(running.service.registerUser(CONTEXT, bob, OPERATOR))
    const ended = await run(COMPILE_AND_RUN, { EMAIL: bob.email, PASSWORD: bob.password, NEW_PASSWORD: 'ü' })
    expect(ended).to.deep.equal({
      status: 0,
      out: 'bob@example.com is signed in for 43200 seconds.\nThe password was changed.\n',
      err: '',
    })
    expect(await running.userToken({ ...bob, password: 'ü' })).to.match(/^v4\.public\./)
  })

  const SIGNED_IN = 'Ada@Example.com is signed in for 43200 seconds.\n'
  const REFUSED: ReadonlyArray<
    readonly [what: string, environment: Record<string, string>, out: string, err: ReadonlyArray<string>]
  > = [
    [
      'missing keys',
      { PUBLIC_API_KEY: '', PRIVATE_API_KEY: '' },
      '',
      [
        'public_api_key (1): public_api_key is missing or empty.',
        'private_api_key (2): private_api_key is missing or empty.',
      ],
    ],
    ['invalid keys', { PRIVATE_API_KEY: 'sk_wrong' }, '', ['401: Invalid API keys.']],
    [
      'missing credentials',
      { EMAIL: '', PASSWORD: '' },
      '',
      ['email (1): email is missing or empty.', 'password (2): password is missing or empty.'],
    ],
    ['a wrong password', { PASSWORD: 'wrong' }, '', ['password (3): password does not match the e-mail.']],
    [
      'an empty new password',
      { NEW_PASSWORD: '' },
      SIGNED_IN,
      [
        'new_password (2): new_password is missing or empty.',
        'new_password_check (3): new_password_check is missing or empty.',
      ],
    ],
  ]
  for (const [what, environment, out, err] of REFUSED) {
    it(`stops at ${what} and prints all errors`, async () => {
      const ended = await run('node dist/client.js', environment)
      expect(ended).to.deep.equal({ status: 1, out, err: `${err.join('\n')}\n` })
    })
  }

  it('prints the status of a proxy’s response that is not JSON', async () => {
    for (const body of ['<h1>Bad Gateway</h1>', '']) {
      const proxy = createServer((_, response) => response.writeHead(502).end(body))
      await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
      const { port } = proxy.address() as AddressInfo
      const ended = await run('node dist/client.js', { PORTCULLIS_URL: `http://127.0.0.1:${port}` })
      proxy.close()
      expect(ended, body).to.deep.equal({ status: 1, out: '', err: '502: Bad Gateway\n' })
    }
  })

  it('stops when the service is unreachable', async () => {
    const ended = await run('node dist/client.js', { PORTCULLIS_URL: `http://127.0.0.1:${await freePort()}` })
    expect(ended).to.include({ status: 1, out: '' })
    expect(ended.err).to.include('ECONNREFUSED')
  })

  describe('has types with which the compiler', () => {
    let said: ReadonlyArray<string>
    before(async () => {
      const [client = '', types = ''] = ['client.ts', 'portcullis.d.ts'].map((name) =>
        readFileSync(join(project.folder, name), 'utf8'),
      )
      for (const [name, text] of programsFrom(client, types)) writeFileSync(join(project.folder, name), text)
      const { out } = await project.run('node_modules/.bin/tsc --project tsconfig.all.json')
      said = out.split(/\n(?!\s)/)
    })
    const saidOf = (name: string): ReadonlyArray<string> => said.filter((one) => one.startsWith(`${name}(`))

    for (const [index, [what]] of SAID.entries()) {
      it(`knows that ${what}`, () => expect(saidOf(`said-${index}.ts`)).to.deep.equal([]))
    }
    for (const [index, mistakes] of WRONG.entries()) {
      for (const [what, , , complaint] of mistakes)
        it(`refuses ${what}`, () => expect(saidOf(`wrong-${index}.ts`).join('\n')).to.match(complaint))
    }

    it('accepts everything else', () => {
      expect(said.filter((one) => one !== '' && !one.startsWith('wrong-'))).to.deep.equal([])
    })
  })
})
