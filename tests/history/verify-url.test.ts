import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { eventually } from '../support/eventually.ts'
import { runHere } from '../support/run-here.ts'
import { scopedToken } from '../support/scoped-token.ts'
import { withService } from '../support/with-service.ts'
import { exportLines, KEY, verifierKeyOf } from './exported-log.ts'

const EVENT_LOG_KEY = `2026:${'e'.repeat(64)}`

/** Runs a web server for a while. */
const serving = async (listener: RequestListener, work: (url: string) => Promise<void>): Promise<void> => {
  const server: Server = createServer(listener)
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  try {
    await work(`http://127.0.0.1:${(server.address() as AddressInfo).port}/log/`)
  } finally {
    server.closeAllConnections()
    server.close()
  }
}

describe('portcullis events verify --from with a URL', () => {
  let folder: string
  const file = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text)
    return join(folder, name)
  }
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'published-'))
  })
  after(() => rmSync(folder, { recursive: true }))

  const verify = (url: string, more = '') =>
    runHere(`events verify --from ${url} --vkey ${verifierKeyOf(KEY)} ${more}`.trim(), {})

  /** Serves an exported log as every web server does. */
  const files: RequestListener = ({ url = '' }, response) => {
    try {
      response.end(readFileSync(join(folder, url.slice(1))))
    } catch {
      response.writeHead(404).end()
    }
  }

  it('verifies what a web server publishes, also against a kept checkpoint', async () => {
    const kept = file('kept', await exportLines(join(folder, 'log'), { size: 300 }))
    await exportLines(join(folder, 'log'), { size: 700 })
    await serving(files, async (url) => {
      expect(await verify(url, `--against ${kept}`)).to.deep.include({ status: 0, err: '' })
      const { out } = await verify(url, '--json')
      expect(JSON.parse(out)).to.include({ ok: true, size: 700 })
    })
  })

  it('finds a changed tile', async () => {
    await exportLines(join(folder, 'log'), { size: 700 })
    const changed: RequestListener = (request, response) => {
      if (request.url === '/log/tile/entries/001')
        response.end(Buffer.from(readFileSync(join(folder, 'log/tile/entries/001'))).fill(32, 5, 6))
      else files(request, response)
    }
    await serving(changed, async (url) => {
      const { status, err } = await verify(url)
      expect(status).to.equal(1)
      expect(err).to.match(/^The exported log is wrong: .*tile\/0\/001 does not contain the hashes/)
    })
  })

  it('verifies the routes of a service, with a token', () =>
    withService({ EVENT_LOG_KEY }, async (running) => {
      const { service, send, port } = running
      const token = await scopedToken(running, 'events:read')
      const tokenFile = file('token', `${token}\n`)
      await eventually('there is a checkpoint', async () => {
        const { status } = await send({ method: 'GET', path: '/api/v1/log/checkpoint', token })
        return status === 200 ? true : undefined
      })
      const { history } = service
      const keys = await history?.verifierKeys()
      const vkey = keys?._tag === 'Right' ? keys.right[0] : ''
      const log = `http://127.0.0.1:${port}/api/v1/log`
      const from = `events verify --from ${log} --vkey ${vkey}`
      const { status, out, err } = await runHere(`${from} --token-file ${tokenFile} --json`, {})
      expect([status, err]).to.deep.equal([0, ''])
      expect(JSON.parse(out).ok).to.equal(true)
      const refused = await runHere(from, {})
      expect(refused).to.deep.include({ status: 1, out: '' })
      expect(refused.err).to.equal('The exported log is unavailable: checkpoint: status 401.\n')
    }))

  for (const [what, listener, sentence] of [
    [
      'follows no redirect',
      (_, response) => response.writeHead(302, { Location: '/elsewhere' }).end(),
      'checkpoint: unexpected redirect',
    ],
    ['reports a failing server', (_, response) => response.writeHead(500).end(), 'checkpoint: status 500'],
    [
      'reads no more than the longest bundle',
      (_, response) => response.end(Buffer.alloc(17_000_000, 'a')),
      'checkpoint: longer than 16777472 bytes',
    ],
    ['reports a lost connection', ({ socket }) => socket.destroy(), 'checkpoint: UND_ERR_SOCKET'],
  ] as const satisfies ReadonlyArray<readonly [string, RequestListener, string]>)
    it(what, () =>
      serving(listener, async (url) => {
        expect(await verify(url)).to.deep.equal({
          status: 1,
          out: '',
          err: `The exported log is unavailable: ${sentence}.\n`,
        })
      }),
    )

  for (const from of ['http://id.example.com/api/v1/log', 'exported'])
    it(`sends no token to ${from}`, async () => {
      const { status, err } = await verify(from, `--token-file ${file('token', 'secret-token')}`)
      expect(status).to.equal(2)
      expect(err).to.equal(
        '--token-file needs --from with an https URL: another place must not get the token.\n',
      )
    })

  it('names a token file that cannot be read', async () => {
    const { status, err } = await verify('https://id.example.com', '--token-file missing')
    expect([status, err]).to.deep.equal([1, 'The token file missing cannot be read (ENOENT).\n'])
  })
})
