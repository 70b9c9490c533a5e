import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable, Writable } from 'node:stream'
import { expect } from 'chai'
import { composition } from '../../adapters/composition/compose.ts'
import { run } from '../../adapters/driving/cli/program.ts'
import { importLine, importLines } from '../support/import-file.ts'
import { CHEAP } from '../support/settings.ts'
import { workplace } from '../support/workplace.ts'

/** A terminal that keeps what is written to it. */
const terminal = () => {
  const written: Array<string> = []
  const stream = new Writable({
    write: (chunk, _, done) => {
      written.push(String(chunk))
      done()
    },
  })
  return { stream: Object.assign(stream, { isTTY: true, columns: 80 }), written: () => written.join('') }
}

describe('the progress of an import', () => {
  const { folder, database, portcullis, remove } = workplace()
  before(() => portcullis('application create --name shop'))
  after(remove)

  const importing = async (content: string, file: string, screen?: Writable) => {
    const lines = { out: '', err: '' }
    const status = await run(['user', 'import', file], {
      composition,
      environment: { ...CHEAP, DATABASE_URL: `sqlite:${database}` },
      folder,
      systemUser: () => undefined,
      input: Readable.from([Buffer.from(content)]),
      writeOut: (line) => {
        lines.out += `${line}\n`
      },
      flushOut: async () => {},
      writeErr: (line) => {
        lines.err += `${line}\n`
      },
      terminal: screen,
      untilStopped: () => new Promise(() => {}),
    })
    return { status, ...lines }
  }

  it('is a bar on a terminal, with bad lines above it', async () => {
    const { stream, written } = terminal()
    writeFileSync(join(folder, 'users.jsonl'), `${importLines(600)}nonsense\n`)
    const { status, out, err } = await importing('', 'users.jsonl', stream)
    expect(status).to.equal(1)
    expect(out).to.equal('lines     601\nimported  600\nknown     0\nbad       1\n')
    expect(err).to.match(/^1 bad line was skipped\. /)
    expect(written()).to.match(/=+ 100% \| 601 lines/)
    expect(written()).to.include('Line 601: The line is not valid JSON.\n')
    expect(written(), 'the terminal stays as it is').not.to.match(/\[\?(?:7|25)l/)
  })

  it('counts lines of standard input, whose size is unknown', async () => {
    const { stream, written } = terminal()
    expect((await importing(importLine('ada@example.com'), '-', stream)).status).to.equal(0)
    expect(written()).to.include('1 lines')
    expect(written()).not.to.include('%')
  })

  it('is not shown without a terminal', async () => {
    expect(await importing(importLine('bob@example.com'), '-')).to.deep.equal({
      status: 0,
      out: 'lines     1\nimported  1\nknown     0\nbad       0\n',
      err: '',
    })
  })
})
