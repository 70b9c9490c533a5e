import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { expect } from 'chai'
import { isRight, left } from 'fp-ts/lib/Either.js'
import type { Composition } from '../../adapters/cli/composition.ts'
import { run } from '../../adapters/cli/program.ts'
import { composition } from '../../adapters/composition/compose.ts'
import type { ExportUsers } from '../../application/accounts/export-users.ts'
import { importLines } from '../support/import-file.ts'
import { jsonLines } from '../support/json-lines.ts'
import { CHEAP } from '../support/settings.ts'
import { withoutStoreLine } from '../support/store-line.ts'
import { workplace } from '../support/workplace.ts'

const NOTED = 'No file was made. The log has an entry UsersExported, because the export had begun.\n'

describe('an export in this process', () => {
  const { folder, database, portcullis, remove } = workplace()
  before(async () => {
    await portcullis('application create --name shop')
    await portcullis('user import -', { input: importLines(2_500) })
  })
  after(remove)

  /** Runs the command with another use case. */
  const exporting = async (alter: (exportUsers: ExportUsers) => ExportUsers, untilStopped: Promise<void>) => {
    const lines = { out: '', err: '' }
    const altered: Composition = {
      ...composition,
      composeOperations: async (...given) => {
        const operations = await composition.composeOperations(...given)
        return { ...operations, exportUsers: alter(operations.exportUsers) }
      },
    }
    const status = await run(['user', 'export', 'users.jsonl'], {
      loadComposition: async () => altered,
      script: '',
      environment: { ...CHEAP, DATABASE_URL: `sqlite:${database}` },
      folder,
      systemUser: () => undefined,
      input: Readable.from([]),
      writeOut: (line) => {
        lines.out += `${line}\n`
      },
      flushOut: async () => undefined,
      pause: async () => {},
      writeErr: (line) => {
        lines.err += `${line}\n`
      },
      untilStopped: () => untilStopped,
    })
    return { status, out: lines.out, err: withoutStoreLine(lines.err) }
  }
  const entries = async () =>
    jsonLines((await portcullis('events list --type UsersExported --json')).out).length

  it('removes the beginning of the file if it is stopped while it writes', async () => {
    let stop = () => {}
    const stopped = new Promise<void>((resolve) => {
      stop = resolve
    })
    const before = { files: readdirSync(folder), entries: await entries() }
    const partial: Array<string> = []
    const stopping = (exportUsers: ExportUsers): ExportUsers =>
      async function* (context) {
        let pages = 0
        for await (const step of exportUsers(context)) {
          if (isRight(step) && step.right._tag === 'Read') pages += 1
          if (pages === 2) {
            partial.push(...readdirSync(folder).filter((name) => name.endsWith('.partial')))
            stop()
            await stopped
          }
          yield step
        }
      }
    const ended = await exporting(stopping, stopped)
    expect(ended).to.deep.equal({ status: 1, out: '', err: `Stopped. ${NOTED}` })
    expect(partial, 'the file gets its name at the end').to.have.lengthOf(1)
    expect(readdirSync(folder)).to.deep.equal(before.files)
    expect(await entries()).to.equal(before.entries + 1)
  })

  it('removes the beginning of the file if the store fails while it writes', async () => {
    const failing = (exportUsers: ExportUsers): ExportUsers =>
      async function* (context) {
        let pages = 0
        for await (const step of exportUsers(context)) {
          if (isRight(step) && step.right._tag === 'Read') pages += 1
          if (pages === 2) return yield left({ _tag: 'StoreUnavailable', reason: 'it is gone' })
          yield step
        }
      }
    const before = readdirSync(folder)
    const ended = await exporting(failing, new Promise(() => {}))
    expect(ended).to.deep.equal({
      status: 1,
      out: '',
      err: `The store is unavailable: it is gone. ${NOTED}`,
    })
    expect(readdirSync(folder)).to.deep.equal(before)
  })

  it('overwrites no file that appears while it writes', async () => {
    const rival = (exportUsers: ExportUsers): ExportUsers =>
      async function* (context) {
        for await (const step of exportUsers(context)) {
          if (isRight(step) && step.right._tag === 'Noted')
            writeFileSync(join(folder, 'users.jsonl'), 'of another')
          yield step
        }
      }
    const { status, err } = await exporting(rival, new Promise(() => {}))
    expect(status).to.equal(1)
    expect(err).to.match(/users\.jsonl already exists\. /)
    expect(readFileSync(join(folder, 'users.jsonl'), 'utf8')).to.equal('of another')
    rmSync(join(folder, 'users.jsonl'))
    expect(readdirSync(folder).filter((name) => name.includes('partial'))).to.deep.equal([])
  })
})
