import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { request } from 'undici'
import { Dependency, provide } from '../../adapters/index.ts'
import type { PublishedLog } from '../../application/log/published-log.ts'
import { tilePath } from '../../domain/tile.ts'
import { exportLines, linesFrom } from '../history/exported-log.ts'
import { publishedLogOf } from '../support/published-log.ts'
import { type RunningService, startService } from '../support/running-service.ts'
import { scopedToken } from '../support/scoped-token.ts'

/** The first lines of a log. */
const firstLines = (size: number): ReadonlyArray<Uint8Array> =>
  Array.from({ length: size }, (_, index) => linesFrom()(index + 1))

/** Each size, and the number of its tiles and bundles: those of level 0 and the bundles first, then those of each higher level. */
const SIZES: ReadonlyArray<readonly [size: number, files: number]> = [
  [0, 0],
  [1, 2 * 1],
  [255, 2 * 1],
  [256, 2 * 1 + 1],
  [257, 2 * 2 + 1],
  [700, 2 * 3 + 1],
  [70_000, 2 * 274 + 2 + 1],
]

/** The last tiles of each level of 70,000 entries, and tiles beyond them, as C2SP tlog-tiles names them. */
const OF_70_000: ReadonlyArray<readonly [path: string, status: number, hashes?: number]> = [
  ['tile/0/272', 200, 256],
  ['tile/0/273.p/112', 200, 112],
  ['tile/1/000', 200, 256],
  ['tile/1/001.p/17', 200, 17],
  ['tile/2/000.p/1', 200, 1],
  ['tile/entries/272', 200],
  ['tile/entries/273.p/112', 200],
  ['tile/0/273', 404],
  ['tile/0/273.p/113', 404],
  ['tile/0/274.p/1', 404],
  ['tile/1/001', 404],
  ['tile/1/001.p/18', 404],
  ['tile/2/000', 404],
  ['tile/2/000.p/2', 404],
  ['tile/3/000.p/1', 404],
  ['tile/entries/273', 404],
  ['tile/entries/273.p/113', 404],
]

describe('the published log, compared with an export', () => {
  let running: RunningService
  let token: string
  let published: PublishedLog
  let folder: string
  before(async () => {
    const current: PublishedLog = {
      checkpoint: () => published.checkpoint(),
      tile: (path) => published.tile(path),
    }
    running = await startService(
      {},
      provide(Dependency.publishedLog, () => current),
    )
    token = await scopedToken(running, 'events:read')
  })
  after(() => running.stop())
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'export-'))
  })
  afterEach(() => rmSync(folder, { recursive: true }))

  const fetched = async (path: string) => {
    const { statusCode, headers, body } = await request(
      `http://127.0.0.1:${running.port}/api/v1/log/${path}`,
      {
        headers: { authorization: `Bearer ${token}` },
      },
    )
    const bytes = Buffer.from(await body.arrayBuffer())
    if (statusCode === 200) expect(headers['content-length']).to.equal(String(bytes.length))
    return { status: statusCode, bytes }
  }
  const filesIn = () =>
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name).slice(folder.length + 1))

  for (const [size, files] of SIZES)
    it(`has the same ${files} tiles and checkpoint with ${size} entries`, async () => {
      const checkpoint = await exportLines(folder, { size })
      published = await publishedLogOf(firstLines(size), checkpoint)
      const exported = filesIn()
      expect(exported).to.have.length(files + 1)
      for (const path of exported) {
        const { status, bytes } = await fetched(path)
        expect(status, path).to.equal(200)
        expect(bytes.equals(readFileSync(join(folder, path))), path).to.equal(true)
      }
      if (size !== 70_000) return
      for (const [path, status, length] of OF_70_000) {
        const answer = await fetched(path)
        expect(answer.status, path).to.equal(status)
        if (length !== undefined) expect(answer.bytes, path).to.have.length(32 * length)
      }
    }).timeout(60_000)

  it('has a partial tile of every width, as in an export of each size', async () => {
    published = await publishedLogOf(firstLines(300))
    for (let width = 1; width <= 255; width += 1) {
      const small = join(folder, String(width))
      await exportLines(small, { size: width })
      for (const level of [0, 'entries'] as const) {
        const path = tilePath({ level, index: 0, width })
        expect((await fetched(path)).bytes.equals(readFileSync(join(small, path))), path).to.equal(true)
        const { status } = await fetched(tilePath({ level, index: 1, width }))
        expect(status, path).to.equal(width <= 44 ? 200 : 404)
      }
    }
  }).timeout(60_000)
})
