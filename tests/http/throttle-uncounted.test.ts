import { connect, type Socket } from 'node:net'
import { expect } from 'chai'
import { identity, pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { timeBoundedQueue } from '../../adapters/credentials/hashing/queue.ts'
import { Dependency, provide } from '../../adapters/index.ts'
import type { HashingRequest, PasswordHasher } from '../../application/ports/password-hasher.ts'
import { aborted } from '../support/aborted.ts'
import { eventually } from '../support/eventually.ts'
import { onMemory } from '../support/one-store.ts'
import { plainHasher } from '../support/plain-hasher.ts'
import { requestText } from '../support/raw-text.ts'
import { startThrottled, type ThrottledService } from '../support/throttled-service.ts'
import { type Gate, gate } from '../support/waiting.ts'

/** The verification of this password blocks until the gate opens. */
const BLOCKING_PASSWORD = 'endless'

/** A hasher that does not hash and works one at a time in the queue of the default hasher. */
const queuedHasher = (maxWaitMs: number) => {
  const plain = plainHasher()
  const enqueue = timeBoundedQueue({ concurrency: 1, maxWaitMs }, 1)
  const held: Gate = gate()
  const asked: Array<HashingRequest> = []
  const hasher: PasswordHasher = {
    ...plain,
    verify: (password, record, request) => {
      asked.push(request)
      const checked = enqueue(async () => {
        if (password === BLOCKING_PASSWORD) await held.pass()
        return plain.verify(password, record, request)()
      }, request)
      return pipe(checked, TE.chainEitherKW(identity))
    },
  }
  return { hasher, held, asked, module: provide(Dependency.passwordHasher, () => hasher) }
}

onMemory('an unfinished sign-in', (stores) => {
  let running: ThrottledService
  afterEach(() => running.stop())

  it('does not count when its client disconnects before its turn', async () => {
    const { held, asked, module } = queuedHasher(600_000)
    running = await startThrottled(await stores.fresh(), module)
    const sockets: Array<Socket> = []
    expect(await running.failToSignIn(1)).to.deep.equal([422])
    const busy = running.signIn(BLOCKING_PASSWORD, 'somebody@example.com')
    await held.reached
    const token = await running.applicationToken()
    const headers = ['Content-Type: application/json', `Authorization: Bearer ${token}`]
    const body = JSON.stringify({ email: running.user.email, password: 'wrong' })
    for (let each = 0; each < 2; each += 1) {
      const socket = connect(running.port, '127.0.0.1')
      sockets.push(socket)
      socket.write(requestText('POST', '/api/v1/auth/user/token', headers, body))
    }
    await eventually('two wait in the queue', async () => (asked.length === 4 ? true : undefined))
    expect(await running.failToSignIn(1), 'they count while they wait').to.deep.equal([429])
    for (const socket of sockets) socket.destroy()
    await Promise.all(asked.slice(2).map(({ signal }) => aborted(signal)))
    held.open()
    await busy
    // The service does not announce when it uncounts them, so the test tries until a sign-in is checked again.
    await eventually('they are uncounted', async () =>
      (await running.signIn('wrong')).status === 422 ? true : undefined,
    )
    expect(await running.failToSignIn(2), 'the one before them still counts').to.deep.equal([422, 429])
  })
})
