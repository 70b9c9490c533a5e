import { appendFileSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import * as fc from 'fast-check'
import { change, issuedToken, registered } from '../testkit/builders.ts'
import { commitAll, ok, wholeLog } from '../testkit/outcome.ts'
import { journalStore } from './journal-store.ts'

describe('the example store', () => {
  const folder = mkdtempSync(join(tmpdir(), 'portcullis-journal-'))
  const path = join(folder, 'journal')
  const changes = [change(registered(), issuedToken()), change(issuedToken()), change(registered())]
  let whole: Buffer

  before(async () => {
    const store = await journalStore(path)
    await commitAll(store, ...changes)
    await store.close()
    whole = readFileSync(path)
  })
  beforeEach(() => writeFileSync(path, whole))
  after(() => rmSync(folder, { recursive: true }))

  it('creates a file for its owner only and reads its changes again', async () => {
    expect(statSync(path).mode & 0o777).to.equal(0o600)
    const store = await journalStore(path)
    const ids = changes.flatMap(({ events }) => events.map(({ id }) => id))
    expect((await wholeLog(store)).map(({ id }) => id)).to.deep.equal(ids)
    await commitAll(store, ...changes) // all of them already exist
    expect(await wholeLog(store)).to.have.lengthOf(ids.length)
    await store.close()
    expect(readFileSync(path)).to.deep.equal(whole)
  })

  it('keeps each change completely or not at all, wherever its file is cut', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: whole.length }), async (bytes) => {
        const cut = whole.subarray(0, bytes)
        writeFileSync(path, cut)
        const left = changes.slice(0, Math.max(0, linesOf(cut).length - 2)) // after the epoch
        const store = await journalStore(path)
        expect(await wholeLog(store)).to.have.lengthOf(left.flatMap(({ events }) => events).length)
        await commitAll(store, ...changes) // adds only the lost ones
        expect(await wholeLog(store)).to.have.lengthOf(4)
        await store.close()
        expect(linesOf(readFileSync(path)).slice(1)).to.deep.equal(linesOf(whole).slice(1))
      }),
      { numRuns: 30 },
    )
  })

  for (const [what, line] of [
    ['invalid JSON', '{"id"'],
    ['a repeated change', 'the first change'],
  ] as const) {
    it(`refuses a file with ${what}`, async () => {
      appendFileSync(path, `${line === 'the first change' ? linesOf(whole)[1] : line}\n`)
      let said = ''
      await journalStore(path).catch((error) => {
        said = String(error)
      })
      expect(said).to.match(/SyntaxError|is damaged/)
    })
  }

  it('keeps rows beside its log', async () => {
    const store = await journalStore(path)
    expect(await ok(store.listRows({ table: 'users', after: '', limit: 10 }))).to.have.lengthOf(2)
    await store.close()
  })
})

const linesOf = (file: Buffer): ReadonlyArray<string> => file.toString().split('\n')
