import { existsSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { fail } from '../support/outcome.ts'
import { exportLines, exportTo } from './exported-log.ts'

describe('the files of an exported log', () => {
  let folder: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'portcullis-history-'))
  })
  afterEach(() => rmSync(folder, { recursive: true }))

  it('have the mode 0600, and the folders 0700', async () => {
    const former = process.umask(0)
    try {
      await exportLines(join(folder, 'new', 'log'), { size: 300 })
    } finally {
      process.umask(former)
    }
    const found = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => {
      const stats = statSync(join(folder, name))
      return `${stats.isDirectory() ? 'folder' : 'file'} ${(stats.mode & 0o777).toString(8)}`
    })
    expect([...new Set(found)].sort()).to.deep.equal(['file 600', 'folder 700'])
  })

  it('are refused where no folder can be created', async function () {
    if (!existsSync('/proc/self')) this.skip()
    const failure = await fail(exportTo('/proc/nowhere/log', { size: 3 }))
    expect(failure).to.deep.equal({ _tag: 'FilesUnavailable', reason: 'tile/entries/000.p/3: ENOENT' })
  })
})
