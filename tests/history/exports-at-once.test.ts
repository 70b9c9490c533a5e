import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { isRight } from 'fp-ts/lib/Either.js'
import { logFolder } from '../../adapters/stores/exported-log/folder.ts'
import type { WritableLogFiles } from '../../application/ports/log-files.ts'
import { fail, succeed } from '../support/outcome.ts'
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
