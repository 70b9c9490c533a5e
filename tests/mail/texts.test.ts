import { expect } from 'chai'
import { BUILT_IN, languages } from '../../adapters/texts/languages.ts'
import { ownTextsIn } from '../../adapters/texts/own-texts.ts'
import { placeholdersOf, type Text } from '../../adapters/texts/text.ts'
import type { TextKey } from '../../adapters/texts/texts.ts'

const ENGLISH: Readonly<Record<string, Text>> = BUILT_IN.en ?? {}
const KEYS = Object.keys(ENGLISH)

describe('the texts of each language', () => {
  for (const [language, texts] of Object.entries(BUILT_IN)) {
    const all: Readonly<Record<string, Text>> = texts
    it(`are the same, want the same values, and have the plurals of the language: ${language}`, () => {
      expect(Object.keys(all)).to.deep.equal(KEYS)
      const { pluralCategories } = new Intl.PluralRules(language).resolvedOptions()
      for (const [key, text] of Object.entries(all)) {
        expect([...placeholdersOf(text)], key).to.have.members([...placeholdersOf(ENGLISH[key] ?? '')])
        if (typeof text !== 'string') expect(Object.keys(text), key).to.have.members(pluralCategories)
      }
    })

    it(`pass as texts of a folder: ${language}`, () =>
      expect(ownTextsIn(JSON.stringify(all))).to.deep.equal({ _tag: 'Right', right: all }))

    it(`have no line ends, no spaces at their ends, and no placeholder that is no value: ${language}`, () => {
      for (const text of Object.values(all))
        for (const form of typeof text === 'string' ? [text] : Object.values(text)) {
          expect(form).to.equal(form.trim())
          expect(form.replace(/\{[a-z_]+\}/g, '')).not.to.match(/[{}\r\n]/)
        }
    })
  }

  it('choose the plural of the language', () => {
    const forms = { one: 'jeden {count}', few: 'dwa {count}', many: 'pięć {count}', other: 'inne {count}' }
    const { say } = languages({ pl: { 'mail.hours': forms } }, 'en').find('pl')
    for (const [count, expected] of [
      [1, 'jeden 1'],
      [3, 'dwa 3'],
      [5, 'pięć 5'],
      [22, 'dwa 22'],
    ] as const)
      expect(say('mail.hours', { count })).to.equal(expected)
  })

  it('are English where a language lacks one, and built in where a folder lacks one', () => {
    const own = languages({ fr: { 'mail.if_you': 'Oui.' }, de: { 'mail.if_you': 'Ja.' } }, 'fr')
    expect(own.available).to.deep.equal(['de', 'en', 'fr'])
    expect(own.find().say('mail.if_you')).to.equal('Oui.')
    expect(own.find().say('mail.new_sign_in.subject')).to.equal('New sign-in')
    expect(own.find('de').say('mail.if_you')).to.equal('Ja.')
    expect(own.find('de').say('mail.new_sign_in.subject')).to.equal('Neue Anmeldung')
  })

  it('never read a value for the names of values', () => {
    const { say } = languages({}, 'en').find('en')
    expect(say('mail.test.body', { time: '{name}', name: '{time} $& {toString}' })).to.equal(
      'This is a test mail of {name}. {time} $& {toString} can send mails.',
    )
  })

  it('name times in UTC, in the language', () => {
    const both = languages({}, 'en')
    expect(both.find('en').time(1_796_692_110)).to.equal('December 8, 2026 at 01:08 UTC')
    expect(both.find('de').time(1_796_692_110)).to.equal('8. Dezember 2026 um 01:08 UTC')
  })

  const KEY: TextKey = 'mail.hours'
  const WRONG: ReadonlyArray<readonly [json: string, problem: string]> = [
    ['', 'it is not a JSON object'],
    ['[]', 'it is not a JSON object'],
    ['{"mail.nothing": "x"}', 'there is no text "mail.nothing"'],
    ['{"toString": "x"}', 'there is no text "toString"'],
    ['{"mail.if_you": 1}', 'mail.if_you must be a text'],
    ['{"mail.if_you": {"other": "x"}}', 'mail.if_you must be a text'],
    ['{"mail.if_you": ""}', 'mail.if_you must be one line of 1 to 1000 characters'],
    ['{"mail.if_you": "a\\nb"}', 'mail.if_you must be one line of 1 to 1000 characters'],
    [`{"mail.if_you": "${'a'.repeat(1_001)}"}`, 'mail.if_you must be one line of 1 to 1000 characters'],
    ['{"mail.if_you": "{contact}"}', 'mail.if_you has no value {contact}'],
    [
      `{"${KEY}": "x"}`,
      `${KEY} must be an object of texts for zero, one, two, few, many, other, and have other`,
    ],
    [
      `{"${KEY}": {"one": "x"}}`,
      `${KEY} must be an object of texts for zero, one, two, few, many, other, and have other`,
    ],
    [
      `{"${KEY}": {"other": "x", "most": "x"}}`,
      `${KEY} must be an object of texts for zero, one, two, few, many, other, and have other`,
    ],
    [`{"${KEY}": {"other": "{counts}"}}`, `${KEY} has no value {counts}`],
  ]
  for (const [json, problem] of WRONG)
    it(`of a folder are refused: ${json.slice(0, 60)}`, () =>
      expect(ownTextsIn(json)).to.deep.equal({ _tag: 'Left', left: [problem] }))
})
