import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { expect } from 'chai'
import type { ProgramContext } from '../../adapters/cli/command-context.ts'
import type { Composition } from '../../adapters/cli/composition.ts'
import { run } from '../../adapters/cli/program.ts'
import { composition } from '../../adapters/composition/compose.ts'
import { importLine, importLines } from '../support/import-file.ts'
import { CHEAP } from '../support/settings.ts'
import { withoutStoreLine } from '../support/store-line.ts'
import { terminal } from '../support/terminal.ts'
import { workplace } from '../support/workplace.ts'

describe('an import in this process', () => {
  const { folder, database, portcullis, remove } = workplace()
  before(() => portcullis('application create --name shop'))
  after(remove)

  const importing = async (content: string, file: string, given: Partial<ProgramContext> = {}) => {
    const lines = { out: '', err: '' }
    const status = await run(['user', 'import', file], {
      loadComposition: async () => composition,
      script: '',
      environment: { ...CHEAP, DATABASE_URL: `sqlite:${database}` },
      folder,
      systemUser: () => undefined,
      input: Readable.from([Buffer.from(content)]),
      writeOut: (line) => {
        lines.out += `${line}\n`
      },
      flushOut: async () => undefined,
      pause: async () => {},
      writeErr: (line) => {
        lines.err += `${line}\n`
      },
      untilStopped: () => new Promise(() => {}),
      ...given,
    })
    return { status, out: lines.out, err: withoutStoreLine(lines.err) }
  }

  it('shows a bar on a terminal, with bad lines above it', async () => {
    const { stream, written } = terminal()
    writeFileSync(join(folder, 'users.jsonl'), `${importLines(600)}nonsense\n`)
    const { status, out, err } = await importing('', 'users.jsonl', { terminal: stream })
    expect(status).to.equal(1)
    expect(out).to.equal('lines     601\nimported  600\nknown     0\nbad       1\n')
    expect(err).to.match(/^1 bad line was skipped\. /)
    expect(written()).to.match(/=+ 100% \| 601 lines/)
    expect(written()).to.include('Line 601: The line is not valid JSON.\n')
    expect(written(), 'the terminal stays as it is').not.to.match(/\[\?(?:7|25)l/)
  })

  it('shows the number of lines of standard input, whose size is unknown', async () => {
    const { stream, written } = terminal()
    expect((await importing(importLine('ada@example.com'), '-', { terminal: stream })).status).to.equal(0)
    expect(written()).to.include('1 lines')
    expect(written()).not.to.include('%')
  })

  it('shows no bar without a terminal', async () => {
    expect(await importing(importLine('bob@example.com'), '-')).to.deep.equal({
      status: 0,
      out: 'lines     1\nimported  1\nknown     0\nbad       0\n',
      err: '',
    })
  })

  it('imports nothing if it is stopped at once, and says so', async () => {
    const stopped = { untilStopped: async () => {} }
    expect(await importing(importLine('eve@example.com'), '-', stopped)).to.deep.equal({
      status: 1,
      out: 'lines     0\nimported  0\nknown     0\nbad       0\n',
      err: 'Stopped. To continue, run the same command again: it skips known users.\n',
    })
  })

  it('is stopped after the lines in work, even if more lines were read', async () => {
    let stop = () => {}
    const stopped = new Promise<void>((resolve) => {
      stop = resolve
    })
    const stopping: Composition = {
      ...composition,
      composeOperations: async (...given) => {
        const operations = await composition.composeOperations(...given)
        return {
          ...operations,
          importUsers: (...asked) => {
            stop()
            return operations.importUsers(...asked)
          },
        }
      },
    }
    const { status, out } = await importing(importLines(1_700), '-', {
      loadComposition: async () => stopping,
      untilStopped: () => stopped,
    })
    expect(status).to.equal(1)
    expect(out).to.include('lines     500\n')
  })

  it('keeps what was imported if the file fails', async () => {
    async function* failing() {
      yield Buffer.from(importLines(700))
      throw Object.assign(new Error('gone'), { code: 'EIO' })
    }
    const { status, out, err } = await importing('', '-', { input: Readable.from(failing()) })
    expect(status).to.equal(1)
    expect(out).to.include('lines     500\n')
    expect(err).to.equal(
      'The file cannot be read (EIO). To continue, run the same command again: it skips known users.\n',
    )
  })
})
