import { expect } from 'chai'
import { writerOf } from './letters.ts'
import { KINDS, MESSAGES } from './messages.ts'

const write = writerOf()
const letterOf = (message: (typeof MESSAGES)[number]['message'], language: string | undefined = 'en') =>
  write({ id: '0198f0c2', to: 'ada@lovelace.example', wishes: [language], message })

const linksIn = (html: string) => [...html.matchAll(/<a [^>]*href="([^"]*)"[^>]*>([^<]*)<\/a>/g)]

/** What a browser makes of character references. */
const decoded = (html: string): string =>
  html.replace(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)))

describe('a letter', () => {
  for (const { message, en, de, says } of MESSAGES) {
    const title = JSON.stringify(message)
    it(`has its subject in both languages: ${title}`, () => {
      expect(letterOf(message, 'en').subject).to.equal(en)
      expect(letterOf(message, 'de').subject).to.equal(de)
    })

    it(`says the same as text and as HTML: ${title}`, () => {
      for (const language of ['en', 'de']) {
        const { text, html } = letterOf(message, language)
        const [body = ''] = text.split('\n\n-- \n')
        for (const paragraph of body.split('\n\n')) expect(decoded(html)).to.include(paragraph)
      }
    })

    it(`contains what people need: ${title}`, () => {
      const { text } = letterOf(message)
      for (const each of says) expect(text).to.include(each)
      expect(text).not.to.match(/[{}]|undefined|NaN/)
      expect(letterOf(message, 'de').text).not.to.match(/[{}]|undefined|NaN/)
    })

    it(`shows where each link leads, on a line of its own: ${title}`, () => {
      const { text, html } = letterOf(message)
      const expected = [
        ...('link' in message && message.link !== undefined ? [message.link] : []),
        ...('recoveryLink' in message ? [message.recoveryLink] : []),
      ]
      expect(linksIn(html).map(([, href = '', shown = '']) => [decoded(href), decoded(shown)])).to.deep.equal(
        expected.map((link) => [link, link]),
      )
      for (const link of expected) expect(text.split('\n')).to.include(link)
    })

    it(`loads nothing, and runs nothing: ${title}`, () => {
      const { html } = letterOf(message)
      expect(html).not.to.match(/<(?:img|script|link|iframe|form)|src=|url\(|@import|\son\w+=/i)
      expect(html).to.match(/^<!doctype html>\n<html lang="en">/)
    })
  }

  it('has a message of each kind', () =>
    expect(new Set(MESSAGES.map(({ message: { kind } }) => kind))).to.deep.equal(new Set([...KINDS, 'test'])))

  const SIGN_IN = { kind: 'new_sign_in', atSeconds: 0, device: '<b>"Ada"</b> & \u202e\r\nBcc: x' } as const

  it('shows a device as it names itself, on one line and without markup', () => {
    const { text, html } = letterOf(SIGN_IN)
    expect(text).to.include('device that is new: <b>"Ada"</b> &  Bcc: x.')
    expect(html).not.to.include('<b>')
    expect(decoded(html)).to.include('<b>"Ada"</b>')
  })

  it('cuts the name of a device after 100 characters, and does without one', () => {
    expect(letterOf({ ...SIGN_IN, device: '😀'.repeat(101) }).text).to.include(`${'😀'.repeat(100)}.`)
    expect(letterOf({ ...SIGN_IN, device: '\u202e\n' }).text).to.include('on a device that is new.')
  })

  const LANGUAGES: ReadonlyArray<readonly [wishes: ReadonlyArray<string>, language: string]> = [
    [['de-AT'], 'de'],
    [['DE'], 'de'],
    [['en-GB'], 'en'],
    [['fr'], 'en'],
    [['fr', 'de'], 'de'],
    [['en', 'de'], 'en'],
    [['de_AT'], 'en'],
    [[], 'en'],
  ]
  for (const [wishes, language] of LANGUAGES)
    it(`for ${wishes.join(', then ') || 'no wish'} is in ${language}`, () => {
      const written = write({
        id: '1',
        to: 'a@b.example',
        wishes,
        message: { kind: 'test', atSeconds: 0 },
      })
      expect(written.language).to.equal(language)
      expect(written.html).to.include(`<html lang="${language}">`)
    })

  it('has an id of the mail and of the domain of the sender', () =>
    expect(letterOf({ kind: 'test', atSeconds: 0 }).messageId).to.equal('0198f0c2@example.com'))

  const LIFETIMES: ReadonlyArray<readonly [seconds: number, en: string, de: string]> = [
    [1, '1 minute', '1 Minute'],
    [60, '1 minute', '1 Minute'],
    [119, '1 minute', '1 Minute'],
    [3_600, '60 minutes', '60 Minuten'],
    [7_199, '119 minutes', '119 Minuten'],
    [7_200, '2 hours', '2 Stunden'],
    [86_400, '24 hours', '24 Stunden'],
  ]
  for (const [lifetimeSeconds, en, de] of LIFETIMES)
    it(`says of a link that lives ${lifetimeSeconds} seconds: ${en}`, () => {
      const message = { kind: 'recovery', link: 'https://a.example', lifetimeSeconds } as const
      expect(letterOf(message, 'en').text).to.include(`The link works once, for ${en}.`)
      expect(letterOf(message, 'de').text).to.include(`einmal und ist ${de} lang gültig.`)
    })
})
