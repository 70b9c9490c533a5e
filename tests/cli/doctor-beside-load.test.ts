import { expect } from 'chai'
import type { Finding } from '../../application/ports/inspection.ts'
import { onEverySharedStore } from '../support/every-store.ts'
import { httpClient } from '../support/http-client.ts'
import { jsonLines } from '../support/json-lines.ts'

const CLIENTS = 8
const DOCTORS = 3

/** The hashes of tests are cheap, and their PostgreSQL may run without fsync. */
const OF_TESTS = ['hashing', 'durability']

onEverySharedStore('portcullis doctor beside a server under load', (stores) => {
  const { portcullis, asProcess, remove } = stores.workplace()
  after(remove)

  it('raises no false alarm', async () => {
    const server = await asProcess.serve()
    const { send, close } = httpClient(server.url)
    const keys = JSON.parse((await portcullis('application create --name shop --json')).out)
    const post = (path: string, body: object, token = '') =>
      send({ method: 'POST', path, body, ...(token === '' ? {} : { token }) })
    const { body } = await post('/api/v1/auth/application/token', keys)

    /** Registers, signs in, fails, changes the password and signs out in a loop. */
    let isOver = false
    const live = async (client: number): Promise<number> => {
      let rounds = 0
      for (; !isOver; rounds += 1) {
        const email = `user-${client}-${rounds}@example.com`
        await post('/api/v1/users', { email, password: 'first' }, body.token)
        const signIn = (password: string) => post('/api/v1/auth/user/token', { email, password }, body.token)
        await signIn('wrong')
        const { token } = (await signIn('first')).body
        const changed = await post(
          '/api/v1/profile/change_password',
          { old_password: 'first', new_password: 'second', new_password_check: 'second' },
          token,
        )
        expect(changed.status).to.equal(200)
        await signIn('second')
        await send({ method: 'DELETE', path: '/api/v1/auth/user/token', token })
      }
      return rounds
    }
    const living = Promise.all(Array.from({ length: CLIENTS }, (_, client) => live(client)))

    try {
      for (let time = 0; time < DOCTORS; time += 1) {
        const { out } = await portcullis('doctor --json', { environment: { PUBLIC_URL: server.url } })
        const [report] = jsonLines(out)
        const checks: ReadonlyArray<Finding> = report.checks
        const failed = checks.filter(({ ok }) => !ok).map(({ name }) => name)
        const alarms = failed.filter((name) => !OF_TESTS.includes(name))
        expect(alarms, out).to.deep.equal([])
        expect(checks.map(({ name }) => name)).to.include.members(['log', 'servers'])
      }
    } finally {
      isOver = true
    }
    expect(Math.min(...(await living))).to.be.greaterThan(0)
    await close()
    expect(await server.end()).to.equal(0)
  }).timeout(60_000)
})
