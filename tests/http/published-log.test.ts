import { expect } from 'chai'
import { none } from 'fp-ts/lib/Option.js'
import { left, right } from 'fp-ts/lib/TaskEither.js'
import { request } from 'undici'
import { Dependency, provide } from '../../adapters/index.ts'
import type { PublishedLog } from '../../application/log/published-log.ts'
import { treeOf } from '../../application/ports/log-tree.ts'
import type { StoreUnavailable } from '../../application/ports/store.ts'
import { entriesOf } from '../../domain/tile.ts'
import { lastingHeaders } from '../support/lasting-headers.ts'
import { succeed } from '../support/outcome.ts'
import { publishedLogOf } from '../support/published-log.ts'
import { parseRaw, sendRaw } from '../support/raw-connection.ts'
import { requestText } from '../support/raw-text.ts'
import { CONTEXT } from '../support/request-context.ts'
import { type RunningService, startService } from '../support/running-service.ts'
import { scopedToken } from '../support/scoped-token.ts'
import { withService } from '../support/with-service.ts'

const LOG = '/api/v1/log'
const NOTE = 'example.com/api/v1/log/a1b2c3d4\n5\ntheroot=\n\n— example.com/api/v1/log/a1b2c3d4 signature\n'
const EVENT_LOG_KEY = `2026:${'e'.repeat(64)}`

const UNKNOWN_PATH = 'Unknown path.'
const UNKNOWN_TILE =
  'The published log does not contain this tile. The checkpoint says how many entries it has.'

const INSUFFICIENT_SCOPE = 'This operation requires an application token with the scope events:read.'

/** A service that publishes this log. */
const publishing = (log: PublishedLog | undefined) => provide(Dependency.publishedLog, () => log)

describe('the published log', () => {
  let running: RunningService
  let token: string
  let lines: ReadonlyArray<Uint8Array>
  before(async () => {
    // The first entries of a real log, in a tree of their own.
    await withService({}, async ({ service, userToken }) => {
      await userToken() // more entries
      const stored = treeOf(service.store)
      if (stored === undefined) throw new Error('The store has no lines.')
      lines = (await succeed(stored.readLines({ after: 0, limit: 5 }))).map(({ bytes }) => bytes)
    })
    running = await startService({}, publishing(await publishedLogOf(lines, NOTE)))
    token = await scopedToken(running, 'events:read')
  })
  after(() => running.stop())

  const get = (path: string, method = 'GET') => running.send({ method, path: `${LOG}/${path}`, token })
  const fetched = async (path: string, method: 'GET' | 'HEAD' = 'GET') => {
    const { statusCode, headers, body } = await request(`http://127.0.0.1:${running.port}${LOG}/${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'accept-encoding': 'gzip, br' },
    })
    return { status: statusCode, headers, bytes: Buffer.from(await body.arrayBuffer()) }
  }

  it('has the entries of the log in its bundles', async () => {
    const { bytes } = await fetched('tile/entries/000.p/4')
    const entries = entriesOf(bytes)?.map((entry) => Buffer.from(entry).toString())
    expect(entries).to.deep.equal(lines.slice(0, 4).map((line) => Buffer.from(line).toString()))
    expect(entries?.map((entry) => JSON.parse(entry).position)).to.deep.equal([1, 2, 3, 4])
  })

  for (const method of ['GET', 'HEAD'] as const) {
    it(`lets clients keep tiles for ever: ${method}`, async () => {
      const { status, headers, bytes } = await fetched('tile/0/000.p/5', method)
      expect(status).to.equal(200)
      expect(bytes).to.have.length(method === 'HEAD' ? 0 : 160)
      expect(lastingHeaders({ headers })).to.deep.equal({
        'cache-control': 'private, max-age=31536000, immutable',
        'content-length': '160',
        'content-type': 'application/octet-stream',
        'x-content-type-options': 'nosniff',
      })
    })

    it(`lets no cache keep the checkpoint: ${method}`, async () => {
      const { status, headers, bytes } = await fetched('checkpoint', method)
      expect(status).to.equal(200)
      expect(bytes.toString()).to.equal(method === 'HEAD' ? '' : NOTE)
      expect(lastingHeaders({ headers })).to.deep.equal({
        'cache-control': 'no-store',
        'content-length': String(Buffer.byteLength(NOTE)),
        'content-type': 'text/plain; charset=utf-8',
        'x-content-type-options': 'nosniff',
      })
    })
  }

  for (const path of [
    'tile/0/000',
    'tile/0/000.p/6',
    'tile/0/001.p/1',
    'tile/1/000.p/1',
    'tile/63/000.p/1',
    'tile/entries/000',
    'tile/entries/000.p/6',
    'tile/entries/x001/000.p/1',
    'tile/0/x009/x007/x199/x254/x740/991',
  ])
    it(`does not contain ${path}`, async () => {
      const { status, headers, body } = await get(path)
      expect([status, body]).to.deep.equal([404, { success: false, code: 404, message: UNKNOWN_TILE }])
      expect(headers['cache-control']).to.equal('no-store')
    })

  for (const path of [
    'tile/',
    'tile/0/0.p/5',
    'tile/00/000.p/5',
    'tile/64/000.p/5',
    'tile/0/000.p/05',
    'tile/0/x000/000.p/5',
    'tile/0//000.p/5',
    'tile/./0/000.p/5',
    'tile/0/../0/000.p/5',
    'tile/0/000%2Ep/5',
    'tile/0/000.p%2F5',
    'tile/0/000.p/5;v=1',
    'tile/0\\000.p/5',
    'tile/Entries/000.p/5',
    'tile/{path}',
    'tile',
    '/tile/0/000.p/5',
    'checkpoint/',
    '',
  ])
    it(`has one spelling for each path: not ${JSON.stringify(path)}`, async () => {
      const text = requestText('GET', `${LOG}/${path}`, [`Authorization: Bearer ${token}`])
      const { status, headers, body } = parseRaw(await sendRaw(running.port, Buffer.from(text, 'latin1')))
      expect([status, body]).to.deep.equal([404, { success: false, code: 404, message: UNKNOWN_PATH }])
      expect(headers['cache-control']).to.equal('no-store')
    })

  for (const path of ['checkpoint', 'tile/0/000.p/5', 'tile/0/000', 'tile/none', 'tile/'])
    it(`tells nothing about ${path} without the scope`, async () => {
      const send = (method: string, bearer?: string) =>
        running.send({
          method,
          path: `${LOG}/${path}`,
          ...(bearer === undefined ? {} : { token: bearer }),
        })
      for (const method of ['GET', 'HEAD']) {
        expect((await send(method)).status).to.equal(401)
        expect((await send(method, 'forged')).status).to.equal(401)
        expect((await send(method, await running.userToken())).status).to.equal(403)
        for (const scope of ['users:sign_in users:register', 'users:read users:manage tokens:introspect']) {
          const { status, headers, body } = await send(method, await scopedToken(running, scope))
          expect(status).to.equal(403)
          expect(headers['www-authenticate']).to.equal(
            'Bearer realm="portcullis", error="insufficient_scope", scope="events:read"',
          )
          if (method === 'GET') expect(body.message).to.equal(INSUFFICIENT_SCOPE)
        }
      }
    })

  it('has one metric for all tiles', async () => {
    for (const path of ['tile/0/000.p/1', 'tile/0/000.p/2', 'tile/secret']) await get(path)
    const { body } = await running.send({ method: 'GET', path: '/metrics' })
    const routes = new Set([...body.matchAll(/route="([^"]*\/log\/[^"]*)"/g)].map(([, route]) => route))
    expect([...routes]).to.have.members([`${LOG}/checkpoint`, `${LOG}/tile/{path}`])
  })

  it('stands below the path of PUBLIC_URL', async () => {
    await withService(
      { PUBLIC_URL: 'https://example.com/auth' },
      async ({ service, send }) => {
        const made = await succeed(
          service.registerApplication(CONTEXT, { name: 'auditor', scope: 'events:read' }),
        )
        const auditor = (await succeed(service.issueApplicationToken(CONTEXT, made))).token
        for (const path of ['checkpoint', 'tile/0/000.p/5', 'tile/entries/000.p/5']) {
          const statusAt = async (prefix: string) =>
            (await send({ method: 'GET', path: `${prefix}${LOG}/${path}`, token: auditor })).status
          expect([await statusAt('/auth'), await statusAt('')]).to.deep.equal([200, 404])
        }
        const metrics = await send({ method: 'GET', path: '/metrics' })
        expect(metrics.body).to.include(`route="/auth${LOG}/tile/{path}",status="200"`)
      },
      publishing(await publishedLogOf(lines, NOTE)),
    )
  })
})

describe('a log without a checkpoint', () => {
  const answerOf = async (
    environment: Record<string, string>,
    log: PublishedLog | undefined,
    path: string,
  ) => {
    let answer: unknown
    await withService(
      environment,
      async (running) => {
        const token = await scopedToken(running, 'events:read')
        const { status, body } = await running.send({ method: 'GET', path: `${LOG}/${path}`, token })
        answer = [status, body.message]
      },
      publishing(log),
    )
    return answer
  }
  const EMPTY: PublishedLog = { checkpoint: right(none), tile: () => right(none) }
  const NOT_VERIFIABLE = 'The history of this store is not verifiable: it does not implement LogTree.'

  it('tells how to set its key', async () => {
    expect(await answerOf({}, EMPTY, 'checkpoint')).to.deep.equal([
      404,
      'There is no checkpoint, because no key signs it. Set EVENT_LOG_KEY for the server.',
    ])
  })

  it('tells that the first one is not made yet', async () => {
    expect(await answerOf({ EVENT_LOG_KEY }, EMPTY, 'checkpoint')).to.deep.equal([
      404,
      'There is no checkpoint yet. Try again later.',
    ])
  })

  it('tells that the store cannot have one', async () => {
    for (const path of ['checkpoint', 'tile/0/000', 'tile/entries/000.p/1'])
      expect(await answerOf({ EVENT_LOG_KEY }, undefined, path)).to.deep.equal([404, NOT_VERIFIABLE])
    expect(await answerOf({}, undefined, 'tile/none')).to.deep.equal([404, UNKNOWN_PATH])
  })
})

describe('a log whose store is not available', () => {
  it('gets 503', async () => {
    const failure: StoreUnavailable = { _tag: 'StoreUnavailable', reason: 'disk' }
    const log: PublishedLog = { checkpoint: left(failure), tile: () => left(failure) }
    await withService(
      {},
      async (running) => {
        const token = await scopedToken(running, 'events:read')
        for (const path of ['checkpoint', 'tile/0/000']) {
          const answer = await running.send({ method: 'GET', path: `${LOG}/${path}`, token })
          expect([answer.status, answer.headers['retry-after']]).to.deep.equal([503, '5'])
          expect(answer.body.message).to.equal('The store is not available now.')
        }
      },
      publishing(log),
    )
  })
})
