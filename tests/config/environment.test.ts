import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { left } from 'fp-ts/lib/Either.js'
import { environmentOf, settingsFrom } from '../../adapters/config/settings.ts'
import { settings } from '../support/settings.ts'

let folder = ''

const write = (name: string, content: string): string => {
  const path = join(folder, name)
  writeFileSync(path, content)
  return path
}

const useTemporaryFolder = () => {
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'portcullis-config-'))
  })
  afterEach(() => rmSync(folder, { recursive: true }))
}

describe('the environment', () => {
  useTemporaryFolder()

  it('is the one of the process when there is no .env', () => {
    expect(environmentOf({ PORT: '1' }, folder)).to.deep.equal({ PORT: '1' })
  })

  it('holds what is in .env', () => {
    write('.env', '# where\nPORT=9000\nHOST="0.0.0.0"\n\nPUBLIC_URL=https://a.example/x # here\n')
    expect(environmentOf({}, folder)).to.deep.equal({
      PORT: '9000',
      HOST: '0.0.0.0',
      PUBLIC_URL: 'https://a.example/x',
    })
  })

  it('of the process goes before .env', () => {
    write('.env', 'PORT=9000\nHOST=0.0.0.0\n')
    expect(environmentOf({ PORT: '1', LANG: 'C' }, folder)).to.deep.equal({
      PORT: '1',
      HOST: '0.0.0.0',
      LANG: 'C',
    })
  })

  it('of the process leaves to .env what is set, but empty', () => {
    write('.env', 'PORT=9000\n')
    expect(environmentOf({ PORT: '', LANG: 'C' }, folder)).to.deep.equal({ PORT: '9000', LANG: 'C' })
  })

  it('makes settings from both', () => {
    write('.env', 'PORT=9000\nLOG_LEVEL=debug\n')
    const made = settings(environmentOf({ LOG_LEVEL: 'warn' }, folder))
    expect(made).to.deep.include({ port: 9000, logLevel: 'warn' })
  })
})

describe('DATABASE_URL_FILE', () => {
  useTemporaryFolder()

  const fromFile = (environment: Record<string, string>) =>
    settingsFrom({ PUBLIC_URL: 'http://a', ...environment })

  const CONTENTS: ReadonlyArray<readonly [what: string, content: string, path: string]> = [
    ['the setting alone', 'sqlite:/x.db', '/x.db'],
    ['a line feed at the end', 'sqlite:/x.db\n', '/x.db'],
    ['a carriage return and a line feed at the end', 'sqlite:/x.db\r\n', '/x.db'],
    ['a space inside, which belongs to it', 'sqlite:/x y.db', '/x y.db'],
  ]
  for (const [what, content, path] of CONTENTS) {
    it(`names a file that holds the setting: ${what}`, () => {
      const made = fromFile({ DATABASE_URL_FILE: write('url', content) })
      expect(made).to.have.nested.property('right.database').that.deep.equals({ kind: 'sqlite', path })
    })
  }

  it('is refused with a space at the end: SQLite would open another file than the one that was protected', () => {
    const made = fromFile({ DATABASE_URL_FILE: write('url', 'sqlite:/x.db ') })
    expect(made).to.deep.equal({
      _tag: 'Left',
      left: ['DATABASE_URL: sqlite:PATH, postgres://USER:PASSWORD@HOST:PORT/DATABASE or memory:'],
    })
  })

  it('can stand in .env', () => {
    write('.env', `DATABASE_URL_FILE=${write('url', 'memory:\n')}\n`)
    const made = fromFile({ ...environmentOf({}, folder) } as Record<string, string>)
    expect(made).to.have.nested.property('right.database').that.deep.equals({ kind: 'memory' })
  })

  it('goes with an empty DATABASE_URL, which is none', () => {
    const made = fromFile({ DATABASE_URL: '', DATABASE_URL_FILE: write('url', 'memory:') })
    expect(made).to.have.nested.property('right.database').that.deep.equals({ kind: 'memory' })
  })

  it('does not go with DATABASE_URL', () => {
    const file = write('url', 'memory:')
    expect(fromFile({ DATABASE_URL: 'memory:', DATABASE_URL_FILE: file })).to.deep.equal(
      left(['DATABASE_URL_FILE: DATABASE_URL is set too; keep one of them']),
    )
  })

  for (const missing of ['nowhere', '.']) {
    it(`is wrong when it names no file: ${missing}`, () => {
      expect(fromFile({ DATABASE_URL_FILE: join(folder, missing) })).to.deep.equal(
        left(['DATABASE_URL_FILE: the file it names cannot be read']),
      )
    })
  }

  it('is told wrong together with the others', () => {
    const made = fromFile({ DATABASE_URL_FILE: join(folder, 'nowhere'), PORT: 'x', LOG_LEVEL: 'x' })
    expect(made._tag === 'Left' && made.left).to.have.lengthOf(3)
  })

  it('never shows what is in it', () => {
    const file = write('url', 'mysql://ada:hunter2@host/db')
    const made = fromFile({ DATABASE_URL_FILE: file })
    expect(made).to.deep.equal(
      left(['DATABASE_URL: sqlite:PATH, postgres://USER:PASSWORD@HOST:PORT/DATABASE or memory:']),
    )
  })
})

describe('what is said of wrong settings', () => {
  it('never holds a value, for any of them may be a secret in the wrong place', () => {
    const names = ['PORT', 'HOST', 'DATABASE_URL', 'PUBLIC_URL', 'LOG_LEVEL', 'PASSWORD_PEPPER', 'SCRYPT_P']
    const made = settingsFrom(Object.fromEntries(names.map((name) => [name, 'hunter2 secret'])))
    const said = made._tag === 'Left' ? made.left : []
    expect(said).to.have.lengthOf(names.length)
    expect(said.join('\n')).to.not.match(/hunter2|secret/)
  })
})
