import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { VERSION } from '../../adapters/config/version.ts'
import { EVENT_TYPES } from '../../application/recording/events/table.ts'
import { PRUNABLE_TYPES } from '../../domain/retention.ts'
import { expectListed } from '../support/listed.ts'
import { everyEvent } from '../testkit/store/every-event.ts'
import { SECOND_FACTOR_REASONS, SIGN_IN_REASONS, TOKEN_REASONS } from '../testkit/store/refusal-reasons.ts'
import { sentencesIn } from './language.ts'
import { codeIn, partOf } from './page.ts'
import { PICTURE, sizeOf } from './sign-in-picture.ts'

/** The tests run from the root of the project, whether compiled or not. */
const read = (path: string): string => readFileSync(path, 'utf8')

const manifest = JSON.parse(read('package.json'))

/** The names in backticks. That of an optional field ends with a question mark. */
const namesIn = (text: string): ReadonlyArray<string> =>
  [...text.matchAll(/`(\w+\??)`/g)].map(([, name = '']) => name)

describe('the first screen of README.md', () => {
  const screen = read('README.md').split('\n').slice(0, 40).join('\n')

  it('says in two sentences what the service is', () => {
    const [, , said = ''] = screen.split('\n\n')
    expect(sentencesIn(said)).to.have.lengthOf(2)
  })

  it('runs and tests with one command each', () => {
    expect(codeIn(screen, 'sh')).to.deep.equal(['make run\n', 'make test\n'])
  })

  it('shows the sign-in page in a small picture, and says what is on it', () => {
    const [, shown, alt = ''] = /<img src="([^"]+)" alt="([^"]+)"/.exec(screen) ?? []
    expect(shown).to.equal(PICTURE)
    for (const word of ['sign-in page', 'password', 'Google', 'passkey']) expect(alt).to.include(word)
    const png = readFileSync(PICTURE)
    expect(png.length).to.be.below(100_000)
    expect(sizeOf(png).width).to.be.at.most(800)
  })
})

describe('docs/events.md', () => {
  const [table = ''] = partOf(read('docs/events.md'), '## Types').split('\n\n| event |')
  const rows = [...table.matchAll(/^\| ((?:`[A-Za-z]+`(?:, )?)+) \|.*\| ([^|]*) ?\|$/gm)].flatMap(
    ([, types = '', data = '']) => namesIn(types).map((type) => ({ type, fields: namesIn(data) })),
  )

  it('explains every event there is, and none besides', () => {
    const types = rows.map(({ type }) => type)
    expectListed(types, EVENT_TYPES, 'the table of docs/events.md')
  })

  for (const [type, reasons] of [
    ['ApplicationTokenRefused', TOKEN_REASONS],
    ['SignInRefused', SIGN_IN_REASONS],
    ['SecondFactorRefused', SECOND_FACTOR_REASONS],
  ] as const)
    it(`lists the reasons of ${type}`, () => {
      const [, , table = ''] = read('docs/events.md').split(/^\| (?:type \| meaning|event \| values)/m)
      const [, cell = ''] = new RegExp(`^\\| \`${type}\` \\|(.*)\\|$`, 'm').exec(table) ?? []
      expectListed(namesIn(cell), reasons, `the reasons of ${type} in docs/events.md`)
    })

  for (const { event } of everyEvent())
    it(`lists the fields of ${event.type}`, () => {
      const names = Object.keys(event.data)
      const fields = (rows.find(({ type }) => type === event.type)?.fields ?? [])
        .map((field) => (names.includes(field.replace('?', '')) ? field.replace('?', '') : field))
        .filter((field) => !field.endsWith('?'))
      expectListed(fields, names, `the row of ${event.type} in docs/events.md`)
    })
})

describe('docs/retention.md', () => {
  it('lists every type that is pruned, and none besides', () => {
    const [table = ''] = partOf(read('docs/retention.md'), '## What is removed').split('| field |')
    const types = [...table.matchAll(/^\| (`.+?) \|/gm)].flatMap(([, cell = '']) => namesIn(cell))
    expectListed(types, PRUNABLE_TYPES, 'the table of docs/retention.md')
  })
})

describe('the package', () => {
  it('has one version', () => {
    expect(VERSION).to.equal(manifest.version)
    const [, newest] = /^## (\d+\.\d+\.\d+)/m.exec(read('CHANGELOG.md')) ?? []
    expect(newest).to.equal(manifest.version)
  })

  it('says of all that it exports what a version of it promises', () => {
    const promises = read('docs/versioning.md')
    for (const path of Object.keys(manifest.exports).filter((one) => !one.endsWith('.json')))
      expect(promises).to.include(`\`${path.replace('.', manifest.name)}\``)
  })
})
