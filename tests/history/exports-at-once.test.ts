import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { isRight } from 'fp-ts/lib/Either.js'
import { logFolder } from '../../adapters/stores/exported-log/folder.ts'
import type { WritableLogFiles } from '../../application/ports/log-files.ts'
import { onSqlite } from '../support/one-store.ts'
import { fail, succeed } from '../support/outcome.ts'
import { change, issuedToken } from '../testkit/builders.ts'
import { commitAll } from '../testkit/outcome.ts'
import { exportLines, exportTo, KEY, verifierKeyOf, verifyByUs } from './exported-log.ts'

const filesIn = (folder: string): ReadonlyArray<string> =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => name)

const sizeIn = (folder: string): number =>
  Number(readFileSync(join(folder, 'checkpoint'), 'utf8').split('\n')[1])

describe('exports into one folder at once', () => {
  let folder: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'portcullis-history-'))
  })
  afterEach(() => rmSync(folder, { recursive: true }))

  /** Runs another export before the first file, or before the checkpoint. */
  const filesWith = (when: 'write' | 'writeCheckpoint', other: () => Promise<unknown>): WritableLogFiles => {
    let isDue = true
    const interrupt = async () => {
      if (isDue) await other()
      isDue = false
    }
    const files = logFolder(folder)
    return {
      ...files,
      [when]:
        (...given: [string, Uint8Array]) =>
        async () => {
          await interrupt()
          return (files[when] as typeof files.write)(...given)()
        },
    }
  }

  it('all succeed, and leave one complete export without other files', async () => {
    await Promise.all(Array.from({ length: 8 }, () => succeed(exportTo(folder, { size: 3_000 }))))
    expect(isRight(await verifyByUs(folder, verifierKeyOf(KEY), []))).to.equal(true)
    const alone = mkdtempSync(join(tmpdir(), 'portcullis-history-'))
    await exportLines(alone, { size: 3_000 })
    expect(filesIn(folder).toSorted()).to.deep.equal(filesIn(alone).toSorted())
    rmSync(alone, { recursive: true })
  })

  it('keep the larger checkpoint if the smaller export ends last', async () => {
    const larger = () => exportLines(folder, { size: 3_000 })
    await succeed(exportTo(folder, { size: 300 }, filesWith('write', larger)))
    expect(sizeIn(folder)).to.equal(3_000)
    expect(isRight(await verifyByUs(folder, verifierKeyOf(KEY), []))).to.equal(true)
  })

  it('succeed if a larger one ends while the smaller one makes its checkpoint', async () => {
    let isDue = true
    const onceRead = async () => {
      if (isDue) await exportLines(folder, { size: 3_000 })
      isDue = false
    }
    await succeed(exportTo(folder, { size: 300, onceRead }))
    expect(sizeIn(folder)).to.equal(3_000)
    expect(isRight(await verifyByUs(folder, verifierKeyOf(KEY), []))).to.equal(true)
  })

  it('refuse to replace the checkpoint of another log', async () => {
    const other = () => exportLines(folder, { size: 300, epoch: '00000000' })
    const files = filesWith('write', other)
    expect(await fail(exportTo(folder, { size: 300 }, files))).to.have.property('_tag', 'OtherExport')
    expect(readFileSync(join(folder, 'checkpoint'), 'utf8')).to.include('/00000000\n')
  })
})

onSqlite('portcullis events export, twice at once', (stores) => {
  const { portcullis, asProcess, folder, withStore, remove } = stores.workplace()
  after(remove)

  it('succeeds twice, and the folder verifies', async () => {
    const environment = { EVENT_LOG_KEY: `2026:${'e'.repeat(64)}`, PUBLIC_URL: 'https://id.example.com' }
    const run = (words: string) => portcullis(words, { environment })
    await run('application create --name shop')
    const [first, ...others] = Array.from({ length: 3_000 }, () => issuedToken())
    if (first === undefined) throw new Error('no entries')
    await withStore((store) => commitAll(store, change(first, ...others)))
    const exports = await Promise.all(
      Array.from({ length: 4 }, () => asProcess.portcullis('events export log --json', { environment })),
    )
    for (const { status, err } of exports) expect([status, err]).to.deep.equal([0, ''])
    const key = (await run('events key')).out.trim()
    const verified = await run(`events verify --from log --vkey ${key}`)
    expect(verified.status, verified.err).to.equal(0)
    expect(sizeIn(join(folder, 'log'))).to.equal(3_001)
    expect(filesIn(join(folder, 'log')).filter((name) => name.includes('new'))).to.deep.equal([])
  })
})
