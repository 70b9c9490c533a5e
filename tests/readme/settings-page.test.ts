import { readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { expect } from 'chai'
import { type Environment, SETTINGS, settingsFrom } from '../../adapters/config/settings.ts'
import { expectListed } from '../support/listed.ts'

/** The tests run from the root of the project, whether compiled or not. */
const page = readFileSync('docs/settings.md', 'utf8')
const examples = readFileSync('.env.example', 'utf8')

/** Each row of its tables. */
const rows = [...page.matchAll(/^\| `([A-Z_]+)` \| ([^|]+) \| ([^|]+) \| ([^|]+) \|$/gm)].map(
  ([, name = '', fallback = '', allowed = '', meaning = '']) => ({ name, fallback, allowed, meaning }),
)

/** The settings that the page says a setting requires. */
const requiredBy = (meaning: string): Environment =>
  Object.fromEntries(
    [...meaning.matchAll(/Requires `([A-Z_]+)=([^`]+)`/g)].map(([, name = '', value = '']) => [
      name,
      value.replace('postgres://…', 'postgres://ada@db/auth'),
    ]),
  )

const MAIL: Environment = {
  PUBLIC_URL: 'https://auth.example.com',
  MAIL_URL: 'smtps://mail.example.com',
  MAIL_FROM: 'noreply@example.com',
  MAIL_CONTACT: 'help@example.com',
}

const KEY: Environment = { KEY_ENCRYPTION_KEY: `2026:${'s'.repeat(32)}` }

/** What the page says that mails and pages require. */
const requiredByMails = (meaning: string): Environment => (/Requires `MAIL_URL`/.test(meaning) ? MAIL : {})
const requiredByPages = (meaning: string): Environment =>
  /Requires `ACCOUNT_PAGES=on`/.test(meaning) ? KEY : {}

/** What the page says only some values of a setting require. */
const requiredBySome = (meaning: string): Environment => ({
  ...(/ requires `KEY_ENCRYPTION_KEY`/.test(meaning) && KEY),
  ...(/ requires `ACCOUNT_PAGES=on` and `MAIL_URL`/.test(meaning) && {
    ...MAIL,
    ...KEY,
    ACCOUNT_PAGES: 'on',
  }),
  ...(/ requires `IDENTITY_PROVIDERS_FILE`/.test(meaning) && { ...KEY, IDENTITY_PROVIDERS_FILE: '/any' }),
  ...(/ requires `ACCOUNT_PAGES=on`\./.test(meaning) && { ...KEY, ACCOUNT_PAGES: 'on' }),
  ...(/ requires `MAIL_FROM`, `MAIL_CONTACT` and `PUBLIC_URL`/.test(meaning) && { ...MAIL, MAIL_URL: '' }),
})

const isAccepted = (environment: Environment): boolean => settingsFrom(environment)._tag === 'Right'

describe('docs/settings.md', () => {
  it('lists every setting there is, each once, and none besides', () => {
    expectListed(
      rows.map(({ name }) => name),
      SETTINGS,
      'docs/settings.md',
    )
  })

  for (const { name, fallback, allowed, meaning } of rows) {
    const required = { ...requiredByPages(meaning), ...requiredBy(meaning), ...requiredByMails(meaning) }
    const { [name]: _, ...given } = { ...required, ...requiredBySome(meaning) }
    const set = (value: string) => ({ ...given, [name]: value })

    it(`names the default of ${name}`, () => {
      const unset = settingsFrom(given)
      const [, value] = /^`([^`]+)`$/.exec(fallback) ?? []
      if (/^MAIL_(?:FROM|CONTACT)$/.test(name)) expect(fallback).to.equal('required with `MAIL_URL`')
      else if (name === 'PUBLIC_URL') {
        expect(value).to.equal('http://HOST:PORT')
        expect(settingsFrom({ HOST: 'ada.test', PORT: '81' })).to.have.nested.property(
          'right.publicUrl',
          'http://ada.test:81',
        )
      } else if (name === 'HASHING_CONCURRENCY') {
        expect(fallback).to.equal('cores − 1, at least 1, at most 3')
        const cores = Math.min(3, Math.max(1, availableParallelism() - 1))
        expect(settingsFrom(set(String(cores)))).to.deep.equal(unset)
      } else if (value === undefined) {
        expect(fallback).to.equal('none')
        expect(settingsFrom(set(''))).to.deep.equal(unset)
      } else expect(settingsFrom(set(value))).to.deep.equal(unset)
    })

    const [, min, max] = /^(\d+) to (\d+)\b/.exec(allowed) ?? []
    if (min !== undefined && max !== undefined)
      it(`names the bounds of ${name}`, () => {
        for (const inside of [min, max]) expect(isAccepted(set(inside)), inside).to.equal(true)
        for (const outside of [Number(min) - 1, Number(max) + 1])
          expect(isAccepted(set(String(outside))), String(outside)).to.equal(false)
      })

    const words = [...allowed.matchAll(/(?<!\[)`([^`]+)`/g)].map(([, word = '']) => word)
    if (min === undefined && words.length > 0)
      it(`names values of ${name} that are taken`, () => {
        for (const word of words) {
          const value = word.replace('HOST:PORT', 'db:5432')
          expect(isAccepted(set(value)), value).to.equal(true)
        }
        expect(isAccepted(set('no:such')), 'another').to.equal(false)
      })

    // The settings named by a file are those of its content.
    if (!name.endsWith('_FILE') || !SETTINGS.includes(name.replace(/_FILE$/, '')))
      it(`names values of ${name} that differ in their effect`, () => {
        const [, example = ''] = new RegExp(`^#?${name}=(.*)$`, 'm').exec(examples) ?? []
        const values = ['', ...(min && max ? [min, max] : words), example, 'b'].map(set).filter(isAccepted)
        const effects = new Set(values.map((environment) => JSON.stringify(settingsFrom(environment))))
        expect(effects.size, `toSettings in adapters/config/settings.ts reads ${name}`).to.be.above(1)
      })

    if (Object.keys(required).length > 0)
      it(`names what ${name} requires`, () => {
        const [value = ''] = /\d+|postgres:\S+(?=`)/.exec(allowed) ?? [...words, '/dev/null']
        expect(isAccepted(set(value.replace('HOST:PORT', 'db:5432')))).to.equal(true)
        expect(isAccepted({ [name]: value.replace('HOST:PORT', 'db:5432') })).to.equal(false)
      })
  }

  it('names all log levels and policies that there are', () => {
    const allowedOf = (wanted: string) => rows.find(({ name }) => name === wanted)?.allowed ?? ''
    for (const name of ['LOG_LEVEL', 'PASSWORD_POLICY']) {
      const refused = settingsFrom({ [name]: 'no:such' })
      const [said = ''] = refused._tag === 'Left' ? refused.left : []
      const known = allowedOf(name).match(/(?<=`)[a-z]+(?=`)/g) ?? []
      const taken = said.match(/[a-z]+/g)?.filter((word) => isAccepted({ [name]: word })) ?? []
      expect(taken.length).to.be.above(1)
      expect(known).to.have.members([...new Set(taken)])
    }
  })
})
