import { SpanStatusCode } from '@opentelemetry/api'
import { expect } from 'chai'
import { left } from 'fp-ts/lib/Either.js'
import { Dependency, provide } from '../../adapters/index.ts'
import { memoryStore } from '../../adapters/stores/memory/store.ts'
import type { HashingRefused, PasswordHasher } from '../../application/ports/password-hasher.ts'
import { plainHasher } from '../support/plain-hasher.ts'
import { type RunningService, startService } from '../support/running-service.ts'
import { collectedSpans } from './collected-spans.ts'

describe('the spans of failures', () => {
  const { taken } = collectedSpans()
  const store = memoryStore()
  let commits: object | undefined
  let verifies: HashingRefused | 'throws' | undefined
  const plain = plainHasher()
  const hasher: PasswordHasher = {
    ...plain,
    verify: (password, record, request) => async () => {
      if (verifies === 'throws') throw new Error(`cannot verify ${password}`)
      return verifies === undefined ? plain.verify(password, record, request)() : left(verifies)
    },
  }
  let running: RunningService
  let token: string
  before(async () => {
    running = await startService(
      {},
      provide(Dependency.storage, () => ({
        store: {
          ...store,
          commit: (change) =>
            commits === undefined ? store.commit(change) : async () => left(commits) as never,
        },
      })),
      provide(Dependency.passwordHasher, () => hasher),
    )
    token = await running.applicationToken()
  })
  after(() => running.stop())
  afterEach(() => {
    commits = undefined
    verifies = undefined
  })

  /** Name, status and status message of each span. */
  const spansOf = async (path: string, body: object) => {
    taken()
    await running.send({ method: 'POST', path, token, body })
    return taken().map(({ name, status, attributes }) => [
      name,
      SpanStatusCode[status.code],
      attributes['error.type'] ?? attributes['portcullis.outcome'],
    ])
  }
  const SIGN_IN = '/api/v1/auth/user/token'
  const signIn = () => spansOf(SIGN_IN, { email: running.user.email, password: running.user.password })

  it('show that the store failed and that the response was a 503', async () => {
    commits = { _tag: 'StoreUnavailable', reason: 'the secret disk is full' }
    expect(await signIn()).to.deep.equal([
      [`POST ${SIGN_IN}`, 'ERROR', '503'],
      ['verify password', 'UNSET', undefined],
      ['commit', 'ERROR', 'StoreUnavailable'],
    ])
  })

  it('show each attempt to use the store', async () => {
    commits = { _tag: 'StoreUnavailable', reason: 'it is away', outcome: 'unknown' }
    expect((await signIn()).map(([name]) => name)).to.deep.equal([
      `POST ${SIGN_IN}`,
      'verify password',
      'commit',
      'commit',
      'commit',
    ])
  })

  it('do not mark a refusal of the store as an error', async () => {
    commits = { _tag: 'EmailTaken' }
    expect(await spansOf('/api/v1/users', { email: 'x@example.com', password: 'x' })).to.deep.equal([
      ['POST /api/v1/users', 'UNSET', undefined],
      ['hash password', 'UNSET', undefined],
      ['commit', 'UNSET', 'EmailTaken'],
    ])
  })

  for (const [refusal, status] of [
    [{ _tag: 'Overloaded', retryAfterSeconds: 1 }, 'ERROR'],
    [{ _tag: 'Abandoned' }, 'UNSET'],
  ] as const) {
    it(`show that a password was not hashed: ${refusal._tag}`, async () => {
      verifies = refusal
      expect(await signIn()).to.deep.equal([
        [`POST ${SIGN_IN}`, 'ERROR', '503'],
        ['verify password', status, refusal._tag],
      ])
    })
  }

  it('end also when a part throws, without its message', async () => {
    verifies = 'throws'
    taken()
    const body = { email: running.user.email, password: running.user.password }
    expect((await running.send({ method: 'POST', path: SIGN_IN, token, body })).status).to.equal(500)
    const [request, verify] = taken()
    expect(request?.attributes['error.type']).to.equal('500')
    expect(verify?.attributes['error.type']).to.equal('exception')
    for (const span of [request, verify]) {
      expect(span?.status).to.deep.equal({ code: SpanStatusCode.ERROR })
      expect(span?.events).to.deep.equal([])
    }
  })
})
