import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { fail, succeed } from '../support/outcome.ts'
import { type Exported, exportLines, exportTo, linesFrom, OTHER_KEY } from './exported-log.ts'

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
})
