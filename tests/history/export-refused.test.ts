import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { ed25519Notes } from '../../adapters/credentials/signing/notes.ts'
import { logFolder } from '../../adapters/stores/exported-log/folder.ts'
import { exportLog } from '../../application/log/export-log.ts'
import { integration, treeDigests } from '../support/integration.ts'
import { fail, succeed } from '../support/outcome.ts'
import { logOfLines } from '../support/published-log.ts'
import {
  type Exported,
  exportLines,
  exportTo,
  KEY,
  linesFrom,
  OTHER_KEY,
  verifierKeyOf,
  verifyByUs,
} from './exported-log.ts'

describe('an export into a folder with another log', () => {
  let folder: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'portcullis-history-'))
  })
  afterEach(() => rmSync(folder, { recursive: true }))

  const contents = (): Readonly<Record<string, string>> =>
    Object.fromEntries(
      readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name))
        .map((path) => [path, readFileSync(path, 'base64')]),
    )

  const LARGER = 3_000 // several full tiles more, and more than one page of lines
  const OTHERS: ReadonlyArray<readonly [what: string, first: Exported, second: Exported]> = [
    ['renewed', { size: 300 }, { size: LARGER, epoch: '00000000' }],
    ['renewed when it was empty', { size: 0 }, { size: LARGER, epoch: '00000000' }],
    ['changed', { size: 300 }, { size: LARGER, lines: linesFrom(300) }],
    ['shorter', { size: 300 }, { size: 299 }],
    ['signed by another key', { size: 300 }, { size: LARGER, keys: [OTHER_KEY] }],
  ]
  for (const [what, first, second] of OTHERS)
    it(`changes no file: ${what}`, async () => {
      await exportLines(folder, first)
      const before = contents()
      expect(await fail(exportTo(folder, second))).to.have.property('_tag', 'OtherExport')
      expect(contents()).to.deep.equal(before)
    })

  it('writes only what is new into its own', async () => {
    await exportLines(folder, { size: 300 })
    const before = contents()
    const { written } = await succeed(exportTo(folder, { size: LARGER }))
    const { [join(folder, 'checkpoint')]: checkpoint, ...after } = contents()
    const { [join(folder, 'checkpoint')]: earlier, ...tiles } = before
    expect(checkpoint).not.to.equal(earlier)
    expect(after).to.include(tiles)
    expect(written).to.equal(Object.keys(after).length - Object.keys(tiles).length)
    expect(written).to.be.greaterThan(0)
  })

  it('reads only what is new if the tree of the log is stored', async () => {
    const lines = Array.from({ length: 300 }, (_, index) => linesFrom()(index + 1))
    const log = logOfLines(lines)
    const { second } = integration(log, { keys: [KEY], publicUrl: 'https://auth.example.com' })
    const exporting = (after: Array<number>) =>
      exportLog({
        log: {
          ...log,
          readLines: (query) => {
            after.push(query.after)
            return log.readLines(query)
          },
        },
        notes: ed25519Notes([KEY]),
        treeDigests,
        publicUrl: 'https://auth.example.com',
      })(logFolder(folder))
    await second()
    await succeed(exporting([]))
    for (let position = 301; position <= LARGER; position += 1) lines.push(linesFrom()(position))
    await second()
    const after: Array<number> = []
    await succeed(exporting(after))
    expect(Math.min(...after)).to.equal(256)
    const exported = contents()
    rmSync(folder, { recursive: true })
    await exportLines(folder, { size: LARGER })
    expect(exported, 'besides partial tiles').to.include(contents())
  })

  for (const path of ['tile/0/000', 'tile/1/000.p/1', 'tile/entries/000', 'tile/entries/001.p/44'])
    it(`is refused with a surplus byte behind ${path}`, async () => {
      await exportLines(folder, { size: 300 })
      expect(await verifyByUs(folder, verifierKeyOf(KEY), [])).to.have.property('_tag', 'Right')
      appendFileSync(join(folder, path), '\0')
      const verified = await verifyByUs(folder, verifierKeyOf(KEY), [])
      expect(verified).to.have.nested.property('left._tag', 'WrongExport')
    })
})
