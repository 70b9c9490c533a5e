import { expect } from 'chai'
import type { NewApplication } from '../../application/applications/register-application.ts'
import { succeed } from '../support/outcome.ts'
import { CONTEXT } from '../support/request-context.ts'
import { type RunningService, startService } from '../support/running-service.ts'

const CONNECTIONS = 60
const SIGN_INS = 5

describe('two applications that sign users in, one of them over 60 busy connections', () => {
  let running: RunningService
  before(async () => {
    // Real scrypt: fewer than 60 hashes fit into two seconds.
    running = await startService({
      SCRYPT_LOG_N: '14',
      SCRYPT_R: '8',
      SCRYPT_P: '2',
      HASHING_CONCURRENCY: '1',
      HASHING_WAIT: '2',
    })
  })
  after(() => running.stop())

  const tokenOf = async ({ publicApiKey, privateApiKey }: NewApplication): Promise<string> => {
    const body = { public_api_key: publicApiKey, private_api_key: privateApiKey }
    return (await running.send({ method: 'POST', path: '/api/v1/auth/application/token', body })).body.token
  }
  const newToken = async (name: string): Promise<string> =>
    tokenOf(
      await succeed(
        running.service.registerApplication(CONTEXT, { name, scope: 'users:sign_in users:register' }),
      ),
    )
  const statusOf = async (path: string, token: string, body: object): Promise<number> =>
    (await running.send({ method: 'POST', path, token, body })).status

  /** Keeps 60 sign-ins of this application running during `during`. Returns their statuses. */
  const beside = async (token: string, during: () => Promise<void>): Promise<ReadonlyArray<number>> => {
    const { email, password } = running.user
    const statuses: Array<number> = []
    let isOver = false
    const loop = async (): Promise<void> => {
      while (!isOver) statuses.push(await statusOf('/api/v1/auth/user/token', token, { email, password }))
    }
    const loops = Array.from({ length: CONNECTIONS }, loop)
    await during()
    isOver = true
    await Promise.all(loops)
    return statuses
  }

  const count = (statuses: ReadonlyArray<number>, status: number): number =>
    statuses.filter((one) => one === status).length

  it('serves the other one, which signs in one user at a time', async () => {
    const [busy, modest] = [await newToken('busy'), await newToken('modest')]
    const { email, password } = running.user
    const signIns: Array<number> = []
    const ofBusy = await beside(busy, async () => {
      for (let made = 0; made < SIGN_INS; made += 1)
        signIns.push(await statusOf('/api/v1/auth/user/token', modest, { email, password }))
    })
    expect(count(signIns, 200)).to.be.at.least(0.8 * SIGN_INS)
    expect(count(ofBusy, 200)).to.be.at.least(SIGN_INS / 2) // the busy one is served in turn
    expect(count(ofBusy, 503), 'refused of the busy one').to.be.greaterThan(0)
  })

  it('serves the registrations and password changes of the other one', async () => {
    const [busy, modest] = [await newToken('busy'), await newToken('modest')]
    const statuses: Array<number> = []
    await beside(busy, async () => {
      for (let made = 0; made < 2; made += 1) {
        const credentials = { email: `user-${made}@example.com`, password: 'correct horse' }
        statuses.push(await statusOf('/api/v1/users', modest, credentials))
        const path = '/api/v1/auth/user/token'
        const signedIn = await running.send({ method: 'POST', path, token: modest, body: credentials })
        statuses.push(
          await statusOf('/api/v1/profile/change_password', signedIn.body.token, {
            old_password: 'correct horse',
            new_password: 'battery staple',
            new_password_check: 'battery staple',
          }),
        )
      }
    })
    expect(statuses).to.deep.equal([201, 200, 201, 200])
  })
})
